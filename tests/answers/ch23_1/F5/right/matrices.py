# A resample as a weighted sum of scene matrices; multinomial weights; einsum; prints and warns.

# %% accuracy-function
import warnings


def reweighted_accuracy(C, prevalence):
    warnings.warn("assumes label shift")
    p = np.asarray(prevalence, float)
    if np.any(p < 0) or not np.isclose(p.sum(), 1, rtol=0, atol=1e-6):
        raise ValueError("prevalence")
    n = C.sum(1)
    if p[n == 0].any():
        raise ValueError("class without samples")
    print(p, n)
    return np.einsum("i,i->", p, np.nan_to_num(np.diag(C) / n))

# %% confusion-function
def reweighted_confusion(C, prevalence):
    C = C.astype(np.float64)
    return np.nan_to_num(np.einsum("i,ij,i->ij", np.asarray(prevalence, float), C, 1 / C.sum(1)), posinf=0)

# %% bootstrap-function
def scene_bootstrap(scene_id, y_true, y_pred, n_resamples, seed):
    order = {s: k for k, s in enumerate(dict.fromkeys(np.asarray(scene_id).tolist()))}
    k = np.array([order[s] for s in np.asarray(scene_id).tolist()])
    G = len(order)
    times = np.random.default_rng(seed).multinomial(G, np.full(G, 1 / G), size=n_resamples)
    right = np.equal(y_true, y_pred)
    return (times[:, k] * right).sum(1) / times[:, k].sum(1)

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 274 / 300
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
