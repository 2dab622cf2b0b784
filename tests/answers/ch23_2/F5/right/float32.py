# Single precision in the scores; a tuple of parts.

# %% split-function
def split_by_scene(scene_id, y, fractions, seed):
    generator = np.random.RandomState(seed)
    chosen = np.empty(len(y), dtype=int)
    for label in np.unique(y):
        scenes = generator.permutation(np.unique(np.asarray(scene_id)[np.asarray(y) == label]))
        weight = np.array([np.sum(np.asarray(scene_id) == s) for s in scenes])
        middle = (np.cumsum(weight) - weight / 2) / weight.sum()
        for scene, m in zip(scenes, middle):
            part = int(np.sum(m > np.cumsum(fractions)[:-1]))
            chosen[np.asarray(scene_id) == scene] = part
    return tuple(np.where(chosen == k)[0] for k in range(len(fractions)))

# %% decide-function
def decide_by_cost(p, false_positive_cost, false_negative_cost):
    threshold = np.float64(false_positive_cost) / (false_negative_cost + false_positive_cost)
    return ~(p < threshold)

# %% experiment
def softmax(Z, T):
    U = np.float32(Z) / np.float32(T)
    e = np.exp(U - U.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


parts = split_by_scene(data.scene_id, data.labels, (0.4, 0.2, 0.2, 0.2), 3)
nll = lambda part, T: -np.log(softmax(data.logits[part], T))[np.arange(len(part)), data.labels[part]]
temperature = grid[int(np.argmin([nll(parts[1], T).astype(float).mean() for T in grid]))]
before, after = {}, {}
for result, T in [(before, 1.0), (after, temperature)]:
    p, y = softmax(data.logits[parts[3]], T), data.labels[parts[3]]
    called = p[:, 1] >= 1 / 6
    b = np.minimum((p.max(axis=1) * 5).astype(int), 4)
    result["log_loss"] = nll(parts[3], T).mean()
    result["brier"] = np.square(p - np.eye(2, dtype=np.float32)[y]).sum(axis=1).mean()
    result["ece"] = np.abs(np.bincount(b, p.max(axis=1) - (p.argmax(axis=1) == y))).sum() / len(y)
    result["precision"] = y[called].mean()
    result["recall"] = called[y == 1].mean()
fixed_threshold = 1 / 6
p, y = softmax(data.logits[parts[2]], temperature)[:, 1], data.labels[parts[2]]
tuned_threshold = min(p, key=lambda t: np.sum((p >= t) & (y == 0)) + 5 * np.sum((p < t) & (y == 1)))
change = nll(parts[3], temperature) - nll(parts[3], 1)
names = data.scene_id[parts[3]]
total = np.array([change[names == s].sum() for s in set(names.tolist())])
size = np.array([np.sum(names == s) for s in set(names.tolist())])
weights = np.random.default_rng(1).multinomial(len(total), np.full(len(total), 1 / len(total)), 2000)
low, high = np.percentile(weights @ total / (weights @ size), [2.5, 97.5])
log_loss_change = [change.mean(), low, high]
