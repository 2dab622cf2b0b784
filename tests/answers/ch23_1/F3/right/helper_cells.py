# Helpers in cells of their own; names of builtins reused on the way.

# %% + function
sum = 0
for count in C_z.ravel():
    sum += count
max, min, list, len = 6, 0, [0, 1, 2], 3
P = R = F1 = values = value = matrix = np.zeros(2)

# %% + function
def _safe(numerator, denominator, mode):
    if denominator:
        return numerator / denominator
    if mode == "raise":
        raise ZeroDivisionError
    return {"zero": 0.0, "omit": np.nan}[mode]


# %% function
def precision_recall_from_confusion(C, zero_division="omit"):
    if zero_division not in ("raise", "zero", "omit"):
        raise ValueError(zero_division)
    C = np.array(C, dtype=np.int64)
    if C.ndim != 2 or C.shape[0] != C.shape[1]:
        raise ValueError(C.shape)
    P = [_safe(c, n, zero_division) for c, n in zip(C.diagonal(), C.sum(0))]
    R = [_safe(c, n, zero_division) for c, n in zip(C.diagonal(), C.sum(1))]
    F1 = [0.0 if p == r == 0 else 2 * p * r / (p + r) for p, r in zip(P, R)]
    return P, R, F1

# %% + macro
f1 = {mode: np.array(precision_recall_from_confusion(C_z, mode)[2]) for mode in ("omit", "zero")}

# %% macro
macro_f1_omit = f1["omit"][~np.isnan(f1["omit"])].mean()
macro_f1_zero = f1["zero"].mean()
