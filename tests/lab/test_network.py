"""The network: what is shipped comes out again, and nothing of torch's global state is changed."""

import os
import pickle

import numpy as np
import pytest
import torch
from torch import nn

from glyphlab import dataset, generate, network
from glyphlab.dataset import DataFileError, data_path, load, load_predictions
from glyphlab.network import GlyphNet, gather_logits, load_checkpoint, save_checkpoint, train

FILE_OF = {
    "val": "val_preds.npz",
    "test": "test_preds.npz",
    "shifted": "shifted.npz",
    "two_class": "two_class.npz",
}


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory):
    """Return a directory with all files made anew: two trainings."""
    directory = tmp_path_factory.mktemp("rebuilt")
    network.rebuild(directory)
    return directory


@pytest.fixture
def images():
    return load().images[:7]


# What is shipped


def test_a_few_thousand_parameters():
    assert 1_000 < sum(p.numel() for p in GlyphNet().parameters()) < 10_000


@pytest.mark.parametrize("name", ["val", "test"])
def test_the_shipped_checkpoint_gives_the_shipped_logits(name):
    expected = load_predictions(name)
    logits = gather_logits(load_checkpoint(), load().images[expected.indices])
    np.testing.assert_allclose(logits, expected.logits, rtol=0, atol=1e-4)


def test_the_shipped_checkpoint_gives_the_logits_of_the_shifted_set():
    expected, drawing = load_predictions("shifted"), generate.draw_shifted()
    logits = gather_logits(load_checkpoint(), drawing.images)
    np.testing.assert_allclose(logits, expected.logits, rtol=0, atol=1e-4)
    assert np.array_equal(drawing.labels, expected.labels)
    assert np.array_equal(drawing.scene_id, expected.scene_id)


def test_the_two_class_set_is_what_the_generator_draws():
    expected, drawing = load_predictions("two_class"), generate.draw_two_class()
    assert np.array_equal(drawing.labels, expected.labels)
    assert np.array_equal(drawing.scene_id, expected.scene_id)


@pytest.mark.parametrize(("name", "filename"), FILE_OF.items())
def test_training_again_gives_the_shipped_logits(rebuilt, name, filename):
    expected = load_predictions(name).logits
    with np.load(rebuilt / filename) as file:
        logits = file["logits"]
    # Other instruction sets move them; on the machine that made the files they are equal.
    np.testing.assert_allclose(logits, expected, rtol=0, atol=0.1)
    if name in ("val", "test"):
        assert np.array_equal(logits.argmax(axis=1), expected.argmax(axis=1))


def test_a_rebuilt_directory_is_complete(rebuilt):
    assert {path.name for path in rebuilt.iterdir()} == {*dataset.FILES, dataset.CHECKSUMS}
    for filename in dataset.DRAWN_FILES:
        assert (rebuilt / filename).read_bytes() == data_path(filename).read_bytes()


def test_the_network_learnt(rebuilt):
    glyphs = load()
    training = glyphs.split == "train"
    logits = gather_logits(load_checkpoint(rebuilt / "model.pt"), glyphs.images[training])
    assert (logits.argmax(axis=1) == glyphs.labels[training]).mean() > 0.95


def test_write_run_takes_the_shipped_images(tmp_path):
    network.write_run(load_checkpoint(), tmp_path / "run")
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "model.pt",
        "val_preds.npz",
        "test_preds.npz",
    }
    for name in ("val", "test"):
        expected = load_predictions(name)
        predictions = dataset.read_predictions(tmp_path / "run" / f"{name}_preds.npz")
        assert np.array_equal(predictions.indices, expected.indices)
        np.testing.assert_allclose(predictions.logits, expected.logits, rtol=0, atol=1e-4)


# Training


def state(model):
    return {name: tensor.numpy() for name, tensor in model.state_dict().items()}


def test_training_depends_on_the_seed_alone(images):
    labels = load().labels[:7]
    torch.manual_seed(1)
    first = state(train(images, labels, seed=5, epochs=2))
    torch.manual_seed(2)
    again = state(train(images, labels, seed=5, epochs=2))
    other = state(train(images, labels, seed=6, epochs=2))
    for name in first:
        assert first[name].dtype == np.float32
        assert np.array_equal(first[name], again[name])
        assert not np.array_equal(first[name], other[name])


class Interruption(Exception):
    pass


@pytest.mark.parametrize("interrupted", [False, True])
def test_training_leaves_torch_as_it_was(images, interrupted):
    threads = torch.get_num_threads()
    seen = []

    def progress(epoch, epochs, loss):
        seen.append((torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()))
        if interrupted:
            raise Interruption

    torch.set_num_threads(3)
    random_state = torch.get_rng_state()
    try:
        if interrupted:
            with pytest.raises(Interruption):
                train(images, load().labels[:7], epochs=1, progress=progress)
        else:
            train(images, load().labels[:7], epochs=1, progress=progress)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(threads)
    assert seen == [(1, True)]
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.equal(torch.get_rng_state(), random_state)


def test_progress_is_told_after_each_epoch(images):
    calls = []
    train(images, load().labels[:7], epochs=3, progress=lambda *call: calls.append(call))
    assert [call[:2] for call in calls] == [(1, 3), (2, 3), (3, 3)]
    assert all(loss > 0 for _, _, loss in calls)


def test_training_does_not_change_its_arguments(images):
    labels = load().labels[:7]
    before = images.copy(), labels.copy()
    train(images, labels, epochs=1)
    assert np.array_equal(images, before[0])
    assert np.array_equal(labels, before[1])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.array([0, 1, 2, 0, 1, 2, 3]), r"from 0 to 2: labels\[6\] is 3"),
        (np.array([0, 1, 2, -1, 1, 2, 0]), r"from 0 to 2: labels\[3\] is -1"),
        (np.arange(6) % 3, r"labels must be 7 whole numbers"),
        (np.ones(7), r"labels must be 7 whole numbers, one an image, not float64"),
    ],
)
def test_wrong_labels_are_told(images, labels, message):
    with pytest.raises(ValueError, match=message):
        train(images, labels, epochs=1)


