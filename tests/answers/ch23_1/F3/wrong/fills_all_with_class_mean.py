# Fills every undefined value, F1 included, with the mean of the other classes.
# fails: undefined-filled f1-from-counts

# %% function
def precision_recall_from_confusion(C, zero_division="omit"):
    if zero_division not in ("raise", "zero", "omit"):
        raise ValueError(f"unknown zero_division: {zero_division}")
    C = np.array(C, dtype=float)
    if C.ndim != 2 or C.shape[0] != C.shape[1]:
        raise ValueError(f"C is not square: {C.shape}")
    tp = np.diag(C)
    fp = C.sum(axis=0) - tp
    fn = C.sum(axis=1) - tp
    if zero_division == "raise" and (np.any(tp + fp == 0) or np.any(tp + fn == 0)):
        raise ZeroDivisionError("zero denominator")
    fill = 0.0 if zero_division == "zero" else np.nan
    P = np.divide(tp, tp + fp, out=np.full(len(C), fill), where=tp + fp > 0)
    R = np.divide(tp, tp + fn, out=np.full(len(C), fill), where=tp + fn > 0)
    F1 = np.divide(2 * P * R, P + R, out=np.zeros(len(C)), where=P + R != 0)
    if zero_division == "omit":
        for values in (P, R, F1):
            values[np.isnan(values)] = np.nanmean(values)
    return P, R, F1
