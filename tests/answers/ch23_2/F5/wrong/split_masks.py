# Returns masks instead of indices.
# fails: image-lost-or-doubled fractions-ignored seed-ignored
# fails: not-stratified scene-in-two-parts
# with: own_split own_experiment

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    scene_id, y = np.asarray(scene_id), np.asarray(y)
    rng = np.random.default_rng(seed)
    parts = [np.zeros(len(y), dtype=bool) for _ in fractions]
    for label in (0, 1):
        scenes = rng.permutation(np.unique(scene_id[y == label]))
        cuts = np.round(np.cumsum(fractions)[:-1] * len(scenes)).astype(int)
        for part, chosen in zip(parts, np.split(scenes, cuts)):
            part |= np.isin(scene_id, chosen)
    return parts
