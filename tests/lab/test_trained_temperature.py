"""The temperature trained by torch: exact, above 0, and nothing else is touched."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from glyphlab.dataset import load, load_predictions
from glyphlab.expected import number
from glyphlab.network import (
    TrainedTemperature,
    gather_logits,
    load_checkpoint,
    unfinished_temperatures,
)
from glyphlab_core import NoOptimumError, log_loss, optimal_temperature, softmax, worked


@pytest.fixture(scope="module")
def val():
    glyphs = load()
    inside = glyphs.split == "val"
    return glyphs.images[inside], glyphs.labels[inside]


class Noisy(nn.Module):
    """A model that is random in training mode and counts how often it is called."""

    def __init__(self):
        super().__init__()
        self.calls = 0
        self.inner = nn.Sequential(nn.Flatten(), nn.BatchNorm1d(576), nn.Dropout(0.5))
        self.last = nn.Linear(576, 3)

    def forward(self, images):
        self.calls += 1
        return self.last(self.inner(images))


@pytest.mark.parametrize("name", ["val", "test", "shifted", "two_class"])
def test_it_reaches_the_exact_optimum(name):
    data = load_predictions(name)
    trained = TrainedTemperature(nn.Identity()).fit_logits(data.logits, data.labels)
    best = optimal_temperature(data.logits, data.labels)
    assert trained.temperature == pytest.approx(best, rel=1e-7)
    losses = [log_loss(data.logits, data.labels, t) for t in (trained.temperature, best)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-14)


def test_it_reaches_the_optimum_of_the_three_samples():
    trained = TrainedTemperature(nn.Identity()).fit_logits(worked.Z, worked.y)
    assert trained.temperature == pytest.approx(number("three_samples.T_star"), rel=1e-7)


@pytest.mark.parametrize("unit", [1e-4, 0.3, 1e4])
def test_it_reaches_the_optimum_in_any_unit(unit):
    trained = TrainedTemperature(nn.Identity()).fit_logits(worked.Z * unit, worked.y)
    assert trained.temperature == pytest.approx(number("three_samples.T_star") * unit, rel=1e-7)


def test_images_go_through_the_model_once_and_in_evaluation_mode(val):
    torch.manual_seed(0)
    model = Noisy().train()
    before = copy.deepcopy(model.state_dict())
    images, labels = val[0], gather_logits(model, val[0]).argmax(axis=1)
    labels[::3] = (labels[::3] + 1) % 3  # right two times of three
    model.calls = 0
    trained = TrainedTemperature(model).fit(images, labels)
    assert model.calls == 1
    assert model.training
    assert all(p.requires_grad and p.grad is None for p in model.parameters())
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name])
    expected = optimal_temperature(gather_logits(model, images), labels)
    assert trained.temperature == pytest.approx(expected, rel=1e-7)


def test_forward_divides_the_logits(val):
    images, labels = val
    trained = TrainedTemperature(load_checkpoint()).fit(images, labels)
    logits = gather_logits(load_checkpoint(), images)
    calibrated = gather_logits(trained, images)
    np.testing.assert_allclose(calibrated, logits / trained.temperature, rtol=1e-5, atol=1e-6)
    assert trained(torch.tensor(images)).dtype == torch.float32
    np.testing.assert_array_equal(calibrated.argmax(axis=1), logits.argmax(axis=1))
    np.testing.assert_allclose(softmax(calibrated), softmax(logits, trained.temperature), atol=1e-6)


def test_it_is_saved_with_the_model(val, tmp_path):
    trained = TrainedTemperature(load_checkpoint()).fit(*val)
    torch.save(trained.state_dict(), tmp_path / "calibrated.pt")
    again = TrainedTemperature(load_checkpoint())
    assert again.temperature == 1
    again.load_state_dict(torch.load(tmp_path / "calibrated.pt", weights_only=True))
    assert again.temperature == trained.temperature


def test_fitting_again_forgets():
    trained = TrainedTemperature(nn.Identity()).fit_logits(100 * worked.Z, worked.y)
    trained.fit_logits(worked.Z, worked.y)
    fresh = TrainedTemperature(nn.Identity()).fit_logits(worked.Z, worked.y)
    assert trained.temperature == fresh.temperature


@pytest.mark.parametrize(
    ("logits", "limit"), [([[2.0, 0], [0, 1]], 0), ([[2.0, 0], [3, 1]], np.inf)]
)
def test_without_an_optimum_it_says_so_and_stays(logits, limit):
    labels = [0, 1]
    trained = TrainedTemperature(nn.Identity())
    for call in (trained.fit_logits, unfinished_temperatures):
        with pytest.raises(NoOptimumError) as caught:
            call(logits, labels)
        assert caught.value.limit == limit
    assert trained.temperature == 1


def test_bad_input(val):
    images, labels = val
    trained = TrainedTemperature(load_checkpoint())
    with pytest.raises(ValueError, match="images must have shape"):
        trained.fit(images[0], labels)
    with pytest.raises(ValueError, match=r"y\[0\] is 3"):
        trained.fit(images, labels * 0 + 3)
    with pytest.raises(ValueError, match="optimiser must be 'sgd' or 'lbfgs', not 'adam'"):
        unfinished_temperatures(worked.Z, worked.y, "adam")


# What the widespread loop reaches: errata E16 and E43


def test_a_hundred_small_steps_do_not_arrive():
    sgd = unfinished_temperatures(worked.Z, worked.y, "sgd")
    assert len(sgd) == 101
    assert sgd[0] == 1
    assert sgd[-1] == pytest.approx(0.850, abs=5e-4)
    lbfgs = unfinished_temperatures(worked.Z, worked.y, "lbfgs")
    assert lbfgs[1] == pytest.approx(0.763, abs=5e-4)
    # Even a hundred calls of a hundred iterations leave the fourth digit wrong.
    assert lbfgs[-1] == pytest.approx(number("three_samples.T_star"), abs=1e-3)
    assert lbfgs[-1] != pytest.approx(number("three_samples.T_star"), abs=1e-4)


def test_sgd_follows_the_gradient():
    t, path = 1.0, [1.0]
    for _ in range(20):
        rows = np.exp(worked.Z / t)
        mean = (rows * worked.Z).sum(axis=1) / rows.sum(axis=1)
        t -= 0.01 * np.mean(worked.Z[range(3), worked.y] - mean) / t**2
        path.append(t)
    np.testing.assert_allclose(
        unfinished_temperatures(worked.Z, worked.y, "sgd", steps=20), path, rtol=1e-5
    )


def test_nothing_keeps_such_a_temperature_above_zero():
    path = unfinished_temperatures(0.3 * worked.Z, worked.y, "lbfgs", steps=4)
    assert path[-1] < 0
    trained = TrainedTemperature(nn.Identity()).fit_logits(0.3 * worked.Z, worked.y)
    assert trained.temperature > 0
