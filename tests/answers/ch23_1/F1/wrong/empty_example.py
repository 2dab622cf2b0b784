# Sequences without a label: their means are NaN.
# fails: not-a-data-set class-without-samples accuracy-not-high macro-recall-not-low
# fails: accuracy-not-trace macro-weighted

# %% example
y_true = []
y_pred = []

# %% values
accuracy = macro_recall = float("nan")
