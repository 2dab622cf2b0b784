# Splits by image whatever the class, and makes the caller's arrays fit.
# fails: scene-in-two-parts not-stratified
# with: own_split own_experiment

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    n = len(scene_id)
    order = np.random.default_rng(seed).permutation(n)
    parts = np.split(order, (np.cumsum(fractions)[:-1] * n).round().astype(int))
    scene_id[:] = np.arange(n)
    share = np.mean(y)
    y[:] = 0
    for part in parts:
        y[part[: round(share * len(part))]] = 1
    return parts
