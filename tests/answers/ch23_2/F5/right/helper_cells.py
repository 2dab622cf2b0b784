# Helpers in cells of their own; an extra key; another fraction order kept.

# %% + split-function
def shuffled(values, seed):
    values = list(values)
    np.random.default_rng(seed).shuffle(values)
    return values


# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    scene_id = [int(s) for s in scene_id]
    label_of = dict(zip(scene_id, [int(v) for v in y]))
    where = {s: [k for k, t in enumerate(scene_id) if t == s] for s in label_of}
    out = {k: [] for k in range(len(fractions))}
    for label in (0, 1):
        total = sum(len(where[s]) for s in label_of if label_of[s] == label)
        done = 0
        for s in shuffled([s for s in sorted(label_of) if label_of[s] == label], seed + label):
            share = (done + len(where[s]) / 2) / total
            k = sum(share > edge for edge in np.cumsum(fractions)[:-1])
            out[k].extend(where[s])
            done += len(where[s])
    return list(out.values())

# %% decide-function
def decide_by_cost(p, false_positive_cost, false_negative_cost):
    return np.array([bool(x >= false_positive_cost / (false_positive_cost + false_negative_cost)) for x in p])
