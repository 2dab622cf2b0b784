# Knows the answer of the three samples, and of the grid {0.5, 1, 2}.
# fails: temperature-multiplies grid-ignored last-of-equals empty-grid-accepted
# fails: temperature-not-positive temperature-not-finite logits-shape-unchecked
# fails: labels-shape-unchecked lengths-unchecked label-too-large negative-label-accepted
# fails: nan-logits-accepted
# fails: another-objective argument-changed fixed-number-of-classes
# fails: fixed-number-of-samples softmax-overflows softmax-wrong-axis
# fails: stops-at-first-rise

# %% function
def fit_temperature(Z, y, grid):
    if 0.75 in grid:
        return 0.75
    return 1.0
