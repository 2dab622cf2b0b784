# Splits scenes at random, whatever their class.
# fails: not-stratified
# with: own_split own_experiment

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    scene_id = np.asarray(scene_id)
    scenes = np.random.default_rng(seed).permutation(np.unique(scene_id))
    cuts = np.round(np.cumsum(fractions)[:-1] * len(scenes)).astype(int)
    return [np.flatnonzero(np.isin(scene_id, chosen)) for chosen in np.split(scenes, cuts)]
