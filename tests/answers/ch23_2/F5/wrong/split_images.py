# Splits images, stratified, not scenes.
# fails: scene-in-two-parts
# with: own_split own_experiment

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    y = np.asarray(y)
    rng = np.random.default_rng(seed)
    parts = [[] for _ in fractions]
    for label in (0, 1):
        images = rng.permutation(np.flatnonzero(y == label))
        cuts = np.round(np.cumsum(fractions)[:-1] * len(images)).astype(int)
        for part, chosen in zip(parts, np.split(images, cuts)):
            part.extend(chosen)
    return [np.array(part, dtype=int) for part in parts]
