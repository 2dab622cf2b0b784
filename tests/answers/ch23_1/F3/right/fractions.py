# Exact Fractions, NaN where undefined; macro F1 as a Fraction.

# %% function
from fractions import Fraction


def precision_recall_from_confusion(C, zero_division="omit"):
    if zero_division not in {"raise", "zero", "omit"}:
        raise ValueError(zero_division)
    A = np.array(C)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(A.shape)

    def divide(a, b):
        if b == 0:
            if zero_division == "raise":
                raise ZeroDivisionError
            return Fraction(0) if zero_division == "zero" else float("nan")
        return Fraction(int(a), int(b))

    P = tuple(divide(A[i, i], A[:, i].sum()) for i in range(len(A)))
    R = tuple(divide(A[i, i], A[i, :].sum()) for i in range(len(A)))
    F1 = tuple(
        p + r if p != p or r != r else (2 * p * r / (p + r) if p + r else Fraction(0))
        for p, r in zip(P, R)
    )
    return P, R, F1

# %% macro
macro_f1_omit = Fraction(19, 30)
macro_f1_zero = sum(precision_recall_from_confusion(C_z, "zero")[2]) / 3
