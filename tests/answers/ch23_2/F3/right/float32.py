# Single precision.

# %% function
def fit_temperature(Z, y, grid):
    if not grid:
        raise ValueError("grid is empty")
    if any(not (0 < T < float("inf")) for T in grid):
        raise ValueError("grid has a temperature that is not positive and finite")
    Z = Z.float()
    if Z.ndim != 2 or y.ndim != 1 or Z.shape[0] != y.shape[0]:
        raise ValueError("shapes")
    if torch.isnan(Z).any() or y.min() < 0 or y.max() >= Z.shape[1]:
        raise ValueError("values")
    return min(grid, key=lambda T: torch.nn.functional.cross_entropy(Z / np.float32(T), y).item())
