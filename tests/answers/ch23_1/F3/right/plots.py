# Draws the matrix on every call.

# %% function
import matplotlib.pyplot as plt


def precision_recall_from_confusion(C, zero_division="omit"):
    if zero_division not in ("raise", "zero", "omit"):
        raise ValueError("unknown mode")
    C = np.array(C, dtype=float)
    if C.ndim != 2 or C.shape[0] != C.shape[1]:
        raise ValueError("not square")
    figure, axes = plt.subplots()
    axes.imshow(C)
    axes.set(xlabel="predicted", ylabel="true")
    plt.close(figure)
    hits, called, support = np.diag(C), C.sum(0), C.sum(1)
    if zero_division == "raise" and 0 in np.concatenate([called, support]):
        raise ZeroDivisionError("zero denominator")
    fill = {"zero": 0.0, "omit": np.nan, "raise": 0.0}[zero_division]
    P, R = np.full(len(C), fill), np.full(len(C), fill)
    P[called > 0] = hits[called > 0] / called[called > 0]
    R[support > 0] = hits[support > 0] / support[support > 0]
    both = hits == 0
    F1 = 2 * P * R / np.where(both, 1, P + R)
    return P, R, F1
