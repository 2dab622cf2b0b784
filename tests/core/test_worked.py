"""Every public function on the worked examples, against the exact values of `glyphlab.expected`."""

import numpy as np
import pytest

import glyphlab_core as g
from glyphlab.expected import TEMPERATURES, exact, number
from glyphlab_core import worked

MATRICES = {"C": worked.C, "C_F2": worked.C_F2}
OPENING = np.array([[50, 0, 0], [6, 0, 0], [4, 0, 0]])


def close(actual, name, tolerance=1e-14):
    np.testing.assert_allclose(actual, number(name), rtol=tolerance, atol=tolerance)


def test_labels_give_the_matrix():
    counts = g.confusion_matrix(worked.y_true, worked.y_pred)
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts, worked.C_z)
    close(counts.sum(axis=1), "C_z.support")
    close(counts.sum(axis=0), "C_z.predicted")
    assert counts.trace() == exact("C_z.trace")


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("mode", ["omit", "zero", "raise"])
def test_matrix_without_zero_denominator(name, mode):
    per_class = g.precision_recall_from_confusion(MATRICES[name], mode)
    for metric, values in zip(("precision", "recall", "f1"), per_class, strict=True):
        assert values.dtype == np.float64
        close(values, f"{name}.{metric}")
    metrics = g.core_metrics(MATRICES[name], mode)
    for metric in (
        *("accuracy", "micro_precision", "micro_recall", "micro_f1"),
        *("macro_precision", "macro_recall", "macro_f1"),
    ):
        assert isinstance(metrics[metric], float)
        close(metrics[metric], f"{name}.{metric}")
    assert metrics["averaged"] == {"precision": 3, "recall": 3, "f1": 3}
    close(metrics["prevalence"] * number(f"{name}.total"), f"{name}.support")
    for metric in ("precision", "recall", "f1"):
        close(metrics["per_class"][metric], f"{name}.{metric}")


@pytest.mark.parametrize("mode", ["omit", "zero"])
def test_matrix_with_a_class_never_predicted(mode):
    metrics = g.core_metrics(worked.C_z, mode)
    for metric in ("precision", "recall", "f1"):
        close(metrics["per_class"][metric], f"C_z.{mode}.{metric}")
        close(metrics[f"macro_{metric}"], f"C_z.{mode}.macro_{metric}")
    for metric in ("accuracy", "micro_precision", "micro_recall", "micro_f1", "prevalence"):
        close(metrics[metric], f"C_z.{metric}")
    close([metrics["averaged"][m] for m in ("precision", "recall", "f1")], f"C_z.{mode}.averaged")


def test_raise_names_the_class():
    with pytest.raises(ZeroDivisionError, match=r"precision.*class 2 is never predicted"):
        g.core_metrics(worked.C_z, "raise")
    with pytest.raises(ZeroDivisionError, match=r"recall.*class 1 is without samples"):
        g.precision_recall_from_confusion([[1, 1], [0, 0]], "raise")
    with pytest.raises(ZeroDivisionError, match="class 1, 3 is never"):
        g.core_metrics(np.diag([1, 0, 1, 0]), "raise")


def test_macro_f1_is_not_the_harmonic_mean_of_the_macros():
    metrics = g.core_metrics(worked.C_z)
    p, r = metrics["macro_precision"], metrics["macro_recall"]
    close(2 * p * r / (p + r), "C_z.omit.harmonic")
    assert abs(metrics["macro_f1"] - number("C_z.omit.harmonic")) > 0.1


def test_opening_question():
    metrics = g.core_metrics(OPENING)
    close(metrics["accuracy"], "opening.accuracy")
    close(metrics["per_class"]["recall"], "opening.recall")
    close(metrics["macro_recall"], "opening.macro_recall")
    close(metrics["prevalence"], "opening.prevalence")


def test_reweighting():
    close(g.reweighted_accuracy(worked.C, worked.p_prime), "reweighting.C.accuracy")
    close(g.reweighted_accuracy(worked.C_z, worked.p_prime), "reweighting.C_z.accuracy")
    moved = g.reweighted_confusion(worked.C, worked.p_prime)
    close(moved, "reweighting.C.confusion")
    metrics = g.core_metrics(moved)
    close(metrics["accuracy"], "reweighting.C.accuracy")
    close(metrics["prevalence"], "reweighting.prevalence")
    for metric in ("precision", "recall", "f1"):
        close(metrics["per_class"][metric], f"reweighting.C.{metric}")
        close(metrics[f"macro_{metric}"], f"reweighting.C.macro_{metric}")


