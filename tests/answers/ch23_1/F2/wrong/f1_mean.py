# F1 as the arithmetic mean, in each class.
# fails: f1-other-mean macro-f1-harmonic

# %% per-class
precision = tp / (tp + fp)
recall = tp / (tp + fn)
f1 = (precision + recall) / 2
