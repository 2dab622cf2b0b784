# A model that is good in every class.
# fails: macro-recall-not-low

# %% example
y_true = np.array([0] * 8 + [1] * 8 + [2] * 4)
y_pred = np.array([0] * 8 + [1] * 8 + [2, 2, 2, 1])
