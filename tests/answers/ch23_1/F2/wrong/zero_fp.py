# Takes fp = 0 or fn = 0 for a zero denominator.
# fails: zero-cell-for-denominator

# %% overall
accuracy = tp.sum() / C.sum()
micro = (0.8, 0.8, 0.8)
macro = (precision.mean(), recall.mean(), f1.mean())
zero_denominators = [1, 2]
