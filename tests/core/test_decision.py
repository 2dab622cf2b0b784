"""Thresholds, costs and the sweep over all thresholds."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

import glyphlab_core as g

COSTS = st.floats(0, 1e6) | st.sampled_from([0.0, 1.0, 5e-324, 1.7e308])
SAMPLES = st.lists(
    st.tuples(st.integers(0, 10).map(lambda k: k / 10) | st.floats(0, 1), st.booleans()),
    min_size=1,
    max_size=40,
)


def columns(samples):
    p, y = zip(*samples, strict=True)
    return np.array(p), np.array(y)


def cells(p, y, threshold):
    """TP, FP, FN, TN by counting."""
    positive = [value >= threshold for value in p]
    return [
        sum(a == first and bool(b) == second for a, b in zip(positive, y, strict=True))
        for first, second in ((True, True), (True, False), (False, True), (False, False))
    ]


@given(COSTS, COSTS)
def test_cost_threshold_is_the_exact_one(fp, fn):
    assume(fp or fn)
    tau = g.cost_threshold(fp, fn)
    exact = Fraction(fp) / (Fraction(fp) + Fraction(fn))
    assert abs(Fraction(tau) - exact) <= exact / 10**15 + Fraction(5e-324)
    # At τ deciding positive costs (1 - τ) C_FP, as much as negative, τ C_FN.
    assert (1 - exact) * Fraction(fp) == exact * Fraction(fn)


def test_cost_threshold_of_costs_that_overflow_or_vanish():
    assert g.cost_threshold(1.7e308, 1.7e308) == 0.5
    assert g.cost_threshold(5e-324, 5e-324) == 0.5
    assert g.cost_threshold(1, 9) == 0.1
    assert g.cost_threshold(0, 3) == 0


@given(SAMPLES, st.floats(0, 1.5) | st.just(inf))
def test_decision_reaches_the_threshold(samples, threshold):
    p, _ = columns(samples)
    decided = g.decide(p, threshold)
    assert decided.dtype == bool
    assert decided.tolist() == [bool(value >= threshold) for value in p]


@pytest.mark.parametrize("k", range(1, 10))
def test_threshold_is_rounded_to_the_type_of_the_probabilities(k):
    tau = k / 10
    for dtype in (np.float16, np.float32, np.float64):
        value = np.array([tau], dtype)
        assert g.decide(value, tau).tolist() == [True]
        assert g.decide(np.nextafter(value, dtype(0)), tau).tolist() == [False]
    for kind in (torch.bfloat16, torch.float16, torch.float32):
        assert g.decide(torch.tensor([tau], dtype=kind), tau).tolist() == [True]
        assert g.decide(torch.tensor([tau - 0.01], dtype=kind), tau).tolist() == [False]


def test_thresholds_beyond_one():
    for dtype in (np.float16, np.float32, np.float64):
        for tau in (1.5, 2, 1e300, inf):
            assert g.decide(np.ones(2, dtype), tau).tolist() == [False, False]
        assert g.decide(np.ones(1, dtype), 1).tolist() == [True]


@given(SAMPLES, st.floats(0, 1.2), st.floats(0, 100), st.floats(0, 100))
def test_expected_cost_counts_the_errors(samples, threshold, fp, fn):
    p, y = columns(samples)
    _, false_positive, false_negative, _ = cells(p, y, threshold)
    wanted = (false_positive * fp + false_negative * fn) / len(y)
    assert g.expected_cost(p, y, threshold, fp, fn) == pytest.approx(wanted, rel=1e-13)


def test_the_cost_threshold_is_best_for_calibrated_probabilities():
    p = np.repeat(np.arange(11) / 10, 10)
    y = np.concatenate([np.arange(10) < k for k in range(11)])  # k of 10 are positive
    for fp, fn in ((1, 5), (3, 2), (4, 1)):
        best = g.expected_cost(p, y, g.cost_threshold(fp, fn), fp, fn)
        others = [g.expected_cost(p, y, tau, fp, fn) for tau in np.linspace(0, 1.1, 112)]
        assert best == pytest.approx(min(others))


@given(SAMPLES)
def test_sweep(samples):
    p, y = columns(samples)
    sweep = g.threshold_sweep(p, y)
    assert sweep.threshold.tolist() == [*sorted(set(p.tolist())), inf]
    columns_of = ("true_positive", "false_positive", "false_negative", "true_negative")
    for i, threshold in enumerate(sweep.threshold):
        found = [int(getattr(sweep, name)[i]) for name in columns_of]
        assert found == cells(p, y, threshold)
        tp, fp, fn, _ = found
        assert np.array_equal(
            sweep.precision[i], tp / (tp + fp) if tp + fp else np.nan, equal_nan=True
        )
        assert np.array_equal(
            sweep.recall[i], tp / (tp + fn) if tp + fn else np.nan, equal_nan=True
        )
    for name in columns_of:
        assert getattr(sweep, name).dtype == np.int64
    assert (sum(getattr(sweep, name) for name in columns_of) == len(y)).all()
    assert np.all(np.diff(np.nan_to_num(sweep.recall)) <= 0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_sweep_thresholds_decide_the_same_way(dtype):
    rng = np.random.default_rng(1)
    p = rng.random(60).astype(dtype)
    y = rng.random(60) < 0.5
    sweep = g.threshold_sweep(p, y)
    for threshold, tp, fp in zip(
        sweep.threshold, sweep.true_positive, sweep.false_positive, strict=True
    ):
        decided = g.decide(p, threshold)
        assert (tp, fp) == ((decided & y).sum(), (decided & ~y).sum())


REFUSED_COSTS = [
    ((-1, 1), "false_positive_cost must be finite and not negative: false_positive_cost is -1"),
    ((1, -1), "false_negative_cost must be finite and not negative"),
    ((np.nan, 1), "false_positive_cost is nan"),
    ((1, inf), "false_negative_cost is inf"),
    (("1", 1), "false_positive_cost must be an array of numbers"),
    ((1, None), "false_negative_cost must hold numbers"),
    (([1, 2], 1), "false_positive_cost must be a single number"),
]


@pytest.mark.parametrize(("costs", "message"), REFUSED_COSTS)
def test_refused_costs(costs, message):
    with pytest.raises(ValueError, match=message):
        g.cost_threshold(*costs)
    with pytest.raises(ValueError, match=message):
        g.expected_cost([0.5], [1], 0.5, *costs)


def test_costs_that_are_both_zero():
    with pytest.raises(ValueError, match="must not both be 0"):
        g.cost_threshold(0, 0)
    assert g.expected_cost([0.5], [1], 0.9, 0, 0) == 0


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        (-0.1, "threshold must be at least 0: threshold is -0.1"),
        (np.nan, "threshold is nan"),
        ("x", "threshold must be an array of numbers"),
        ([0.1, 0.2], "threshold must be a single number"),
    ],
)
def test_refused_threshold(threshold, message):
    with pytest.raises(ValueError, match=message):
        g.decide([0.5], threshold)
    with pytest.raises(ValueError, match=message):
        g.expected_cost([0.5], [1], threshold, 1, 1)


@pytest.mark.parametrize(
    ("p", "y", "message"),
    [
        ([0.5, 1.1], [0, 1], r"probability must lie in \[0, 1\]: probability\[1\] is 1.1"),
        ([np.nan], [0], r"probability\[0\] is nan"),
        ([], [], "probability must not be empty"),
        ([[0.5]], [0], "probability must be one-dimensional"),
        ([0.5], [2], r"y must hold .*: y\[0\] is 2"),
        ([0.5], [0.5], r"y must hold 0 or 1: y\[0\] is 0.5"),
        ([0.5], [0, 1], "y must have as many elements as probability: 2, not 1"),
    ],
)
def test_refused_samples(p, y, message):
    with pytest.raises(ValueError, match=message):
        g.threshold_sweep(p, y)
    with pytest.raises(ValueError, match=message):
        g.expected_cost(p, y, 0.5, 1, 1)
