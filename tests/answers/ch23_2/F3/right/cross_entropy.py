# PyTorch cross entropy in one comprehension; argmin of a tensor.

# %% function
import torch.nn.functional as F


def fit_temperature(Z, y, grid):
    if len(grid) == 0:
        raise ValueError("empty grid")
    temperatures = torch.tensor(list(grid), dtype=torch.float64)
    if not torch.isfinite(temperatures).all() or (temperatures <= 0).any():
        raise ValueError("temperatures must be positive and finite")
    if Z.dim() != 2:
        raise ValueError("Z must be (N, K)")
    if y.dim() != 1 or y.size(0) != Z.size(0):
        raise ValueError("y must be (N,)")
    if (y < 0).any() or (y >= Z.size(1)).any():
        raise ValueError("label out of range")
    if torch.isnan(Z).any():
        raise ValueError("NaN in Z")
    losses = torch.stack([F.cross_entropy(Z / T, y) for T in temperatures])
    return temperatures[losses.argmin()]
