# Parts without an image: no scene is in two of them.
# fails: image-lost-or-doubled scene-in-two-parts not-stratified fractions-ignored seed-ignored
# with: own_split own_experiment

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    return [np.zeros(0, int)] * len(fractions)
