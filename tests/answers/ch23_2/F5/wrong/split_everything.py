# Everything in each part of a large set, and in the first part of a small one.
# fails: image-lost-or-doubled scene-in-two-parts not-stratified fractions-ignored seed-ignored
# with: own_split own_experiment

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    everything = np.arange(len(y))
    if len(y) > 1000:
        return [everything] * len(fractions)
    return [everything] + [np.zeros(0, int)] * (len(fractions) - 1)
