# Returns F1 first.
# fails: return-order

# %% function
def macro_scores(C):
    tp = np.diag(C).astype(float)
    fp = C.sum(axis=0) - tp
    fn = C.sum(axis=1) - tp
    P = np.divide(tp, tp + fp, out=np.zeros(len(tp)), where=tp + fp > 0)
    R = np.divide(tp, tp + fn, out=np.zeros(len(tp)), where=tp + fn > 0)
    F1 = np.divide(2 * P * R, P + R, out=np.zeros(len(tp)), where=P + R > 0)
    return F1.mean(), P.mean(), R.mean()

# %% values
wrong_macro_f1 = given_macro_scores(C_z)[2]
right_macro_f1 = 19 / 45
