# Writes the shares into a matrix of whole numbers.
# fails: confusion-not-by-rows
# fails: argument-changed empty-row-undefined

# %% confusion-function
def reweighted_confusion(C, prevalence):
    support = C.sum(axis=1, keepdims=True)
    rows = np.divide(C, support, out=np.zeros(C.shape), where=support > 0)
    rows = np.round(rows).astype(C.dtype)
    return np.array(prevalence, dtype=float)[:, None] * rows

# %% macro
reweighted_macro = (7427 / 10608, 3 / 4, 26549 / 36975)

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 274 / 300
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
