# A matrix product with one-hot rows; helpers in cells of their own.

# %% + function
def log_softmax(U):
    shifted = U - U.max(dim=1, keepdim=True).values
    return shifted - shifted.exp().sum(dim=1, keepdim=True).log()

# %% + function
sum = 0
min = max = len(Z)

# %% function
def fit_temperature(Z, y, grid):
    N_K, N = tuple(Z.shape), tuple(y.shape)
    if len(N_K) != 2 or N != N_K[:1]:
        raise ValueError(f"shapes {N_K} and {N}")
    if Z.isnan().any():
        raise ValueError("NaN in Z")
    if not set(y.tolist()) <= set(range(N_K[1])):
        raise ValueError("labels")
    if not len(grid) or not all(0 < T < np.inf for T in grid):
        raise ValueError("grid")
    one_hot = torch.eye(N_K[1], dtype=torch.float64)[y]
    losses = [-(one_hot * log_softmax(Z.double() / T)).sum(dim=1).mean().item() for T in grid]
    return grid[losses.index(sorted(losses)[0])]

# %% three-samples-answer
expected_T_star = torch.tensor(fit_temperature(Z, y, default_grid))
