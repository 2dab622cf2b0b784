# Marks the rejected samples with a label that is no class.
# fails: not-a-data-set

# %% example
y_true = np.array([0] * 9 + [1, 2])
y_pred = np.array([0] * 9 + [3, 3])
