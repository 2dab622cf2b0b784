"""The group bootstrap: its draws, its two ways of computing, its interval."""

import warnings
from math import inf

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import glyphlab_core as g

GROUPS = st.lists(st.integers(0, 5), min_size=1, max_size=30)


def accuracy_of(matrices):
    return matrices.trace(0, 1, 2) / matrices.sum((1, 2))


def draws(seed, count, size):
    return np.random.default_rng(seed).integers(count, size=(size, count))


@given(GROUPS, st.integers(0, 50))
def test_additive_and_general_ways_agree(groups, seed):
    values = np.random.default_rng(seed).normal(size=len(groups))
    options = {"n_resamples": 40, "seed": seed}
    fast = g.group_bootstrap(g.AdditiveStatistic.mean(), groups, values, **options)
    slow = g.group_bootstrap(np.mean, groups, values, **options)
    assert fast.samples.shape == slow.samples.shape == (40,)
    np.testing.assert_allclose(fast.samples, slow.samples, rtol=1e-12, atol=1e-13)
    for name in ("estimate", "lower", "upper"):
        assert isinstance(getattr(fast, name), float)
        assert getattr(fast, name) == pytest.approx(getattr(slow, name), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("n_resamples", [1, 7, 5000])
def test_each_resample_is_made_of_whole_groups(n_resamples):
    """Against the resamples written out: every drawn group brings all its samples."""
    groups = np.array(["b", "a", "b", "c", "c", "c"])
    values = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    sums, sizes = np.array([2.0, 5.0, 56.0]), np.array([1, 2, 3])
    drawn = draws(3, 3, n_resamples)
    wanted = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    for statistic in (np.mean, g.AdditiveStatistic.mean()):
        result = g.group_bootstrap(statistic, groups, values, n_resamples=n_resamples, seed=3)
        np.testing.assert_allclose(result.samples, wanted)
        assert result.estimate == pytest.approx(63 / 6)


def test_many_resamples_of_many_groups_are_drawn_in_parts():
    rng = np.random.default_rng(5)
    groups = np.arange(300_000)
    values = rng.normal(size=len(groups))
    result = g.group_bootstrap(g.AdditiveStatistic.mean(), groups, values, n_resamples=8, seed=1)
    drawn = np.random.default_rng(1)
    wanted = []
    for size in (3, 3, 2):
        wanted += [values[row].mean() for row in drawn.integers(300_000, size=(size, 300_000))]
    np.testing.assert_allclose(result.samples, wanted, rtol=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_interval_is_the_percentile_interval(level):
    rng = np.random.default_rng(0)
    groups, values = np.repeat(np.arange(20), 3), rng.normal(size=60)
    result = g.group_bootstrap(np.mean, groups, values, level=level, n_resamples=500)
    np.testing.assert_allclose(
        [result.lower, result.upper],
        np.quantile(result.samples, [(1 - level) / 2, 1 - (1 - level) / 2]),
    )
    assert result.lower < result.estimate < result.upper


def test_defaults():
    result = g.group_bootstrap(np.mean, [0, 1, 2], [1, 2, 4])
    assert result.samples.shape == (2000,)
    same = g.group_bootstrap(np.mean, [0, 1, 2], [1, 2, 4], n_resamples=2000, level=0.95, seed=0)
    np.testing.assert_array_equal(result.samples, same.samples)
    assert (result.lower, result.upper) == (same.lower, same.upper)
    other = g.group_bootstrap(np.mean, [0, 1, 2], [1, 2, 4], seed=1)
    assert not np.array_equal(result.samples, other.samples)


@pytest.mark.parametrize(
    "groups",
    [
        [5, 5, 2, 2],
        ["x", "x", "a", "a"],
        np.array([1.5, 1.5, -1, -1]),
        torch.tensor([9, 9, 4, 4]),
        [True, True, False, False],
        np.array([7, 7, 0, 0], np.uint8),
    ],
)
def test_names_of_groups_do_not_matter(groups):
    values = [1, 2, 3, 4]
    wanted = g.group_bootstrap(np.mean, [1, 1, 0, 0], values, n_resamples=50)
    result = g.group_bootstrap(np.mean, groups, values, n_resamples=50)
    np.testing.assert_array_equal(result.samples, wanted.samples)


def test_one_group_has_no_spread():
    result = g.group_bootstrap(np.mean, [3, 3, 3], [1, 2, 6])
    assert result.estimate == result.lower == result.upper == 3


def test_the_interval_of_groups_is_wider_than_that_of_dependent_images():
    """Ten copies of each of 30 values: the images' interval forgets that they are copies."""
    values = np.repeat(np.random.default_rng(2).normal(size=30), 10)
    scenes = g.group_bootstrap(np.mean, np.repeat(np.arange(30), 10), values)
    images = g.group_bootstrap(np.mean, np.arange(300), values)
    assert scenes.upper - scenes.lower > 2.5 * (images.upper - images.lower)


@given(GROUPS, st.integers(0, 30))
def test_confusion_statistic(groups, seed):
    rng = np.random.default_rng(seed)
    y, p = rng.integers(3, size=(2, len(groups)))
    statistic = g.AdditiveStatistic.confusion(3, accuracy_of)
    assert float(statistic(y, p)) == pytest.approx(np.mean(y == p))
    fast = g.group_bootstrap(statistic, groups, y, p, n_resamples=20, seed=seed)
    slow = g.group_bootstrap(lambda a, b: np.mean(a == b), groups, y, p, n_resamples=20, seed=seed)
    np.testing.assert_allclose(fast.samples, slow.samples)
    whole = g.AdditiveStatistic.confusion(3, lambda matrices: matrices.reshape(-1, 9))
    np.testing.assert_array_equal(
        np.asarray(whole(y, p)).reshape(3, 3), g.confusion_matrix(y, p, 3)
    )


def test_reliability_statistic_is_the_accuracy_of_each_bin():
    rng = np.random.default_rng(6)
    confidence = np.round(rng.random(120), 2)
    correct = rng.random(120) < confidence
    scenes = np.arange(120) // 3
    bins = g.Binning.uniform(5, closed="right")
    statistic = g.AdditiveStatistic.reliability(bins)
    table = g.reliability_table(confidence, correct, bins)
    fast = g.group_bootstrap(statistic, scenes, confidence, correct, n_resamples=200)
    np.testing.assert_allclose(fast.estimate, table.accuracy)
    slow = g.group_bootstrap(
        lambda p, c: g.reliability_table(p, c, bins).accuracy,
        *(scenes, confidence, correct),
        n_resamples=200,
    )
    np.testing.assert_allclose(fast.samples, slow.samples)
    assert (fast.lower < table.accuracy).all()
    assert (fast.upper > table.accuracy).all()


def test_reliability_statistic_of_an_empty_bin_is_undefined():
    statistic = g.AdditiveStatistic.reliability(g.Binning.uniform(4))
    result = g.group_bootstrap(statistic, [0, 1], [0.9, 0.3], [1, 0], n_resamples=20)
    np.testing.assert_array_equal(result.estimate, [np.nan, 0, np.nan, 1])
    np.testing.assert_array_equal(result.lower, [np.nan, 0, np.nan, 1])


def test_reliability_statistic_checks_its_arrays():
    statistic = g.AdditiveStatistic.reliability(g.Binning.uniform(4))
    with pytest.raises(ValueError, match=r"confidence must lie in \[0, 1\]: confidence\[1\]"):
        statistic([0.5, 1.5], [1, 0])
    with pytest.raises(ValueError, match=r"correct must hold 0 or 1: correct\[0\] is 0.5"):
        statistic([0.5, 0.5], [0.5, 0])


def test_vector_statistics_have_vector_intervals():
    rng = np.random.default_rng(1)
    groups, values = np.repeat(np.arange(8), 2), rng.normal(size=(16, 3))
    slow = g.group_bootstrap(lambda v: v.mean(axis=0), groups, values, n_resamples=100)
    statistic = g.AdditiveStatistic(
        lambda v: np.column_stack([v, np.ones(len(v))]), lambda s: s[:, :-1] / s[:, -1:]
    )
    fast = g.group_bootstrap(statistic, groups, values, n_resamples=100)
    assert slow.samples.shape == fast.samples.shape == (100, 3)
    for name in ("estimate", "lower", "upper", "samples"):
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), rtol=1e-12)
    np.testing.assert_allclose(fast.lower, np.quantile(fast.samples, 0.025, axis=0), rtol=1e-12)


