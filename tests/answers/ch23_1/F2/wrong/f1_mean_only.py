# F1 of each class as the arithmetic mean; the macro F1 typed.
# fails: f1-other-mean

# %% per-class
precision = tp / (tp + fp)
recall = tp / (tp + fn)
f1 = (precision + recall) / 2

# %% overall
accuracy = 0.8
micro = (0.8, 0.8, 0.8)
macro = (53 / 63, 11 / 14, 244 / 315)
zero_denominators = []
