"""Where the log loss of much data takes float32 terms, and where it does not."""

import numpy as np
import pytest
import scipy.special

import glyphlab_core as g
from glyphlab_core._logits import _agree, labelled, mean_derivatives


def losses(z, y):
    """The loss of each row in float64, by SciPy."""
    w = z.astype(float)
    return scipy.special.logsumexp(w, axis=1) - w[np.arange(len(y)), y]


@pytest.mark.parametrize(
    ("errors", "loss", "n", "agree"),
    [
        ([0.0, 0.0], 1.0, 50_000, True),
        ([5e-8, -5e-8], 1.0, 50_000, True),
        ([5e-9, 5e-9], 1.0, 50_000, True),  # by itself below 1e-8
        ([-5e-9, -5e-9], 1.0, 50_000, True),
        ([9e-9, 9e-9], 1.0, 50_000, False),
        ([-9e-9, -9e-9], 1.0, 50_000, False),
        ([6e-8, -3.6e-8], 1.0, 50_000, True),  # 1.2e-8, which the spread over 128 rows explains
        ([-6e-8, 3.6e-8], 1.0, 50_000, True),
        ([8e-8, -2e-8], 1.0, 50_000, False),  # 3e-8, which it does not
        ([5e-8, -5e-8], 1.0, 1000, False),  # too few rows for them to average out
        ([5e-8, -5e-8], 1.0, 3000, True),
        ([0.0, 0.0], 0.11, 50_000, True),
        ([0.0, 0.0], 0.09, 50_000, False),
    ],
)
def test_errors_that_average_out(errors, loss, n, agree):
    wide = np.full(128, loss)
    assert _agree(wide + np.tile(errors, 64), wide, n) is agree


@pytest.mark.parametrize(
    ("dtype", "t"),
    [(np.float64, 1.0), (np.float64, 0.5), (np.float32, 0.7), (np.float32, 1 - 2.0**-32)],
)
def test_double_precision_where_float32_cannot_hold_the_data_or_the_temperature(dtype, t):
    rng = np.random.default_rng(0)
    z = (rng.normal(size=(120_000, 10)) * 3).astype(dtype)
    y = rng.integers(10, size=len(z))
    wanted = losses(z.astype(float) / t, y).mean()
    assert g.log_loss(z, y, t) == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("n", [1, 40, 30_000, 530_000])
@pytest.mark.parametrize("beta", [0.4, 1.0, 1.7])
def test_derivatives_are_mean_and_variance_of_the_logits(n, beta):
    rng = np.random.default_rng(n)
    z, y = rng.normal(size=(n, 2)) * 3, rng.integers(2, size=n)
    p = scipy.special.softmax(beta * z, axis=1)
    mean = (p * z).sum(axis=1)
    variance = (p * (z - mean[:, None]) ** 2).sum(axis=1)
    slope, curvature = mean_derivatives(labelled(z, y), beta)
    assert slope == pytest.approx((mean - z[np.arange(n), y]).mean(), rel=1e-11)
    assert curvature == pytest.approx(variance.mean(), rel=1e-11)


def worst_row():
    """Three logits whose loss in float32 terms is off by more than 3e-8."""
    z = (np.random.default_rng(1).normal(size=(1000, 3)) * 3).astype(np.float32)
    narrow = np.log(np.exp(z).sum(axis=1, dtype=float)) - z[:, 0].astype(float)
    wide = losses(z, np.zeros(len(z), int))
    worst = int(np.argmax(np.abs(narrow - wide) * (wide > 0.5)))
    assert abs(narrow[worst] - wide[worst]) > 3e-8
    return z[worst]


@pytest.mark.parametrize("first", [(0, 0, 0), (200, 0, 0)])
def test_one_row_unlike_the_others_does_not_decide_for_them(first):
    """Exact in float32, or beyond it, before many rows with one and the same error."""
    z = np.tile(worst_row(), (400_000, 1))
    z[0] = first
    y = np.zeros(len(z), int)
    wanted = (losses(z[:1], y[:1])[0] + (len(z) - 1) * losses(z[1:2], y[:1])[0]) / len(z)
    assert g.log_loss(z, y) == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("n", [1, 127, 128, 130, 255, 256])
def test_few_wide_rows(n):
    rng = np.random.default_rng(n)
    z = (rng.normal(size=(n, (1 << 20) // n + 1)) * 3).astype(np.float32)
    y = rng.integers(z.shape[1], size=n)
    assert g.log_loss(z, y) == pytest.approx(losses(z, y).mean(), abs=1e-8)


def test_much_data_of_extreme_size():
    """Squares of the logits times exp(500) overflow; so must nothing that is returned."""
    rng = np.random.default_rng(6)
    z = rng.normal(size=(530_000, 2)) * 3
    y = (z + rng.gumbel(size=z.shape)).argmax(axis=1)
    best = g.optimal_temperature(z, y)
    for factor in (2.0**285, 2.0**-285):
        large = (z + 500) * factor
        assert g.optimal_temperature(large, y) == pytest.approx(best * factor, rel=1e-11)
    z[3, 1 - y[3]] = -np.inf  # one class left in one row
    rest = np.delete(z, 3, axis=0), np.delete(y, 3)
    assert g.optimal_temperature(z, y) == pytest.approx(g.optimal_temperature(*rest), rel=1e-11)


@pytest.mark.parametrize("row", [(-300, -301, -302), (300, 299, 1), (-60, -61, -62), (80, 79, 1)])
def test_a_row_beyond_float32_in_a_block_of_others(row):
    """It is not in the sample of rows that is tried first."""
    rng = np.random.default_rng(5)
    z = (rng.normal(size=(400_000, 3)) * 3).astype(np.float32)
    z[7] = row
    y = rng.integers(3, size=len(z))
    assert g.log_loss(z, y) == pytest.approx(losses(z, y).mean(), abs=1e-8)
