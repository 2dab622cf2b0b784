"""Sums over exp(βz) as they stand, with no maximum subtracted: half the work of the careful way.

Each function answers None where that would not do (overflow, terms lost, a masked class, NaN): the
caller then takes the careful way, which also finds and names what is wrong. Sums run in float64;
in float32 they come out low by up to 1e-7 where few terms dominate.
"""

import numpy as np

from glyphlab_core._checks import Array, Floats, Integers

# A row sum within these has neither overflowed nor lost a term that counts: a type keeps terms
# far below the lower bound. NaN lies outside too.
_BOUNDS = {"float32": (1e-20, 1e30), "float64": (1e-200, 1e250)}


def _terms(block: Array, beta: float, room: Array) -> tuple[Array, Floats] | None:
    """exp(βz) with its row sums."""
    least, most = _BOUNDS[block.dtype.name]
    with np.errstate(all="ignore"):
        exponent = block if beta == 1 else np.multiply(block, block.dtype.type(beta), out=room)
        terms = np.exp(exponent, out=room)
        total: Floats = np.einsum("nk->n", terms, dtype=np.float64)
    return (terms, total) if total.min() > least and total.max() < most else None


def losses(block: Array, y: Integers, beta: float, room: Array) -> Floats | None:
    """ℓ(β) of each row: log Σ_k exp(βz_k) - βz_y."""
    found = _terms(block, beta, room)
    if found is None:
        return None
    # β as rounded to the block's type on both sides, or the two terms would not belong together.
    of_true = block[np.arange(len(y)), y].astype(np.float64) * float(block.dtype.type(beta))
    result: Floats = np.log(found[1]) - of_true
    return result


def derivatives(
    block: Floats, y: Integers, beta: float, room: Floats
) -> tuple[Floats, Floats] | None:
    """ℓ'(β) = E[z] - z_y and ℓ''(β) = E[z²] - E[z]² of each row."""
    found = _terms(block, beta, room)
    if found is None:
        return None
    terms, total = found
    with np.errstate(all="ignore"):
        mean = np.vecdot(terms, block) / total
        terms *= block
        square = np.vecdot(terms, block) / total
    if not np.isfinite(square).all():  # so is the mean where this is
        return None
    return mean - block[np.arange(len(y)), y], square - mean**2
