"""Chapter 23.2, beyond one temperature: cells run silently, exact claims hold by other means."""

import re
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from scipy.special import log_softmax, softmax
from test_23_2_calibration import CELL, run, source_of

PAGE = Path(__file__).parents[2] / "book" / "23_2_beyond_one_temperature.md"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def executed(page: str) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return what the cells show, the names that they define, and what they glue."""
    glued: dict[str, Any] = {}
    stub = types.ModuleType("myst_nb")
    stub.glue = lambda name, value, display=True: glued.__setitem__(name, value)  # type: ignore[attr-defined]
    namespace: dict[str, Any] = {"__name__": "__main__"}
    backend = matplotlib.get_backend()
    matplotlib.use("agg")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")
        patch.setitem(sys.modules, "myst_nb", stub)
        shown = "\n".join(run(source_of(cell[1]), namespace) for cell in CELL.finditer(page))
    from matplotlib import pyplot as plt

    plt.close("all")
    matplotlib.use(backend)
    return shown, namespace, glued


@pytest.fixture(scope="module")
def names(executed: tuple[str, dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    return executed[1]


def test_each_glued_name_is_used_and_defined(page: str, executed: tuple[Any, Any, Any]) -> None:
    used = {name.partition(":")[0] for name in re.findall(r"\{glue:text\}`([^`]+)`", page)}
    used |= set(re.findall(r'alt: "glue:(\w+)"', page))
    assert used == set(executed[2])


def test_no_figure_lacks_its_numbers(page: str) -> None:
    figures = [m.start() for m in re.finditer(r"^  figure:$", page, re.MULTILINE)]
    tables = [m.start() for m in re.finditer(r"The numbers of (the|both) figure|AURC\"", page)]
    assert len(figures) == 7
    for start in figures:
        assert any(start < table < start + 3500 for table in tables), page[start : start + 90]


def test_the_generated_truth_is_the_posterior(names: dict[str, Any]) -> None:
    """Bayes' rule by densities, and classes drawn from it as often as it says."""
    prevalence = np.array([0.6, 0.3, 0.1])
    truth, y, scene = names["generated"](
        20_000, np.random.default_rng(5), strength=2.0, prevalence=prevalence
    )
    x = (truth - np.log(prevalence)) / 2.0
    density = np.exp(-0.5 * ((x[:, None, :] - 2.0 * np.eye(3)) ** 2).sum(axis=2)) * prevalence
    q = density / density.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(softmax(truth, axis=1), q, atol=1e-12)
    assert (y[::2] == y[1::2]).all()
    assert (scene[::2] == scene[1::2]).all()
    for k in range(3):
        for low, high in ((0.05, 0.2), (0.4, 0.6), (0.8, 0.95)):
            inside = (q[:, k] >= low) & (q[:, k] < high)
            gap = np.mean((y == k)[inside]) - q[inside, k].mean()
            assert abs(gap) < 4 * np.sqrt(0.5 / inside.sum())


def test_the_true_ece_is_that_of_a_large_sample(names: dict[str, Any]) -> None:
    """Averaged bin by bin over drawn views, where the page integrates."""
    truth, _, _ = names["generated"](250_000, np.random.default_rng(6))
    p, q = softmax(2 * truth, axis=1), softmax(truth, axis=1)
    gap = p.max(axis=1) - q[np.arange(len(q)), p.argmax(axis=1)]
    for bins in (5, 15):
        of_bins = np.bincount((p.max(axis=1) * bins).astype(int), gap)
        assert np.abs(of_bins).sum() / len(p) == pytest.approx(names["true_ece"], abs=4e-4)
    assert f"{names['true_ece']:.4f}" == "0.0701"


def test_odirs_loss_falls_without_end_along_the_diagonal(names: dict[str, Any]) -> None:
    """Where scales put every decision right: no penalty is paid on the way."""
    for (logits, labels), scales in zip(
        names["examples"].values(), ([1, 1, 1], [2, 1, 1]), strict=True
    ):
        z = np.asarray(logits) * scales
        losses = [
            -log_softmax(t * z, axis=1)[np.arange(len(z)), labels].mean() for t in (1, 10, 100)
        ]
        assert losses[0] > losses[1] > losses[2]
        assert losses[2] < 1e-6


