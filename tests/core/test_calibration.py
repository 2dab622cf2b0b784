"""Calibration in bins against exact sums, its properties and its refusals."""

import tracemalloc
from fractions import Fraction
from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import glyphlab_core as g
from glyphlab_core import calibration

from . import reference

CLOSED = st.sampled_from(("left", "right"))
BINS = st.integers(1, 20)
SAMPLES = st.lists(
    st.tuples(st.integers(0, 60).map(lambda k: k / 60) | st.floats(0, 1), st.booleans()),
    min_size=1,
    max_size=50,
)
# Rows of K counts, made into probabilities that sum to 1.
ROWS = st.integers(1, 5).flatmap(
    lambda k: st.lists(
        st.tuples(
            st.lists(st.integers(0, 8), min_size=k, max_size=k).filter(any), st.integers(0, k - 1)
        ),
        min_size=1,
        max_size=20,
    )
)


def columns(samples):
    confidence, correct = zip(*samples, strict=True)
    return np.array(confidence), np.array(correct)


def probabilities(rows):
    counts = np.array([row for row, _ in rows], float)
    return counts / counts.sum(axis=1, keepdims=True), np.array([y for _, y in rows])


@given(SAMPLES, BINS, CLOSED)
def test_errors_are_the_exact_ones(samples, n, closed):
    confidence, correct = columns(samples)
    bins = g.Binning.uniform(n, closed)
    exact = reference.expected_calibration_error(confidence, correct, bins.edges, closed)
    error = g.expected_calibration_error(confidence, correct, bins)
    assert abs(Fraction(error) - exact) < 1e-15
    largest = g.maximum_calibration_error(confidence, correct, bins)
    exact = reference.maximum_calibration_error(confidence, correct, bins.edges, closed)
    assert abs(Fraction(largest) - exact) < 1e-14
    assert 0 <= error <= largest + 1e-15 <= 1 + 2e-15


@given(SAMPLES, BINS, CLOSED, st.randoms(use_true_random=False))
def test_order_of_samples_does_not_matter(samples, n, closed, random):
    confidence, correct = columns(samples)
    order = random.sample(range(len(samples)), len(samples))
    bins = g.Binning.uniform(n, closed)
    error = g.expected_calibration_error(confidence, correct, bins)
    assert g.expected_calibration_error(confidence[order], correct[order], bins) == pytest.approx(
        error, abs=1e-15
    )


@given(SAMPLES)
def test_one_bin_compares_the_means_and_finer_bins_never_less(samples):
    confidence, correct = columns(samples)
    whole = g.expected_calibration_error(confidence, correct, g.Binning.uniform(1))
    assert whole == pytest.approx(abs(confidence.mean() - correct.mean()), abs=1e-15)
    halves = g.expected_calibration_error(confidence, correct, g.Binning.uniform(2))
    quarters = g.expected_calibration_error(confidence, correct, g.Binning.uniform(4))
    assert whole <= halves + 1e-15 <= quarters + 2e-15


@given(SAMPLES, BINS, CLOSED)
def test_table(samples, n, closed):
    confidence, correct = columns(samples)
    bins = g.Binning.uniform(n, closed)
    table = g.reliability_table(confidence, correct, bins)
    held = reference.bins(confidence, correct, bins.edges, closed)
    assert table.count.dtype == np.int64
    assert table.count.tolist() == [len(c) for c, _ in held]
    for m, (c, a) in enumerate(held):
        if not c:
            row = (table.mean_confidence, table.accuracy, table.lower, table.upper)
            assert all(np.isnan(column[m]) for column in row)
            continue
        assert reference.same(table.mean_confidence[m], sum(c) / len(c), 1e-15)
        assert reference.same(table.accuracy[m], sum(a) / len(a), 1e-15)
        assert 0 <= table.lower[m] <= table.accuracy[m] <= table.upper[m] <= 1
    assert table.binning is bins
    weights = table.count / len(samples)
    gaps = np.abs(table.mean_confidence - table.accuracy)
    assert g.expected_calibration_error(confidence, correct, bins) == pytest.approx(
        np.nansum(weights * gaps), abs=1e-14
    )