def test_class_neither_true_nor_predicted():
    metrics = g.core_metrics([[2, 0], [0, 0]])
    for metric in ("precision", "recall", "f1"):
        close(metrics[f"macro_{metric}"], f"E8.omit.macro_{metric}")
        assert np.isnan(metrics["per_class"][metric][1])
    close(list(metrics["averaged"].values()), "E8.omit.averaged")
    assert g.core_metrics([[2, 0], [0, 0]], "zero")["macro_f1"] == 0.5


def test_macro_over_no_class_is_undefined():
    metrics = g.core_metrics([[0, 5], [0, 0]])
    assert np.isnan(metrics["macro_f1"])
    assert metrics["averaged"] == {"precision": 1, "recall": 1, "f1": 0}
    assert metrics["macro_precision"] == metrics["macro_recall"] == 0


def test_high_accuracy_with_low_macro_recall():
    metrics = g.core_metrics(g.confusion_matrix([0] * 9 + [1, 2], [0] * 11))
    close(metrics["accuracy"], "E9.accuracy")
    close(metrics["macro_recall"], "E9.macro_recall")


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_three_samples(temperature):
    at = f"[{temperature:g}]"
    p = g.softmax(worked.Z, temperature)
    close(p, f"three_samples.softmax{at}")
    close(g.log_loss(worked.Z, worked.y, temperature), f"three_samples.log_loss{at}")
    close(
        g.temperature_gradient(worked.Z, worked.y, temperature),
        f"three_samples.gradient{at}",
        1e-13,
    )
    close(g.brier_score(p, worked.y), f"three_samples.brier{at}")
    confidence, prediction, correct = g.confidence_and_correctness(p, worked.y)
    close(confidence, f"three_samples.confidence{at}")
    assert prediction.tolist() == [0, 1, 0]
    assert correct.tolist() == [True, True, False]
    losses = [g.log_loss(worked.Z[i : i + 1], worked.y[i : i + 1], temperature) for i in range(3)]
    close(losses, f"three_samples.sample_log_loss{at}")