# Logits


class Recorder(nn.Module):
    """A model with dropout and batch normalisation that notes in which mode it was called."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(1)
        self.dropout = nn.Dropout(0.5)
        self.linear = nn.Linear(576, 3)
        self.calls = []

    def forward(self, x):
        self.calls.append((self.training, self.norm.training, torch.is_inference_mode_enabled()))
        return self.linear(self.dropout(self.norm(x)).flatten(1))


def test_logits_come_from_evaluation_and_inference_mode(images):
    model = Recorder()
    statistics = model.norm.running_mean.clone()
    first, second = gather_logits(model, images), gather_logits(model, images)
    assert model.calls == [(False, False, True)] * 2
    assert np.array_equal(first, second)
    assert first.dtype == np.float32
    assert first.shape == (7, 3)
    assert torch.equal(model.norm.running_mean, statistics)


@pytest.mark.parametrize(("whole", "part"), [(True, True), (False, False), (True, False)])
def test_every_part_is_afterwards_in_its_mode(images, whole, part):
    model = Recorder().train(whole)
    model.norm.train(part)
    gather_logits(model, images)
    assert (model.training, model.norm.training, model.dropout.training) == (whole, part, whole)


def test_modes_are_restored_after_a_failure(images):
    model = Recorder()
    model.linear = nn.Linear(5, 3)
    with pytest.raises(RuntimeError):
        gather_logits(model, images)
    assert model.training
    assert model.norm.training


def test_batches_do_not_matter(images):
    model = load_checkpoint()
    whole = gather_logits(model, images)
    np.testing.assert_allclose(gather_logits(model, images, batch_size=2), whole, atol=1e-4)


def test_logits_agree_with_a_forward_pass_by_hand(images):
    model = load_checkpoint()
    weights = state(model)
    x = (np.pad(images[:1, 0], ((0, 0), (2, 2), (2, 2)), constant_values=0.4) - 0.4) / 0.2
    x = convolve(x, weights["features.0.weight"], weights["features.0.bias"])
    x = x.reshape(8, 12, 2, 12, 2).max(axis=(2, 4))
    x = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    x = convolve(x, weights["features.3.weight"], weights["features.3.bias"])
    x = x.reshape(24, 3, 4, 3, 4).mean(axis=(2, 4))
    expected = weights["classifier.weight"] @ x.ravel() + weights["classifier.bias"]
    np.testing.assert_allclose(gather_logits(model, images[:1])[0], expected, atol=1e-4)


def convolve(x, weight, bias):
    """Cross-correlate channels x (C, H, W) with weight (D, C, k, k), add the bias, and rectify."""
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], axis=(1, 2))
    return np.maximum(np.einsum("chwij,dcij->dhw", windows, weight) + bias[:, None, None], 0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.zeros((5, 24, 24)), r"images must have shape \(N, 1, 24, 24\).*not \(5, 24, 24\)"),
        (np.zeros((0, 1, 24, 24)), r"N above 0"),
        (np.full((2, 1, 24, 24), 255), r"from 0 to 1: images\[0, 0, 0, 0\] is 255"),
        (np.full((2, 1, 24, 24), np.nan), r"from 0 to 1: images\[0, 0, 0, 0\] is nan"),
    ],
)
def test_wrong_images_are_told(wrong, message):
    with pytest.raises(ValueError, match=message):
        gather_logits(GlyphNet(), wrong)


# Checkpoints


def test_a_checkpoint_comes_back(tmp_path, images):
    model = GlyphNet()
    save_checkpoint(model, tmp_path / "model.pt")
    again = load_checkpoint(tmp_path / "model.pt")
    assert not again.training
    assert model.training
    assert np.array_equal(gather_logits(again, images), gather_logits(model, images))
    assert [path.name for path in tmp_path.iterdir()] == ["model.pt"]


class Attack:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (str(self.marker),)


@pytest.mark.parametrize("how", ["torch", "pickle"])
def test_a_checkpoint_cannot_run_code(tmp_path, how):
    path, marker = tmp_path / "model.pt", tmp_path / "marker"
    if how == "torch":
        torch.save({"features.0.weight": Attack(marker)}, path)
    else:
        path.write_bytes(pickle.dumps(Attack(marker)))
    with pytest.raises(DataFileError, match=r"model\.pt: not the weights of a GlyphNet"):
        load_checkpoint(path)
    assert not marker.exists()


def test_other_checkpoints_are_told(tmp_path):
    path = tmp_path / "model.pt"
    with pytest.raises(DataFileError, match=r"model\.pt: No such file"):
        load_checkpoint(path)
    path.write_bytes(b"rubbish")
    with pytest.raises(DataFileError, match=r"model\.pt: not the weights of a GlyphNet"):
        load_checkpoint(path)
    save_checkpoint(GlyphNet(num_classes=2), path)
    with pytest.raises(DataFileError, match=r"model\.pt: not the weights of a GlyphNet"):
        load_checkpoint(path)


def test_an_altered_shipped_checkpoint_is_refused(tmp_path, monkeypatch):
    for name in (*dataset.FILES, dataset.CHECKSUMS):
        (tmp_path / name).write_bytes(data_path(name).read_bytes())
    monkeypatch.setattr(dataset, "_DATA", tmp_path)
    save_checkpoint(GlyphNet(), tmp_path / "model.pt")
    with pytest.raises(DataFileError, match=r"model\.pt: altered: expected SHA-256"):
        load_checkpoint()
