# Uses the methods of an array without making one.
# fails: only-arrays-accepted

# %% function
def precision_recall_from_confusion(C, zero_division="omit"):
    if zero_division not in ("raise", "zero", "omit"):
        raise ValueError(f"unknown zero_division: {zero_division}")
    if C.ndim != 2 or C.shape[0] != C.shape[1]:
        raise ValueError(f"C is not square: {C.shape}")
    tp = C.diagonal().astype(float)
    fp = C.sum(axis=0) - tp
    fn = C.sum(axis=1) - tp
    if zero_division == "raise" and (np.any(tp + fp == 0) or np.any(tp + fn == 0)):
        raise ZeroDivisionError("zero denominator")
    fill = 0.0 if zero_division == "zero" else np.nan
    P = np.divide(tp, tp + fp, out=np.full(len(C), fill), where=tp + fp > 0)
    R = np.divide(tp, tp + fn, out=np.full(len(C), fill), where=tp + fn > 0)
    F1 = np.divide(2 * P * R, P + R, out=np.zeros(len(C)), where=P + R != 0)
    return P, R, F1
