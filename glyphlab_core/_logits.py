"""Logits with their labels, and the log loss as a function of the inverse temperature β = 1/T.

For one row, ℓ(β) = log Σ_k exp(β(z_k - z_y)). With k drawn with probability softmax(βz)_k,
ℓ'(β) = E[z_k] - z_y and ℓ''(β) = Var[z_k] (chapter 23.2 §3). Everything is a mean over rows,
streamed in blocks, in float64.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from glyphlab_core import _checks, _float32
from glyphlab_core._blocks import blocks
from glyphlab_core._checks import Array, Floats, Integers


class Labelled(NamedTuple):
    """Logits (N, K) with labels (N,): shapes and labels checked, entries when they are read."""

    logits: Array
    y: Integers

    def blocks(self) -> Iterator[tuple[Array, Integers, int]]:
        """Yield blocks of rows, their labels and the number of the first row; not yet checked."""
        for part in blocks(*self.logits.shape):
            yield self.logits[part], self.y[part], part.start

    def checked(self) -> Iterator[tuple[Floats, Integers]]:
        """Yield blocks of rows as float64 after their check, with their labels."""
        for block, y, row in self.blocks():
            yield checked(block, row), y

    @property
    def in_float32(self) -> bool:
        """Whether float32 terms are accurate enough: errors of 1e-7 average out over many rows."""
        n, k = self.logits.shape
        return self.logits.dtype == np.float32 and n >= 4096 and k <= 4096


def labelled(logits: ArrayLike, y: ArrayLike) -> Labelled:
    """Check the shapes of logits and labels, and the labels' range."""
    z = _checks.matrix(logits, "logits")
    return Labelled(z, _checks.labels(y, "y", z.shape[1], len(z), "logits has rows"))


def checked(block: Array, row: int = 0) -> Floats:
    """Return a block of logits as float64 after its check."""
    return _checks.logit_block(block, "logits", row).astype(np.float64, copy=False)


def scaled_from(z: Floats, origin: Floats, beta: float) -> Floats:
    """Return β(z - origin), origin one number a row, without overflow on the way.

    The difference comes first, which is exact where the two are close. Where it overflows they
    are far apart, and nothing is lost by scaling first.
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        scaled: Floats = z - origin[:, None]
        overflown = np.isinf(scaled) & np.isfinite(z)
        scaled *= beta
        if overflown.any():
            scaled = np.where(overflown, z * beta - origin[:, None] * beta, scaled)
    return scaled


def exponentials(z: Floats, beta: float) -> tuple[Floats, Floats]:
    """Return each row's maximum m and exp(β(z - m)), whose largest entry is 1."""
    top: Floats = z.max(axis=1)
    exponent = scaled_from(z, top, beta)
    with np.errstate(under="ignore"):
        return top, np.exp(exponent, out=exponent)


def mean_loss(data: Labelled, beta: float) -> float:
    """Return the mean log loss; infinite where the class of some row is masked."""
    parts = []
    for block, y, row in data.blocks():
        losses = _float32.losses(block, y, beta) if data.in_float32 else None
        if losses is None:
            losses = _losses(checked(block, row), y, beta)
        with np.errstate(over="ignore"):
            part = float(losses.sum()) / len(data.y)
            parts.append(part if np.isfinite(part) else float((losses / len(data.y)).sum()))
    with np.errstate(over="ignore"):
        return float(np.sum(parts))


def _losses(z: Floats, y: Integers, beta: float) -> Floats:
    """ℓ(β) of each row: log Σ_k exp(β(z_k - m)) - β(z_y - m)."""
    top, terms = exponentials(z, beta)
    of_true = scaled_from(z[np.arange(len(y)), y][:, None], top, beta)[:, 0]
    losses: Floats = np.log(terms.sum(axis=1)) - of_true
    return losses


def mean_derivatives(data: Labelled, beta: float, coarse: bool = False) -> tuple[float, float]:
    """Return the means of ℓ'(β) and ℓ''(β); `coarse` allows float32 terms."""
    slopes, curvatures = [], []
    for block, y, row in data.blocks():
        pair = _float32.derivatives(block, y, beta) if coarse and data.in_float32 else None
        slope, curvature = pair or _derivatives(checked(block, row), y, beta)
        slopes.append(float(slope.sum()))
        curvatures.append(float(curvature.sum()))
    return float(np.sum(slopes)) / len(data.y), float(np.sum(curvatures)) / len(data.y)


def _derivatives(z: Floats, y: Integers, beta: float) -> tuple[Floats, Floats]:
    """ℓ'(β) = E[z - z_y] and ℓ''(β) = E[(z - z_y)²] - ℓ'(β)² of each row."""
    _, terms = exponentials(z, beta)
    from_true = z - z[np.arange(len(y)), y][:, None]
    if np.isneginf(from_true).any():  # a masked class has weight 0: it drops out
        from_true[np.isneginf(from_true)] = 0
    total = terms.sum(axis=1)
    slope = np.vecdot(terms, from_true) / total
    terms *= from_true
    return slope, np.vecdot(terms, from_true) / total - slope**2
