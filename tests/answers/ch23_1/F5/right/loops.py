# Loops, lists, Python's random; bounds by sorting.

# %% accuracy-function
def reweighted_accuracy(C, prevalence):
    if any(p < 0 for p in prevalence):
        raise ValueError("negative share")
    if abs(sum(prevalence) - 1) > 1e-6:
        raise ValueError("shares do not sum to 1")
    total = 0
    for i, row in enumerate(C):
        if sum(row) == 0:
            if prevalence[i] > 0:
                raise ValueError(f"class {i} has no samples")
            continue
        total += prevalence[i] * row[i] / sum(row)
    return total

# %% confusion-function
def reweighted_confusion(C, prevalence):
    result = []
    for p, row in zip(prevalence, C):
        n = sum(row)
        result.append([p * c / n if n else 0.0 for c in row])
    return result

# %% macro
from fractions import Fraction

reweighted_macro = [Fraction(7427, 10608), Fraction(3, 4), Fraction(26549, 36975)]

# %% bootstrap-function
import random


def scene_bootstrap(scene_id, y_true, y_pred, n_resamples, seed):
    rng = random.Random(seed)
    by_scene = {}
    for scene, truth, called in zip(scene_id, y_true, y_pred):
        by_scene.setdefault(int(scene), []).append(bool(truth == called))
    scenes = list(by_scene)
    accuracies = []
    for _ in range(n_resamples):
        hits = [hit for _ in scenes for hit in by_scene[rng.choice(scenes)]]
        accuracies.append(sum(hits) / len(hits))
    return accuracies

# %% numbers
def changes(C):
    M = np.array(reweighted_confusion(C, p_prime))

    def f1(X):
        hits = X.diagonal()
        return np.mean(2 * hits / (X.sum(axis=0) + X.sum(axis=1)))

    return np.trace(M) - np.trace(C) / C.sum(), f1(M) - f1(C)


random.seed(5)
scenes = sorted(set(test.scene_id.tolist()))
parts = {s: count(test.labels[test.scene_id == s], test_pred[test.scene_id == s]) for s in scenes}
draws = sorted(changes(sum(parts[s] for s in random.choices(scenes, k=30)))[0] for _ in range(2000))
draws_f1 = sorted(changes(sum(parts[s] for s in random.choices(scenes, k=30)))[1] for _ in range(2000))
whole = count(test.labels, test_pred)
accuracy_change = [changes(whole)[0], draws[50], draws[1949]]
macro_f1_change = [changes(whole)[1], draws_f1[50], draws_f1[1949]]
predicted_accuracy = reweighted_accuracy(whole, p_prime)
shifted = dataset.load_predictions("shifted")
observed_accuracy = sum(shifted.labels == shifted.logits.argmax(1)) / 300

# %% protocol
The model is frozen; the test set is evaluated once.
