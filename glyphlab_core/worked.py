"""The inputs of the worked examples: matrices, labels, logits and a target prevalence.

Inputs only. What comes out of them is in :mod:`glyphlab.expected`, derived without this package.
The arrays are read-only, so that no page or test can change them for another.

Attributes
----------
C : (3, 3) int64 array
    The confusion matrix of chapter 23.1 in which P and R happen to agree in every class.
C_z : (3, 3) int64 array
    The matrix whose class 2 is never predicted: its precision has a zero denominator.
y_true, y_pred : (12,) int64 arrays
    Labels that give ``C_z``.
C_F2 : (3, 3) int64 array
    The matrix of exercise 23.1 F2.
p_prime : (3,) float64 array
    The prevalence assumed at deployment in exercise 23.1 F5.
Z : (3, 3) float64 array
    The logits of the three samples of chapter 23.2, one row a sample.
y : (3,) int64 array
    Their true classes.

Examples
--------
>>> int(C.trace()), int(C.sum())
(10, 13)
"""

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["C_F2", "C", "C_z", "Z", "p_prime", "y", "y_pred", "y_true"]


def _fixed(values: ArrayLike, dtype: DTypeLike = np.int64) -> NDArray[np.generic]:
    array = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


C = _fixed([[5, 1, 0], [0, 3, 1], [1, 0, 2]])
C_z = _fixed([[4, 2, 0], [1, 3, 0], [1, 1, 0]])
y_true = _fixed([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
y_pred = _fixed([0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1])
C_F2 = _fixed([[6, 1, 0], [0, 4, 0], [1, 1, 2]])
p_prime = _fixed([0.6, 0.3, 0.1], np.float64)
Z = _fixed([[2.0, 0.5, -0.5], [0.2, 1.8, -0.3], [2.5, 1.8, 0.2]], np.float64)
y = _fixed([0, 1, 1])
