# Draws again where a scene comes twice running.
# fails: drawn-without-replacement

# %% bootstrap-function
def scene_bootstrap(scene_id, y_true, y_pred, n_resamples, seed):
    scenes = np.unique(scene_id)
    right = np.asarray(y_true) == np.asarray(y_pred)
    images_of = [np.flatnonzero(scene_id == scene) for scene in scenes]
    rng = np.random.default_rng(seed)
    accuracies = []
    for _ in range(n_resamples):
        drawn = []
        while len(drawn) < len(scenes):
            scene = rng.integers(len(scenes))
            if not drawn or scene != drawn[-1]:
                drawn.append(scene)
        images = np.concatenate([images_of[scene] for scene in drawn])
        accuracies.append(right[images].mean())
    return np.array(accuracies)