def test_wilson_bounds_by_hand():
    # p̂ = 1/2, n = 4, z = 1.96: centre 1/2, half z/(n + z²) · sqrt(n/4 + z²/4) = z/(2·sqrt(n + z²)).
    table = g.reliability_table([0.2] * 4, [1, 1, 0, 0], g.Binning.uniform(1))
    z = 1.9599639845400545
    half = z / (2 * (4 + z**2) ** 0.5)
    assert table.lower[0] == pytest.approx(0.5 - half, rel=1e-14)
    assert table.upper[0] == pytest.approx(0.5 + half, rel=1e-14)
    # p̂ = 0: from 0 to z²/(n + z²).
    table = g.reliability_table([0.2] * 3, [0, 0, 0], g.Binning.uniform(1))
    assert table.lower[0] == 0
    assert table.upper[0] == pytest.approx(z**2 / (3 + z**2), rel=1e-14)
    table = g.reliability_table([0.2] * 3, [1, 1, 1], g.Binning.uniform(1))
    assert table.upper[0] == 1
    assert table.lower[0] == pytest.approx(1 - z**2 / (3 + z**2), rel=1e-14)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("n", [16_383, 16_384, 16_385, 100_001])
def test_every_block_counts(n, dtype):
    rng = np.random.default_rng(n)
    confidence = rng.random(n).astype(dtype)
    correct = rng.random(n) < confidence
    bins = g.Binning.uniform(15)
    edges = np.array(bins.edges).astype(dtype).astype(float)
    place = np.searchsorted(edges[1:-1], confidence.astype(float), side="right")
    table = g.reliability_table(confidence, correct, bins)
    np.testing.assert_array_equal(table.count, np.bincount(place, minlength=15))
    gaps = np.bincount(place, confidence.astype(float) - correct, 15)
    error = g.expected_calibration_error(confidence, correct, bins)
    assert error == pytest.approx(np.abs(gaps).sum() / n, abs=1e-14)
    np.testing.assert_allclose(
        table.accuracy, np.bincount(place, correct, 15) / table.count, rtol=1e-14
    )
    for kind in (np.int8, np.uint64, np.float32, float):
        assert g.expected_calibration_error(confidence, correct.astype(kind), bins) == error


@pytest.mark.parametrize("count", range(1, 60))
def test_bounds_at_no_and_all_correct_are_exact(count):
    """Whatever the number of samples: rounding would put some of them a last digit beside."""
    bins = g.Binning((0, 1))
    assert g.reliability_table(np.full(count, 0.5), np.ones(count), bins).upper == [1.0]
    assert g.reliability_table(np.full(count, 0.5), np.zeros(count), bins).lower == [0.0]


@pytest.mark.parametrize(
    "parts",
    [
        [1.0, *[2.0**-54] * 1000],
        [*[2.0**-54] * 1000, 1.0],
        [-1.0, *[2.0**-54] * 1000, 3.0],
        [1.0, 1e100, 1.0, -1e100],
    ],
    ids=["small after large", "large after small", "both signs", "cancelling"],
)
def test_sums_of_blocks_keep_what_rounding_loses(parts):
    sums = calibration._Sums(2)
    for part in parts:
        sums.add(np.array([part, -part]))
    assert sums.total.tolist() == [fsum(parts), -fsum(parts)]


def test_sums_do_not_drift():
    """A million equal float32 confidences: their error is one confidence's, to the last digit."""
    confidence = np.full(1_000_000, 0.7, np.float32)
    exact = 1 - float(np.float32(0.7))
    for correct in (np.ones(1_000_000, np.uint8), np.ones(1_000_000, bool)):
        error = g.expected_calibration_error(confidence, correct, g.Binning.uniform(10))
        assert error == pytest.approx(exact, abs=1e-15)


