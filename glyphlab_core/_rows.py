"""Rows of probabilities with their labels: the one place where they are checked."""

from collections.abc import Iterator
from typing import NamedTuple

from numpy.typing import ArrayLike

from glyphlab_core import _checks
from glyphlab_core._blocks import blocks
from glyphlab_core._checks import Array, Floats, Integers


class ProbabilityRows(NamedTuple):
    """Probabilities (N, K) with labels (N,): shapes and labels checked, rows when they are read."""

    rows: Array
    y: Integers
    float_type: str  # that the probabilities were computed in

    def blocks(self) -> Iterator[tuple[Floats, Integers, slice]]:
        """Yield blocks of checked rows as new float64 arrays, their labels and their place."""
        tolerance = _checks.sum_tolerance(self.float_type)
        for part in blocks(*self.rows.shape):
            block = _checks.probability_block(
                self.rows[part], "probabilities", tolerance, part.start
            )
            yield block, self.y[part], part


def probability_rows(probabilities: ArrayLike, y: ArrayLike) -> ProbabilityRows:
    """Check the shapes of probabilities and labels, and the labels' range."""
    p = _checks.matrix(probabilities, "probabilities")
    labels = _checks.labels(y, "y", p.shape[1], len(p), "probabilities has rows")
    return ProbabilityRows(p, labels, _checks.float_type(probabilities, p))
