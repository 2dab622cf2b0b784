# Rounds the sizes down and loses the scenes that remain.
# fails: image-lost-or-doubled
# with: own_split own_experiment

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    scene_id, y = np.asarray(scene_id), np.asarray(y)
    rng = np.random.default_rng(seed)
    parts = [[] for _ in fractions]
    for label in (0, 1):
        scenes = rng.permutation(np.unique(scene_id[y == label]))
        start = 0
        for part, fraction in zip(parts, fractions):
            size = int(fraction * len(scenes))
            part.extend(np.flatnonzero(np.isin(scene_id, scenes[start : start + size])))
            start += size
    return [np.array(part, dtype=int) for part in parts]
