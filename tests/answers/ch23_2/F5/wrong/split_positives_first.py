# Orders the scenes by class before it cuts.
# fails: not-stratified seed-ignored
# with: own_split own_experiment

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    scene_id, y = np.asarray(scene_id), np.asarray(y)
    scenes = np.concatenate([np.unique(scene_id[y == 1]), np.unique(scene_id[y == 0])])
    cuts = np.round(np.cumsum(fractions)[:-1] * len(scenes)).astype(int)
    return [np.flatnonzero(np.isin(scene_id, chosen)) for chosen in np.split(scenes, cuts)]
