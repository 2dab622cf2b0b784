# Perfect predictions are calibrated, but not useless.
# fails: not-useless

# %% calibrated
calibrated_p = np.eye(3)[np.arange(30) % 3]
calibrated_y = np.arange(30) % 3
