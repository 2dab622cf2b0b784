# The given function with both faults mended.

# %% function
def macro_scores(C):
    tp = np.diag(C).astype(float)
    fp = C.sum(axis=0) - tp
    fn = C.sum(axis=1) - tp
    P = np.divide(tp, tp + fp, out=np.zeros(len(tp)), where=tp + fp > 0)
    R = np.divide(tp, tp + fn, out=np.zeros(len(tp)), where=tp + fn > 0)
    F1 = np.divide(2 * tp, 2 * tp + fp + fn, out=np.zeros(len(tp)), where=tp > 0)
    return P.mean(), R.mean(), F1.mean()

# %% explanation
Rows and columns were exchanged, and macro F1 was taken from the macro averages.
