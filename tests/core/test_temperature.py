"""Temperature: curve, grid, slope and exact minimiser against 50-digit arithmetic."""

import re
import warnings
from math import inf, isnan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import glyphlab_core as g
from glyphlab.expected import exact
from glyphlab_core import worked

from . import reference

VALUES = st.floats(-10, 10).map(lambda v: round(v, 3)) | st.integers(-3, 3).map(float)
TEMPERATURES = st.sampled_from([0.3, 0.7, 1, 2.5, 10, 1e4])


def cases(values=VALUES, least=1):
    return st.integers(least, 4).flatmap(
        lambda k: st.lists(
            st.tuples(st.lists(values, min_size=k, max_size=k), st.integers(0, k - 1)),
            min_size=1,
            max_size=6,
        ).map(lambda rows: tuple(map(np.array, zip(*rows, strict=True))))
    )


MASKED = cases(VALUES | st.just(-inf), 2).filter(lambda case: np.isfinite(case[0]).any(1).all())


def best_of(z, y, grid):
    """`fit_temperature` and whether it warned."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        best = g.fit_temperature(z, y, grid)
    assert all(w.category is g.GridEdgeWarning for w in caught)
    return best, bool(caught)


# ------------------------------------------------------------------------------------- the curve


@given(cases(), st.lists(st.floats(0.05, 50), min_size=1, max_size=6))
def test_curve_is_the_log_loss_at_each_temperature(case, grid):
    z, y = case
    losses = g.temperature_curve(z, y, grid)
    assert losses.tolist() == [g.log_loss(z, y, t) for t in grid]
    assert g.temperature_curve(z, y).tolist() == [g.log_loss(z, y, t) for t in g.DEFAULT_GRID]


@given(cases(), st.floats(0.05, 5), st.floats(0.05, 5), st.floats(0, 1))
def test_loss_is_convex_in_the_inverse_temperature(case, a, b, share):
    z, y = case
    between = 1 / (share * a + (1 - share) * b)
    chord = share * g.log_loss(z, y, 1 / a) + (1 - share) * g.log_loss(z, y, 1 / b)
    assert g.log_loss(z, y, between) <= chord + 1e-12 * (1 + chord)


@given(cases())
def test_loss_is_unimodal_in_the_temperature(case):
    z, y = case
    steps = np.diff(g.temperature_curve(z, y, np.geomspace(0.05, 200, 60)))
    signs = np.sign(np.where(np.abs(steps) < 1e-13, 0, steps))
    signs = signs[signs != 0]
    assert (np.diff(signs) >= 0).all(), "it falls, then rises"


def test_loss_is_not_convex_in_the_temperature():
    losses = g.temperature_curve(worked.Z, worked.y, [1.0, 2.0, 3.0])
    assert losses[1] > (losses[0] + losses[2]) / 2


# --------------------------------------------------------------------------------------- the grid


@given(cases(), st.lists(st.sampled_from([0.1, 0.5, 1, 2, 5]), min_size=1, max_size=6))
def test_grid_choice_is_the_first_of_the_best(case, grid):
    z, y = case
    best, warned = best_of(z, y, grid)
    losses = [g.log_loss(z, y, t) for t in grid]
    assert best == grid[losses.index(min(losses))]
    assert isinstance(best, float)
    assert warned == (len(grid) > 1 and best in (min(grid), max(grid)))


def test_grid_of_one_and_of_equal_losses():
    assert best_of([[1, 0]], [0], [3.0]) == (3.0, False)
    assert best_of([[1, 1]], [0], [2.0, 1.0, 3.0]) == (2.0, False)
    assert best_of([[1, 1]], [0], [1.0, 1.0]) == (1.0, True)
    assert best_of(worked.Z, worked.y, [2.0, 0.75, 0.5]) == (0.75, False)


def test_warning_names_the_temperature_and_points_at_the_caller():
    with pytest.warns(g.GridEdgeWarning, match="the best temperature 1 is an end") as caught:
        g.fit_temperature(worked.Z, worked.y, [1, 2])
    assert caught[0].filename == __file__
    assert issubclass(g.GridEdgeWarning, UserWarning)


def test_grid_where_every_loss_is_infinite():
    with pytest.raises(g.NoOptimumError, match="finite loss") as caught:
        g.fit_temperature([[0, -inf]], [1])
    assert isnan(caught.value.limit)
    with pytest.raises(g.NoOptimumError):
        g.fit_temperature([[1e308, -1e308]], [1], [0.5, 1.0])
    assert best_of([[1e308, -1e308]], [1], [0.5, 1.0, 4.0]) == (4.0, True)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ([], "grid must not be empty"),
        ([1, 0], r"grid must be finite and above 0: grid\[1\] is 0"),
        ([1, -2], r"grid\[1\] is -2"),
        ([np.nan], r"grid\[0\] is nan"),
        ([1, inf], r"grid\[1\] is inf"),
        (1.0, "grid must be one-dimensional"),
        ([[1.0]], "grid must be one-dimensional"),
        ("abc", "grid must be an array of numbers"),
        ([1, None], r"grid must hold numbers: grid\[1\] is None"),
    ],
)
def test_refused_grid(grid, message):
    for function in (g.fit_temperature, g.temperature_curve):
        with pytest.raises(ValueError, match=message):
            function(worked.Z, worked.y, grid)


# -------------------------------------------------------------------------------------- the slope


@given(MASKED, TEMPERATURES)
def test_gradient_is_the_exact_one(case, temperature):
    z, y = case
    if np.isneginf(z[np.arange(len(y)), y]).any():
        with pytest.raises(ValueError, match=r"must not mask a true class.*: row"):
            g.temperature_gradient(z, y, temperature)
        return
    slope = g.temperature_gradient(z, y, temperature)
    wanted = reference.gradient(z.tolist(), y, temperature)
    assert isinstance(slope, float)
    assert abs(slope - wanted) <= 1e-13 * max(1, abs(wanted))


@given(cases(), st.sampled_from([0.5, 1.0, 3.0]))
def test_gradient_is_the_limit_of_differences(case, temperature):
    z, y = case
    h = 1e-5 * temperature
    difference = (g.log_loss(z, y, temperature + h) - g.log_loss(z, y, temperature - h)) / (2 * h)
    slope = g.temperature_gradient(z, y, temperature)
    assert slope == pytest.approx(difference, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize(
    ("z", "t"),
    [
        ([[1e-320, 0], [0, 1e-320]], 1.0),
        ([[1e-320, 0]], 5e-324),
        ([[1e308, -1e308]], 1e308),
        ([[1e308, -1e308, 0]], 1e300),
        ([[1e300, 0]], 1e299),
        ([[2.0, 1.0]], 1e150),
        ([[2e-200, 1e-200]], 1e-200),
        ([[2.0, 1.0]], 1e-3),
    ],
)
def test_gradient_of_extreme_sizes(z, t):
    y = [1] * len(z)
    wanted = reference.gradient(z, y, t)
    assert g.temperature_gradient(z, y, t) == pytest.approx(float(wanted), rel=1e-12, abs=5e-324)


def test_gradient_beyond_a_double_is_infinite():
    assert g.temperature_gradient([[1e308, -1e308]], [1], 1e-30) == -inf


@pytest.mark.parametrize("n", [1, 32_767, 32_768, 50_001])
def test_every_block_counts(n):
    rng = np.random.default_rng(n)
    z, y = rng.normal(size=(n, 3)), rng.integers(3, size=n)
    p = np.exp(z / 1.3) / np.exp(z / 1.3).sum(axis=1, keepdims=True)
    slope = (z[np.arange(n), y] - (p * z).sum(axis=1)).mean() / 1.3**2
    assert g.temperature_gradient(z, y, 1.3) == pytest.approx(slope, rel=1e-10, abs=1e-12)


# ------------------------------------------------------------------------------ the exact minimiser


def test_reference_gives_the_worked_value():
    decimal = [[str(value) for value in row] for row in worked.Z.tolist()]
    found = reference.optimal_temperature(decimal, worked.y)
    assert abs(found - reference.MP.mpf(str(exact("three_samples.T_star")))) < 1e-29


def test_worked_value_to_the_last_digits():
    for z in (worked.Z, worked.Z.tolist(), worked.Z[::-1, ::-1]):
        y = worked.y if not isinstance(z, np.ndarray) or z is worked.Z else 2 - worked.y[::-1]
        assert abs(g.optimal_temperature(z, y) - float(exact("three_samples.T_star"))) < 1e-15


def limit_of(z, y):
    """The limit of the `NoOptimumError`, or None where a minimiser is found."""
    try:
        g.optimal_temperature(z, y)
    except g.NoOptimumError as error:
        return error.limit
    return None


def telling(z, y):
    """Whether the mean excess of the true logits is exactly 0 or clear of rounding."""
    if np.isneginf(z[np.arange(len(y)), y]).any():
        return True
    rows = np.where(np.isneginf(z), np.nan, z)
    excess = np.sum(z[np.arange(len(y)), y] - np.nanmean(rows, axis=1))
    return abs(excess) > 1e-9 or (np.nan_to_num(rows) % 1 == 0).all()


@given(MASKED)
def test_optimum_exists_exactly_where_it_should(case):
    z, y = case
    assume(telling(z, y))
    wanted, found = reference.existence(z.tolist(), y), limit_of(z, y)
    assert found == wanted or (isnan(wanted) and isnan(found))


@given(MASKED)
def test_optimum_is_the_exact_one(case):
    z, y = case
    assume(telling(z, y))
    assume(reference.existence(z.tolist(), y) is None)
    best = g.optimal_temperature(z, y)
    assert isinstance(best, float)
    assert reference.has_optimum_within(z.tolist(), y, best, 1e-11)
    loss = g.log_loss(z, y, best)
    for factor in (0.5, 0.9, 1.1, 2):
        assert loss <= g.log_loss(z, y, factor * best) + 1e-15 * (1 + loss)
    scale = np.abs(np.where(np.isneginf(z), 0, z)).max()
    assert abs(g.temperature_gradient(z, y, best)) <= 1e-11 * (1 + scale / best**2)


@given(
    cases(),
    st.sampled_from([2.0, 3.0, 1e-3, 1e6, 2.0**-600, 2.0**600, 1e-160, 1e160]),
    st.randoms(use_true_random=False),
)
def test_optimum_scales_with_the_logits_and_nothing_else(case, factor, random):
    z, y = case
    assume(telling(z, y) and reference.existence(z.tolist(), y) is None)
    best = g.optimal_temperature(z, y)
    assert g.optimal_temperature(factor * z, y) == pytest.approx(factor * best, rel=1e-10)
    n, k = z.shape
    rows, classes = random.sample(range(n), n), random.sample(range(k), k)
    moved = z[np.ix_(rows, classes)] + np.arange(n)[:, None]
    labels = np.argsort(classes)[y[rows]]
    assert g.optimal_temperature(moved, labels) == pytest.approx(best, rel=1e-9)
    twice = g.optimal_temperature(np.vstack([z, z]), np.concatenate([y, y]))
    assert twice == pytest.approx(best, rel=1e-10)
    with_masked_class = np.column_stack([z, np.full(n, -inf)])
    assert g.optimal_temperature(with_masked_class, y) == pytest.approx(best, rel=1e-10)


@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from([0.01, 1.0, 20.0, 700.0]))
def test_optimum_of_two_classes_in_closed_form(right, wrong, gap):
    """Logits (gap, 0), right `right` times and wrong `wrong` times: T* = gap / ln(right/wrong)."""
    assume(right > wrong)
    z = np.tile([gap, 0.0], (right + wrong, 1))
    y = np.repeat([0, 1], [right, wrong])
    assert g.optimal_temperature(z, y) == pytest.approx(gap / np.log(right / wrong), rel=1e-12)


@pytest.mark.parametrize(
    ("z", "y", "limit"),
    [
        ([[2, 0], [0, 2]], [0, 1], 0.0),  # every true class is largest
        ([[2, 2], [0, 2]], [0, 1], 0.0),  # tied for largest
        ([[1, np.nextafter(1, 0)]], [0], 0.0),  # by the last digit
        ([[2, 0], [0, 2]], [1, 0], inf),  # every true class is smallest
        ([[1, -1], [1, -1]], [0, 1], inf),  # right as often as wrong
        ([[1, 0, -1]], [1], inf),  # the mean itself
        ([[0.3, 0.1, 0.2]], [2], inf),  # the mean but for rounding,
        ([[0.2, -0.1, 0.5]], [0], inf),  # which may fall on either side
        ([[1, 1], [3, 3]], [0, 1], np.nan),  # flat
        ([[1, 1, 1], [1, 0, -1]], [0, 1], inf),  # flat and the mean itself
        ([[1, 1], [2, 0]], [0, 0], 0.0),  # flat and right
        ([[5]], [0], np.nan),  # one class
        ([[1, -inf], [2, -inf]], [0, 0], np.nan),  # one class left
        ([[0, -inf], [1, 2]], [1, 1], np.nan),  # a masked true class
        ([[0, -inf, 3], [0, 4, -inf]], [2, 1], 0.0),
        ([[0, -inf, 3], [0, 4, -inf]], [0, 0], inf),
        (np.zeros((4, 3)), [0, 1, 2, 0], np.nan),
    ],
)
def test_no_optimum(z, y, limit):
    found = limit_of(np.array(z), y)
    assert found == limit or (isnan(limit) and isnan(found))
    # The stated limit is where the loss falls to its infimum.
    if not isnan(limit):
        near, far = (1e-2, 1e2) if limit == 0 else (1e2, 1e-2)
        assert g.log_loss(z, y, near) < g.log_loss(z, y, far)


@pytest.mark.parametrize("size", [2.0**-30, 1.0, 2.0**30])
@pytest.mark.parametrize("rows", [1, 100])
def test_an_excess_of_roundings_is_none(size, rows):
    """0.2 is the mean of 0.2, -0.1 and 0.5, but not of their doubles."""
    z = size * np.tile([0.2, -0.1, 0.5], (rows, 1))
    assert z[0].mean() < z[0, 0]
    assert limit_of(z, np.zeros(rows, int)) == inf


def test_every_row_counts_the_same_whatever_its_block():
    """A million rows slightly wrong outweigh one that is very right, in a block of its own."""
    z = np.tile([1e-3, 0.0], (2**20 + 1, 1))
    z[-1] = (0.0, 10.0)
    assert limit_of(z, np.ones(len(z), int)) == inf


def test_flat_rows_beside_others():
    z = [[1, 1], [2, 0], [3, 3], [2, 0], [2, 0]]
    assert g.optimal_temperature(z, [0, 0, 1, 0, 1]) == pytest.approx(2 / np.log(2), rel=1e-12)


def test_an_excess_beyond_rounding_is_an_excess():
    z, y = [[1 + 1e-12, 0], [1, 0]], [0, 1]
    best = g.optimal_temperature(z, y)
    assert 1e11 < best < 1e13
    assert reference.has_optimum_within(z, y, best, 1e-3)


def test_no_optimum_says_why():
    assert issubclass(g.NoOptimumError, ValueError)
    for z, y, message in (
        ([[2, 0]], [0], "below its row's largest"),
        ([[2, 0]], [1], "mean excess over the row's mean is -1, not above 0"),
        ([[1, 1]], [1], "must differ within a row"),
        ([[1, 0], [0, -inf]], [0, 1], "must not mask a true class: .*: row 1"),
    ):
        with pytest.raises(g.NoOptimumError, match=f"^logits .*{message}") as caught:
            g.optimal_temperature(z, y)
        assert caught.value.args == (str(caught.value),)


def test_masked_row_is_named_in_any_block():
    z = np.tile([1.0, 2.0], (50_000, 1))
    z[40_000:, 0] = -inf
    y = np.zeros(50_000, int)
    with pytest.raises(g.NoOptimumError, match="row 40000"):
        g.optimal_temperature(z, y)


@pytest.mark.parametrize("best", [1e-300, 1e-5, 1e-2, 1e3, 1e7, 1e300])
def test_optimum_far_from_one(best):
    z = np.array([[1.0, 0.0]] * 3) * np.log(2) * best
    assert g.optimal_temperature(z, [0, 0, 1]) == pytest.approx(best, rel=1e-12)


def test_optimum_beyond_a_double():
    z = [[1e308, -1e308]] * 1001
    with pytest.raises(g.NoOptimumError) as caught:
        g.optimal_temperature(z, [0] * 501 + [1] * 500)
    assert caught.value.limit == inf
    z = [[5e-324, 0.0]] * 1001  # T* = 5e-324 / ln 1000
    with pytest.raises(g.NoOptimumError) as caught:
        g.optimal_temperature(z, [0] * 1000 + [1])
    assert caught.value.limit == 0


@pytest.mark.parametrize("size", [1e20, 0.1, -1e300])
def test_a_flat_row_of_any_size_hides_nothing(size):
    """Not its mean, 0.1 + 0.1 + 0.1 over 3, minus one of its entries, nor that one's rounding."""
    z, y = [[size] * 3, *[[1.0, 0.0, 0.0]] * 3], [0, 0, 0, 1]
    # 3 exp(1/T) = 4 + 2 exp(1/T) sets the slope to 0: two of three right, two other classes.
    assert g.optimal_temperature(z, y) == pytest.approx(1 / np.log(4), rel=1e-12)
    assert isnan(limit_of(z[:1], y[:1]))
    assert limit_of(z[:2], y[:2]) == 0.0
    assert limit_of(z[:2], [0, 1]) == inf


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_no_logit_is_refused_before_what_has_no_optimum(dtype):
    for bad, message in ((np.nan, "NaN"), (inf, r"\+inf")):
        for place in (1, 2):
            z = np.array([[-inf, 0, 1], [0, 1, 2], [0, 1, 2]], dtype)
            z[place - 1, place] = bad
            for function in (g.optimal_temperature, lambda z, y: g.temperature_gradient(z, y, 1.0)):
                with pytest.raises(ValueError, match=rf"must not hold {message}") as caught:
                    function(z, [0, 1, 2])
                assert not isinstance(caught.value, g.NoOptimumError)


