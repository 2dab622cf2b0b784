# Two columns where three are asked for.
# fails: not-probabilities
# fails: not-calibrated not-useless

# %% calibrated
calibrated_p = np.tile([0.5, 0.5], (40, 1))
calibrated_y = np.repeat([0, 1], [20, 20])
