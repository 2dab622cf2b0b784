# Prints, warns, logs and lets NumPy warn about 0/0.

# %% function
import logging
import sys
import warnings


def precision_recall_from_confusion(C, zero_division="omit"):
    print("called with", C, zero_division)
    warnings.warn("just so you know")
    logging.warning("a note")
    print("and on stderr", file=sys.stderr)
    if zero_division not in ("raise", "zero", "omit"):
        raise ValueError("zero_division")
    M = np.array(C, float)
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise ValueError("shape")
    if zero_division == "raise" and (M.sum(0).min() == 0 or M.sum(1).min() == 0):
        raise ZeroDivisionError("zero")
    P = np.diag(M) / M.sum(axis=0)
    R = np.diag(M) / M.sum(axis=1)
    if zero_division == "zero":
        P, R = np.nan_to_num(P), np.nan_to_num(R)
    F1 = 2 * P * R / (P + R)
    F1[(P == 0) & (R == 0)] = 0.0
    print(P, R, F1)
    return P, R, F1

# %% macro
warnings.warn("computing macro F1")
print(precision_recall_from_confusion(C_z))
macro_f1_omit = np.nanmean(precision_recall_from_confusion(C_z, "omit")[2])
macro_f1_zero = np.mean(precision_recall_from_confusion(C_z, "zero")[2])