@given(ROWS)
def test_confidence_prediction_and_correctness(rows):
    p, y = probabilities(rows)
    confidence, prediction, correct = g.confidence_and_correctness(p, y)
    for row, label, c, k, hit in zip(p, y, confidence, prediction, correct, strict=True):
        assert c == max(row)
        assert k == min(j for j, value in enumerate(row) if value == max(row))
        assert hit == (k == label)
    assert correct.dtype == bool
    for dtype in (np.float16, np.float32):
        assert g.confidence_and_correctness(p.astype(dtype), y)[0].dtype == dtype


@given(ROWS, BINS, CLOSED)
def test_classwise_error_is_the_mean_over_classes(rows, n, closed):
    p, y = probabilities(rows)
    bins = g.Binning.uniform(n, closed)
    errors = [
        reference.expected_calibration_error(p[:, k], y == k, bins.edges, closed)
        for k in range(p.shape[1])
    ]
    exact = sum(errors, Fraction(0)) / len(errors)
    error = g.classwise_calibration_error(p, y, bins)
    assert reference.same(error, exact, 1e-14)
    renamed = np.arange(p.shape[1])[::-1]
    moved = g.classwise_calibration_error(p[:, renamed], renamed[y], bins)
    assert moved == pytest.approx(error, abs=1e-15)


def test_two_classes_share_one_error_where_the_closedness_mirrors():
    p = np.array([[0.9, 0.1], [0.35, 0.65], [0.55, 0.45]])
    y = [0, 1, 1]
    bins = g.Binning.uniform(10)
    positive = g.expected_calibration_error(p[:, 1], np.equal(y, 1), bins)
    assert g.classwise_calibration_error(p, y, bins) == pytest.approx(positive)


@pytest.mark.parametrize(
    ("correct", "message"),
    [
        ([1, 2], r"correct must .*: correct\[1\] is 2"),
        ([1, -1], r"correct\[1\] is -1"),
        ([1, 0.5], r"correct must hold 0 or 1: correct\[1\] is 0.5"),
        ([1, np.nan], r"correct\[1\] is nan"),
        ([1], "correct must have as many elements as confidence: 1, not 2"),
        ([[1, 0]], "correct must be one-dimensional"),
        (["1", "0"], "correct must be an array of numbers"),
    ],
)
def test_refused_correctness(correct, message):
    bins = g.Binning.uniform(2)
    for function in (
        g.reliability_table,
        g.expected_calibration_error,
        g.maximum_calibration_error,
        g.brier_decomposition,
    ):
        with pytest.raises(ValueError, match=message):
            function([0.2, 0.3], correct, bins)


@pytest.mark.parametrize("binning", [10, None, [0, 1], "uniform", (0.0, 0.5, 1.0)])
def test_refused_binning(binning):
    """A number of bins alone does not say how they are closed."""
    for function in (
        g.reliability_table,
        g.expected_calibration_error,
        g.maximum_calibration_error,
        g.brier_decomposition,
    ):
        with pytest.raises(ValueError, match="binning must be a Binning, not"):
            function([0.2, 0.3], [0, 1], binning)
    with pytest.raises(ValueError, match="binning must be a Binning, not"):
        g.classwise_calibration_error([[0.2, 0.8]], [0], binning)


@pytest.mark.parametrize("position", [0, 16_383, 16_384, 39_999])
def test_the_first_offence_is_named_in_any_block(position):
    confidence = np.full(40_000, 0.5)
    correct = np.zeros(40_000, np.int8)
    confidence[position:] = np.nan
    with pytest.raises(ValueError, match=rf"confidence\[{position}\] is nan"):
        g.expected_calibration_error(confidence, correct, g.Binning.uniform(5))
    correct[position:] = 7
    with pytest.raises(ValueError, match=rf"correct\[{position}\] is 7"):
        g.reliability_table(np.full(40_000, 0.5), correct, g.Binning.uniform(5))


