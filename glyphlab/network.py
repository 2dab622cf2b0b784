"""The GlyphLab network: a small CNN in torch, its training, checkpoints, logits and temperature.

The only module of the lab that imports torch.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn

from glyphlab import dataset, generate
from glyphlab.dataset import DataFileError, Glyphs
from glyphlab.generate import CLASS_NAMES, IMAGE_SIZE, SEED
from glyphlab_core import optimal_temperature

EPOCHS = 40
BATCH_SIZE = 16
LEARNING_RATE = 3e-3

Progress = Callable[[int, int, float], None]
"""Called after each epoch with its number (from 1), how many there are and the mean loss in it."""


class GlyphNet(nn.Module):
    """Two convolutions, two poolings and one linear layer: a few thousand parameters.

    The network takes pixels in [0, 1] and centres them itself, so that training, evaluation and
    every notebook preprocess alike.

    Parameters
    ----------
    num_classes : int
        How many logits an image gets.

    Examples
    --------
    >>> network = GlyphNet()
    >>> sum(parameter.numel() for parameter in network.parameters())
    2611
    >>> network(torch.zeros(5, 1, 24, 24)).shape
    torch.Size([5, 3])
    """

    def __init__(self, num_classes: int = len(CLASS_NAMES)) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, kernel_size=5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 24, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.AvgPool2d(4),
        )
        self.classifier = nn.Linear(24 * (IMAGE_SIZE // 8) ** 2, num_classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return the logits.

        Parameters
        ----------
        images : torch.Tensor, shape (N, 1, 24, 24)
            Pixels in [0, 1].

        Returns
        -------
        torch.Tensor, shape (N, num_classes)
        """
        centred = (images - 0.4) / 0.2
        logits: torch.Tensor = self.classifier(self.features(centred).flatten(start_dim=1))
        return logits


def train(
    images: NDArray[np.float32],
    labels: NDArray[np.int64],
    *,
    num_classes: int = len(CLASS_NAMES),
    seed: int = SEED,
    epochs: int = EPOCHS,
    progress: Progress | None = None,
) -> GlyphNet:
    """Train a `GlyphNet` to the end, with no regularisation and no early stopping.

    It runs on one thread and in double precision, so that a machine whose instruction set rounds
    otherwise arrives at the same network: every step magnifies such differences, and those of
    single precision end up in the first decimal of a logit. The number of threads, torch's random
    state and its choice of algorithms are afterwards as they were.

    Parameters
    ----------
    images : ndarray, shape (N, 1, 24, 24)
        Pixels in [0, 1].
    labels : ndarray of int, shape (N,)
        Class of each image.
    num_classes : int
        How many logits an image gets.
    seed : int
        Seed of the initial weights and of the order of the images.
    epochs : int
        How many times each image is seen.
    progress : callable, optional
        Called after each epoch with its number (from 1), `epochs` and the mean loss in it.

    Returns
    -------
    GlyphNet
        In single precision and evaluation mode.

    Raises
    ------
    ValueError
        If images are not of this shape and range, or labels not whole numbers below `num_classes`,
        one an image.
    """
    with _reproducible(seed):
        network = GlyphNet(num_classes).double()
        network.apply(_draw_weights)
        optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
        inputs = torch.as_tensor(_checked_images(images), dtype=torch.float64)
        targets = torch.as_tensor(_checked_labels(labels, len(inputs), num_classes))
        for epoch in range(1, epochs + 1):
            total = 0.0
            for batch in torch.split(torch.randperm(len(targets)), BATCH_SIZE):
                optimiser.zero_grad()
                loss = nn.functional.cross_entropy(network(inputs[batch]), targets[batch])
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                total += loss.item() * len(batch)
            if progress is not None:
                progress(epoch, epochs, total / len(targets))
        return network.float().eval()


