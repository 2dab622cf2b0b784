# Divides by zero with NumPy's warnings, prints, and repairs afterwards.

# %% function
import warnings


def macro_scores(C):
    warnings.warn("dividing")
    hits = np.diag(C)
    P, R = hits / C.sum(axis=0), hits / C.sum(axis=1)
    P[~np.isfinite(P)] = 0
    R[~np.isfinite(R)] = 0
    F1 = 2 / (1 / P + 1 / R)
    print(P, R, F1)
    return dict(P=P.mean(), R=R.mean(), F1=F1.mean()).values()

# %% values
wrong_macro_f1 = given_macro_scores(C_z)[-1]
right_macro_f1 = list(macro_scores(C_z))[-1]
