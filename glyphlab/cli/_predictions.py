"""What the subcommands that read predictions share: reading, splits, resampling by scene."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import glyphlab_core as core
from glyphlab.cli._output import CommandError, Result
from glyphlab.dataset import DataFileError, Predictions, load, read_predictions
from glyphlab.generate import SPLITS

LEVEL = 0.95
SEED = 0


def read(path: str) -> tuple[Predictions, Result]:
    """Read predictions on GlyphLab images, and say how many of which split they are about.

    Returns
    -------
    predictions : Predictions
        Checked against the contract.
    part : dict
        What the result says about the file.

    Raises
    ------
    CommandError
        If the file cannot be read or breaks the contract.
    """
    try:
        predictions = read_predictions(path)
        split = load().split[predictions.indices]
    except DataFileError as error:
        raise CommandError(str(error)) from error
    splits = {name: n for name in SPLITS if (n := int(np.count_nonzero(split == name)))}
    scenes = len(np.unique(predictions.scene_id))
    return predictions, {
        "file": str(path),
        "images": len(split),
        "scenes": scenes,
        "splits": splits,
    }


def splits_text(part: Result) -> str:
    """Say of which splits the images are."""
    return "split " + ", ".join(f"{name} {n}" for name, n in part["splits"].items())


def predictions_text(part: Result) -> str:
    """Say what a file of predictions is about."""
    size = f"{part['images']} images of {part['scenes']} scenes"
    return f"{part['file']}: {size} ({splits_text(part)})"


def whole_number(most: int) -> Callable[[str], int]:
    """Return a reader, for argparse, of whole numbers from 1 to `most`: more would never end."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = 0
        if not 1 <= value <= most:
            wanted = f"must be a whole number from 1 to {most}"
            raise argparse.ArgumentTypeError(f"{wanted}, not {text!r}")
        return value

    return read


def resampling_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the bootstrap."""
    parser.add_argument(
        "--resamples",
        type=whole_number(100_000),
        default=2000,
        metavar="B",
        help="resamples of whole scenes for the intervals (default: 2000)",
    )


def resampling_part(scenes: int, args: argparse.Namespace) -> Result:
    """Return what the result says about its intervals."""
    return {
        "unit": "scene",
        "scenes": scenes,
        "resamples": args.resamples,
        "seed": SEED,
        "level": LEVEL,
        "kind": "percentile",
    }


def resampling_text(part: Result) -> str:
    """Say how the intervals were made."""
    return (
        f"Intervals: {100 * part['level']:.0f} %, {part['kind']}, from {part['resamples']} "
        f"resamples of whole {part['unit']}s ({part['scenes']} of them, seed {part['seed']}): "
        "the two views of a scene are not independent."
    )


def bootstrap(
    statistic: core.AdditiveStatistic,
    predictions: Predictions,
    arrays: Sequence[NDArray[Any]],
    args: argparse.Namespace,
) -> core.BootstrapResult:
    """Bootstrap a statistic over scenes."""
    return core.group_bootstrap(
        statistic,
        predictions.scene_id,
        *arrays,
        n_resamples=args.resamples,
        level=LEVEL,
        seed=SEED,
    )
