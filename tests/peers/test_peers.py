"""Where the course and its peers agree and where not, so that a change at a peer is noticed.

Run apart from the other tests, in `.venv-peers`: `make check-all`. A failure here says that a peer
changed: look, then change the conventions page of the book and this file together.
"""

from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import sklearn.metrics as sk
import torch
import torchmetrics.functional.classification as tm
from netcal.metrics import ECE, MCE
from netcal.scaling import TemperatureScaling as NetcalTemperature
from relplot.metrics import binnedECE
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import glyphlab_core as g
from glyphlab.expected import number
from glyphlab_core import worked

REQUIREMENTS = (Path(__file__).parent / "requirements.txt").read_text().splitlines()
SEEN = dict(line.split("==") for line in REQUIREMENTS if not line.startswith("#"))

TRUE, PREDICTED = (np.array(labels) for labels in (worked.y_true, worked.y_pred))
NAN = float("nan")


def close(actual, expected, tolerance=1e-12):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", SEEN)
def test_the_versions_are_those_seen(name):
    assert version(name) == SEEN[name]


def test_torch_is_the_one_that_the_course_pins():
    assert torch.__version__.split("+")[0] == "2.13.0"


# ----------------------------------------------------------------------- counts and averages


def scikit_macro(zero_division, average="macro"):
    scores = (sk.precision_score, sk.recall_score, sk.f1_score)
    options = {"labels": [0, 1, 2], "average": average, "zero_division": zero_division}
    return [score(TRUE, PREDICTED, **options) for score in scores]


def torchmetrics_score(name, zero_division, true=TRUE, predicted=PREDICTED, average="macro"):
    score = getattr(tm, f"multiclass_{name}")
    predicted, true = torch.tensor(predicted), torch.tensor(true)
    return score(predicted, true, 3, average=average, zero_division=zero_division).numpy()


def test_confusion_matrices_have_the_same_axes():
    np.testing.assert_array_equal(sk.confusion_matrix(TRUE, PREDICTED), worked.C_z)
    theirs = tm.multiclass_confusion_matrix(torch.tensor(PREDICTED), torch.tensor(TRUE), 3)
    np.testing.assert_array_equal(theirs, worked.C_z)


def test_macro_averages_with_the_undefined_left_out():
    ours = g.core_metrics(worked.C_z, "omit")
    close([ours[f"macro_{m}"] for m in ("precision", "recall", "f1")], [7 / 12, 17 / 36, 19 / 30])
    close(scikit_macro(np.nan), [7 / 12, 17 / 36, 19 / 45])  # F1 of class 2 is 0 there
    close(scikit_macro(np.nan, average=None)[2], [2 / 3, 3 / 5, 0])
    assert np.isnan(torchmetrics_score("precision", NAN))
    close(torchmetrics_score("recall", NAN), 17 / 36, 1e-6)
    with pytest.raises(ValueError, match="zero_division"):
        torchmetrics_score("f1_score", NAN)


def test_macro_averages_with_the_undefined_as_zero_agree():
    ours = g.core_metrics(worked.C_z, "zero")
    wanted = [7 / 18, 17 / 36, 19 / 45]
    close([ours[f"macro_{m}"] for m in ("precision", "recall", "f1")], wanted)
    close(scikit_macro(0), wanted)
    close([torchmetrics_score(m, 0) for m in ("precision", "recall", "f1_score")], wanted, 1e-6)


def test_macro_precision_with_the_undefined_as_one():
    close(scikit_macro(1)[0], 13 / 18)
    close(torchmetrics_score("precision", 1), 13 / 18, 1e-6)


def test_recall_of_a_class_that_is_predicted_and_never_true():
    true, predicted = [0, 0, 1, 1], [0, 2, 1, 1]
    counts = g.confusion_matrix(true, predicted, 3)
    assert g.core_metrics(counts, "omit")["macro_recall"] == 3 / 4
    assert g.core_metrics(counts, "zero")["macro_recall"] == 1 / 2
    close(torchmetrics_score("recall", 0, true, predicted), 1 / 2)
    assert sk.balanced_accuracy_score(true, predicted) == 3 / 4


def test_torchmetrics_calls_macro_recall_accuracy():
    labels = torch.tensor(PREDICTED), torch.tensor(TRUE)
    close(g.core_metrics(worked.C_z)["accuracy"], 7 / 12)
    close(tm.multiclass_accuracy(*labels, 3), 17 / 36, 1e-6)
    close(tm.multiclass_accuracy(*labels, 3, average="micro"), 7 / 12, 1e-6)


def test_micro_averages_over_some_classes_differ_from_each_other():
    options = {"labels": [0, 1], "average": "micro"}
    scores = (sk.precision_score, sk.recall_score, sk.f1_score)
    close([score(TRUE, PREDICTED, **options) for score in scores], [7 / 12, 7 / 10, 7 / 11])


