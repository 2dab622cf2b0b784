"""Softmax, log loss, energy and Brier score against 50-digit arithmetic, and their properties."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import glyphlab_core as g

from . import reference

TEMPERATURES = st.sampled_from([1e-3, 0.1, 0.5, 0.7, 1, 1.5, 3, 100, 1e8]) | st.floats(1e-2, 50)
VALUES = st.floats(-30, 30) | st.integers(-5, 5).map(float)


def logits(values=VALUES, least=1):
    """(rows, labels), up to six rows of up to five classes."""
    return st.integers(least, 5).flatmap(
        lambda k: st.lists(
            st.tuples(st.lists(values, min_size=k, max_size=k), st.integers(0, k - 1)),
            min_size=1,
            max_size=6,
        ).map(lambda rows: tuple(map(np.array, zip(*rows, strict=True))))
    )


MASKED = logits(VALUES | st.just(-inf), 2).filter(lambda case: np.isfinite(case[0]).any(1).all())


@given(MASKED, TEMPERATURES)
def test_softmax_is_the_exact_one(case, temperature):
    z, _ = case
    p = g.softmax(z, temperature)
    assert p.dtype == np.float64
    assert p.shape == z.shape
    for row, exact in zip(p, reference.softmax(z.tolist(), temperature), strict=True):
        for value, wanted in zip(row, exact, strict=True):
            assert reference.same(value, wanted, 1e-13)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-15)
    assert (p[np.isneginf(z)] == 0).all()
    exponent = (z - z.max(axis=1, keepdims=True)) / temperature
    # Relative accuracy holds for small probabilities as well.
    wanted = np.exp(exponent) / np.exp(exponent).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(p, wanted, rtol=1e-9, atol=1e-300)


@given(MASKED, TEMPERATURES)
def test_log_loss_is_the_exact_one(case, temperature):
    z, y = case
    loss = g.log_loss(z, y, temperature)
    assert isinstance(loss, float)
    if np.isneginf(z[np.arange(len(y)), y]).any():
        assert loss == inf
    else:
        assert reference.same(loss, reference.log_loss(z.tolist(), y, temperature), 1e-13)
        assert loss >= 0


@given(logits(), TEMPERATURES)
def test_energy_is_the_exact_one(case, temperature):
    z, _ = case
    for value, row in zip(g.energy_score(z, temperature), z.tolist(), strict=True):
        t = reference.MP.mpf(temperature)
        exact = -max(row) - t * reference.MP.log(sum(reference.exp_row(row, t)))
        assert reference.same(value, exact, 1e-14)


@given(logits(st.integers(-8, 8).map(float)), TEMPERATURES, st.integers(-64, 64))
def test_shifting_a_row_changes_the_energy_alone(case, temperature, shift):
    z, y = case
    moved = z + np.arange(1, len(z) + 1)[:, None] * shift
    np.testing.assert_allclose(g.softmax(moved, temperature), g.softmax(z, temperature), rtol=1e-12)
    assert g.log_loss(moved, y, temperature) == pytest.approx(g.log_loss(z, y, temperature))
    change = g.energy_score(moved, temperature) - g.energy_score(z, temperature)
    np.testing.assert_allclose(
        change, -np.arange(1, len(z) + 1) * shift, rtol=1e-9, atol=1e-7 * temperature
    )


@given(logits(), TEMPERATURES, st.randoms(use_true_random=False))
def test_order_of_samples_and_names_of_classes_do_not_matter(case, temperature, random):
    z, y = case
    n, k = z.shape
    rows, classes = random.sample(range(n), n), random.sample(range(k), k)
    moved = z[np.ix_(rows, classes)]
    labels = np.argsort(classes)[y[rows]]
    assert g.log_loss(moved, labels, temperature) == pytest.approx(g.log_loss(z, y, temperature))
    p, q = g.softmax(z, temperature), g.softmax(moved, temperature)
    np.testing.assert_allclose(q, p[np.ix_(rows, classes)], rtol=1e-14)
    assert g.brier_score(q, labels) == pytest.approx(g.brier_score(p, y))


@given(logits(), st.sampled_from([0.5, 2, 3, 1e-5]))
def test_temperature_divides(case, factor):
    z, y = case
    np.testing.assert_allclose(g.softmax(z, factor), g.softmax(z / factor), rtol=1e-9)
    assert g.log_loss(z * factor, y, factor) == pytest.approx(g.log_loss(z, y), rel=1e-9)


@pytest.mark.parametrize("width", [1, 2, 3, 1000, 70_000])
def test_every_block_counts(width):
    """Rows on both sides of a block's end; very wide ones are a block each."""
    n = max(3, 200_000 // width)
    rng = np.random.default_rng(width)
    z = rng.normal(size=(n, width)) * 3
    y = rng.integers(width, size=n)
    top = z.max(axis=1, keepdims=True)
    lse = np.log(np.exp(z - top).sum(axis=1)) + top[:, 0]
    assert g.log_loss(z, y) == pytest.approx((lse - z[np.arange(n), y]).mean(), rel=1e-13)
    np.testing.assert_allclose(g.energy_score(z), -lse, rtol=1e-13)
    np.testing.assert_allclose(g.softmax(z), np.exp(z - lse[:, None]), rtol=1e-11)
    p = g.softmax(z)
    squares = (p**2).sum(axis=1) - 2 * p[np.arange(n), y] + 1
    assert g.brier_score(p, y) == pytest.approx(squares.mean(), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("temperature", [1.0, 0.5, 0.7])
@pytest.mark.parametrize("k", [2, 10, 300])
def test_large_float32_data(k, temperature):
    """Where float32 terms are taken, their errors average out."""
    rng = np.random.default_rng(k)
    n = 1_200_000 // k
    z = (rng.normal(size=(n, k)) * 3).astype(np.float32)
    y = rng.integers(k, size=n)
    exact = g.log_loss(z.astype(np.float64), y, temperature)
    assert g.log_loss(z, y, temperature) == pytest.approx(exact, abs=1e-8, rel=0)


@pytest.mark.parametrize("row", [[2, 0], [10, 1, 2], [20, 1, 2], [0.1, 0.2, 0.3], [60, 0]])
@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_large_float32_data_of_equal_rows(row, temperature):
    """Here they would not, and small losses would drown in them."""
    z = np.tile(np.array(row, np.float32), (700_000, 1))
    y = np.zeros(len(z), np.uint8)
    exact = reference.log_loss([z[0].tolist()], [0], temperature)
    loss = g.log_loss(z, y, temperature)
    assert loss == pytest.approx(float(exact), rel=0, abs=1e-8 if exact > 0.1 else 1e-15)
    assert loss >= 0


def test_large_float32_data_with_what_float32_cannot_sum():
    z = np.tile(np.array([200.0, 0.0], np.float32), (700_000, 1))
    z[::2] = -300
    z[5] = (-np.inf, 3)
    y = np.ones(len(z), int)
    y[z[:, 0] == 200] = 0
    exact = g.log_loss(z.astype(float), y)
    assert g.log_loss(z, y) == pytest.approx(exact, rel=1e-12)
    y[5] = 0
    assert g.log_loss(z, y) == inf
    z[699_999, 1] = np.nan
    with pytest.raises(ValueError, match=r"logits must not hold NaN: logits\[699999, 1\] is nan"):
        g.log_loss(z, y)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_extreme_logits(dtype):
    top = float(np.finfo(dtype).max)
    z = np.array([[top, -top, 0], [-top, -top, -top], [0, 5e-324, 0]], dtype)
    np.testing.assert_allclose(g.softmax(z), [[1, 0, 0], [1 / 3] * 3, [1 / 3] * 3])
    assert g.log_loss(z, [0, 1, 2]) == pytest.approx(2 / 3 * np.log(3))
    assert g.log_loss(z[:1], [1], 4.0) == pytest.approx(top / 2)
    # Scaled to ±1: no overflow on the way.
    np.testing.assert_allclose(
        g.softmax(z[:1], top), [np.exp([1, -1, 0]) / np.exp([1, -1, 0]).sum()]
    )
    assert g.energy_score(z[:1], top)[0] == pytest.approx(
        -top * float(np.log(np.exp([1, -1, 0]).sum()))
    )


def test_the_mean_of_huge_losses_does_not_overflow():
    z = np.tile([1e308, 0.0], (50, 1))
    assert g.log_loss(z, np.ones(50, int)) == pytest.approx(1e308)
    assert g.log_loss(np.tile([1e308, -1e308], (3, 1)), [1, 1, 1]) == inf
    assert g.log_loss(np.tile([1e308, -1e308], (3, 1)), [0, 0, 0]) == 0


@pytest.mark.parametrize("temperature", [5e-324, 1e-308, 1e-300, 1e300, 1.7e308])
def test_extreme_temperatures(temperature):
    z = np.array([[2.0, 2.0, 1.0]])
    wanted = [[0.5, 0.5, 0]] if temperature < 1 else [[1 / 3] * 3]
    np.testing.assert_allclose(g.softmax(z, temperature), wanted)
    assert g.log_loss(z, [0], temperature) == pytest.approx(np.log(2 if temperature < 1 else 3))
    if temperature < 1:
        assert g.energy_score(z, temperature)[0] == -2
    else:
        assert g.energy_score(z, temperature)[0] == pytest.approx(-temperature * float(np.log(3)))


@given(logits(), st.sampled_from([np.float16, np.float32, np.float64]))
def test_narrow_logits_are_computed_in_double(case, dtype):
    z, y = case
    narrow = z.astype(dtype)
    assert g.log_loss(narrow, y) == g.log_loss(narrow.astype(float), y)
    np.testing.assert_array_equal(g.softmax(narrow), g.softmax(narrow.astype(float)))


REFUSED_LOGITS = [
    ([[1, np.nan]], r"logits must not hold NaN: logits\[0, 1\] is nan"),
    ([[1, 2], [np.inf, 0]], r"logits must not hold \+inf: logits\[1, 0\] is inf"),
    ([[1, 2], [-inf, -inf]], "logits must leave a class in every row: row 1 is all -inf"),
    ([1, 2], r"logits must be two-dimensional, \(N, K\), not of shape \(2,\)"),
    ([[[1, 2]]], "logits must be two-dimensional"),
    ([[]], "logits must not be empty"),
    (np.zeros((0, 3)), "logits must not be empty"),
    ([[1, 2], [3]], "logits must be an array of numbers"),
    ([["1", "2"]], "logits must be an array of numbers"),
    ([[1, None]], r"logits must hold numbers: logits\[0, 1\] is None"),
    ({"a": 1}, "logits must hold numbers"),
    ([[1j, 0]], "logits must be an array of numbers, not of complex128"),
]
TAKES_LOGITS = [
    g.softmax,
    g.energy_score,
    lambda z: g.log_loss(z, np.zeros(len(z), int)),
    lambda z: g.temperature_curve(z, np.zeros(len(z), int)),
    lambda z: g.fit_temperature(z, np.zeros(len(z), int)),
    lambda z: g.temperature_gradient(z, np.zeros(len(z), int), 1.0),
    lambda z: g.optimal_temperature(z, np.zeros(len(z), int)),
]


@pytest.mark.parametrize(("z", "message"), REFUSED_LOGITS)
@pytest.mark.parametrize("function", TAKES_LOGITS)
def test_refused_logits(function, z, message):
    with pytest.raises(ValueError, match=message):
        function(z)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("function", TAKES_LOGITS)
def test_refused_logits_of_any_type(function, dtype):
    for row, message in (
        ([inf, 0], r"logits must not hold \+inf: logits\[1, 0\] is inf"),
        ([inf, -inf], r"logits must not hold \+inf: logits\[1, 0\] is inf"),
        ([0, np.nan], r"logits must not hold NaN: logits\[1, 1\] is nan"),
        ([-inf, -inf], "logits must leave a class in every row: row 1 is all -inf"),
    ):
        z = np.array([[1, 2], row, [2, 0], [0, 1]], dtype)
        with pytest.raises(ValueError, match=message):
            function(z)


@pytest.mark.parametrize("position", [0, 32_767, 32_768, 69_999])
@pytest.mark.parametrize("function", TAKES_LOGITS)
def test_the_first_bad_row_is_named_in_any_block(function, position):
    z = np.tile([1.0, 2.0], (70_000, 1))
    z[position:] = -inf
    with pytest.raises(ValueError, match=f"row {position} is all -inf|row {position}$"):
        function(z)
    z[position, 1] = np.nan
    with pytest.raises(ValueError, match=rf"logits\[{position}, 1\] is nan"):
        function(z)


@pytest.mark.parametrize(
    ("temperature", "message"),
    [
        (0, "temperature must be finite and above 0: temperature is 0.0"),
        (-1, "temperature is -1.0"),
        (np.nan, "temperature is nan"),
        (inf, "temperature is inf"),
        ("1", "temperature must be an array of numbers"),
        (None, "temperature must hold numbers: temperature is None"),
        ([1, 2], r"temperature must be a single number, not of shape \(2,\)"),
        ([], "temperature must be a single number"),
        (1j, "temperature must be an array of numbers"),
    ],
)
def test_refused_temperature(temperature, message):
    z, y = [[1.0, 2.0]], [0]
    for call in (
        lambda: g.softmax(z, temperature),
        lambda: g.log_loss(z, y, temperature),
        lambda: g.energy_score(z, temperature),
        lambda: g.temperature_gradient(z, y, temperature),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_refused_labels():
    for y, message in (
        ([0, 2], r"y must hold whole numbers from 0 to 1: y\[1\] is 2"),
        ([0.5, 0], r"y must hold whole numbers: y\[0\] is 0.5"),
        ([0], "y must have as many elements as logits has rows: 1, not 2"),
    ):
        with pytest.raises(ValueError, match=message):
            g.log_loss([[1, 2], [3, 4]], y)


@given(
    st.integers(1, 5).flatmap(
        lambda k: st.lists(
            st.tuples(
                st.lists(st.integers(0, 8), min_size=k, max_size=k).filter(any),
                st.integers(0, k - 1),
            ),
            min_size=1,
            max_size=12,
        )
    )
)
def test_brier_score_is_the_exact_one(rows):
    counts = np.array([row for row, _ in rows], float)
    p, y = counts / counts.sum(axis=1, keepdims=True), [label for _, label in rows]
    score = g.brier_score(p, y)
    assert reference.same(score, reference.brier(p, y), 1e-15)
    assert 0 <= score <= 2


def test_brier_score_of_a_constant():
    k = 4
    p = np.full((10, k), 1 / k)
    assert g.brier_score(p, np.arange(10) % k) == pytest.approx(1 - 1 / k)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40),
    st.integers(1, 12),
    st.sampled_from(("left", "right")),
)
def test_brier_decomposition(samples, n, closed):
    """Each part by its definition in fractions, and the identity between them exactly."""
    confidence, correct = zip(*samples, strict=True)
    bins = g.Binning.uniform(n, closed)
    held = [h for h in reference.bins(confidence, correct, bins.edges, closed) if h[0]]
    size = len(samples)
    overall = Fraction(sum(correct), size)
    means = [(len(c), sum(c) / len(c), sum(a) / len(a)) for c, a in held]
    reliability = sum(m * (f - o) ** 2 for m, f, o in means) / size
    resolution = sum(m * (o - overall) ** 2 for m, f, o in means) / size
    variance = (
        sum((x - f) ** 2 for (c, _), (_, f, _) in zip(held, means, strict=True) for x in c) / size
    )
    covariance = (
        sum(
            (x - f) * (v - o)
            for (c, a), (_, f, o) in zip(held, means, strict=True)
            for x, v in zip(c, a, strict=True)
        )
        / size
    )
    brier = sum((Fraction(c) - a) ** 2 for c, a in samples) / size
    within = variance - 2 * covariance
    uncertainty = overall * (1 - overall)
    assert brier == reliability - resolution + uncertainty + within
    parts = g.brier_decomposition(confidence, correct, bins)
    for value, exact in (
        (parts.reliability, reliability),
        (parts.resolution, resolution),
        (parts.uncertainty, uncertainty),
        (parts.within_bin, within),
        (parts.brier, brier),
    ):
        assert isinstance(value, float)
        assert reference.same(value, exact, 1e-14)


def test_brier_decomposition_of_confidences_that_are_equal_in_each_bin():
    parts = g.brier_decomposition(
        [0.3] * 10 + [0.9] * 10, [1] * 5 + [0] * 6 + [1] * 9, g.Binning.uniform(5)
    )
    assert parts.within_bin == pytest.approx(0, abs=1e-16)
