# Macro P and R weighted by support.
# fails: macro-weighted

# %% overall
accuracy = tp.sum() / C.sum()
micro = (0.8, 0.8, 0.8)
macro = (precision @ C.sum(axis=1) / 15, recall @ C.sum(axis=1) / 15, f1.mean())
zero_denominators = []
