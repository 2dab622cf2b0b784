"""The quick sums: right where they answer, and no answer where they would not be right."""

import numpy as np
import pytest

from glyphlab_core import _direct

from . import reference

Z = np.array([[2.0, 0.5, -0.5], [0.25, 1.75, -0.25], [3.0, 1.5, 0.25], [-15.0, -16.0, -14.5]])
Y = np.array([0, 1, 1, 2])


def losses(z, y, beta):
    return _direct.losses(z, y, beta, np.empty_like(z))


def derivatives(z, y, beta):
    return _direct.derivatives(z, y, beta, np.empty_like(z))


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 1e-6), (np.float64, 1e-13)])
def test_losses(beta, dtype, error):
    wanted = [
        float(reference.log_loss([z], [y], 1 / beta)) for z, y in zip(Z.tolist(), Y, strict=True)
    ]
    found = losses(Z.astype(dtype), Y, beta)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, wanted, rtol=error, atol=error)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_derivatives(beta):
    slope, curvature = derivatives(Z, Y, beta)
    for i, (z, y) in enumerate(zip(Z.tolist(), Y, strict=True)):
        p = reference.softmax([z], 1 / reference.MP.mpf(beta))[0]
        mean = sum(a * b for a, b in zip(p, z, strict=True))
        square = sum(a * (b - mean) ** 2 for a, b in zip(p, z, strict=True))
        assert slope[i] == pytest.approx(float(mean - z[y]), rel=1e-12)
        assert curvature[i] == pytest.approx(float(square), rel=1e-10)


def test_the_logits_stay_as_they_were():
    for function in (losses, derivatives):
        z = Z.copy()
        function(z, Y, 0.5)
        np.testing.assert_array_equal(z, Z)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("beta", [0.5, 1.0])
@pytest.mark.parametrize("row", [0, 2])
@pytest.mark.parametrize(
    "bad",
    [
        (np.nan, 0, 0),
        (np.inf, 0, 0),
        (-np.inf, -np.inf, -np.inf),
        (2000, 0, 0),  # too large for exp
        (-2000, -2001, -2002),  # too small
    ],
)
def test_no_answer(dtype, beta, row, bad):
    z = Z[:3].astype(dtype)
    z[row] = bad
    assert losses(z, Y[:3], beta) is None
    if dtype == np.float64:
        assert derivatives(z, Y[:3], beta) is None


def test_a_masked_class_has_a_loss_but_no_derivative():
    z = np.array([[2.0, 0.5, -np.inf], [0.25, 1.75, -0.25]])
    wanted = [float(np.log1p(np.exp(-1.5))), float(reference.log_loss(Z[1:2].tolist(), [1]))]
    np.testing.assert_allclose(losses(z, Y[:2], 1.0), wanted, rtol=1e-13)
    assert derivatives(z, Y[:2], 1.0) is None


def test_squares_that_overflow_have_no_answer():
    z = np.array([[5e89, 0.0], [0.0, 1.0]])
    assert derivatives(z, Y[:2], 1e-87) is None  # exp(500) (5e89)²
    assert derivatives(z, Y[:2], 1e-90) is not None
