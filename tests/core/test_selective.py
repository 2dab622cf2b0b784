"""Selective prediction, by counting."""

from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest

import glyphlab_core as g


def draw(seed, n=40, digits=1):
    rng = np.random.default_rng(seed)
    confidence = np.round(rng.random(n), digits)
    return confidence, rng.random(n) < confidence


def test_curve_by_hand():
    curve = g.risk_coverage_curve([0.9, 0.6, 0.6, 0.5], [1, 1, 0, 0])
    assert curve.threshold.tolist() == [0.9, 0.6, 0.5]
    assert curve.count.tolist() == [1, 3, 4]
    assert curve.count.dtype == np.int64
    assert curve.coverage.tolist() == [1 / 4, 3 / 4, 1]
    assert curve.risk.tolist() == [0, 1 / 3, 1 / 2]


@pytest.mark.parametrize("seed", range(5))
def test_curve_counts_what_reaches_each_threshold(seed):
    confidence, correct = draw(seed)
    curve = g.risk_coverage_curve(confidence, correct)
    assert curve.threshold.tolist() == sorted(set(confidence.tolist()), reverse=True)
    for threshold, count, coverage, risk in zip(
        curve.threshold, curve.count, curve.coverage, curve.risk, strict=True
    ):
        answered = [bool(c) for p, c in zip(confidence, correct, strict=True) if p >= threshold]
        assert count == len(answered)
        assert coverage == len(answered) / 40
        assert risk == answered.count(False) / len(answered)
        cut = g.abstain(confidence, correct, threshold)
        assert (cut.coverage, cut.risk) == (coverage, risk)
        assert cut.answered.tolist() == [p >= threshold for p in confidence.tolist()]


def area_over_all_orders(confidence, correct):
    """Mean over the orders that go down in confidence of the mean risk, in fractions."""
    areas = []
    for order in permutations(range(len(confidence))):
        if any(confidence[a] < confidence[b] for a, b in pairwise(order)):
            continue
        wrong, risks = 0, []
        for n, i in enumerate(order, start=1):
            wrong += not correct[i]
            risks.append(Fraction(wrong, n))
        areas.append(sum(risks) / len(risks))
    return float(sum(areas) / len(areas))


@pytest.mark.parametrize("seed", range(8))
def test_area_averages_over_the_orders_of_ties(seed):
    rng = np.random.default_rng(seed)
    confidence = rng.integers(3, size=6) / 2
    correct = rng.integers(2, size=6)
    area = g.area_under_risk_coverage(confidence, correct)
    assert area == pytest.approx(area_over_all_orders(confidence, correct), rel=1e-14)


def test_area_without_ties_is_the_mean_of_the_curve():
    confidence, correct = draw(9, digits=16)
    curve = g.risk_coverage_curve(confidence, correct)
    area = g.area_under_risk_coverage(confidence, correct)
    assert area == pytest.approx(curve.risk.mean(), rel=1e-14)


def test_area_of_all_right_all_wrong_and_of_one_confidence():
    assert g.area_under_risk_coverage([0.1, 0.2], [1, 1]) == 0
    assert g.area_under_risk_coverage([0.1, 0.2], [0, 0]) == 1
    assert g.area_under_risk_coverage([0.5] * 4, [1, 0, 0, 1]) == pytest.approx(0.5)


def test_only_the_order_matters():
    confidence, correct = draw(10)
    before = g.risk_coverage_curve(confidence, correct)
    after = g.risk_coverage_curve(np.exp(7 * confidence) - 3, correct)
    np.testing.assert_array_equal(before.risk, after.risk)
    np.testing.assert_array_equal(before.coverage, after.coverage)
    assert g.area_under_risk_coverage(confidence, correct) == g.area_under_risk_coverage(
        -1 / (confidence + 1), correct
    )


def test_temperature_can_reorder_samples_and_so_abstention():
    logits = np.log([[6, 1, 1], [20, 5, 1]])  # one temperature, another order of confidences
    orders = [g.softmax(logits, t).max(axis=1).argsort().tolist() for t in (1, 0.5)]
    assert orders == [[0, 1], [1, 0]]
    risks = [
        g.risk_coverage_curve(g.softmax(logits, t).max(axis=1), [1, 0]).risk[0] for t in (1, 0.5)
    ]
    assert risks == [1, 0]


def test_nothing_is_answered_above_all_confidences():
    nothing = g.abstain([0.2, 0.4], [1, 0], np.inf)
    assert nothing.coverage == 0
    assert np.isnan(nothing.risk)
    everything = g.abstain([0.2, 0.4], [1, 0], -np.inf)
    assert (everything.coverage, everything.risk) == (1, 0.5)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_threshold_is_rounded_like_the_confidences(dtype):
    result = g.abstain(np.array([0.7, 0.69], dtype), [1, 1], 0.7)
    assert result.answered.tolist() == [True, False]


def test_bad_input():
    calls = [g.risk_coverage_curve, g.area_under_risk_coverage, lambda p, c: g.abstain(p, c, 0.5)]
    for call in calls:
        for confidence, correct, message in (
            ([], [], "confidence must not be empty"),
            ([0.5, np.nan], [1, 0], r"confidence must be finite: confidence\[1\] is nan"),
            ([np.inf, 0.5], [1, 0], r"confidence\[0\] is inf"),
            ([0.5, 0.5], [1, 2], r"correct\[1\] is 2"),
            ([0.5, 0.5], [1, 0.5], r"correct must hold 0 or 1: correct\[1\] is 0.5"),
            ([0.5, 0.5], [1], "correct must have as many elements as confidence: 1, not 2"),
            ([[0.5]], [1], "confidence must be one-dimensional"),
            (["a"], [1], "confidence must be an array of numbers"),
        ):
            with pytest.raises(ValueError, match=message):
                call(confidence, correct)
    with pytest.raises(ValueError, match="threshold must be a number: threshold is nan"):
        g.abstain([0.5], [1], np.nan)