def test_a_masked_class_beside_logits_of_extreme_size():
    for size in (1e-305, 1e305):
        z = size * np.array([[1.0, 0.0, -inf]] * 3)
        assert g.optimal_temperature(z, [0, 0, 1]) == pytest.approx(size / np.log(2), rel=1e-12)


def test_the_excess_told_is_the_mean_over_all_blocks():
    z = np.tile([1.0, 0.0], (200_000, 1))
    with pytest.raises(g.NoOptimumError, match=r"row's mean is -0\.5, not above 0"):
        g.optimal_temperature(z, np.ones(len(z), int))
    with pytest.raises(g.NoOptimumError, match="row's mean is 0, not above 0"):
        g.optimal_temperature([[0.3, 0.1, 0.2]], [2])


def test_numbers_added_to_rows_hide_nothing():
    z = np.array([[1.0, 0.0, 0.5], [0.25, 2.0, 0.0], [1.5, 1.0, 0.0], [0.0, 1.0, 3.0]])
    y, added = [0, 1, 1, 2], np.array([2.0**50, -(2.0**49), 0.0, 2.0**48])
    best = g.optimal_temperature(z, y)
    assert reference.has_optimum_within(z.tolist(), y, best, 1e-13)
    assert g.optimal_temperature(z + added[:, None], y) == pytest.approx(best, rel=1e-13)


