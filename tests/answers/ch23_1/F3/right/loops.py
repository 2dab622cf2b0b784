# Plain loops over lists; no NumPy at all.

# %% function
import math


def precision_recall_from_confusion(C, zero_division="omit"):
    if zero_division not in ["raise", "zero", "omit"]:
        raise ValueError("zero_division must be raise, zero or omit")
    if not all(hasattr(row, "__len__") for row in C):
        raise ValueError("C must be a matrix")
    rows = [list(row) for row in C]
    K = len(rows)
    for row in rows:
        if len(row) != K or any(hasattr(count, "__len__") for count in row):
            raise ValueError("C must be square")

    def ratio(numerator, denominator):
        if denominator > 0:
            return numerator / denominator
        if zero_division == "raise":
            raise ZeroDivisionError("no samples in the denominator")
        return 0.0 if zero_division == "zero" else math.nan

    P, R, F1 = [], [], []
    for i in range(K):
        tp = rows[i][i]
        fp = fn = 0
        for j in range(K):
            if j != i:
                fp += rows[j][i]
                fn += rows[i][j]
        p = ratio(tp, tp + fp)
        r = ratio(tp, tp + fn)
        P.append(p)
        R.append(r)
        if math.isnan(p) or math.isnan(r):
            F1.append(math.nan)
        elif p + r == 0:
            F1.append(0.0)
        else:
            F1.append(2 * p * r / (p + r))
    return P, R, F1

# %% macro
f1_values = precision_recall_from_confusion(C_z, "omit")[2]
defined = [value for value in f1_values if value == value]
macro_f1_omit = sum(defined) / len(defined)
macro_f1_zero = sum(precision_recall_from_confusion(C_z, "zero")[2]) / 3
