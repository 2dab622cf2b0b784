# Einstein sums for diagonal, row sums and column sums; one array with three rows.

# %% function
def precision_recall_from_confusion(C, zero_division="omit"):
    modes = {"raise": None, "zero": 0.0, "omit": np.nan}
    if zero_division not in modes:
        raise ValueError(f"zero_division is one of {sorted(modes)}")
    C = np.asarray(C)
    if C.ndim != 2 or C.shape[0] != C.shape[1]:
        raise ValueError("C is not square")
    C = C.astype(float)
    tp = np.einsum("ii->i", C).copy()
    denominators = np.stack([np.einsum("ij->j", C), np.einsum("ij->i", C)])
    empty = denominators == 0
    if empty.any() and zero_division == "raise":
        raise ZeroDivisionError(f"classes {np.flatnonzero(empty.any(axis=0)).tolist()}")
    scores = tp / np.where(empty, 1, denominators)
    scores[empty] = modes[zero_division]
    total = scores.sum(axis=0)
    f1 = 2 * scores.prod(axis=0) / np.where(total == 0, 1, total)
    return np.vstack([scores, f1])