REFUSED_PROBABILITIES = [
    ([[0.5, 0.4]], r"rows that sum to 1 \(within 1e-06\): row 0 sums to 0.9"),
    ([[1.0, 0.0], [0.5, 0.5 + 2e-6]], "row 1 sums to 1.00000"),
    ([[1.5, -0.5]], r"lie in \[0, 1\]: probabilities\[0, 0\] is 1.5"),
    ([[0.5, 0.5], [np.nan, 1]], r"lie in \[0, 1\]: probabilities\[1, 0\] is nan"),
    ([[np.inf, 0]], r"probabilities\[0, 0\] is inf"),
    ([0.5, 0.5], r"two-dimensional, \(N, K\), not of shape \(2,\)"),
    (np.zeros((0, 2)), "not be empty"),
    ([[0.5, "x"]], "be an array of numbers"),
    ([[0.5, None]], r"hold numbers: probabilities\[0, 1\] is None"),
]
TAKES_PROBABILITIES = [
    g.brier_score,
    g.confidence_and_correctness,
    lambda p, y: g.classwise_calibration_error(p, y, g.Binning.uniform(3)),
]


@pytest.mark.parametrize(("p", "message"), REFUSED_PROBABILITIES)
@pytest.mark.parametrize("function", TAKES_PROBABILITIES)
def test_refused_probabilities(function, p, message):
    with pytest.raises(ValueError, match=f"probabilities must .*{message}"):
        function(p, np.zeros(len(p), int))


@pytest.mark.parametrize("function", TAKES_PROBABILITIES)
def test_refused_labels(function):
    p = [[0.5, 0.5], [1.0, 0.0]]
    for y, message in (
        ([0, 2], r"y must hold whole numbers from 0 to 1: y\[1\] is 2"),
        ([-1, 0], r"y\[0\] is -1"),
        ([0, 0.5], r"y must hold whole numbers: y\[1\] is 0.5"),
        ([0], "y must have as many elements as probabilities has rows: 1, not 2"),
    ):
        with pytest.raises(ValueError, match=message):
            function(p, y)


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [("float16", 1e-2), ("float32", 1e-5), ("float64", 1e-6)]
)
@pytest.mark.parametrize("function", TAKES_PROBABILITIES)
def test_how_far_a_row_may_be_from_one(function, dtype, tolerance):
    def row(off):
        return np.array([[0.5, 0.5 + off]], dtype)

    function(row(0.9 * tolerance), [0])
    function([*row(0.9 * tolerance)], [0])  # a list of arrays has its arrays' type
    with pytest.raises(ValueError, match=f"within {tolerance:g}"):
        function(row(1.2 * tolerance), [0])


@pytest.mark.parametrize("position", [0, 32_767, 32_768, 69_999])
@pytest.mark.parametrize("function", TAKES_PROBABILITIES)
def test_the_first_bad_row_is_named_in_any_block(function, position):
    p = np.tile([0.25, 0.75], (70_000, 1))
    p[position:, 0] = 0.5
    with pytest.raises(ValueError, match=f"row {position} sums to 1.25"):
        function(p, np.zeros(70_000, int))
    p[position, 0] = 2
    with pytest.raises(ValueError, match=rf"probabilities\[{position}, 0\] is 2.0"):
        function(p, np.zeros(70_000, int))


def test_very_many_bins_take_no_memory_for_each_block():
    """A sum per bin and block would be 62 times 200,000 numbers."""
    confidence, bins = np.linspace(0, 1, 1_000_001), g.Binning.uniform(200_000)
    correct = np.zeros(len(confidence), np.int8)
    for function in (g.expected_calibration_error, g.reliability_table):
        tracemalloc.start()
        function(confidence, correct, bins)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 40e6


def test_classwise_error_in_blocks():
    """Of rows on both sides of a block's end, in one pass over all classes."""
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(7), size=30_000)
    y = rng.integers(7, size=len(p))
    for binning in (g.Binning.uniform(5), g.Binning((0, 0.1, 0.35, 1), "right")):
        edges = np.array(binning.edges)
        side = "right" if binning.closed == "left" else "left"
        at = np.searchsorted(edges[1:-1], p, side=side)
        gap = p - np.equal(y[:, None], np.arange(7))
        wanted = [
            abs(gap[:, k][at[:, k] == m].sum()) for k in range(7) for m in range(len(binning))
        ]
        error = g.classwise_calibration_error(p, y, binning)
        assert error == pytest.approx(sum(wanted) / len(p) / 7, rel=1e-12)
