# A subclass of ValueError; torch.logsumexp; gather.

# %% function
class BadInput(ValueError):
    """An argument that fit_temperature cannot use."""


def fit_temperature(Z, y, grid):
    def need(condition, message):
        if not condition:
            raise BadInput(message)

    need(len(grid) > 0, "grid is empty")
    need(all(np.isfinite(T) and T > 0 for T in grid), "grid")
    need(Z.ndim == 2, "Z")
    need(y.ndim == 1, "y")
    need(len(Z) == len(y), "lengths")
    need(not torch.isnan(Z).any(), "NaN")
    need(bool(((y >= 0) & (y < Z.shape[1])).all()), "labels")
    best = grid[0]
    lowest = float("inf")
    for T in grid:
        scaled = Z.to(torch.float64) / T
        loss = (torch.logsumexp(scaled, dim=1) - scaled.gather(1, y[:, None])[:, 0]).mean()
        if loss.item() < lowest:
            lowest, best = loss.item(), T
    return best
