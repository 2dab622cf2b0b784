# Four decimals everywhere.
# fails: precision-for-recall f1-other-mean macro-weighted macro-f1-harmonic

# %% per-class
precision = [0.8571, 0.6667, 1.0]
recall = [0.8571, 1.0, 0.5]
f1 = [0.8571, 0.8, 0.6667]

# %% overall
accuracy = 0.8
micro = (0.8, 0.8, 0.8)
macro = (0.8413, 0.7857, 0.7746)
zero_denominators = []
