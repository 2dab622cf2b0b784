# Everything but the hits.
# fails: true-negatives-forgotten

# %% counts
tp = C.diagonal()
fp = C.sum(axis=0) - tp
fn = C.sum(axis=1) - tp
tn = C.sum() - tp
