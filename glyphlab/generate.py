"""Draw the GlyphLab images: one stroke an image, the same on every machine.

A scene is one stroke: its class, angle, length, width and contrast, on a background. A view of it
moves the stroke a little, breaks it and adds noise of its own. What describes a drawing is drawn as
whole numbers, the arithmetic is +, −, ×, ÷ and comparisons, which IEEE 754 rounds alike everywhere,
and a pixel is a whole number of 255ths: no rounding difference of a mathematics library reaches a
file. What could is another stream of numbers in a later NumPy; the shipped files are the reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CLASS_NAMES = ("vertical", "horizontal", "diagonal")
DIAGONAL = CLASS_NAMES.index("diagonal")
SPLITS = ("train", "val", "test")
IMAGE_SIZE = 24
VIEWS = 2

SEED = 20261020
"""The seed of the shipped files."""

SHIFTED_SCENES = 150
SHIFTED_PREVALENCE = (0.6, 0.3, 0.1)
TWO_CLASS_SCENES = 1_000
TWO_CLASS_TRAINING_SCENES = 200
TWO_CLASS_PREVALENCE = 0.1

_TRAINING_SCENES_PER_CLASS = 40
_EVALUATION_SCENES_PER_CLASS = 10
_STREAMS = ("glyphlab", "shifted", "two_class", "two_class_training")


@dataclass(frozen=True)
class Difficulty:
    """How hard the drawings are: ranges are whole numbers, both ends included.

    Parameters
    ----------
    axis_tilt : int
        Vertical and horizontal strokes lean at most this far from their axis, in tenths of a
        degree.
    diagonal_tilt : int
        Diagonal strokes lean at least this far from both axes, in tenths of a degree.
    contrast : tuple of int
        Brightness of the stroke above the background, in 255ths.
    noise : tuple of int
        Standard deviation of the noise of a pixel, in 255ths.
    half_length : tuple of int
        Half the stroke's length, in tenths of a pixel.
    gaps : tuple of int
        How many times a view breaks the stroke.
    """

    axis_tilt: int = 120
    diagonal_tilt: int = 180
    contrast: tuple[int, int] = (80, 150)
    noise: tuple[int, int] = (20, 40)
    half_length: tuple[int, int] = (55, 88)
    gaps: tuple[int, int] = (0, 2)


SHIPPED_DIFFICULTY = Difficulty()


@dataclass(frozen=True)
class Drawing:
    """Images and what they show, image by image; the two views of a scene stand side by side.

    Attributes
    ----------
    images : ndarray of float32, shape (N, 1, 24, 24)
        Pixels in [0, 1], each a whole number of 255ths.
    labels, scene_id, view : ndarray of int64, shape (N,)
        Class, scene and view (0 or 1) of each image.
    attributes : dict of str to ndarray of int64, shape (N,)
        How each image was drawn, in the units that `Difficulty` states.
    """

    images: NDArray[np.float32]
    labels: NDArray[np.int64]
    scene_id: NDArray[np.int64]
    view: NDArray[np.int64]
    attributes: dict[str, NDArray[np.int64]]


def draw_glyphlab(
    seed: int = SEED, difficulty: Difficulty = SHIPPED_DIFFICULTY
) -> tuple[Drawing, NDArray[np.str_]]:
    """Draw the 180 scenes of GlyphLab and split them.

    Parameters
    ----------
    seed : int
        Seed of the generator; the shipped files come from `SEED`.
    difficulty : Difficulty
        How hard the drawings are.

    Returns
    -------
    drawing : Drawing
        360 images, 60 scenes of each class, scenes in random order.
    split : ndarray of str, shape (360,)
        "train", "val" or "test"; a scene is in one split, and the classes are equally frequent in
        each.

    Examples
    --------
    >>> drawing, split = draw_glyphlab(seed=1)
    >>> drawing.images.shape, int((split == "train").sum())
    ((360, 1, 24, 24), 240)
    """
    rng = _generator(seed, "glyphlab")
    sizes = (
        _TRAINING_SCENES_PER_CLASS,
        _EVALUATION_SCENES_PER_CLASS,
        _EVALUATION_SCENES_PER_CLASS,
    )
    scenes = [
        (label, split)
        for label in range(len(CLASS_NAMES))
        for split, size in zip(SPLITS, sizes, strict=True)
        for _ in range(size)
    ]
    scenes = [scenes[i] for i in rng.permutation(len(scenes))]
    drawing = draw_scenes([label for label, _ in scenes], rng, difficulty)
    return drawing, np.repeat([split for _, split in scenes], VIEWS)


def draw_shifted(seed: int = SEED, difficulty: Difficulty = SHIPPED_DIFFICULTY) -> Drawing:
    """Draw the set whose prevalence is 0.6, 0.3, 0.1 instead of a third each.

    Parameters
    ----------
    seed, difficulty
        As in `draw_glyphlab`; the images differ from its images.

    Returns
    -------
    Drawing
        300 images of 150 scenes: 90 vertical, 45 horizontal, 15 diagonal scenes.

    Examples
    --------
    >>> np.bincount(draw_shifted().labels) / 300
    array([0.6, 0.3, 0.1])
    """
    rng = _generator(seed, "shifted")
    counts = [round(SHIFTED_SCENES * prevalence) for prevalence in SHIFTED_PREVALENCE]
    return draw_scenes(rng.permutation(np.repeat(np.arange(3), counts)), rng, difficulty)


def draw_two_class(
    seed: int = SEED, *, training: bool = False, difficulty: Difficulty = SHIPPED_DIFFICULTY
) -> Drawing:
    """Draw a set whose question is "diagonal or not?", with one scene in ten diagonal.

    Parameters
    ----------
    seed, difficulty
        As in `draw_glyphlab`; the images differ from its images.
    training : bool
        Draw the 200 scenes that the two-class network learns from, not the 1,000 of the set itself.

    Returns
    -------
    Drawing
        `labels` is 1 for a diagonal stroke (positive) and 0 for the others, half of which are
        vertical and half horizontal.

    Examples
    --------
    >>> np.bincount(draw_two_class(training=True).labels)
    array([360,  40])
    """
    rng = _generator(seed, "two_class_training" if training else "two_class")
    n_scenes = TWO_CLASS_TRAINING_SCENES if training else TWO_CLASS_SCENES
    n_positive = round(n_scenes * TWO_CLASS_PREVALENCE)
    n_other = (n_scenes - n_positive) // 2
    labels = np.repeat(np.arange(3), [n_scenes - n_positive - n_other, n_other, n_positive])
    drawing = draw_scenes(rng.permutation(labels), rng, difficulty)
    return Drawing(
        images=drawing.images,
        labels=(drawing.labels == DIAGONAL).astype(np.int64),
        scene_id=drawing.scene_id,
        view=drawing.view,
        attributes=drawing.attributes,
    )


def draw_scenes(
    labels: Sequence[int] | NDArray[np.int64], rng: np.random.Generator, difficulty: Difficulty
) -> Drawing:
    """Draw two views of one scene for each label.

    Parameters
    ----------
    labels : sequence of int, length S
        Class of each scene.
    rng : numpy.random.Generator
        Where the randomness comes from; it moves on.
    difficulty : Difficulty
        How hard the drawings are.

    Returns
    -------
    Drawing
        2S images.
    """
    images: list[NDArray[np.float32]] = []
    rows: list[dict[str, int]] = []
    for label in labels:
        scene = _draw_scene(int(label), rng, difficulty)
        for _ in range(VIEWS):
            view = _draw_view(scene, rng, difficulty)
            images.append(_render(view, rng))
            rows.append(view)
    n_scenes = len(labels)
    return Drawing(
        images=np.stack(images)[:, np.newaxis],
        labels=np.repeat(np.asarray(labels, dtype=np.int64), VIEWS),
        scene_id=np.repeat(np.arange(n_scenes, dtype=np.int64), VIEWS),
        view=np.tile(np.arange(VIEWS, dtype=np.int64), n_scenes),
        attributes={
            name: np.array([row[name] for row in rows], dtype=np.int64) for name in rows[0]
        },
    )


def _generator(seed: int, stream: str) -> np.random.Generator:
    """Return an independent PCG64 generator for each of the sets that one seed stands for."""
    return np.random.Generator(np.random.PCG64([seed, _STREAMS.index(stream)]))


def _between(rng: np.random.Generator, bounds: tuple[int, int]) -> int:
    return int(rng.integers(bounds[0], bounds[1], endpoint=True))


def _draw_scene(label: int, rng: np.random.Generator, difficulty: Difficulty) -> dict[str, int]:
    """Draw what the two views of a scene share. Angles are tenths of a degree from the vertical."""
    if label == DIAGONAL:
        angle = _between(rng, (difficulty.diagonal_tilt, 900 - difficulty.diagonal_tilt))
        angle += 900 * _between(rng, (0, 1))
    else:
        angle = 900 * label + _between(rng, (-difficulty.axis_tilt, difficulty.axis_tilt))
    return {
        "angle": angle % 1800,
        "half_length": _between(rng, difficulty.half_length),
        "half_width": _between(rng, (6, 12)),
        "contrast": _between(rng, difficulty.contrast),
        "background": _between(rng, (40, 100)),
    }


def _draw_view(
    scene: dict[str, int], rng: np.random.Generator, difficulty: Difficulty
) -> dict[str, int]:
    """Add what is a view's own: where the stroke lies, how noisy it is and how often it breaks."""
    return scene | {
        "shift_x": _between(rng, (-30, 30)),
        "shift_y": _between(rng, (-30, 30)),
        "noise": _between(rng, difficulty.noise),
        "gaps": _between(rng, difficulty.gaps),
    }


