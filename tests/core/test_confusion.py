"""Properties and refusals of `glyphlab_core.confusion`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import glyphlab_core as g

from . import reference

LABELS = st.integers(1, 12).flatmap(
    lambda k: st.tuples(
        st.just(k),
        st.lists(st.tuples(st.integers(0, k - 1), st.integers(0, k - 1)), min_size=1, max_size=60),
    )
)
COUNT = st.integers(0, 9) | st.sampled_from([10**6, 2**40])
MATRICES = (
    st.integers(1, 6)
    .flatmap(lambda k: st.lists(st.lists(COUNT, min_size=k, max_size=k), min_size=k, max_size=k))
    .filter(lambda rows: any(map(any, rows)))
)
MODES = ("omit", "zero")
METRICS = ("precision", "recall", "f1")


@given(LABELS)
def test_counts_every_pair_once(case):
    k, pairs = case
    y, p = zip(*pairs, strict=True)
    counts = g.confusion_matrix(y, p, k)
    assert counts.dtype == np.int64
    assert counts.tolist() == reference.confusion(y, p, k)
    inferred = g.confusion_matrix(y, p)
    size = max(*y, *p) + 1
    assert inferred.tolist() == counts[:size, :size].tolist()


@given(LABELS, st.randoms(use_true_random=False))
def test_order_of_samples_and_names_of_classes_do_not_matter(case, random):
    k, pairs = case
    y, p = map(np.array, zip(*pairs, strict=True))
    counts = g.confusion_matrix(y, p, k)
    order = random.sample(range(len(y)), len(y))
    np.testing.assert_array_equal(g.confusion_matrix(y[order], p[order], k), counts)
    renamed = np.array(random.sample(range(k), k))
    moved = g.confusion_matrix(renamed[y], renamed[p], k)
    np.testing.assert_array_equal(moved[np.ix_(renamed, renamed)], counts)
    np.testing.assert_array_equal(g.confusion_matrix(p, y, k), counts.T)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 8, 9, 20, 200])
@pytest.mark.parametrize("n", [1, 2, 65_535, 65_536, 65_537, 200_001])
def test_every_block_counts(k, n):
    """Lengths on both sides of a block's, odd and even, few classes and many."""
    rng = np.random.default_rng(n + k)
    y, p = rng.integers(k, size=(2, n))
    expected = np.bincount(y * k + p, minlength=k * k).reshape(k, k)
    np.testing.assert_array_equal(g.confusion_matrix(y, p, k), expected)
    np.testing.assert_array_equal(
        g.confusion_matrix(y.astype(np.uint8), p.astype(np.int16), k), expected
    )


@pytest.mark.parametrize("position", [0, 199_999])
def test_the_largest_label_is_found_in_any_block(position):
    y = np.zeros(200_000, int)
    y[position] = 11
    for counts in (g.confusion_matrix(y, 0 * y), g.confusion_matrix(0 * y, y).T):
        assert counts.shape == (12, 12)
        assert counts[11, 0] == 1


@pytest.mark.parametrize("k", [2, 16, 17, 200, 256])
def test_narrow_labels_do_not_overflow(k):
    top = np.full(3, k - 1, np.uint8)
    assert g.confusion_matrix(top, top, k)[k - 1, k - 1] == 3
    assert g.confusion_matrix(top, np.zeros(3, bool))[k - 1, 0] == 3


@given(MATRICES, st.sampled_from(MODES))
def test_metrics_are_the_exact_ones(rows, mode):
    exact = reference.metrics(rows, mode)
    metrics = g.core_metrics(rows, mode)
    per_class = g.precision_recall_from_confusion(rows, mode)
    for name, values in zip(METRICS, per_class, strict=True):
        np.testing.assert_array_equal(values, metrics["per_class"][name])
        for value, wanted in zip(values, exact[name], strict=True):
            assert reference.same(value, wanted, 1e-15)
        assert reference.same(metrics[f"macro_{name}"], exact[f"macro_{name}"], 1e-15)
        assert reference.same(metrics[f"micro_{name}"], exact["accuracy"], 1e-15)
    assert metrics["averaged"] == exact["averaged"]
    assert all(isinstance(count, int) for count in metrics["averaged"].values())
    assert reference.same(metrics["accuracy"], exact["accuracy"], 1e-15)
    for value, wanted in zip(metrics["prevalence"], exact["prevalence"], strict=True):
        assert reference.same(value, wanted, 1e-15)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "C",
    [
        [[4, 2, 0], [1, 3, 0], [1, 1, 0]],  # class 2 never predicted
        [[4, 1, 1], [2, 3, 1], [0, 0, 0]],  # class 2 without samples
        [[4, 0, 1], [0, 0, 0], [2, 0, 3]],  # class 1 neither
        [[0, 2], [3, 0]],  # nothing right
        [[0, 0], [5, 0]],
    ],
)
def test_zero_denominators(C, mode):
    exact = reference.metrics(C, mode)
    per_class = g.precision_recall_from_confusion(C, mode)
    for name, values in zip(METRICS, per_class, strict=True):
        for value, wanted in zip(values, exact[name], strict=True):
            assert reference.same(value, wanted, 1e-15)
        assert reference.same(g.core_metrics(C, mode)[f"macro_{name}"], exact[f"macro_{name}"])
    assert g.core_metrics(C, mode)["averaged"] == exact["averaged"]