def test_undefined_resamples_are_left_out_of_the_interval():
    """Recall over groups: where no positive is drawn it is undefined, without a warning."""
    truth, decided = [1, 0, 0, 0], [1, 0, 1, 0]
    recall = g.AdditiveStatistic(
        lambda t, d: np.column_stack([np.multiply(t, d), t]), lambda s: s[:, 0] / s[:, 1]
    )
    result = g.group_bootstrap(recall, [0, 1, 2, 3], truth, decided)
    assert np.isnan(result.samples).any()
    assert result.estimate == result.lower == result.upper == 1
    nothing = g.group_bootstrap(recall, [0, 1], [0, 0], [0, 1])
    assert np.isnan([nothing.estimate, nothing.lower, nothing.upper]).all()


def test_infinite_statistics_do_not_warn():
    result = g.group_bootstrap(np.mean, range(4), [inf, 1, 1, 1])
    assert result.estimate == inf
    assert result.lower == 1
    assert result.upper == inf
    difference = g.paired_group_bootstrap(np.mean, range(2), [[inf, 1]], [[inf, 2]])
    assert np.isnan(difference.estimate)
    assert difference.lower == difference.upper == 1


@given(GROUPS, st.integers(0, 30))
def test_paired_differences_are_of_the_same_resamples(groups, seed):
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, len(groups)))
    options = {"n_resamples": 30, "seed": seed, "level": 0.8}
    wanted = g.group_bootstrap(np.mean, groups, second - first, **options)
    for statistic in (np.mean, g.AdditiveStatistic.mean()):
        result = g.paired_group_bootstrap(statistic, groups, [first], (second,), **options)
        np.testing.assert_allclose(result.samples, wanted.samples, atol=1e-13)
        for name in ("estimate", "lower", "upper"):
            assert getattr(result, name) == pytest.approx(getattr(wanted, name), abs=1e-12)


