# Sorts the caller's grid.
# fails: argument-changed
# fails: last-of-equals

# %% function
def fit_temperature(Z, y, grid):
    if len(grid) == 0:
        raise ValueError("grid is empty")
    if any(not np.isfinite(T) for T in grid):
        raise ValueError("grid has a temperature that is not finite")
    if any(T <= 0 for T in grid):
        raise ValueError("grid has a temperature that is not positive")
    if Z.ndim != 2:
        raise ValueError("Z is not 2-D")
    if y.ndim != 1:
        raise ValueError("y is not 1-D")
    if len(Z) != len(y):
        raise ValueError("Z and y differ in length")
    if y.max() >= Z.shape[1]:
        raise ValueError("a label is too large")
    if y.min() < 0:
        raise ValueError("a label is negative")
    if torch.isnan(Z).any():
        raise ValueError("Z has a NaN")
    Z = Z.double()
    grid.sort() if isinstance(grid, list) else None
    best_T, best_loss = None, float("inf")
    for T in grid:
        loss = torch.nn.functional.cross_entropy(Z / T, y).item()
        if loss < best_loss:
            best_T, best_loss = T, loss
    return best_T