@pytest.mark.parametrize(
    ("C", "message"),
    [
        ([[4, 2, 0], [1, 3, 0], [1, 1, 0]], "precision .*: class 2 is never predicted"),
        ([[4, 1, 1], [2, 3, 1], [0, 0, 0]], "recall .*: class 2 is without samples"),
        ([[4, 0, 0], [0, 0, 0], [2, 0, 0]], "precision .*: class 1, 2 is never predicted"),
        ([[0, 3, 0], [0, 0, 2], [1, 0, 0]], None),
    ],
)
def test_raise_names_the_classes(C, message):
    if message is None:
        assert g.core_metrics(C, "raise")["macro_f1"] == 0
        return
    with pytest.raises(ZeroDivisionError, match=f"^{message}$"):
        g.core_metrics(C, "raise")


@given(MATRICES)
def test_raise_agrees_with_the_others_or_raises(rows):
    C = np.array(rows)
    if (C.sum(axis=0) == 0).any() or (C.sum(axis=1) == 0).any():
        with pytest.raises(ZeroDivisionError):
            g.core_metrics(C, "raise")
    else:
        for mode in MODES:
            assert str(g.core_metrics(C, "raise")) == str(g.core_metrics(C, mode))


@given(MATRICES, st.sampled_from(MODES))
def test_transposing_swaps_precision_and_recall(rows, mode):
    C = np.array(rows)
    p, r, f = g.precision_recall_from_confusion(C, mode)
    swapped = g.precision_recall_from_confusion(C.T, mode)
    for ours, theirs in zip((r, p, f), swapped, strict=True):
        np.testing.assert_allclose(theirs, ours, rtol=1e-15)


@given(MATRICES, st.sampled_from(MODES), st.sampled_from([3, 0.1, 2.0**-700, 2.0**700]))
def test_only_shares_matter(rows, mode, factor):
    C = np.array(rows, float)
    scaled = C * factor
    for ours, theirs in zip(
        g.precision_recall_from_confusion(C, mode),
        g.precision_recall_from_confusion(scaled, mode),
        strict=True,
    ):
        np.testing.assert_allclose(theirs, ours, rtol=1e-14)
    assert g.core_metrics(scaled)["accuracy"] == pytest.approx(g.core_metrics(C)["accuracy"])
    for over in ("true", "pred", "all"):
        np.testing.assert_allclose(
            g.normalize_confusion(scaled, over), g.normalize_confusion(C, over), rtol=1e-14
        )


@pytest.mark.parametrize(
    "C",
    [
        [[1e308, 1e308], [1e308, 1e308]],
        [[1e308, 0], [0, 5e-324]],
        [[5e-324, 0], [5e-324, 5e-324]],
        [[1e308, 1e-308], [1e-308, 1e-308]],
    ],
)
def test_counts_of_any_size(C):
    exact = reference.metrics(C)
    per_class = g.precision_recall_from_confusion(C)
    for name, values in zip(METRICS, per_class, strict=True):
        for value, wanted in zip(values, exact[name], strict=True):
            assert reference.same(value, wanted, 1e-15)
    np.testing.assert_allclose(g.normalize_confusion(C).sum(axis=1), 1)
    assert reference.same(g.core_metrics(C)["accuracy"], exact["accuracy"], 1e-15)
    weights = [0.5, 0.5]
    recall = [float(r) for r in exact["recall"]]
    assert g.reweighted_accuracy(C, weights) == pytest.approx(sum(recall) / 2)


