# Asks which images belong to a scene that was drawn, and so counts each scene once.
# fails: images-resampled wrong-number-of-scenes scene-counted-once

# %% bootstrap-function
def scene_bootstrap(scene_id, y_true, y_pred, n_resamples, seed):
    scenes = np.unique(scene_id)
    right = np.asarray(y_true) == np.asarray(y_pred)
    rng = np.random.default_rng(seed)
    accuracies = []
    for _ in range(n_resamples):
        drawn = rng.choice(scenes, size=len(scenes))
        accuracies.append(right[np.isin(scene_id, drawn)].mean())
    return np.array(accuracies)

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 274 / 300
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
