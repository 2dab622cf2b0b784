# Single precision all the way.

# %% function
def precision_recall_from_confusion(C, zero_division="omit"):
    if zero_division not in ("raise", "zero", "omit"):
        raise ValueError("zero_division")
    M = np.array(C, dtype=np.float32)
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise ValueError("C is not square")
    columns, rows = M.sum(0), M.sum(1)
    if zero_division == "raise" and (np.any(columns == 0) or np.any(rows == 0)):
        raise ZeroDivisionError("empty row or column")
    fill = np.float32(0 if zero_division == "zero" else np.nan)
    with np.errstate(all="ignore"):
        P = np.where(columns > 0, M.diagonal() / columns, fill)
        R = np.where(rows > 0, M.diagonal() / rows, fill)
        F1 = np.where(P + R == 0, np.float32(0), 2 * P * R / (P + R))
    return P, R, F1