def test_paired_difference_is_second_minus_first():
    result = g.paired_group_bootstrap(np.mean, [0, 0, 1, 1], [[1, 0, 1, 0]], [[1, 1, 1, 1]])
    assert (result.estimate, result.lower, result.upper) == (0.5, 0.5, 0.5)


def test_what_both_have_in_common_cancels():
    rng = np.random.default_rng(4)
    losses = rng.exponential(size=60)
    better = losses - 0.1 - rng.normal(scale=0.01, size=60)
    scenes = np.arange(60) // 3
    paired = g.paired_group_bootstrap(g.AdditiveStatistic.mean(), scenes, [losses], [better])
    alone = g.group_bootstrap(g.AdditiveStatistic.mean(), scenes, losses)
    assert paired.upper < 0
    assert paired.upper - paired.lower < 0.1 * (alone.upper - alone.lower)


def test_mean_of_what_is_not_a_vector():
    for values in ([[1, 2], [3, 4]], ["a", "b"], 3.0):
        with pytest.raises(ValueError, match="values must"):
            g.AdditiveStatistic.mean()(values)


def test_confusion_statistic_checks_its_labels():
    statistic = g.AdditiveStatistic.confusion(2, accuracy_of)
    with pytest.raises(ValueError, match=r"y_pred must hold .* from 0 to 1: y_pred\[1\] is 2"):
        statistic([0, 1], [0, 2])
    with pytest.raises(ValueError, match=r"y_true must hold .* from 0 to 1: y_true\[0\] is 5"):
        statistic([5, 1], [0, 1])
    with pytest.raises(ValueError, match="y_pred must have as many elements as y_true"):
        statistic([0, 1], [0])
    with pytest.raises(ValueError, match="num_classes must be at least 1"):
        g.AdditiveStatistic.confusion(0, accuracy_of)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((3, [0, 1], [1, 2]), {}, "statistic must be callable, not int"),
        ((np.mean, [], []), {}, "groups must be a non-empty vector"),
        ((np.mean, [[0, 1]], [1, 2]), {}, "groups must be a non-empty vector"),
        ((np.mean, [0, None], [1, 2]), {}, r"groups must hold numbers: groups\[1\] is None"),
        ((np.mean, [0, [1]], [1, 2]), {}, "groups must be an array"),
        ((np.mean, [0, np.nan], [1, 2]), {}, r"groups must not hold NaN: groups\[1\] is nan"),
        ((np.mean, np.ma.array([0, 1], mask=[0, 1]), [1, 2]), {}, "groups must have no masked"),
        ((np.mean, [0, 1]), {}, "arrays must hold at least one array"),
        ((np.mean, [0, 1], [1, 2], [1]), {}, r"arrays\[1\] must have one row a sample"),
        ((np.mean, [0, 1], 5), {}, r"arrays\[0\] must have one row a sample"),
        ((np.mean, [0, 1], ["a", "b"]), {}, r"arrays\[0\] must be an array of numbers"),
        ((np.mean, [0, 1], [1, 2]), {"n_resamples": 0}, "n_resamples must be at least 1"),
        ((np.mean, [0, 1], [1, 2]), {"n_resamples": 1.5}, "n_resamples must be a whole number"),
        ((np.mean, [0, 1], [1, 2]), {"level": 1}, "level must lie between 0 and 1: level is 1"),
        ((np.mean, [0, 1], [1, 2]), {"level": 0}, "level must lie between 0 and 1"),
        ((np.mean, [0, 1], [1, 2]), {"level": np.nan}, "level must lie between 0 and 1"),
        ((np.mean, [0, 1], [1, 2]), {"seed": -1}, "seed must be at least 0"),
        ((np.mean, [0, 1], [1, 2]), {"seed": None}, "seed must hold numbers"),
    ],
)
def test_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        g.group_bootstrap(*arguments, **options)
    statistic, groups, *arrays = arguments
    with pytest.raises(ValueError, match=message):
        g.paired_group_bootstrap(statistic, groups, arrays, arrays, **options)


