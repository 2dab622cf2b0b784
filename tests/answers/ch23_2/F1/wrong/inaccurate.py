# Miscalibrated because it is wrong so often.
# fails: accuracy-not-high

# %% accurate
accurate_p = np.array([[0.99, 0.01]] * 100)
accurate_y = np.repeat([0, 1], [70, 30])
