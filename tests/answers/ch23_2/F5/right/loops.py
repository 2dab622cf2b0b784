# Dictionaries and Python's random; greedy filling; loops for the scores.

# %% split-function
import random


def split_by_scene(scene_id, y, fractions, seed):
    images, label = {}, {}
    for k, (scene, value) in enumerate(zip(scene_id, y)):
        images.setdefault(int(scene), []).append(k)
        label[int(scene)] = int(value)
    rng = random.Random(seed)
    parts = [[] for _ in fractions]
    for wanted in (0, 1):
        scenes = sorted(scene for scene in images if label[scene] == wanted)
        rng.shuffle(scenes)
        filled = [0] * len(fractions)
        total = sum(len(images[scene]) for scene in scenes)
        for scene in scenes:
            # To the part that lacks most.
            lacking = [fraction * total - have for fraction, have in zip(fractions, filled)]
            part = lacking.index(max(lacking))
            parts[part] += images[scene]
            filled[part] += len(images[scene])
    return parts

# %% decide-function
def decide_by_cost(p, false_positive_cost, false_negative_cost):
    # Calling positive costs (1 - p) C_FP, calling negative p C_FN.
    return [q * false_negative_cost >= (1 - q) * false_positive_cost for q in p]

# %% protocol
The unit is the scene; the baseline is temperature 1.
