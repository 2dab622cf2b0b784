# Nine samples.
# fails: not-a-data-set accuracy-not-high

# %% example
y_true = np.array([0] * 7 + [1, 2])
y_pred = np.zeros(9, dtype=int)