def test_refused_pairs():
    for first, second, name in ((3, [[1]], "first"), ([[1]], None, "second")):
        with pytest.raises(ValueError, match=f"{name} must be a list or tuple of arrays"):
            g.paired_group_bootstrap(np.mean, [0], first, second)


def test_level_may_be_an_array_of_one():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = g.paired_group_bootstrap(
            np.mean, [0, 1], [[1, 2]], [[2, 2]], level=np.array([0.9]), n_resamples=10
        )
    assert result.samples.shape == (10,)


@pytest.mark.parametrize(
    "names",
    [
        [2**60, 2**60 + 1, 2**60 + 2],
        [2**70, 2**70 + 1, 2**70 + 2],
        np.array([2**60, 2**60 + 1, 2**60 + 2], object),
        np.array([2**63, 2**63 + 1, 2**63 + 2], np.uint64),
        np.array(["a", "b", "c"], np.dtypes.StringDType()),
        np.array(["a", "b", "c"], object),
        [b"a", b"b", b"c"],
        [10**400, -(10**400), 0],
    ],
)
def test_groups_of_any_name_stay_apart(names):
    """Integers beyond 2^53 are equal as floats, and would be one group."""
    result = g.group_bootstrap(np.mean, names, [1.0, 2.0, 4.0], n_resamples=200)
    assert {1.0, 2.0, 4.0} <= set(result.samples)


