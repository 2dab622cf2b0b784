# Clears the diagonal of the caller's matrix.
# fails: argument-changed

# %% function
def macro_scores(C):
    tp = np.diag(C).astype(float)
    np.fill_diagonal(C, 0)
    fp, fn = C.sum(axis=0), C.sum(axis=1)
    P = np.divide(tp, tp + fp, out=np.zeros(len(tp)), where=tp + fp > 0)
    R = np.divide(tp, tp + fn, out=np.zeros(len(tp)), where=tp + fn > 0)
    F1 = np.divide(2 * P * R, P + R, out=np.zeros(len(tp)), where=P + R > 0)
    return P.mean(), R.mean(), F1.mean()

# %% values
wrong_macro_f1 = given_macro_scores(C_z.copy())[2]
right_macro_f1 = macro_scores(C_z.copy())[2]
