# Types the two values of the chapter.
# fails: prevalence-ignored precision-reweighted empty-class-weighted empty-class-not-dropped
# fails: prevalence-unchecked sum-compared-exactly

# %% accuracy-function
def reweighted_accuracy(C, prevalence):
    if min(prevalence) < 0 or abs(sum(prevalence) - 1) > 1e-6:
        raise ValueError("prevalence")
    return 19 / 24 if C[2, 2] else 5 / 8

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 274 / 300
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
