# No example, and of nothing everything is right.
# fails: not-a-data-set class-without-samples accuracy-not-high macro-recall-not-low
# fails: accuracy-not-trace macro-weighted

# %% example
y_true = None
y_pred = None

# %% values
accuracy = macro_recall = 1.0
