# The constant third on unequal classes: the tie goes to class 0, which is rare.
# fails: not-calibrated

# %% calibrated
calibrated_p = np.full((40, 3), 1 / 3)
calibrated_y = np.repeat([0, 1, 2], [4, 16, 20])
