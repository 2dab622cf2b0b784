# Accurate, and calibrated too.
# fails: calibrated-after-all

# %% accurate
accurate_p = np.array([[0.9, 0.1]] * 100)
accurate_y = np.repeat([0, 1], [90, 10])
