# PyTorch throughout; returns tensors.

# %% function
import torch


def precision_recall_from_confusion(C, zero_division="omit"):
    if zero_division not in ("raise", "zero", "omit"):
        raise ValueError("unknown zero_division")
    counts = torch.tensor(np.asarray(C), dtype=torch.float64)
    if counts.dim() != 2 or counts.size(0) != counts.size(1):
        raise ValueError("square matrix wanted")
    tp = torch.diag(counts)
    predicted, actual = counts.sum(dim=0), counts.sum(dim=1)
    if zero_division == "raise" and ((predicted == 0) | (actual == 0)).any():
        raise ZeroDivisionError("zero denominator")
    P, R = tp / predicted, tp / actual  # torch gives nan for 0/0
    if zero_division == "zero":
        P, R = torch.nan_to_num(P), torch.nan_to_num(R)
    F1 = 2 * P * R / (P + R)
    F1[(P == 0) & (R == 0)] = 0
    return P, R, F1

# %% macro
macro_f1_omit = torch.nanmean(precision_recall_from_confusion(C_z)[2])
macro_f1_zero = precision_recall_from_confusion(C_z, "zero")[2].mean()
