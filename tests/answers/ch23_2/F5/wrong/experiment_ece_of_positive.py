# The calibration error of the positive class's probability.
# fails: scores-elsewhere
# with: own_split

# %% experiment
def probabilities(Z, T):
    e = np.exp((Z - Z.max(axis=1, keepdims=True)) / T)
    return e / e.sum(axis=1, keepdims=True)


def losses(part, T):
    p = probabilities(data.logits[part].astype(float), T)
    return -np.log(p[np.arange(len(part)), data.labels[part]])


def report(part, T):
    p, y = probabilities(data.logits[part].astype(float), T), data.labels[part]
    confidence, right = p[:, 1], y == 1
    gaps = np.bincount(np.minimum((5 * confidence).astype(int), 4), weights=confidence - right)
    positive = p[:, 1] >= 1 / 6
    return {
        "log_loss": losses(part, T).mean(),
        "brier": np.sum((p - np.eye(2)[y]) ** 2) / len(y),
        "ece": np.abs(gaps).sum() / len(y),
        "precision": np.sum(positive & (y == 1)) / np.sum(positive),
        "recall": np.sum(positive & (y == 1)) / np.sum(y == 1),
    }


parts = own_split(data.scene_id, data.labels)
training, calibration, threshold, held_out = parts
temperature = min(grid, key=lambda T: losses(calibration, T).mean())
before, after = report(held_out, 1.0), report(held_out, temperature)

fixed_threshold = 1 / (1 + 5)
p = probabilities(data.logits[threshold].astype(float), temperature)[:, 1]
y = data.labels[threshold]
costs = [np.mean((p >= t) * (y == 0) + 5 * (p < t) * (y == 1)) for t in p]
tuned_threshold = p[np.argmin(costs)]

difference = losses(held_out, temperature) - losses(held_out, 1.0)
unit = data.scene_id[held_out]
scenes, position = np.unique(unit, return_inverse=True)
sums, images = np.bincount(position, weights=difference), np.bincount(position)
drawn = np.random.default_rng(2).integers(len(scenes), size=(2000, len(scenes)))
resampled = sums[drawn].sum(axis=1) / images[drawn].sum(axis=1)
log_loss_change = (difference.mean(), *np.quantile(resampled, [0.025, 0.975]))
