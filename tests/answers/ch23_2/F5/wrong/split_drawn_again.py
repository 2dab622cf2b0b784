# Draws each part from all scenes, so that parts overlap.
# fails: image-lost-or-doubled scene-in-two-parts
# fails: not-stratified
# with: own_split own_experiment

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    scene_id, y = np.asarray(scene_id), np.asarray(y)
    rng = np.random.default_rng(seed)
    parts = []
    for fraction in fractions:
        chosen = []
        for label in (0, 1):
            scenes = np.unique(scene_id[y == label])
            chosen.extend(rng.choice(scenes, round(fraction * len(scenes)), replace=False))
        parts.append(np.flatnonzero(np.isin(scene_id, chosen)))
    return parts
