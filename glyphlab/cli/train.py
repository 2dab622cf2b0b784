"""``glyphlab train``: train the CNN, save its checkpoint and its predictions."""

import argparse
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

import glyphlab_core as core
from glyphlab import network
from glyphlab.cli._output import CommandError, Result
from glyphlab.cli._predictions import whole_number
from glyphlab.dataset import DataFileError, load, write_predictions
from glyphlab.generate import SEED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument(
        "--out",
        default="my_run",
        metavar="FOLDER",
        help="where model.pt, val_preds.npz and test_preds.npz go (default: my_run)",
    )
    parser.add_argument(
        "--epochs",
        type=whole_number(1_000_000),
        default=network.EPOCHS,
        metavar="N",
        help=f"passes over the training images (default: {network.EPOCHS})",
    )


def build(args: argparse.Namespace) -> Result:
    """Train on the training split; save the weights and the logits of validation and test."""
    try:
        glyphs = load()
    except DataFileError as error:
        raise CommandError(str(error)) from error
    folder = Path(args.out)
    with _prepared(folder):
        training = glyphs.split == "train"
        model = _train(glyphs.images[training], glyphs.labels[training], args.epochs)
        logits = network.gather_logits(model, glyphs.images)
        network.save_checkpoint(model, folder / "model.pt")
        files = ["model.pt"]
        for name in ("val", "test"):
            indices = np.flatnonzero(glyphs.split == name).astype(np.int64)
            files.append(f"{name}_preds.npz")
            write_predictions(folder / files[-1], {"indices": indices, "logits": logits[indices]})
    return {
        "command": "train",
        "seed": SEED,
        "epochs": args.epochs,
        "images": int(training.sum()),
        "train_log_loss": core.log_loss(logits[training], glyphs.labels[training]),
        "folder": str(folder),
        "files": files,
    }


@contextlib.contextmanager
def _prepared(folder: Path) -> Iterator[None]:
    """Make the folder before any work; if the work fails, remove what was made and is empty."""
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"--out {folder}: this is not a folder; name another")
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise CommandError(f"--out {folder}: the folder is not writable; name another")
        yield
    except BaseException:
        for path in made:
            with contextlib.suppress(OSError):
                path.rmdir()
        raise


def _train(images: NDArray[np.float32], labels: NDArray[np.int64], epochs: int) -> network.GlyphNet:
    """Train, with a progress bar where standard error is a terminal."""
    with tqdm(total=epochs, unit="epoch", disable=None) as bar:

        def progress(epoch: int, epochs: int, loss: float) -> None:
            bar.set_postfix(loss=f"{loss:.4f}")
            bar.update(epoch - bar.n)

        return network.train(images, labels, epochs=epochs, progress=progress)


def text(result: Result) -> str:
    """Write the result out."""
    return (
        f"Trained on {result['images']} images for {result['epochs']} epochs (seed "
        f"{result['seed']}); log loss on them {result['train_log_loss']:.6f}.\n"
        f"{result['folder']}: {', '.join(result['files'])}"
    )
