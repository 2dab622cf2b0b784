# The example that one of the sources prints: nine samples, accuracy 5/9.
# fails: not-a-data-set accuracy-not-high

# %% example
y_true = np.array([0, 0, 0, 0, 0, 1, 1, 1, 2])
y_pred = np.zeros(9, dtype=int)
