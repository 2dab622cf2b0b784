# False positives from rows; everything after it follows.
# fails: swapped-axes precision-for-recall macro-weighted

# %% counts
tp = C.diagonal()
fp = C.sum(axis=1) - tp
fn = C.sum(axis=0) - tp
tn = C.sum() - tp - fp - fn
