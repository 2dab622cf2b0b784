"""Logits with their labels, and the log loss as a function of the inverse temperature β = 1/T.

For one row, ℓ(β) = log Σ_k exp(β(z_k - z_y)). With k drawn with probability softmax(βz)_k,
ℓ'(β) = E[z_k] - z_y and ℓ''(β) = Var[z_k] (chapter 23.2 §3). Everything is a mean over rows,
streamed in blocks, in float64.
"""

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from glyphlab_core import _checks, _direct
from glyphlab_core._blocks import blocks, workspace
from glyphlab_core._checks import Array, Floats, Integers


class Labelled(NamedTuple):
    """Logits (N, K) with labels (N,): shapes and labels checked, entries when they are read."""

    logits: Array
    y: Integers

    def blocks(self, itemsize: int = 8) -> Iterator[tuple[Array, Integers, int]]:
        """Yield blocks of rows, their labels and the number of the first row; not yet checked."""
        n, k = self.logits.shape
        for part in blocks(n, k, itemsize):
            yield self.logits[part], self.y[part], part.start

    @property
    def large(self) -> bool:
        """Whether speed matters."""
        return self.logits.size >= 1 << 20

    def every(self, stride: int) -> "Labelled":
        """Return every so many rows."""
        return Labelled(self.logits[::stride], self.y[::stride])


def labelled(logits: ArrayLike, y: ArrayLike) -> Labelled:
    """Check the shapes of logits and labels, and the labels' range."""
    z = _checks.matrix(logits, "logits")
    return Labelled(z, _checks.labels(y, "y", z.shape[1], len(z), "logits has rows"))


def checked(block: Array, row: int, room: Floats) -> Floats:
    """Return a block of logits as float64 after its check, in `room` if it has to be converted."""
    return as_float64(_checks.logit_block(block, "logits", row), room)


def as_float64(block: Array, room: Floats) -> Floats:
    """Return a block as float64, in `room` if it has to be converted."""
    if block.dtype == np.float64:
        return block
    np.copyto(room[: len(block)], block)
    return room[: len(block)]


def scaled_from(z: Floats, origin: Floats, beta: float, out: Floats | None = None) -> Floats:
    """Return β(z - origin), origin one number a row, without overflow on the way.

    The difference comes first, which is exact where the two are close. Where it overflows they
    are far apart, and nothing is lost by scaling first.
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        scaled: Floats = np.subtract(z, origin[:, None], out=out)
        far = np.isinf(scaled) & np.isfinite(z) if np.isinf(scaled.min()) else None
        scaled *= beta
        if far is not None:
            scaled[far] = (z * beta - origin[:, None] * beta)[far]
    return scaled


def exponentials(z: Floats, beta: float, out: Floats | None = None) -> tuple[Floats, Floats]:
    """Return each row's maximum m and exp(β(z - m)), whose largest entry is 1."""
    top: Floats = z.max(axis=1)
    exponent = scaled_from(z, top, beta, out)
    with np.errstate(under="ignore"):
        return top, np.exp(exponent, out=exponent)


def mean_loss(data: Labelled, beta: float) -> float:
    """Return the mean log loss; infinite where the class of some row is masked."""
    parts = []
    in_float32 = _float32_will_do(data, beta)
    itemsize = 4 if in_float32 else 8
    n, k = data.logits.shape
    room, terms = (workspace(n, k, itemsize) for _ in range(2))
    narrow = np.empty(room.shape, np.float32) if in_float32 else None
    for block, y, row in data.blocks(itemsize):
        losses = None if narrow is None else _direct.losses(block, y, beta, narrow[: len(y)])
        if losses is None:
            losses = _losses(checked(block, row, room), y, beta, terms[: len(y)])
        with np.errstate(over="ignore"):
            part = float(losses.sum()) / len(data.y)
            parts.append(part if np.isfinite(part) else float((losses / len(data.y)).sum()))
    with np.errstate(over="ignore"):
        return float(np.sum(parts))


def _float32_will_do(data: Labelled, beta: float) -> bool:
    """Whether float32 terms give the mean loss to 1e-8, tried on a sample of the rows."""
    n = len(data.y)
    if not (data.large and data.logits.dtype == np.float32 and float(np.float32(beta)) == beta):
        return False
    sample = data.every(n // 128 + 1)
    room = np.empty(sample.logits.shape, np.float32)
    narrow = _direct.losses(sample.logits, sample.y, beta, room)
    if narrow is None:
        return False
    wide = _losses(sample.logits.astype(np.float64), sample.y, beta, np.empty(room.shape))
    return _agree(narrow, wide, n)


def _agree(narrow: Floats, wide: Floats, n: int) -> bool:
    """Whether losses in float32 have, over `n` rows like these, a mean right to 1e-8.

    A row's error is about 5e-8. Over many different rows it averages out; over rows that resemble
    one another it need not, and then its mean here is more than its spread explains. A small loss
    deserves better.
    """
    error = narrow - wide
    bias, spread = abs(float(error.mean())), float(error.std())
    allowed = max(8e-9, 4 * spread / sqrt(len(error)))
    return bias < allowed and spread < 1e-9 * sqrt(n) and float(wide.mean()) > 0.1


def _losses(z: Floats, y: Integers, beta: float, room: Floats) -> Floats:
    """ℓ(β) of each row: log Σ_k exp(β(z_k - m)) - β(z_y - m)."""
    top, terms = exponentials(z, beta, room)
    of_true = scaled_from(z[np.arange(len(y)), y][:, None], top, beta)[:, 0]
    losses: Floats = np.log(terms.sum(axis=1)) - of_true
    return losses


def mean_derivatives(data: Labelled, beta: float) -> tuple[float, float]:
    """Return the means of ℓ'(β) and ℓ''(β) of checked data."""
    slopes, curvatures = [], []
    room, terms, shifted = (workspace(*data.logits.shape) for _ in range(3))
    for block, y, _ in data.blocks():
        z = as_float64(block, room)
        pair = _direct.derivatives(z, y, beta, terms[: len(y)]) if data.large else None
        if pair is None:
            pair = _derivatives(z, y, beta, terms[: len(y)], shifted[: len(y)])
        slope, curvature = pair
        slopes.append(float(slope.sum()))
        curvatures.append(float(curvature.sum()))
    return float(np.sum(slopes)) / len(data.y), float(np.sum(curvatures)) / len(data.y)


def _derivatives(
    z: Floats, y: Integers, beta: float, room: Floats, other: Floats
) -> tuple[Floats, Floats]:
    """ℓ'(β) = E[z - z_y] and ℓ''(β) = E[(z - z_y)²] - ℓ'(β)² of each row."""
    _, terms = exponentials(z, beta, room)
    from_true = np.subtract(z, z[np.arange(len(y)), y][:, None], out=other)
    if np.isneginf(from_true.min()):  # a masked class has weight 0: it drops out
        from_true[np.isneginf(from_true)] = 0
    total = terms.sum(axis=1)
    slope = np.vecdot(terms, from_true) / total
    terms *= from_true
    return slope, np.vecdot(terms, from_true) / total - slope**2