@given(MATRICES)
def test_normalising(rows):
    C = np.array(rows)
    p, r, _ = g.precision_recall_from_confusion(C)
    np.testing.assert_allclose(np.diag(g.normalize_confusion(C, "true")), r)
    np.testing.assert_allclose(np.diag(g.normalize_confusion(C, "pred")), p)
    assert g.normalize_confusion(C, "all").sum() == pytest.approx(1)
    for over, axis in (("true", 1), ("pred", 0)):
        sums = g.normalize_confusion(C, over).sum(axis=axis)
        empty = C.sum(axis=axis) == 0
        np.testing.assert_array_equal(np.isnan(sums), empty)
        np.testing.assert_allclose(sums[~empty], 1)
    np.testing.assert_array_equal(g.normalize_confusion(C), g.normalize_confusion(C, "true"))


@given(MATRICES, st.lists(st.integers(1, 5), min_size=6, max_size=6))
def test_reweighting(rows, weights):
    C = np.array(rows)
    k = len(C)
    seen = C.sum(axis=1) > 0
    shares = np.where(seen, weights[:k], 0) / np.sum(np.where(seen, weights[:k], 0))
    moved = g.reweighted_confusion(C, shares)
    assert moved.sum() == pytest.approx(1)
    np.testing.assert_allclose(moved.sum(axis=1), shares, atol=1e-15)
    recall = reference.metrics(rows)["recall"]
    wanted = sum(float(r) * s for r, s in zip(recall, shares, strict=True) if r is not None)
    assert g.reweighted_accuracy(C, shares) == pytest.approx(wanted)
    own = C.sum(axis=1) / C.sum()
    assert g.reweighted_accuracy(C, own) == pytest.approx(g.core_metrics(C)["accuracy"])
    np.testing.assert_allclose(g.reweighted_confusion(C, own), g.normalize_confusion(C, "all"))


def test_macro_recall_does_not_move_with_prevalence():
    C = [[5, 1, 0], [0, 3, 1], [1, 0, 2]]
    for shares in ([0.6, 0.3, 0.1], [0.1, 0.1, 0.8]):
        moved = g.core_metrics(g.reweighted_confusion(C, shares))
        assert moved["macro_recall"] == pytest.approx(0.75)


def test_no_sample():
    np.testing.assert_array_equal(g.confusion_matrix([], [], 3), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="y_true must not be empty when num_classes is not given"):
        g.confusion_matrix([], [])
    with pytest.raises(ValueError, match="C must have a positive sum"):
        g.core_metrics(g.confusion_matrix([], [], 3))


def test_most_classes_that_are_inferred():
    assert g.confusion_matrix([9_999], [0]).shape == (10_000, 10_000)
    with pytest.raises(
        ValueError, match=r"y_pred must hold .* from 0 to 9999: y_pred\[0\] is 10000"
    ):
        g.confusion_matrix([0], [10_000])


REFUSED_LABELS = [
    ([0, 0.7], [0, 0], r"y_true must hold whole numbers: y_true\[1\] is 0.7"),
    ([0, 1], [0, np.nan], r"y_pred must hold whole numbers: y_pred\[1\] is nan"),
    ([0, 1], [0, np.inf], r"y_pred must hold whole numbers: y_pred\[1\] is inf"),
    ([0, 1], [0, 3], r"y_pred must hold whole numbers from 0 to 2: y_pred\[1\] is 3"),
    ([0, -1], [0, 0], r"y_true must hold whole numbers from 0 to 2: y_true\[1\] is -1"),
    ([0, 1e300], [0, 0], r"y_true must hold whole numbers: y_true\[1\] is 1e\+300"),
    (["0", "1"], [0, 0], "y_true must be an array of numbers"),
    ([0, None], [0, 0], r"y_true must hold numbers: y_true\[1\] is None"),
    ([0, 1], [0], "y_pred must have as many elements as y_true: 1, not 2"),
    ([[0, 1]], [0, 1], r"y_true must be one-dimensional, not of shape \(1, 2\)"),
    (0, 0, r"y_true must be one-dimensional, not of shape \(\)"),
    ([0, 1j], [0, 0], "y_true must be an array of numbers, not of complex128"),
    ([[0], [1, 2]], [0, 0], "y_true must be an array of numbers"),
    (np.ma.array([0, 1], mask=[0, 1]), [0, 0], r"y_true must have no masked entries: y_true\[1\]"),
]