@pytest.mark.parametrize("small", [1e-30, 1e-60])
def test_small_rows_beside_an_enormous_one(small):
    z, y = [[1e308, 0.0], *[[small, 0.0]] * 3], [0, 0, 0, 1]
    assert g.optimal_temperature(z, y) == pytest.approx(small / np.log(2), rel=1e-12)
    wanted = reference.gradient(z, y, small)
    assert g.temperature_gradient(z, y, small) == pytest.approx(float(wanted), rel=1e-12)


def test_rows_too_small_beside_an_enormous_one():
    """T* is 1e308 / ln(2e616): only a scale that holds both could find it."""
    z, y = [[1e308, 0.0], [0.0, 1e-308], [1e-308, 0.0]], [0, 0, 1]
    message = r"^logits must not be so small beside one of size 1e\+308: logits\[1, 1\] is 1e-308$"
    for function in (g.optimal_temperature, lambda z, y: g.temperature_gradient(z, y, 1.0)):
        with pytest.raises(ValueError, match=message) as caught:
            function(z, y)
        assert not isinstance(caught.value, g.NoOptimumError)


@pytest.mark.parametrize("factor", [1e-320, 1e-300, 1.0, 1e300])
def test_no_optimum_tells_the_excess_in_the_unit_of_the_logits(factor):
    z = factor * np.array([[8.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    with pytest.raises(g.NoOptimumError, match=re.escape(f"row's mean is {-2 * factor:g}, not")):
        g.optimal_temperature(z, [1, 0, 0])


def test_ordinary_rows_beside_an_enormous_one():
    z = [[1e308, 0.0], *[[1.0, 0.0]] * 3]
    assert g.optimal_temperature(z, [0, 0, 0, 1]) == pytest.approx(1 / np.log(2), rel=1e-12)


def test_nearly_separated_data():
    # Nine rows right by 1, one wrong by 1e-6: T* is near the sharp end.
    # (Newton's last step is below a double's spacing here, which must end it.)
    z = [[1.0, 0.0]] * 9 + [[1e-6, 0.0]]
    y = [0] * 9 + [1]
    wanted = reference.optimal_temperature(z, y)
    assert g.optimal_temperature(z, y) == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [2, 7, 500])
def test_large_data(dtype, k):
    """Solved on a sample first; the end is the same as over all rows at once."""
    rng = np.random.default_rng(k)
    n = 2_500_000 // k
    z = (rng.normal(size=(n, k)) * 2).astype(dtype)
    y = np.where(rng.random(n) < 0.5, z.argmax(axis=1), rng.integers(k, size=n))
    best = g.optimal_temperature(z, y)
    w = z.astype(float)
    terms = np.exp(w / best)
    slope = ((terms * w).sum(axis=1) / terms.sum(axis=1) - w[np.arange(n), y]).mean()
    assert abs(slope) < 1e-11


def test_large_data_of_which_the_sample_has_no_optimum():
    """Every other row is right: so is the whole sample, but not the data."""
    z = np.tile([1.0, 0.0], (2_200_000, 1))
    y = np.zeros(len(z), np.int8)
    y[1::2][: len(z) // 4] = 1
    assert g.optimal_temperature(z, y) == pytest.approx(1 / np.log(3), rel=1e-12)


def test_float32_and_half_precision():
    for dtype in (np.float16, np.float32):
        z = worked.Z.astype(dtype)
        wanted = reference.optimal_temperature(z.tolist(), worked.y)
        assert g.optimal_temperature(z, worked.y) == pytest.approx(float(wanted), rel=1e-13)


def test_refused_labels():
    for function in (
        g.fit_temperature,
        g.temperature_curve,
        g.optimal_temperature,
        lambda z, y: g.temperature_gradient(z, y, 1.0),
    ):
        with pytest.raises(ValueError, match=r"y must .* from 0 to 2: y\[1\] is 3"):
            function(worked.Z, [0, 3, 1])
        with pytest.raises(ValueError, match="y must have as many elements as logits has rows"):
            function(worked.Z, [0, 1])
