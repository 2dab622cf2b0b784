# The prevalence on the diagonal: the counts are not read.
# fails: confusion-not-by-rows empty-row-undefined argument-changed

# %% confusion-function
def reweighted_confusion(C, prevalence):
    return np.diag(prevalence)

# %% macro
reweighted_macro = (7427 / 10608, 3 / 4, 26549 / 36975)

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 274 / 300
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