@pytest.mark.parametrize(("label", "cell"), [(5, (2, 2)), (-1, (0, 2))])
def test_a_predicted_label_out_of_range_is_counted_elsewhere(label, cell):
    with pytest.raises(ValueError, match=rf"y_pred\[1\] is {label}"):
        g.confusion_matrix([0, 1], [0, label], 3)
    theirs = tm.multiclass_confusion_matrix(torch.tensor([0, label]), torch.tensor([0, 1]), 3)
    wanted = np.zeros((3, 3))
    wanted[0, 0] = wanted[cell] = 1
    np.testing.assert_array_equal(theirs, wanted)


@pytest.mark.parametrize("label", [5, -1])
def test_a_true_label_out_of_range_ends_in_torchs_own_error(label):
    with pytest.raises(ValueError, match=rf"y_true\[1\] is {label}"):
        g.confusion_matrix([0, label], [0, 1], 3)
    with pytest.raises(RuntimeError, match=r"bincount|shape"):
        tm.multiclass_confusion_matrix(torch.tensor([0, 1]), torch.tensor([0, label]), 3)


# -------------------------------------------------------------------------- calibration error


def torchmetrics_ece(confidence, correct, n, norm="l1"):
    p = torch.as_tensor(confidence, dtype=torch.float64)
    return float(tm.binary_calibration_error(p, torch.as_tensor(correct), n_bins=n, norm=norm))


def netcal_ece(confidence, correct, n):
    return float(ECE(n).measure(np.array(confidence), np.array(correct)))


def relplot_ece(confidence, correct, n):
    return float(binnedECE(np.array(confidence), np.array(correct), nbins=n))


def paper_ece(confidence, correct, n):
    """Guo et al. 2017's published code, in substance: (lo, hi] with nothing at 0, float32."""
    p, hits = torch.tensor(confidence), torch.tensor(correct).float()
    edges, total = torch.linspace(0, 1, n + 1), 0.0
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        inside = p.gt(low) & p.le(high)
        if inside.any():
            gap = torch.abs(p[inside].mean() - hits[inside].mean())
            total += float(gap * inside.float().mean())
    return total


def ours_ece(confidence, correct, n, closed="left"):
    return g.expected_calibration_error(confidence, correct, g.Binning.uniform(n, closed))


PEERS = {
    "torchmetrics": torchmetrics_ece,
    "netcal": netcal_ece,
    "relplot": relplot_ece,
    "paper": paper_ece,
}


@pytest.mark.parametrize("n", [5, 10, 15])
def test_all_agree_where_no_confidence_is_on_an_edge(n):
    rng = np.random.default_rng(n)
    confidence = rng.random(2000)
    correct = (rng.random(2000) < confidence**2).astype(int)
    for name, peer in PEERS.items():
        tolerance = 1e-6 if name == "paper" else 1e-12
        close(peer(confidence, correct, n), ours_ece(confidence, correct, n), tolerance)
    largest = g.maximum_calibration_error(confidence, correct, g.Binning.uniform(n))
    close(torchmetrics_ece(confidence, correct, n, "max"), largest)
    close(float(MCE(n).measure(confidence, correct)), largest)


# confidence, correct, bins; ours closed left and right; the peers'
ON_EDGES = {
    "0.8": ([0.8, 0.7], [0, 1], 5, 0.55, 0.25, {"paper": 0.25}),
    "1.0": ([0.95, 1.0], [1, 0], 10, 0.475, 0.475, {"torchmetrics": 0.525, "relplot": 0.525}),
    "0.0": ([0.0, 0.05], [1, 0], 10, 0.475, 0.475, {"paper": 0.025}),
    "0.6": ([0.6, 0.5], [0, 1], 5, 0.55, 0.05, {"netcal": 0.05, "relplot": 0.05, "paper": 0.05}),
}


@pytest.mark.parametrize("edge", ON_EDGES)
def test_confidence_on_an_edge(edge):
    confidence, correct, n, left, right, differing = ON_EDGES[edge]
    close(ours_ece(confidence, correct, n), left)
    close(ours_ece(confidence, correct, n, "right"), right)
    for name, peer in PEERS.items():
        close(peer(confidence, correct, n), differing.get(name, left), 1e-6)


def test_scikit_learns_curve_closes_its_bins_on_the_right():
    accuracy, mean = calibration_curve([0, 1], [0.8, 0.7], n_bins=5)
    close(accuracy, [0.5])
    close(mean, [0.75])


def test_float32_sums_stop_growing():
    n = 2**25
    confidence = np.full(n, 0.85, np.float32)
    assert ours_ece(confidence, np.ones(n, bool), 10) == pytest.approx(0.15, abs=1e-7)
    theirs = tm.binary_calibration_error(
        torch.from_numpy(confidence), torch.ones(n, dtype=torch.int64), n_bins=10
    )
    assert float(theirs) == 0


# ------------------------------------------------------------------------------------- scores


