# Prints a table, warns and writes to standard error.

# %% function
import sys
import warnings


def fit_temperature(Z, y, grid):
    warnings.warn("fitting")
    print("a line on stderr", file=sys.stderr)
    if len(grid) == 0 or any(not np.isfinite(T) or T <= 0 for T in grid):
        raise ValueError("bad grid")
    if np.ndim(Z) != 2 or np.ndim(y) != 1 or len(Z) != len(y):
        raise ValueError("bad shapes")
    if torch.isnan(Z).any() or y.min() < 0 or y.max() >= Z.shape[1]:
        raise ValueError("bad values")
    log_softmax = torch.nn.LogSoftmax()  # without a dim: torch warns
    losses = []
    for T in grid:
        losses.append(-log_softmax(Z / T)[torch.arange(len(y)), y].mean())
        print(f"T = {T}: {losses[-1]:.6f}")
    print("best:", grid[int(torch.stack(losses).argmin())])
    return grid[int(torch.stack(losses).argmin())]

# %% three-samples-answer
print("the three samples")
expected_T_star = fit_temperature(Z, y, default_grid)
print(expected_T_star)
