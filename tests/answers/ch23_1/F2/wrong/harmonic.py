# Macro F1 as the harmonic mean of macro P and R.
# fails: macro-f1-harmonic

# %% overall
accuracy = tp.sum() / C.sum()
micro = (0.8, 0.8, 0.8)
macro = (precision.mean(), recall.mean(), 2 / (1 / precision.mean() + 1 / recall.mean()))
zero_denominators = []
