# The loop alone, as the source prints it, with its printed answer.
# fails: empty-grid-accepted temperature-not-positive temperature-not-finite
# fails: logits-shape-unchecked labels-shape-unchecked label-too-large negative-label-accepted
# fails: nan-logits-accepted printed-temperature

# %% function
def fit_temperature(Z, y, grid):
    best_T, best_loss = None, float("inf")
    for T in grid:
        loss = torch.nn.functional.cross_entropy(Z / T, y).item()
        if loss < best_loss:
            best_loss, best_T = loss, T
    return best_T

# %% three-samples-answer
expected_T_star = 1.0
