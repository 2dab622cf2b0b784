# A sorted key instead of a shuffle; PyTorch for the scores; a warning and a plot.

# %% split-function
import warnings

import matplotlib.pyplot as plt
import torch


def split_by_scene(scene_id, y, fractions, seed):
    warnings.warn("splitting")
    scene_id, y = np.array(scene_id), np.array(y)
    scenes, index = np.unique(scene_id, return_inverse=True)
    label = np.zeros(len(scenes), int)
    label[index] = y
    key = np.random.default_rng(seed).random(len(scenes))
    part_of_scene = np.zeros(len(scenes), int)
    for value in (0, 1):
        members = np.flatnonzero(label == value)
        members = members[np.argsort(key[members])]
        done = np.cumsum(np.bincount(index)[members])
        part_of_scene[members] = np.searchsorted(np.cumsum(fractions)[:-1] * done[-1], done - 1, side="right")
    return [np.flatnonzero(part_of_scene[index] == part) for part in range(len(fractions))]

# %% decide-function
def decide_by_cost(p, false_positive_cost, false_negative_cost):
    return torch.as_tensor(np.array(p)) >= false_positive_cost / (false_positive_cost + false_negative_cost)

# %% experiment
Z = torch.tensor(data.logits, dtype=torch.float64)
y = torch.tensor(data.labels)
parts = split_by_scene(data.scene_id, data.labels, [0.4, 0.2, 0.2, 0.2], 20)
indices = [torch.tensor(part) for part in parts]
F = torch.nn.functional
temperature = min(grid, key=lambda T: F.cross_entropy(Z[indices[1]] / T, y[indices[1]]).item())


def scores(T):
    z, t = Z[indices[3]] / T, y[indices[3]]
    p = torch.softmax(z, dim=1)
    confidence, prediction = p.max(dim=1)
    b = torch.bucketize(confidence, torch.tensor([0.2, 0.4, 0.6, 0.8], dtype=torch.float64), right=True)
    gaps = torch.zeros(5).double().index_add(0, b, confidence - (prediction == t).double())
    called = decide_by_cost(p[:, 1], 1, 5)
    hits = (called & (t == 1)).sum()
    return {
        "log_loss": F.cross_entropy(z, t),
        "brier": ((p - F.one_hot(t, 2)) ** 2).sum(1).mean(),
        "ece": gaps.abs().sum() / len(t),
        "precision": hits / called.sum(),
        "recall": hits / t.sum(),
    }


before, after = scores(1), scores(temperature)
fixed_threshold = torch.tensor(1 / 6)
p, t = torch.softmax(Z[indices[2]] / temperature, dim=1)[:, 1], y[indices[2]]
costs = [((p >= q) & (t == 0)).double().mean() + 5 * ((p < q) & (t == 1)).double().mean() for q in p]
tuned_threshold = p[int(torch.stack(costs).argmin())]
plt.plot(p, costs, ".")
plt.close()

gain = F.cross_entropy(Z[indices[3]] / temperature, y[indices[3]], reduction="none") - F.cross_entropy(
    Z[indices[3]], y[indices[3]], reduction="none"
)
scene = data.scene_id[parts[3]]
groups = [gain[torch.tensor(scene == s)] for s in np.unique(scene)]
generator = torch.Generator().manual_seed(0)
means = [
    torch.cat([groups[i] for i in torch.randint(len(groups), (len(groups),), generator=generator)]).mean()
    for _ in range(2000)
]
low, high = torch.quantile(torch.stack(means), torch.tensor([0.025, 0.975]).double())
log_loss_change = torch.stack([gain.mean(), low, high])
print(log_loss_change)
