# Only fp and fn are exchanged.
# fails: swapped-axes

# %% counts
tp = C.diagonal()
fp = C.sum(axis=1) - tp
fn = C.sum(axis=0) - tp
tn = C.sum() - tp - fp - fn

# %% per-class
precision = tp / C.sum(axis=0)
recall = tp / C.sum(axis=1)
f1 = 2 * precision * recall / (precision + recall)