def gather_logits(
    model: nn.Module, images: NDArray[np.floating], *, batch_size: int = 256
) -> NDArray[np.float32]:
    """Return the logits of a model in evaluation mode, without recording gradients.

    Evaluation mode matters where a model has dropout or batch normalisation: in training mode the
    one makes logits random, the other lets images of a batch influence each other and changes its
    running statistics even without gradients. Every part of the model is afterwards in the mode in
    which it was.

    Parameters
    ----------
    model : torch.nn.Module
        Takes images and returns logits (N, K).
    images : ndarray, shape (N, 1, 24, 24)
        Pixels in [0, 1].
    batch_size : int
        How many images go through the model at a time.

    Returns
    -------
    ndarray of float32, shape (N, K)

    Raises
    ------
    ValueError
        If images are not of this shape and range.

    Examples
    --------
    >>> gather_logits(GlyphNet(), np.zeros((5, 1, 24, 24), dtype=np.float32)).shape
    (5, 3)
    """
    parameter = next(model.parameters(), torch.zeros(0))
    inputs = torch.as_tensor(_checked_images(images), dtype=parameter.dtype)
    with _evaluation_mode(model), torch.inference_mode():
        batches = [
            model(batch.to(parameter.device)).cpu() for batch in torch.split(inputs, batch_size)
        ]
    logits: NDArray[np.float32] = torch.cat(batches).float().numpy()
    return logits


class TrainedTemperature(nn.Module):
    """A model whose logits are divided by a temperature that torch has trained.

    Training moves u = log T, so that T = exp(u) is above 0 wherever the optimiser goes. The model
    is left as it is, and as u is a buffer and no parameter, training the model leaves T as it is.

    Parameters
    ----------
    model : torch.nn.Module
        Takes images and returns logits (N, K).

    Attributes
    ----------
    temperature : float
        T; 1 until it is fitted.

    Notes
    -----
    Chapter 23.2, beyond one temperature, and errata E16. T does not depend on the weights, so the
    logits are computed once, in evaluation mode. A problem in one dimension is left, which LBFGS
    with a line search solves in double precision until the loss no longer changes: T is then right
    to about eight digits.

    Examples
    --------
    >>> glyphs = dataset.load()
    >>> val = glyphs.split == "val"
    >>> calibrated = TrainedTemperature(load_checkpoint())
    >>> calibrated.fit(glyphs.images[val], glyphs.labels[val]).temperature > 1
    True
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        self.log_temperature: torch.Tensor
        self.register_buffer("log_temperature", torch.zeros((), dtype=torch.float64))

    @property
    def temperature(self) -> float:
        """T = exp(u)."""
        return float(self.log_temperature.exp())

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return the model's logits divided by T, of their own type."""
        logits: torch.Tensor = self.model(images)
        return logits / self.log_temperature.exp().to(logits)

    def fit(self, images: NDArray[np.floating], labels: NDArray[np.int64]) -> TrainedTemperature:
        """Train T on images that the model has not been trained on.

        Parameters
        ----------
        images : ndarray, shape (N, 1, 24, 24)
            Pixels in [0, 1].
        labels : ndarray of int, shape (N,)
            Class of each image.

        Returns
        -------
        TrainedTemperature
            Itself.

        Raises
        ------
        ValueError
            Images of another shape or range, or labels that do not fit the logits.
        NoOptimumError
            No finite temperature above 0 is best.
        """
        return self.fit_logits(gather_logits(self.model, images), labels)

    def fit_logits(self, logits: ArrayLike, labels: ArrayLike) -> TrainedTemperature:
        """Train T on logits of the model, (N, K), and labels, (N,); otherwise as `fit`."""
        optimal_temperature(logits, labels)  # refuses what is no logits, or has no optimum
        z, y = _as_tensors(logits, labels, torch.float64)
        u = torch.zeros((), dtype=torch.float64, requires_grad=True)
        optimiser = torch.optim.LBFGS(
            [u],
            max_iter=200,
            tolerance_grad=1e-13,
            tolerance_change=0,
            line_search_fn="strong_wolfe",
        )

        def loss() -> torch.Tensor:
            optimiser.zero_grad()
            value = nn.functional.cross_entropy(z / u.exp(), y)
            value.backward()  # type: ignore[no-untyped-call]
            return value

        optimiser.step(loss)  # type: ignore[no-untyped-call]
        self.log_temperature.copy_(u.detach())
        return self


