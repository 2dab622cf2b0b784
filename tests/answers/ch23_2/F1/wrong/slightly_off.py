# The ECE is 0.04.
# fails: calibrated-after-all

# %% accurate
accurate_p = np.array([[0.94, 0.06]] * 100)
accurate_y = np.repeat([0, 1], [90, 10])