def test_brier_scores_differ_by_their_factor():
    p = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
    ours = g.brier_score(p, [0, 1, 1])
    options = {"labels": [0, 1, 2]}
    close(sk.brier_score_loss([0, 1, 1], p, **options), ours)
    close(sk.brier_score_loss([0, 1, 1], p, scale_by_half=True, **options), ours / 2)
    positive = np.array([0.3, 0.9])
    binary = g.brier_score(np.column_stack([1 - positive, positive]), [0, 1])
    close(sk.brier_score_loss([0, 1], positive), binary / 2)


@pytest.mark.parametrize(("dtype", "theirs"), [(np.float64, 18.02), (np.float32, 7.97)])
def test_log_loss_where_the_probability_is_zero(dtype, theirs):
    p = np.array([[1, 0], [1, 0]], dtype)
    close(sk.log_loss([0, 1], p), theirs, 1e-3)
    logits = np.log(p, where=p > 0, out=np.full(p.shape, -np.inf, dtype))
    assert g.log_loss(logits, [0, 1]) == np.inf


# -------------------------------------------------------------------------------- temperature


class Logits:
    """A classifier whose decision function is its input."""

    _estimator_type = "classifier"

    def __init__(self, k):
        self.classes_ = np.arange(k)
        self.n_features_in_ = k

    def decision_function(self, x):
        return x[:, 1] - x[:, 0] if len(self.classes_) == 2 else x

    def fit(self, x, y):
        return self

    def predict(self, x):
        return x.argmax(axis=1)

    def __sklearn_tags__(self):
        return LogisticRegression().__sklearn_tags__()


def scikit_temperature(logits, y):
    z = np.array(logits, float)
    model = CalibratedClassifierCV(FrozenEstimator(Logits(z.shape[1])), method="temperature")
    return 1 / float(model.fit(z, y).calibrated_classifiers_[0].calibrators[0].beta_)


def lbfgs_temperature(logits, y):
    """T itself as the parameter, as the source does it, with a rate of 1."""
    z, labels = torch.tensor(logits), torch.tensor(y)
    temperature = torch.nn.Parameter(torch.ones(1))
    optimiser = torch.optim.LBFGS([temperature], max_iter=100)

    def loss():
        optimiser.zero_grad()
        value = torch.nn.functional.cross_entropy(z / temperature, labels)
        value.backward()
        return value

    optimiser.step(loss)
    return temperature.item()


def draw():
    rng = np.random.default_rng(0)
    z = rng.normal(scale=3, size=(500, 3))
    return z, (z / 2 + rng.gumbel(size=z.shape)).argmax(axis=1)


def test_temperatures_agree_where_there_is_an_optimum():
    close(g.optimal_temperature(worked.Z, worked.y), number("three_samples.T_star"))
    z, y = draw()
    best = g.optimal_temperature(z, y)
    close(scikit_temperature(z, y), best, 1e-7)
    close(lbfgs_temperature(z, y), best, 1e-4)


def test_netcals_temperature_is_an_inverse_temperature():
    z, y = draw()
    model = NetcalTemperature()
    model.fit(g.softmax(z), y)
    close(1 / model.temperature.item(), g.optimal_temperature(z, y), 1e-5)


def test_netcals_temperature_stays_at_its_start_in_float32():
    z, y = draw()
    model = NetcalTemperature()
    model.fit(g.softmax(z).astype(np.float32), y)
    assert model.temperature.item() == 1
    close(g.optimal_temperature(z.astype(np.float32), y), g.optimal_temperature(z, y), 1e-6)


# Five times over, as scikit-learn cuts its samples into five parts first.
TOO_GOOD = 5 * [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 5 * [0, 1, 2]
TOO_BAD = 5 * [[0.0, 1.0, 1.0], [3.0, 1.0, 0.0], [3.0, 0.0, 1.0]], 5 * [0, 1, 2]


def test_temperature_that_falls_to_zero():
    with pytest.raises(g.NoOptimumError) as caught:
        g.optimal_temperature(*TOO_GOOD)
    assert caught.value.limit == 0
    assert 0 < scikit_temperature(*TOO_GOOD) < 0.05  # wherever its search stood at loss 0


def test_temperature_that_grows_without_end():
    with pytest.raises(g.NoOptimumError) as caught:
        g.optimal_temperature(*TOO_BAD)
    assert caught.value.limit == np.inf
    close(scikit_temperature(*TOO_BAD), np.exp(10), 1e-6)  # the end of its search


def test_lbfgs_on_the_temperature_leaves_the_positive_numbers():
    logits, y = (0.3 * worked.Z).tolist(), worked.y.tolist()
    close(g.optimal_temperature(logits, y), 0.3 * number("three_samples.T_star"))
    assert lbfgs_temperature(logits, y) < 0
    assert lbfgs_temperature([[2.0, 0.0], [0.0, 1.0]], [0, 1]) < 0  # there is no optimum
