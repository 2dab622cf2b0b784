"""The exact minimiser of the log loss in β = 1/T: does it exist, and where is it."""

from collections.abc import Callable
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from glyphlab_core import _checks, _logits
from glyphlab_core._blocks import workspace
from glyphlab_core._checks import Array, Floats
from glyphlab_core._logits import Labelled

_SAMPLE = 1 << 21  # elements of a sample of the rows: a percent or so off

Derivatives = Callable[[float], tuple[float, float]]


def near_one(data: Labelled) -> tuple[Labelled, int]:
    """Divide logits of extreme size by 2^exponent, which is exact, so that cubes fit a double.

    Returns the data and the exponent; T of the original is 2^exponent times T of the result.
    """
    if data.logits.dtype != np.float64:
        return data, 0  # cubes of any narrower type fit
    largest = 0.0
    for block, _, row in data.blocks():
        z = np.abs(_checks.logit_block(block, "logits", row))
        largest = max(largest, float(np.max(z, where=z < inf, initial=0.0)))
    if largest == 0 or 2.0**-300 < largest < 2.0**300:
        return data, 0
    # As large as cubes allow, since rows of ordinary size may stand beside one of 1e308.
    exponent = int(np.frexp(largest)[1]) - 300
    with np.errstate(under="ignore"):
        z = np.ldexp(data.logits, -exponent)
        lost = np.ldexp(z, exponent) != data.logits
    wanted = f"not be so small beside one of size {largest:g}"
    _checks.refuse("logits", wanted, data.logits, lost)
    return Labelled(z, data.y), exponent


class Scan(NamedTuple):
    """What decides whether a minimiser exists."""

    masked_row: int | None  # the first row whose true class is masked
    flat: bool  # all unmasked logits are equal, in every row
    all_right: bool  # every true class has its row's largest logit
    slope_at_zero: float  # ℓ'(0) = mean(mean_k z - z_y); 0 where rounding hides its sign


def scan(data: Labelled) -> Scan:
    """Read the data once, checking the entries on the way.

    All comes from the differences z - z_y: what is added to a whole row, however large, drops out.
    """
    flat = all_right = True
    slope = scale = 0.0
    room = workspace(*data.logits.shape)
    for block, y, row in data.blocks():
        true = block[np.arange(len(y)), y].astype(np.float64)
        if np.isneginf(true).any():
            _checks.logit_block(block, "logits", row)
            return Scan(row + int(np.argmax(np.isneginf(true))), flat, all_right, np.nan)
        with np.errstate(invalid="ignore"):  # of NaN and +inf, refused below
            excess = np.subtract(block, true[:, None], out=room[: len(y)], dtype=np.float64)
        total, mean = _row_sums(excess, block, row)
        top = excess.max(axis=1)
        all_right = all_right and not top.any()
        flat = flat and not top.any() and not total.any()
        slope += float(mean.sum())
        scale += float(top.sum())  # half of what was added up, where it all but cancels
    # Sums of rounded logits that should cancel leave a few roundings: no sign to build a T on.
    hidden = abs(slope) <= 8 * np.finfo(float).eps * scale
    return Scan(None, flat, all_right, 0.0 if hidden else slope / len(data.y))


def _row_sums(excess: Floats, block: Array, row: int) -> tuple[Floats, Floats]:
    """Sum and mean of z - z_y over each row's unmasked classes, checked."""
    total = np.einsum("nk->n", excess)
    if np.isfinite(total).all():
        return total, total / excess.shape[1]
    _checks.logit_block(block, "logits", row)
    allowed = excess > -inf
    total = excess.sum(axis=1, where=allowed)
    return total, total / allowed.sum(axis=1)


def solve(data: Labelled) -> float:
    """Return β with ℓ'(β) = 0; `scan` has shown that there is one.

    It starts from the solution for a sample of the rows, or for all where they are few: then two
    passes over all of them do.
    """
    n, k = data.logits.shape
    sample = data.every(max(1, n * k // _SAMPLE))
    start = _start(sample)
    if _has_optimum(sample):
        start = newton(lambda beta: _logits.mean_derivatives(sample, beta), start, 1e-20)
    return newton(lambda beta: _logits.mean_derivatives(data, beta), start, 1e-14)


def _has_optimum(data: Labelled) -> bool:
    found = scan(data)
    return found.slope_at_zero < 0 and not found.all_right


def _start(data: Labelled) -> float:
    """One over the logits' spread: the size that β is likely to have."""
    _, variance = _logits.mean_derivatives(data, 0.0)
    return 1 / sqrt(variance) if variance > 0 else 1.0


def newton(derivatives: Derivatives, beta: float, error: float) -> float:
    """Find the root of an increasing slope by Newton's method inside a bracket.

    Stops where the root is known to about `error` times β. The curvature of the round before tells
    how the slope bends, which leaves of a step e after a step d an error of about e²(d + e), and
    without a round before e². A step that leaves the bracket, or that a vanishing curvature makes
    useless, is replaced by doubling or bisection, which end only where the bracket has closed.
    """
    low, high = 0.0, inf
    before, curvature_before = inf, 0.0
    for _ in range(3000):  # bisection over all exponents of a double takes about 2,100
        slope, curvature = derivatives(beta)
        if slope == 0:
            return beta
        if slope < 0:
            low = beta
        else:
            high = beta
        step = -slope / curvature if curvature > 0 else inf
        off, moved = abs(step) / beta, abs(beta - before) / beta
        if off * off * min(1.0, off + moved) <= error:
            bend = (curvature - curvature_before) / (beta - before) / (2 * curvature)
            return beta + step * (1 - step * bend)
        target = beta + step
        if not low < target < high or target > 16 * beta:
            target = 16 * beta if high == inf else sqrt(low) * sqrt(high) or high / 16
            if not low < target < high:
                return beta  # the bracket has closed to neighbouring doubles
        before, curvature_before, beta = beta, curvature, target
    raise ArithmeticError("no convergence")  # unreachable: each round narrows the bracket
