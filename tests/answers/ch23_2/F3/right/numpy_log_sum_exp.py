# NumPy, log-sum-exp, a loop over the grid.

# %% function
def fit_temperature(Z, y, grid):
    Z, y = np.asarray(Z, dtype=float), np.asarray(y)
    grid_values = np.asarray(grid, dtype=float)
    if grid_values.size == 0 or not np.all(np.isfinite(grid_values) & (grid_values > 0)):
        raise ValueError("grid")
    if Z.ndim != 2 or y.ndim != 1 or len(Z) != len(y) or np.isnan(Z).any():
        raise ValueError("Z or y")
    if y.min() < 0 or y.max() > Z.shape[1] - 1:
        raise ValueError("labels")
    best_T, best_loss = None, np.inf
    for T in grid:
        U = Z / T
        top = U.max(axis=1)
        loss = np.mean(np.log(np.exp(U - top[:, None]).sum(axis=1)) + top - U[np.arange(len(y)), y])
        if loss < best_loss:
            best_T, best_loss = T, loss
    return best_T
