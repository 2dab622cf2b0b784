# Types the results of C_z.
# fails: swapped-axes macro-f1-harmonic return-order zero-average-drops-class fixed-number-of-classes argument-changed

# %% function
def macro_scores(C):
    return 7 / 18, 17 / 36, 19 / 45
