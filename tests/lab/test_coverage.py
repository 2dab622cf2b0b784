"""The scene is the unit: how often the two kinds of interval contain the truth, on drawn scenes."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

_SOURCE = Path(__file__).parents[2] / "benchmarks" / "coverage.py"


@pytest.fixture(scope="module")
def coverage():
    spec = importlib.util.spec_from_file_location("coverage_benchmark", _SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_where_both_images_agree_the_image_interval_is_too_short(coverage):
    one = np.random.default_rng(0).random(4000) < 0.9
    result = coverage.measure(np.column_stack([one, one]), 150, tests=200)
    assert result.width_by_image == pytest.approx(result.width_by_scene / np.sqrt(2), rel=0.03)
    assert result.by_image < 0.88  # Φ(1.96/√2) is 0.834
    assert 0.9 < result.by_scene < 0.98


def test_where_images_are_independent_both_are_alike(coverage):
    correct = np.random.default_rng(0).random((4000, 2)) < 0.9
    result = coverage.measure(correct, 150, tests=200)
    assert result.width_by_image == pytest.approx(result.width_by_scene, rel=0.03)
    assert abs(result.by_image - result.by_scene) < 0.03


@pytest.mark.check_all
def test_on_newly_drawn_scenes(coverage):
    correct = coverage.correct_images()
    assert coverage.correlation(correct) > 0.1
    rows = [coverage.measure(correct, size) for size in coverage.SIZES]
    for row in rows:
        assert row.by_scene > row.by_image
        assert row.width_by_scene > row.width_by_image
    assert rows[-1].by_scene == pytest.approx(0.95, abs=0.02)
    assert rows[0].by_scene < 0.93  # with GlyphLab's 30 scenes even this interval is too short
