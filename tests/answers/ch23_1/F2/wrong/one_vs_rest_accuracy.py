# The mean over classes of the share of right one-against-rest decisions.
# fails: accuracy-not-trace

# %% overall
accuracy = np.mean((tp + tn) / C.sum())
micro = (0.8, 0.8, 0.8)
macro = (precision.mean(), recall.mean(), f1.mean())
zero_denominators = []
