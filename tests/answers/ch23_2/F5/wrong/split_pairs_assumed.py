# Takes neighbouring images for a scene.
# fails: scene-in-two-parts
# with: own_split own_experiment

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    y = np.asarray(y)
    rng = np.random.default_rng(seed)
    parts = [[] for _ in fractions]
    for label in (0, 1):
        images = np.flatnonzero(y == label)
        pairs = images[: len(images) // 2 * 2].reshape(-1, 2)
        pairs = [*rng.permutation(pairs), images[len(images) // 2 * 2 :]]
        cuts = np.round(np.cumsum(fractions)[:-1] * len(pairs)).astype(int)
        order = [pairs[a:b] for a, b in zip([0, *cuts], [*cuts, len(pairs)])]
        for part, chosen in zip(parts, order):
            for pair in chosen:
                part.extend(pair)
    return [np.array(part, dtype=int) for part in parts]
