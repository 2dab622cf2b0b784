# One resample at a time, by concatenating indices; validation in a helper cell.

# %% + accuracy-function
def valid(prevalence):
    prevalence = np.array(prevalence, dtype=float)
    if (prevalence < 0).any() or abs(1 - prevalence.sum()) > 1e-6:
        raise ValueError(f"not a prevalence: {prevalence}")
    return prevalence


def reweight(C, prevalence):
    p = valid(prevalence)
    out = np.zeros(np.shape(C))
    for i in range(len(p)):
        if np.sum(C[i]) > 0:
            out[i] = p[i] * np.array(C[i]) / np.sum(C[i])
        elif p[i] > 0:
            raise ValueError(f"class {i} does not occur")
    return out

# %% accuracy-function
def reweighted_accuracy(C, prevalence):
    return np.trace(reweight(C, prevalence))

# %% confusion-function
def reweighted_confusion(C, prevalence):
    return reweight(C, prevalence)

# %% bootstrap-function
def scene_bootstrap(scene_id, y_true, y_pred, n_resamples, seed):
    np.random.seed(seed)
    groups = [np.flatnonzero(np.array(scene_id) == s) for s in set(np.array(scene_id).tolist())]
    right = (np.array(y_true) == np.array(y_pred)).astype(np.float32)
    out = []
    while len(out) < n_resamples:
        chosen = np.random.choice(len(groups), len(groups), replace=True)
        out.append(right[np.concatenate([groups[g] for g in chosen])].mean())
    return np.array(out, dtype=np.float32)
