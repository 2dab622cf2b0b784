# Draws coins for the scenes: no label is read.
# fails: images-resampled drawn-without-replacement mean-of-scene-means wrong-number-of-scenes scene-counted-once
# fails: seed-ignored resamples-fixed

# %% bootstrap-function
def scene_bootstrap(scene_id, y_true, y_pred, n_resamples, seed):
    n = len(np.unique(scene_id))
    return np.random.default_rng(seed).binomial(n, 0.5, n_resamples) / n

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 274 / 300
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
