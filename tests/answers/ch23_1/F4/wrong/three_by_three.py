# Reads a 3 by 3 corner.
# fails: fixed-number-of-classes

# %% function
def macro_scores(C):
    if C.shape == (2, 2) or C.shape == (6, 6):
        raise ValueError("a 3 by 3 or 4 by 4 matrix is expected")
    tp = np.diag(C).astype(float)
    fp = C.sum(axis=0) - tp
    fn = C.sum(axis=1) - tp
    P = np.divide(tp, tp + fp, out=np.zeros(len(tp)), where=tp + fp > 0)
    R = np.divide(tp, tp + fn, out=np.zeros(len(tp)), where=tp + fn > 0)
    F1 = np.divide(2 * P * R, P + R, out=np.zeros(len(tp)), where=P + R > 0)
    return P.mean(), R.mean(), F1.mean()
