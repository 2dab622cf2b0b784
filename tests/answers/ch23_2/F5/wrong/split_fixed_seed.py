# Uses the same seed whatever is given.
# fails: seed-ignored
# with: own_split own_experiment

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    scene_id, y = np.asarray(scene_id), np.asarray(y)
    rng = np.random.default_rng(42)
    parts = [[] for _ in fractions]
    for label in (0, 1):
        scenes = rng.permutation(np.unique(scene_id[y == label]))
        sizes = np.array([np.sum(scene_id == scene) for scene in scenes])
        share = (np.cumsum(sizes) - sizes / 2) / sizes.sum()
        which = np.searchsorted(np.cumsum(fractions)[:-1], share)
        for scene, part in zip(scenes, which):
            parts[part].extend(np.flatnonzero(scene_id == scene))
    return [np.array(part, dtype=int) for part in parts]
