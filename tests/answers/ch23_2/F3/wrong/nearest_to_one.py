# Checks the arguments and takes the temperature nearest to 1: no logit, no label, no loss.
# fails: another-objective temperature-multiplies softmax-wrong-axis softmax-overflows
# fails: grid-ignored stops-at-first-rise last-of-equals fixed-number-of-samples
# fails: fixed-number-of-classes argument-changed

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
    return min(grid, key=lambda T: abs(np.log(T)))

# %% three-samples-answer
expected_T_star = 0.75