def unfinished_temperatures(
    logits: ArrayLike,
    labels: ArrayLike,
    optimiser: Literal["sgd", "lbfgs"] = "lbfgs",
    *,
    learning_rate: float = 0.01,
    steps: int = 100,
) -> list[float]:
    """Show where a widespread way to train a temperature has got to, step by step.

    T itself is the parameter, nothing keeps it above 0, and steps have a fixed size: errata E16
    and E43. To be looked at; `TrainedTemperature` or `glyphlab_core.optimal_temperature` fits.

    Parameters
    ----------
    logits : array_like, shape (N, K)
        In single precision from here on, as networks give them.
    labels : array_like, shape (N,)
        True classes.
    optimiser : {"sgd", "lbfgs"}
        torch's; a step of LBFGS is a call with up to a hundred iterations and no line search.
    learning_rate : float
        The same for both.
    steps : int
        How many.

    Returns
    -------
    list of float, length steps + 1
        T at the start, 1, and after each step.

    Raises
    ------
    ValueError
        An unknown optimiser, or as `TrainedTemperature.fit`.

    Examples
    --------
    >>> from glyphlab_core import worked
    >>> round(unfinished_temperatures(worked.Z, worked.y, "sgd")[-1], 3)
    0.85
    >>> round(unfinished_temperatures(worked.Z, worked.y, "lbfgs", steps=1)[-1], 3)
    0.763
    >>> round(optimal_temperature(worked.Z, worked.y), 4)
    0.7045
    """
    optimal_temperature(logits, labels)
    z, y = _as_tensors(logits, labels, torch.float32)
    temperature = nn.Parameter(torch.ones(1))
    trainer: torch.optim.Optimizer
    if optimiser == "sgd":
        trainer = torch.optim.SGD([temperature], lr=learning_rate)
    elif optimiser == "lbfgs":
        trainer = torch.optim.LBFGS([temperature], lr=learning_rate, max_iter=100)
    else:
        raise ValueError(f"optimiser must be 'sgd' or 'lbfgs', not {optimiser!r}")

    def loss() -> torch.Tensor:
        trainer.zero_grad()
        value = nn.functional.cross_entropy(z / temperature, y)
        value.backward()  # type: ignore[no-untyped-call]
        return value

    path = [1.0]
    for _ in range(steps):
        trainer.step(loss)  # type: ignore[no-untyped-call]
        path.append(temperature.item())
    return path


def _as_tensors(
    logits: ArrayLike, labels: ArrayLike, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor]:
    """Checked logits and labels as tensors of their own."""
    if isinstance(logits, torch.Tensor):
        logits = logits.detach().cpu()
    return torch.tensor(logits, dtype=dtype), torch.tensor(np.asarray(labels), dtype=torch.int64)


def save_checkpoint(model: nn.Module, path: str | os.PathLike[str]) -> None:
    """Save a model's weights, whole or not at all.

    Parameters
    ----------
    model : torch.nn.Module
        Its `state_dict` is saved.
    path : path
        File to write; an old one is replaced.
    """
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    dataset.write_bytes(path, buffer.getvalue())


def load_checkpoint(path: str | os.PathLike[str] | None = None) -> GlyphNet:
    """Load a three-class `GlyphNet` in evaluation mode.

    Parameters
    ----------
    path : path, optional
        A file that `save_checkpoint` wrote; the shipped one, its checksum checked, by default. It
        is read with `weights_only=True`: a checkpoint cannot run code.

    Returns
    -------
    GlyphNet

    Raises
    ------
    DataFileError
        If the file cannot be read or does not hold the weights of a `GlyphNet`.

    Examples
    --------
    >>> load_checkpoint().training
    False
    """
    content = dataset.read_checked("model.pt") if path is None else dataset.read_bytes(path)
    model = GlyphNet()
    try:
        model.load_state_dict(torch.load(io.BytesIO(content), weights_only=True))
    except Exception as error:  # torch raises whatever the unpickler, the zip reader and itself do
        raise DataFileError(f"{path or 'model.pt'}: not the weights of a GlyphNet") from error
    return model.eval()


