"""Agreement with scikit-learn, SciPy and torch where they define the same thing."""

import warnings

import numpy as np
import pytest
import scipy.special
import sklearn.metrics
import torch
from sklearn.calibration import calibration_curve

import glyphlab_core as g

PAIRS = [
    pytest.param(seed, n, k, id=f"N{n}-K{k}")
    for seed, (n, k) in enumerate([(1, 1), (2, 2), (30, 3), (500, 8), (501, 9), (400, 40)])
]


def draw_labels(seed, n, k):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return y, np.where(rng.random(n) < 0.6, y, rng.integers(k, size=n))


def draw_logits(seed, n, k, scale=2.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    z = rng.normal(scale=scale, size=(n, k))
    z[np.arange(n), y] += scale
    return z, y


@pytest.mark.parametrize(("seed", "n", "k"), PAIRS)
def test_confusion_matrix(seed, n, k):
    y, p = draw_labels(seed, n, k)
    counts = g.confusion_matrix(y, p, k)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a single class, and of empty rows
        expected = sklearn.metrics.confusion_matrix(y, p, labels=range(k))
        np.testing.assert_array_equal(counts, expected)
        for over in ("true", "pred", "all"):
            shares = sklearn.metrics.confusion_matrix(y, p, labels=range(k), normalize=over)
            np.testing.assert_allclose(np.nan_to_num(g.normalize_confusion(counts, over)), shares)


@pytest.mark.parametrize(("seed", "n", "k"), PAIRS)
@pytest.mark.parametrize(("mode", "theirs"), [("zero", 0), ("omit", np.nan)])
def test_precision_recall_f1(seed, n, k, mode, theirs):
    y, p = draw_labels(seed, n, k)
    counts = g.confusion_matrix(y, p, k)
    precision, recall, f1 = g.precision_recall_from_confusion(counts, mode)
    their = sklearn.metrics.precision_recall_fscore_support(
        y, p, labels=range(k), zero_division=theirs
    )
    np.testing.assert_allclose(precision, their[0])
    np.testing.assert_allclose(recall, their[1])
    np.testing.assert_array_equal(counts.sum(axis=1), their[3])
    # Left out, theirs of a class that is true but never predicted is F1 = 0, ours undefined.
    defined = ~np.isnan(f1)
    np.testing.assert_allclose(f1[defined], their[2][defined])
    assert np.all(np.isnan(precision[~defined]) | np.isnan(recall[~defined]))
    metrics = g.core_metrics(counts, mode)
    np.testing.assert_allclose(metrics["accuracy"], sklearn.metrics.accuracy_score(y, p))
    # Left out, their F1 averages over other classes (see above).
    for i, name in enumerate(["precision", "recall", "f1"][: 2 if mode == "omit" else 3]):
        macro = sklearn.metrics.precision_recall_fscore_support(
            y, p, labels=range(k), average="macro", zero_division=theirs
        )[i]
        np.testing.assert_allclose(metrics[f"macro_{name}"], macro)
    micro = sklearn.metrics.precision_recall_fscore_support(y, p, average="micro")[:3]
    np.testing.assert_allclose(
        [metrics[f"micro_{m}"] for m in ("precision", "recall", "f1")], micro
    )


@pytest.mark.parametrize(("seed", "n", "k"), PAIRS[1:])
def test_macro_recall_over_seen_classes_is_balanced_accuracy(seed, n, k):
    y, p = draw_labels(seed, n, k)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        expected = sklearn.metrics.balanced_accuracy_score(y, p)
    assert g.core_metrics(g.confusion_matrix(y, p, k))["macro_recall"] == pytest.approx(expected)


@pytest.mark.parametrize("temperature", [0.1, 0.7, 1.0, 3.0])
@pytest.mark.parametrize(("n", "k"), [(1, 2), (7, 3), (100, 50), (3, 1)])
def test_softmax_and_losses(n, k, temperature):
    z, y = draw_logits(5, n, k)
    p = g.softmax(z, temperature)
    np.testing.assert_allclose(p, scipy.special.softmax(z / temperature, axis=1), rtol=1e-13)
    scaled = torch.tensor(z) / temperature
    np.testing.assert_allclose(p, torch.softmax(scaled, dim=1), rtol=1e-13)
    cross_entropy = torch.nn.functional.cross_entropy(scaled, torch.tensor(y))
    loss = g.log_loss(z, y, temperature)
    assert loss == pytest.approx(float(cross_entropy), rel=1e-13, abs=1e-15)
    energy = -temperature * scipy.special.logsumexp(z / temperature, axis=1)
    np.testing.assert_allclose(g.energy_score(z, temperature), energy, rtol=1e-13)
    if k > 1 and p.min() > 1e-12:  # scikit-learn clips at the spacing of doubles
        assert loss == pytest.approx(sklearn.metrics.log_loss(y, p, labels=range(k)), rel=1e-9)


@pytest.mark.parametrize("k", [2, 3, 10])
def test_brier_score(k):
    z, y = draw_logits(6, 200, k)
    p = g.softmax(z)
    expected = sklearn.metrics.brier_score_loss(y, p, labels=range(k), scale_by_half=False)
    assert g.brier_score(p, y) == pytest.approx(expected, rel=1e-13)
    if k == 2:
        half = sklearn.metrics.brier_score_loss(y, p[:, 1], scale_by_half=True)
        assert g.brier_score(p, y) == pytest.approx(2 * half, rel=1e-13)


@pytest.mark.parametrize("temperature", [0.2, 1.0, 4.0])
def test_gradient_against_torch(temperature):
    z, y = draw_logits(7, 60, 5)
    t = torch.tensor(temperature, dtype=torch.float64, requires_grad=True)
    torch.nn.functional.cross_entropy(torch.tensor(z) / t, torch.tensor(y)).backward()
    assert g.temperature_gradient(z, y, temperature) == pytest.approx(float(t.grad), rel=1e-11)


def test_confusion_and_loss_of_torch_tensors():
    z, y = draw_logits(8, 50, 4)
    tensor = torch.tensor(z, requires_grad=True)
    labels = torch.tensor(y)
    assert g.log_loss(tensor, labels) == g.log_loss(z, y)
    assert g.optimal_temperature(tensor, labels) == g.optimal_temperature(z, y)
    np.testing.assert_array_equal(
        g.confusion_matrix(labels, tensor.argmax(dim=1), 4),
        g.confusion_matrix(y, z.argmax(axis=1), 4),
    )


@pytest.mark.parametrize("n", [5, 10])
def test_reliability_table_against_calibration_curve(n):
    rng = np.random.default_rng(9)
    confidence = np.round(rng.random(500), 3)
    on_edge = np.isclose(confidence * n % 1, 0) | np.isclose(confidence * n % 1, 1)
    confidence = confidence[~on_edge]  # there the conventions differ
    correct = rng.random(len(confidence)) < confidence
    table = g.reliability_table(confidence, correct, g.Binning.uniform(n))
    accuracy, mean = calibration_curve(correct, confidence, n_bins=n)
    filled = table.count > 0
    np.testing.assert_allclose(table.accuracy[filled], accuracy)
    np.testing.assert_allclose(table.mean_confidence[filled], mean)


def test_wilson_interval_against_its_equation():
    correct = [1, 1, 1, 0, 1, 0, 0]
    table = g.reliability_table([0.3] * 7, correct, g.Binning.uniform(1))
    share, n = 4 / 7, 7
    z = scipy.special.ndtri(0.975)
    for bound in (table.lower[0], table.upper[0]):  # |p̂ - p| = z √(p(1-p)/n)
        assert abs(share - bound) == pytest.approx(z * np.sqrt(bound * (1 - bound) / n), rel=1e-12)
    assert table.lower[0] < share < table.upper[0]


@pytest.mark.parametrize("seed", range(4))
def test_threshold_sweep_against_precision_recall_curve(seed):
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(80), 1 + seed % 2)
    y = rng.random(80) < p
    sweep = g.threshold_sweep(p, y)
    precision, recall, threshold = sklearn.metrics.precision_recall_curve(y, p)
    np.testing.assert_array_equal(sweep.threshold[:-1], threshold)
    np.testing.assert_allclose(sweep.precision[:-1], precision[:-1])
    np.testing.assert_allclose(sweep.recall, recall)


def test_sweep_without_positives_leaves_recall_undefined():
    sweep = g.threshold_sweep([0.2, 0.4], [0, 0])  # scikit-learn warns and says 1
    assert np.isnan(sweep.recall).all()
    np.testing.assert_array_equal(sweep.precision, [0, 0, np.nan])
