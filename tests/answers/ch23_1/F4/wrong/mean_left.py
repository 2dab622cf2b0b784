# Mends the axes and leaves the harmonic mean.
# fails: macro-f1-harmonic mended-value-wrong

# %% function
def macro_scores(C):
    tp = np.diag(C).astype(float)
    fp = C.sum(axis=0) - tp
    fn = C.sum(axis=1) - tp
    P = np.divide(tp, tp + fp, out=np.zeros(len(tp)), where=tp + fp > 0)
    R = np.divide(tp, tp + fn, out=np.zeros(len(tp)), where=tp + fn > 0)
    F1 = np.divide(2 * P * R, P + R, out=np.zeros(len(tp)), where=P + R > 0)
    return P.mean(), R.mean(), 2 * P.mean() * R.mean() / (P.mean() + R.mean())
