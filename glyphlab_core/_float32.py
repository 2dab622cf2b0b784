"""The same row sums in float32, for large float32 data: about twice as fast as in float64.

Each function answers None where float32 would not do (overflow, terms lost, a masked class, NaN):
the caller then takes the careful way, which also finds and names what is wrong.
"""

import numpy as np

from glyphlab_core._checks import Array, Floats, Integers

# A row sum of exp within these has neither overflowed nor lost a term that counts: float32 keeps
# terms down to 1e-38. NaN lies outside too.
_LEAST, _MOST = 1e-20, 1e30


def _terms(block: Array, beta: float) -> tuple[Array, Floats] | None:
    """exp(βz), no maximum subtracted, with its row sums."""
    with np.errstate(all="ignore"):
        terms = np.exp(block if beta == 1 else block * np.float32(beta))
        total = terms @ np.ones(block.shape[1], np.float32)
    if not (total.min() > _LEAST and total.max() < _MOST):
        return None
    return terms, total.astype(np.float64)


def losses(block: Array, y: Integers, beta: float) -> Floats | None:
    """ℓ(β) of each row: log Σ_k exp(βz_k) - βz_y."""
    found = _terms(block, beta)
    if found is None:
        return None
    # The same rounded β on both sides, or the two terms would not belong together.
    weight = float(np.float32(beta))
    of_true = block[np.arange(len(y)), y].astype(np.float64)
    result: Floats = np.log(found[1]) - weight * of_true
    return result


def derivatives(block: Array, y: Integers, beta: float) -> tuple[Floats, Floats] | None:
    """ℓ'(β) = E[z] - z_y and ℓ''(β) = E[z²] - E[z]² of each row."""
    found = _terms(block, beta)
    if found is None:
        return None
    terms, total = found
    with np.errstate(all="ignore"):
        mean = np.vecdot(terms, block) / total
        terms *= block
        square = np.vecdot(terms, block) / total
    if not (np.isfinite(mean).all() and np.isfinite(square).all()):
        return None
    return mean - block[np.arange(len(y)), y], square - mean**2
