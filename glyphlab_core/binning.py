"""Bins over [0, 1]: their edges and on which side they are closed are part of every result."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from glyphlab_core import _checks
from glyphlab_core._checks import Array, Floats

Closed = Literal["left", "right"]
_MOST_BINS = 1_000_000


@dataclass(frozen=True)
class Binning:
    """Consecutive bins that cover [0, 1].

    Parameters
    ----------
    edges : sequence of float, length M + 1
        Strictly increasing, from at most 0 to at least 1.
    closed : {"left", "right"}
        ``"left"``: bins [lo, hi), the last one closed on both sides. ``"right"``: bins (lo, hi],
        the first one closed on both sides.

    Raises
    ------
    ValueError
        Edges that do not increase or do not cover [0, 1], or another `closed`.

    Notes
    -----
    Chapter 23.2 §2. Edges are rounded to the type of the confidences before they are compared, so
    that float32 0.7 lies on the edge 0.7. Every confidence falls in exactly one bin.

    Examples
    --------
    >>> Binning.uniform(5).index([0.0, 0.6, 1.0]).tolist()
    [0, 3, 4]
    >>> Binning.uniform(5, closed="right").index([0.0, 0.6, 1.0]).tolist()
    [0, 2, 4]
    """

    edges: tuple[float, ...]
    closed: Closed = "left"

    def __post_init__(self) -> None:
        edges = _checks.vector(self.edges, "edges").astype(np.float64)
        if len(edges) < 2:
            raise ValueError(f"edges must be at least two, not {len(edges)}")
        _checks.refuse("edges", "be finite", edges, ~np.isfinite(edges))
        falls = np.append(False, edges[1:] <= edges[:-1])
        _checks.refuse("edges", "strictly increase", edges, falls)
        if edges[0] > 0 or edges[-1] < 1:
            raise ValueError(f"edges must cover [0, 1]: they run from {edges[0]} to {edges[-1]}")
        _require_closed(self.closed)
        object.__setattr__(self, "edges", tuple(edges.tolist()))

    @classmethod
    def uniform(cls, n: int, closed: Closed = "left") -> "Binning":
        """Return `n` bins of equal width, with edges k/n, each the double nearest to k/n.

        Examples
        --------
        >>> Binning.uniform(5).edges
        (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
        """
        n = _checks.whole_number(n, "n", least=1, most=_MOST_BINS)
        return cls(tuple((np.arange(n + 1) / n).tolist()), closed)

    @classmethod
    def quantile(cls, confidence: ArrayLike, n: int, closed: Closed = "left") -> "Binning":
        """Return at most `n` bins of about equal mass; equal confidences are never split.

        Parameters
        ----------
        confidence : array_like, shape (N,)
            Numbers in [0, 1].
        n : int
            How many bins are wanted. Ties can leave fewer.
        closed : {"left", "right"}
            As for the class.

        Examples
        --------
        >>> Binning.quantile([0.2, 0.4, 0.6, 0.6, 0.9], 2).edges
        (0.0, 0.6, 1.0)
        """
        _require_closed(closed)
        values = _checks.fractions(confidence, "confidence")
        _checks.fraction_block(values, "confidence")
        n = _checks.whole_number(n, "n", least=1, most=_MOST_BINS)
        distinct, counts = np.unique(values.astype(np.float64), return_counts=True)
        below = np.cumsum(counts)[:-1]  # how many lie below each possible cut
        targets = np.arange(1, n) * (len(values) / n)
        right = np.clip(np.searchsorted(below, targets), 0, max(len(below) - 1, 0))
        left = np.maximum(right - 1, 0)
        cuts: Array = np.zeros(0, dtype=np.int64)
        if len(below):
            nearer_left = targets - below[left] <= below[right] - targets
            cuts = np.unique(np.where(nearer_left, left, right))
        inner = [_cut(distinct[i], distinct[i + 1], closed) for i in cuts]
        return cls((0.0, *(e for e in inner if 0 < e < 1), 1.0), closed)

    def index(self, confidence: ArrayLike) -> Array:
        """Return the bin of each confidence.

        Parameters
        ----------
        confidence : array_like, shape (N,)
            Numbers in [0, 1].

        Returns
        -------
        (N,) integer array
            0 … M-1.

        Raises
        ------
        ValueError
            A confidence outside [0, 1], or NaN.
        """
        values = _checks.fractions(confidence, "confidence")
        _checks.fraction_block(values, "confidence")
        return Locator(self, _checks.float_type(confidence, values))(values)

    @cached_property
    def is_uniform(self) -> bool:
        """Whether the edges are exactly k/n."""
        n = len(self.edges) - 1
        return bool(np.array_equal(self.edges, np.arange(n + 1) / n))

    def __len__(self) -> int:
        """Return the number of bins."""
        return len(self.edges) - 1


def _cut(below: float, above: float, closed: Closed) -> float:
    """Return an edge between two neighbouring values: one of them, unless it is 0 or 1."""
    edge = above if closed == "left" else below
    return float(edge) if 0 < edge < 1 else float((below + above) / 2)


def _require_closed(closed: Any) -> None:
    if not isinstance(closed, str) or closed not in ("left", "right"):
        raise ValueError(f"closed must be 'left' or 'right', not {_checks.shown(closed)}")


def required(binning: Binning) -> Binning:
    """Refuse what is not a `Binning`, such as a number of bins: closedness would be a guess."""
    if not isinstance(binning, Binning):
        raise ValueError(f"binning must be a Binning, not {type(binning).__name__}")
    return binning


class Locator:
    """Finds bins for confidences of one type: a `Binning` with its edges rounded to that type."""

    def __init__(self, binning: Binning, float_type: str) -> None:
        # What lies outside [0, 1] bounds nothing, and could overflow.
        exact = np.clip(binning.edges, -1.0, 2.0)
        edges = _checks.rounded_to(float_type, exact)
        self.right = binning.closed == "right"
        self.inner = edges[1:-1]
        # One multiplication finds the bin of a uniform binning up to rounding. Widened by a few
        # roundings of the type, it is never too low, and too high by one at most; one look at the
        # lower edge then settles it. Not so where the type cannot tell the edges apart.
        step = float(np.max(np.abs(np.diff(edges) * len(binning) - 1)))
        rounding = max(float(np.max(np.abs(edges - exact))), 2.0**-52)
        self.scale = len(binning) * (1 + 4 * rounding)
        self.direct = binning.is_uniform and step < 0.25 and 8 * rounding * len(binning) < 0.25
        # The bound that a value must not fall below (left) or stay at (right) to be in its bin.
        self.lower = edges.copy()
        if self.right:
            self.lower[0] = -np.inf
        else:
            self.lower[-1] = np.inf

    def __call__(self, values: Array) -> Array:
        """Return the bin of each value of a checked block."""
        if not self.direct:
            side: Literal["left", "right"] = "left" if self.right else "right"
            return np.searchsorted(self.inner, values, side=side)
        bins = np.multiply(values, self.scale, dtype=np.float64).astype(np.intp)
        lower: Floats = self.lower.take(bins, mode="clip")
        bins -= values <= lower if self.right else values < lower
        return bins
