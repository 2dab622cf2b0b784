# Too few samples.
# fails: not-probabilities
# fails: not-calibrated not-useless

# %% calibrated
calibrated_p = np.tile([0.5, 0.3, 0.2], (20, 1))
calibrated_y = np.repeat([0, 1, 2], [10, 6, 4])
