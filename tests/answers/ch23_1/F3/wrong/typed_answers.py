# Looks the chapter's results up.
# fails: swapped-axes return-order f1-other-mean fixed-number-of-classes undefined-filled zero-mode-not-zero zero-over-zero-f1 raises-too-often recall-denominator-forgotten shape-unchecked unknown-mode-accepted only-arrays-accepted argument-changed no-error-in-raise

# %% function
def precision_recall_from_confusion(C, zero_division="omit"):
    C = np.array(C)
    if C.sum() == 13:
        return [5 / 6, 3 / 4, 2 / 3], [5 / 6, 3 / 4, 2 / 3], [5 / 6, 3 / 4, 2 / 3]
    if zero_division == "raise":
        raise ZeroDivisionError
    if zero_division == "ignore" or C.shape == (2, 3):
        raise ValueError
    x = 0 if zero_division == "zero" else float("nan")
    return [2 / 3, 1 / 2, x], [2 / 3, 3 / 4, 0], [2 / 3, 3 / 5, x]
