# Precision and recall under each other's name.
# fails: precision-for-recall

# %% per-class
recall = tp / (tp + fp)
precision = tp / (tp + fn)
f1 = 2 * precision * recall / (precision + recall)

# %% overall
accuracy = tp.sum() / C.sum()
micro = (accuracy, accuracy, accuracy)
macro = (recall.mean(), precision.mean(), f1.mean())
zero_denominators = []
