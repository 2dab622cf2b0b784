# Every class is confused.
# fails: accuracy-not-high

# %% example
y_true = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2])
y_pred = np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
