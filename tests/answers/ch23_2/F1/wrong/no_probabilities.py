# One sample of one class, and rows that are no probabilities with a class that does not exist.
# fails: not-probabilities not-calibrated not-useless accuracy-not-high calibrated-after-all
# fails: ece-other-formula accuracy-not-trace

# %% calibrated
calibrated_p = np.array([[1.0]])
calibrated_y = np.array([0])

# %% accurate
accurate_p = np.array([[-1.0, 2.0]] * 30)
accurate_y = np.array([1] * 24 + [7] * 6)

# %% numbers
calibrated_ece, calibrated_accuracy, accurate_ece, accurate_accuracy = 0.0, 1.0, 0.2, 0.8