def test_temperature_curve_and_grids():
    grid = list(TEMPERATURES)
    losses = [number(f"three_samples.log_loss[{t:g}]") for t in grid]
    np.testing.assert_allclose(g.temperature_curve(worked.Z, worked.y, grid), losses, rtol=1e-14)
    assert g.DEFAULT_GRID == (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
    assert g.fit_temperature(worked.Z, worked.y) == exact("three_samples.best[default]")
    assert g.fit_temperature(worked.Z, worked.y, grid) == exact("three_samples.best[with_quarter]")
    assert g.fit_temperature(worked.Z, worked.y, [0.5, 1, 2]) == exact("three_samples.best[three]")
    fine = np.linspace(0.5, 3, 26)
    assert g.fit_temperature(worked.Z, worked.y, fine) == pytest.approx(0.7)
    close(g.log_loss(worked.Z, worked.y, 0.7), "three_samples.log_loss[0.7]")


def test_exact_temperature():
    best = g.optimal_temperature(worked.Z, worked.y)
    close(best, "three_samples.T_star", 1e-14)
    close(g.log_loss(worked.Z, worked.y, best), "three_samples.log_loss[T_star]")
    assert abs(g.temperature_gradient(worked.Z, worked.y, best)) < 1e-14
    close(g.brier_score(g.softmax(worked.Z, best), worked.y), "three_samples.brier[T_star]")


def test_log_loss_and_brier_have_different_minimisers():
    t = number("three_samples.T_brier")
    close(g.brier_score(g.softmax(worked.Z, t), worked.y), "three_samples.brier[T_brier]")
    for beside in (0.999 * t, 1.001 * t):
        assert g.brier_score(g.softmax(worked.Z, beside), worked.y) > number(
            "three_samples.brier[T_brier]"
        )


@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("n", [5, 10, 15])
def test_calibration_error_of_the_three_samples(n, closed):
    confidence, _, correct = g.confidence_and_correctness(g.softmax(worked.Z), worked.y)
    bins = g.Binning.uniform(n, closed)
    close(g.expected_calibration_error(confidence, correct, bins), f"three_samples.ece[{n}]")
    close(np.mean(correct), "three_samples.accuracy")
    close(np.mean(confidence), "three_samples.mean_confidence")


def test_accurate_but_miscalibrated():
    confidence = [0.99] * 90 + [0.51] * 10
    correct = [1] * 90 + [0] * 10
    bins = g.Binning.uniform(5)
    close(
        g.expected_calibration_error(confidence, correct, bins), "accurate_miscalibrated.ece", 1e-15
    )
    table = g.reliability_table(confidence, correct, bins)
    assert table.count.tolist() == [0, 0, 10, 0, 90]
    assert table.accuracy.tolist()[2::2] == [0, 1]
    assert g.maximum_calibration_error(confidence, correct, bins) == pytest.approx(0.51)


def test_two_two_one():
    for t in (1, 0.5):
        close(g.softmax([[2, 2, 1]], t)[0], f"two_two_one.softmax[{t:g}]")
    close(g.softmax([[2, 2, 1]], 1e-3)[0], "two_two_one.softmax[0]")
    close(g.softmax([[2, 2, 1]], 1e16)[0], "two_two_one.softmax[inf]")
    prediction = g.confidence_and_correctness(g.softmax([[2, 2, 1]]), [0])[1]
    assert prediction.tolist() == [0]


def test_same_softmax_different_energy():
    logits = [[0.1, 0.0], [10.1, 10.0]]
    for row in g.softmax(logits):
        close(row, "ood.softmax")
    close(g.energy_score(logits), "ood.energy")


def test_cost_threshold():
    assert g.cost_threshold(1, 5) == number("cost.threshold")


def test_edges_and_closedness():
    for closed in ("left", "right"):
        bins = g.Binning.uniform(5, closed)
        close(g.expected_calibration_error([0.8, 0.7], [0, 1], bins), f"E18.ece[{closed}]")
    for bins in (g.Binning.uniform(5), g.Binning.uniform(5, "right")):
        for dtype in (np.float16, np.float32, np.float64):
            ones = np.ones(2, dtype)
            close(g.expected_calibration_error(ones, [1, 0], bins), "E31.ece")
    # One lower than k/n, as linspace puts the edge 0.6: 0.05 in place of 0.55.
    assert g.expected_calibration_error([0.6, 0.5], [0, 1], g.Binning.uniform(5)) == pytest.approx(
        0.55
    )


def test_confidence_and_classwise_calibration_imply_nothing_of_each_other():
    always = np.tile([0.6, 0.2, 0.2], (5, 1))
    truth = [0, 0, 0, 1, 1]
    bins = g.Binning.uniform(5)
    confidence, _, correct = g.confidence_and_correctness(always, truth)
    assert g.expected_calibration_error(confidence, correct, bins) == pytest.approx(0, abs=1e-15)
    assert g.classwise_calibration_error(always, truth, bins) == pytest.approx(0.4 / 3)

    predictions = np.array([[1, 3, 6], [1, 5, 4], [3, 3, 4]]) / 10
    truths = np.array([[2, 2, 6], [0, 5, 5], [3, 4, 3]])
    p = np.repeat(predictions, 10, axis=0)
    y = np.concatenate([np.repeat(range(3), row) for row in truths])
    assert g.classwise_calibration_error(p, y, g.Binning.uniform(10)) == pytest.approx(0, abs=1e-15)
    # The predictions with confidence 2/5 are right 3/10 of the time.
    confidence, _, correct = g.confidence_and_correctness(p[20:], y[20:])
    close(confidence.mean(), "E11.confidence")
    close(correct.mean(), "E11.accuracy")


def test_one_temperature_can_reorder_samples():
    logits = np.log([[6, 1, 1], [20, 5, 1]])
    for t in (1, 0.5):
        close(g.softmax(logits, t).max(axis=1), f"E14.confidence[{t:g}]")


def test_brier_range():
    low, high = exact("brier.range")
    assert g.brier_score([[0, 1, 0]], [1]) == low
    assert g.brier_score([[0, 1, 0]], [2]) == high


def test_the_inputs_are_read_only():
    for name in worked.__all__:
        assert not getattr(worked, name).flags.writeable