def test_only_temperature_is_safe_by_construction() -> None:
    """The proof's examples: for other weights and biases some argmax changes."""

    def argmaxes(w: list[float], b: list[float], z: list[float]) -> tuple[int, int]:
        return int(np.argmax(z)), int(np.argmax(np.multiply(w, z) + b))

    before, after = argmaxes([1, 1, 1], [0, 0.5, 0], [0.01, 0, -1])
    assert (before, after) == (0, 1)
    before, after = argmaxes([1, 2, 1], [0, 0, 0], [1.001, 1, 0])
    assert (before, after) == (0, 1)
    before, after = argmaxes([2, 1, 1], [0, 0, 0], [-0.999, -1, -2])
    assert before == 0
    assert after != 0


def test_isotonic_example_of_the_proof(names: dict[str, Any]) -> None:
    logit = np.log(0.4 / 0.6)
    z = np.tile([0.0, logit], (5, 1))
    p = names["core"].IsotonicCalibration().fit(z, [1, 1, 1, 0, 0]).predict_proba(z)
    np.testing.assert_allclose(p[:, 1], 3 / 5)


def test_biases_fit_the_class_shares_exactly(names: dict[str, Any]) -> None:
    z, y = names["first"](names["pool"], 100)
    shares = np.bincount(y) / len(y)
    for calibrator in (names["core"].VectorScaling(), names["core"].MatrixScaling()):
        p = calibrator.fit(z, y).predict_proba(z)
        np.testing.assert_allclose(p.mean(axis=0), shares, atol=1e-6)


def test_vector_and_matrix_scaling_of_two_classes_are_one(names: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200, 2))
    y = (z[:, 1] - z[:, 0] + rng.logistic(size=200) > 0).astype(int)
    core = names["core"]
    vector, matrix = (
        c().fit(z, y).predict_proba(z) for c in (core.VectorScaling, core.MatrixScaling)
    )
    np.testing.assert_allclose(vector, matrix, atol=1e-6)


def test_the_distillation_gradient(names: dict[str, Any]) -> None:
    """Central differences of the cross-entropy between the softened distributions."""
    z, v, t, h = names["teacher"], names["student"], 4.0, 1e-6
    target = softmax(z / t)

    def loss(v: np.ndarray) -> float:
        return float(-(target @ log_softmax(v / t)))

    numeric = [(loss(v + h * e) - loss(v - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose((softmax(v / t) - target) / t, numeric, atol=1e-8)
    np.testing.assert_allclose(names["limit"], (v - v.mean() - z + z.mean()) / 3, atol=1e-12)


def test_the_additive_ece_is_the_ece(names: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    confidence, right = rng.random(300), rng.integers(2, size=300)
    for binning in (names["five"], names["ten"]):
        index = np.minimum((confidence * len(binning)).astype(int), len(binning) - 1)
        expected = sum(
            abs(confidence[index == m].mean() - right[index == m].mean()) * np.mean(index == m)
            for m in np.unique(index)
        )
        assert names["ece_statistic"](binning)(confidence, right) == pytest.approx(expected)


def test_classes_if_true_follow_the_probabilities_scene_by_scene(names: dict[str, Any]) -> None:
    rng = np.random.default_rng(2)
    p = np.tile([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]], (40_000, 1))
    drawn = names["classes_if_true"](p, np.repeat(np.arange(40_000), 2), rng)
    for view in (0, 1):
        shares = np.bincount(drawn[view::2], minlength=3) / 40_000
        np.testing.assert_allclose(shares, p[view], atol=0.012)
    same = names["classes_if_true"](
        np.repeat(p[::2], 2, axis=0), np.repeat(np.arange(40_000), 2), rng
    )
    assert (same[::2] == same[1::2]).all()


def test_fresh_scenes_are_not_the_shipped_ones(names: dict[str, Any]) -> None:
    """Pool and judge share no image with each other or with the course's own sets."""
    seen = [names["judge"], names["pool"], names["val"], names["test"]]
    rows = [{row.tobytes() for row in part.logits} for part in seen]
    for i, first in enumerate(rows):
        for second in rows[:i]:
            assert not first & second
