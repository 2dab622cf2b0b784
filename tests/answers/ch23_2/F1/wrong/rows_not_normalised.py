# Rows that sum to more than 1.
# fails: not-probabilities

# %% calibrated
calibrated_p = np.tile([0.5, 0.4, 0.3], (40, 1))
calibrated_y = np.repeat([0, 1, 2], [20, 12, 8])
