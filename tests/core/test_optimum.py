"""Newton's method inside a bracket: where it stops, and how often it asks."""

from math import e, exp, log

import numpy as np
import pytest

import glyphlab_core as g
from glyphlab_core import _logits, _optimum


def counted(derivatives):
    asked = []

    def derivative(beta):
        asked.append(beta)
        return derivatives(beta)

    return derivative, asked


@pytest.mark.parametrize("root", [1e-3, 0.7, 1.0, 40.0])
@pytest.mark.parametrize("start", [1e-4, 0.5, 1.0, 300.0])
@pytest.mark.parametrize("error", [1e-6, 1e-14, 1e-20])
def test_the_error_is_the_one_asked_for(root, start, error):
    derivative, asked = counted(lambda b: (log(b / root), 1 / b))
    found = _optimum.newton(derivative, start, error)
    assert abs(found / root - 1) < 3 * error + 1e-15
    assert len(asked) < 40


def test_the_curvature_before_saves_a_round():
    derivative, asked = counted(lambda b: (exp(b) - e, exp(b)))
    found = _optimum.newton(derivative, 1.002, 1e-14)
    # Steps of 2e-3 and 2e-6; Newton's error alone would be 2e-12 after them.
    assert len(asked) == 2
    assert found == pytest.approx(1, abs=3e-15)


def test_a_single_round_is_enough_only_for_a_small_step():
    for start, rounds in ((1 + 1e-8, 1), (1 + 1e-6, 2)):
        derivative, asked = counted(lambda b: (exp(b) - e, exp(b)))
        assert _optimum.newton(derivative, start, 1e-14) == pytest.approx(1, abs=1e-14)
        assert len(asked) == rounds


def test_a_curvature_that_vanishes_does_not_stop_it():
    found = _optimum.newton(lambda b: ((b - 3) ** 3, 3 * (b - 3) ** 2), 1.0, 1e-14)
    assert found == pytest.approx(3, abs=1e-4)  # a threefold root: steps shrink by a third only
    found = _optimum.newton(lambda b: (-1.0 if b < 5 else 1.0, 0.0), 1.0, 1e-14)
    assert found == pytest.approx(5, abs=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_large_data_are_passed_over_two_or_three_times(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    z = (3 * rng.standard_normal((6000, 1000))).astype(np.float32)
    y = (z / 1.7 + rng.gumbel(size=z.shape)).argmax(axis=1)
    seen = []
    real = _logits.mean_derivatives

    def counting(data, beta):
        seen.append(len(data.y))
        return real(data, beta)

    monkeypatch.setattr(_logits, "mean_derivatives", counting)
    t = g.optimal_temperature(z, y)
    assert 2 <= seen.count(6000) <= 3
    assert abs(g.temperature_gradient(z, y, t)) < 1e-13
