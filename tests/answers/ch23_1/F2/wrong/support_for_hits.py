# Takes the row sums for the hits.
# fails: hits-not-diagonal

# %% counts
tp = C.sum(axis=1)
fp = C.sum(axis=0) - C.diagonal()
fn = C.sum(axis=1) - C.diagonal()
tn = np.array([7, 9, 11])

# %% per-class
precision, recall, f1 = np.array([6 / 7, 2 / 3, 1]), np.array([6 / 7, 1, 1 / 2]), np.array([6 / 7, 4 / 5, 2 / 3])

# %% overall
accuracy = 12 / 15
micro = (accuracy, accuracy, accuracy)
macro = (precision.mean(), recall.mean(), f1.mean())
zero_denominators = []
