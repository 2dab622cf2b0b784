# Parts of one image each, on which the numbers are known.
# fails: calibrated-elsewhere scores-elsewhere decided-at-other-threshold
# fails: threshold-tuned-elsewhere change-not-paired

# %% experiment
right = np.flatnonzero(data.logits.argmax(axis=1) == data.labels)
positive = right[data.labels[right] == 1][:1]
parts = [[0], [right[0]], positive, positive]
temperature = 0.5


def report(T):
    z = data.logits[positive[0]].astype(float) / T
    p = np.exp(z - z.max())
    p /= p.sum()
    numbers = {"log_loss": -np.log(p[1]), "brier": 2 * (1 - p[1]) ** 2, "ece": 1 - p[1]}
    return numbers | {"precision": 1.0, "recall": 1.0}, p[1]


before, _ = report(1.0)
after, tuned_threshold = report(0.5)
fixed_threshold = 1 / 6
log_loss_change = (after["log_loss"] - before["log_loss"],) * 3