def test_a_large_seed_counts_to_its_last_digit():
    draws = [
        g.group_bootstrap(np.mean, range(9), np.arange(9.0), n_resamples=20, seed=2**70 + i).samples
        for i in (0, 1, 0)
    ]
    assert (draws[0] == draws[2]).all()
    assert (draws[0] != draws[1]).any()


@pytest.mark.parametrize(
    ("terms", "finish", "message"),
    [
        (
            lambda x: 3.0,
            lambda s: s[:, 0],
            r"terms must give one value or row a sample, not .*\(\)",
        ),
        (lambda x: [1.0, 2.0], lambda s: s[:, 0], "terms must give one row a sample: 2, not 3"),
        (lambda x: np.ones((3, 2, 2)), lambda s: s[:, 0], r"terms must .* shape \(3, 2, 2\)"),
        (lambda x: ["a", "b", "c"], lambda s: s[:, 0], "terms' result must be an array of numbers"),
        (
            lambda x: x,
            lambda s: s.mean(),
            r"finish must give one value or row .* shape \(\), not 7",
        ),
        (lambda x: x, lambda s: np.ones(3), r"finish must give .* shape \(3,\), not 7"),
        (lambda x: x, lambda s: 1j * s, "finish's result must be an array of numbers"),
    ],
)
def test_refused_pieces_of_an_additive_statistic(terms, finish, message):
    with pytest.raises(ValueError, match=message):
        g.group_bootstrap(g.AdditiveStatistic(terms, finish), range(3), [1, 2, 3], n_resamples=7)


def test_what_is_no_statistic():
    for make, name in (
        (lambda: g.AdditiveStatistic(1, len), "terms"),
        (lambda: g.AdditiveStatistic(len, None), "finish"),
        (lambda: g.AdditiveStatistic.confusion(2, None), "finish"),
        (lambda: g.group_bootstrap(None, [0, 1], [1, 2]), "statistic"),
    ):
        with pytest.raises(ValueError, match=f"^{name} must be callable"):
            make()
    with pytest.raises(ValueError, match="binning must be a Binning, not int"):
        g.AdditiveStatistic.reliability(5)
    with pytest.raises(ValueError, match="finish must give one value or row a resample"):
        g.AdditiveStatistic(lambda x: x, lambda s: 1.0)([1, 2])


@pytest.mark.parametrize("result", [None, "a", 1j, [None], ["1"], object(), [1 + 1j]])
def test_a_statistic_that_gives_no_number(result):
    with pytest.raises(ValueError, match="statistic's result must"):
        g.group_bootstrap(lambda x: result, [0, 1], [1, 2], n_resamples=3)


def test_a_statistic_that_gives_now_more_now_fewer():
    with pytest.raises(
        ValueError, match="statistic must return as many numbers for every resample"
    ):
        g.group_bootstrap(lambda x: x[x > 1], range(3), [1, 2, 3], n_resamples=50)


def test_statistics_of_tensors():
    def mean(values):
        return torch.tensor(values, requires_grad=True).mean()

    values = [1.0, 2.0, 4.0]
    result = g.group_bootstrap(mean, range(3), values, n_resamples=20)
    np.testing.assert_array_equal(
        result.samples, g.group_bootstrap(np.mean, range(3), values, n_resamples=20).samples
    )


def test_too_many_resamples_are_refused_before_they_are_drawn():
    for number in (10**9, 1e300, 10**400):
        with pytest.raises(ValueError, match="n_resamples must be at most 10000000"):
            g.group_bootstrap(np.mean, [0, 1], [1, 2], n_resamples=number)