def _render(view: dict[str, int], rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the (24, 24) image that the numbers of a view describe."""
    # A last-bit difference between two libraries' sines does not survive the rounding.
    sine = round(math.sin(math.radians(view["angle"] / 10)), 9)
    cosine = round(math.cos(math.radians(view["angle"] / 10)), 9)
    pixel = np.arange(IMAGE_SIZE) - (IMAGE_SIZE - 1) / 2
    x = pixel[np.newaxis, :] - view["shift_x"] / 10
    y = pixel[:, np.newaxis] - view["shift_y"] / 10
    along = x * sine - y * cosine
    across = x * cosine + y * sine

    half_length = view["half_length"] / 10
    stroke = _inside(across, view["half_width"] / 10) * _inside(along, half_length)
    for _ in range(view["gaps"]):
        centre = _between(rng, (-view["half_length"], view["half_length"])) / 10
        half_gap = _between(rng, (8, 20)) / 10
        stroke = stroke * (1 - _inside(along - centre, half_gap))

    brightness = view["background"] + view["contrast"] * stroke + view["noise"] * _noise(rng)
    levels = np.clip(np.rint(brightness), 0, 255)
    return (levels / 255).astype(np.float32)


def _inside(distance: NDArray[np.float64], half_width: float) -> NDArray[np.float64]:
    """Return 1 within `half_width` of zero and 0 outside, with an edge of one pixel."""
    covered: NDArray[np.float64] = np.clip(half_width + 0.5 - np.abs(distance), 0, 1)
    return covered


def _noise(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return noise for each pixel, mean 0 and variance 1: four uniform numbers, summed.

    A normal deviate would need a logarithm, which differs between machines.
    """
    first, second, third, fourth = rng.random((4, IMAGE_SIZE, IMAGE_SIZE))
    noise: NDArray[np.float64] = (first + second + third + fourth - 2) * math.sqrt(3)
    return noise