def write_run(
    model: nn.Module, directory: str | os.PathLike[str], glyphs: Glyphs | None = None
) -> None:
    """Write what a training leaves: `model.pt`, `val_preds.npz` and `test_preds.npz`.

    Parameters
    ----------
    model : torch.nn.Module
        A three-class model.
    directory : path
        Where to write; made if missing. Files of these names are replaced.
    glyphs : Glyphs, optional
        The images; the shipped ones by default.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    glyphs = dataset.load() if glyphs is None else glyphs
    save_checkpoint(model, directory / "model.pt")
    for split in ("val", "test"):
        indices = np.flatnonzero(glyphs.split == split)
        dataset.write_predictions(
            directory / f"{split}_preds.npz",
            {"indices": indices, "logits": gather_logits(model, glyphs.images[indices])},
        )


def rebuild(directory: str | os.PathLike[str]) -> None:
    """Make every GlyphLab file anew: draw, train both networks, evaluate, write the checksums.

    This is how the shipped files were made. On another machine the drawn files come out equal byte
    by byte, logits to about 1e-5.

    Parameters
    ----------
    directory : path
        Where to write; made if missing. Files of these names are replaced.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for filename, content in dataset.drawn_files().items():
        dataset.write_bytes(directory / filename, content)

    drawing, split = generate.draw_glyphlab()
    glyphs = Glyphs(drawing.images, drawing.labels, drawing.scene_id, drawing.view, split)
    training = split == "train"
    model = train(glyphs.images[training], glyphs.labels[training])
    write_run(model, directory, glyphs)
    _write_own_set(model, generate.draw_shifted(), directory / "shifted.npz")

    lessons = generate.draw_two_class(training=True)
    model = train(lessons.images, lessons.labels, num_classes=2)
    _write_own_set(model, generate.draw_two_class(), directory / "two_class.npz")
    dataset.write_checksums(directory)


def _write_own_set(model: nn.Module, drawing: generate.Drawing, path: Path) -> None:
    dataset.write_predictions(
        path,
        {
            "indices": np.arange(len(drawing.labels)),
            "logits": gather_logits(model, drawing.images),
            "labels": drawing.labels,
            "scene_id": drawing.scene_id,
        },
    )


def _checked_images(images: NDArray[np.floating]) -> NDArray[np.float64]:
    pixels = np.ascontiguousarray(images, dtype=np.float64)
    if pixels.ndim != 4 or pixels.shape[1:] != (1, IMAGE_SIZE, IMAGE_SIZE) or len(pixels) == 0:
        raise ValueError(
            f"images must have shape (N, 1, {IMAGE_SIZE}, {IMAGE_SIZE}), N above 0, "
            f"not {pixels.shape}"
        )
    outside = np.argwhere(~((pixels >= 0) & (pixels <= 1)))
    if len(outside) > 0:
        place = tuple(int(i) for i in outside[0])
        raise ValueError(f"images must be from 0 to 1: images{list(place)} is {pixels[place]}")
    return pixels


def _checked_labels(
    labels: NDArray[np.int64], n_images: int, num_classes: int
) -> NDArray[np.int64]:
    array = np.asarray(labels)
    if array.shape != (n_images,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"labels must be {n_images} whole numbers, one an image, "
            f"not {array.dtype} of shape {array.shape}"
        )
    outside = np.flatnonzero((array < 0) | (array >= num_classes))
    if len(outside) > 0:
        raise ValueError(
            f"labels must be from 0 to {num_classes - 1}: "
            f"labels[{outside[0]}] is {array[outside[0]]}"
        )
    return array.astype(np.int64)


def _draw_weights(module: nn.Module) -> None:
    """Draw torch's usual initial weights again, in the precision that the module has by now."""
    if isinstance(module, (nn.Conv2d, nn.Linear)):
        module.reset_parameters()


@contextmanager
def _evaluation_mode(model: nn.Module) -> Iterator[None]:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training


@contextmanager
def _reproducible(seed: int) -> Iterator[None]:
    """Run on one thread, with deterministic algorithms and a seeded generator; put all back."""
    threads = torch.get_num_threads()
    deterministic = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    with torch.random.fork_rng(devices=[]):
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)
        torch.manual_seed(seed)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
            torch.use_deterministic_algorithms(deterministic, warn_only=warn_only)