@pytest.mark.parametrize(("y", "p", "message"), REFUSED_LABELS)
def test_refused_labels(y, p, message):
    with pytest.raises(ValueError, match=message):
        g.confusion_matrix(y, p, 3)


@pytest.mark.parametrize("position", [0, 65_535, 65_536, 140_000])
@pytest.mark.parametrize("bad", [-1, 3])
def test_the_first_offence_is_named_in_any_block(position, bad):
    y = np.zeros(150_000, np.int8)
    y[[position, 149_999]] = bad
    with pytest.raises(ValueError, match=rf"y_true\[{position}\] is {bad}$"):
        g.confusion_matrix(y, np.zeros_like(y), 3)
    with pytest.raises(ValueError, match=rf"y_pred\[{position}\] is 0\.5$"):
        g.confusion_matrix(np.zeros(150_000), np.where(y == bad, 0.5, 0), 3)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "num_classes must be at least 1: num_classes is 0"),
        (2.5, "num_classes must be a whole number: num_classes is 2.5"),
        (True, "num_classes must be a whole number"),
        ("3", "num_classes must be an array of numbers"),
        (2**40, "num_classes must leave room"),
        ([2, 3], "num_classes must be a whole number"),
    ],
)
def test_refused_number_of_classes(value, message):
    with pytest.raises(ValueError, match=message):
        g.confusion_matrix([0], [0], value)


REFUSED_MATRICES = [
    ([[1, 2]], r"C must be square, not of shape \(1, 2\)"),
    ([1, 2], r"C must be two-dimensional, \(K, K\), not of shape \(2,\)"),
    ([[]], "C must not be empty"),
    ([[0, 0], [0, 0]], "C must have a positive sum"),
    ([[1, -2], [0, 0]], r"C must not be negative: C\[0, 1\] is -2"),
    ([[1, 2], [np.nan, 0]], r"C must be finite: C\[1, 0\] is nan"),
    ([[1, 2], [0, np.inf]], r"C must be finite: C\[1, 1\] is inf"),
    ([["a"]], "C must be an array of numbers"),
    (np.zeros((2, 2, 2)), r"C must be two-dimensional"),
]


@pytest.mark.parametrize(("C", "message"), REFUSED_MATRICES)
@pytest.mark.parametrize(
    "function",
    [
        g.precision_recall_from_confusion,
        g.core_metrics,
        g.normalize_confusion,
        lambda C: g.reweighted_accuracy(C, [0.5, 0.5]),
        lambda C: g.reweighted_confusion(C, [0.5, 0.5]),
    ],
)
def test_refused_matrices(function, C, message):
    with pytest.raises(ValueError, match=message):
        function(C)


@pytest.mark.parametrize(
    ("prevalence", "message"),
    [
        ([0.5, 0.4], "prevalence must sum to 1 .*: it sums to 0.9"),
        ([0.5, 0.5 + 2e-6], "prevalence must sum to 1"),
        ([1.5, -0.5], r"prevalence must not be negative: prevalence\[1\] is -0.5"),
        ([1.5, 0.0], r"prevalence must sum to 1 .*: it sums to 1.5"),
        ([np.nan, 1], r"prevalence must be finite: prevalence\[0\] is nan"),
        ([1.0], "prevalence must have as many elements as C has classes: 1, not 2"),
        (
            [0.5, 0.5],
            r"prevalence must be 0 for class 1, which has no samples in C: prevalence\[1\]",
        ),
    ],
)
def test_refused_prevalence(prevalence, message):
    for function in (g.reweighted_accuracy, g.reweighted_confusion):
        with pytest.raises(ValueError, match=message):
            function([[3, 1], [0, 0]], prevalence)


def test_prevalence_within_its_tolerance_and_without_an_unseen_class():
    assert g.reweighted_accuracy([[3, 1], [0, 0]], [1.0, 0.0]) == 0.75
    assert g.reweighted_accuracy([[3, 1], [1, 3]], [0.5, 0.5 + 9e-7]) == pytest.approx(0.75)


@pytest.mark.parametrize("mode", ["warn", 0, None, ["zero"], "OMIT"])
def test_refused_mode(mode):
    with pytest.raises(ValueError, match="zero_division must be one of"):
        g.core_metrics([[1]], mode)


@pytest.mark.parametrize("over", ["rows", 0, None, ["true"]])
def test_refused_normalisation(over):
    with pytest.raises(ValueError, match="over must be 'true', 'pred' or 'all'"):
        g.normalize_confusion([[1]], over)
