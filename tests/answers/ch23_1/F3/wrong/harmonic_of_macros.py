# Macro F1 as the harmonic mean of macro P and macro R.
# fails: macro-f1-harmonic

# %% macro
def harmonic(a, b):
    return 2 * a * b / (a + b)


P, R, F1 = precision_recall_from_confusion(C_z, "omit")
macro_f1_omit = harmonic(np.nanmean(P), np.nanmean(R))
P, R, F1 = precision_recall_from_confusion(C_z, "zero")
macro_f1_zero = harmonic(np.mean(P), np.mean(R))
