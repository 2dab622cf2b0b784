"""The shipped GlyphLab files: what they hold, loading with checks, and their checksums.

================ =================================================================================
file             holds
================ =================================================================================
images.npy       (360, 1, 24, 24) float32 in [0, 1]
labels.npy       (360,) int64: 0 vertical, 1 horizontal, 2 diagonal
metadata.csv     one line an image: index, scene_id, view, label, split, and how it was drawn
model.pt         the `state_dict` of the trained network
val_preds.npz    `indices` (60,) int64 and `logits` (60, 3) float32 of the network
test_preds.npz   the same for the test split
shifted.npz      `indices`, `logits`, `labels`, `scene_id` of 300 images of 150 other scenes, whose
                 prevalence is 0.6, 0.3, 0.1
two_class.npz    the same of 2,000 images of 1,000 other scenes, 10 % of them positive: label 1 is
                 diagonal, 0 is not; logits (2000, 2) of a two-class network of its own, trained on
                 200 scenes of which nothing else is shipped
SHA256SUMS       the checksum of each file above, in the format of `sha256sum`
================ =================================================================================

In metadata.csv `angle` is in tenths of a degree from the vertical, clockwise; `half_length`,
`half_width`, `shift_x` and `shift_y` are in tenths of a pixel; `contrast`, `background` and
`noise` (a standard deviation) in 255ths of full brightness; `gaps` says how many times the stroke
is broken.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glyphlab import generate
from glyphlab.generate import CLASS_NAMES, IMAGE_SIZE, SPLITS, VIEWS

__all__ = [
    "CHECKSUMS",
    "CLASS_NAMES",
    "DRAWN_FILES",
    "FILES",
    "LEARNED_FILES",
    "DataFileError",
    "Glyphs",
    "Predictions",
    "data_path",
    "drawn_files",
    "load",
    "load_predictions",
    "read_bytes",
    "read_checked",
    "read_predictions",
    "verify",
    "write",
    "write_bytes",
    "write_checksums",
    "write_predictions",
]

CHECKSUMS = "SHA256SUMS"
DRAWN_FILES = ("images.npy", "labels.npy", "metadata.csv")
LEARNED_FILES = ("model.pt", "val_preds.npz", "test_preds.npz", "shifted.npz", "two_class.npz")
FILES = DRAWN_FILES + LEARNED_FILES

_DATA = Path(__file__).parent / "data"
_IMAGES = 360
_OWN_SETS = {"shifted": len(CLASS_NAMES), "two_class": 2}
"""Sets with images, and so labels and scenes, of their own: how many classes each has."""


class DataFileError(ValueError):
    """A data file is missing, altered or not what it should be. The message names the file."""


@dataclass(frozen=True)
class Glyphs:
    """The 360 images of GlyphLab, in the order of their index.

    Attributes
    ----------
    images : ndarray of float32, shape (360, 1, 24, 24)
        Pixels in [0, 1].
    labels : ndarray of int64, shape (360,)
        0 vertical, 1 horizontal, 2 diagonal, as in `CLASS_NAMES`.
    scene_id : ndarray of int64, shape (360,)
        0…179; the two images of a scene share label and split and are not independent.
    view : ndarray of int64, shape (360,)
        0 or 1.
    split : ndarray of str, shape (360,)
        "train", "val" or "test".
    """

    images: NDArray[np.float32]
    labels: NDArray[np.int64]
    scene_id: NDArray[np.int64]
    view: NDArray[np.int64]
    split: NDArray[np.str_]


@dataclass(frozen=True)
class Predictions:
    """The logits of a network on N images, with what is true of these images.

    Attributes
    ----------
    indices : ndarray of int64, shape (N,)
        Which image of its set each row is about.
    logits : ndarray of float32, shape (N, K)
        One logit a class.
    labels : ndarray of int64, shape (N,)
        True class.
    scene_id : ndarray of int64, shape (N,)
        The scene, the unit of resampling.
    """

    indices: NDArray[np.int64]
    logits: NDArray[np.float32]
    labels: NDArray[np.int64]
    scene_id: NDArray[np.int64]


def data_path(filename: str) -> Path:
    """Return the path of a shipped file.

    Parameters
    ----------
    filename : str
        One of `FILES`, or "SHA256SUMS".

    Returns
    -------
    pathlib.Path

    Raises
    ------
    ValueError
        If no file of that name is shipped.

    Examples
    --------
    >>> data_path("images.npy").name
    'images.npy'
    """
    if filename not in (*FILES, CHECKSUMS):
        raise ValueError(
            f"filename must be one of {', '.join(FILES)} or {CHECKSUMS}, got {filename!r}"
        )
    return _DATA / filename


def load() -> Glyphs:
    """Load the images with their labels, scenes, views and splits.

    Returns
    -------
    Glyphs

    Raises
    ------
    DataFileError
        If a file is missing, differs from its checksum or does not hold what this module says.

    Examples
    --------
    >>> glyphs = load()
    >>> glyphs.images.shape, int((glyphs.split == "test").sum())
    ((360, 1, 24, 24), 60)
    """
    images = _parse_npy("images.npy", read_checked("images.npy"))
    labels = _parse_npy("labels.npy", read_checked("labels.npy"))
    metadata = _parse_metadata(read_checked("metadata.csv"))
    _check_array("images.npy", "images", images, np.float32, (_IMAGES, 1, IMAGE_SIZE, IMAGE_SIZE))
    _check_range("images.npy", "images", images, 0, 1)
    _check_array("labels.npy", "labels", labels, np.int64, (_IMAGES,))
    _check_range("labels.npy", "labels", labels, 0, len(CLASS_NAMES) - 1)
    _check_metadata(metadata, labels)
    return Glyphs(
        images=images,
        labels=labels,
        scene_id=metadata["scene_id"],
        view=metadata["view"],
        split=metadata["split"],
    )


def load_predictions(name: str) -> Predictions:
    """Load shipped logits together with the labels and scenes that they are about.

    Parameters
    ----------
    name : {"val", "test", "shifted", "two_class"}
        "val" and "test" are splits of the images that `load` returns; the other two are sets of
        their own, whose images are not shipped. In "two_class" class 1, diagonal, is the positive
        one.

    Returns
    -------
    Predictions

    Raises
    ------
    DataFileError
        If a file is missing, differs from its checksum or does not hold what this module says.
    ValueError
        If `name` is none of the four.

    Examples
    --------
    >>> predictions = load_predictions("two_class")
    >>> predictions.logits.shape, float(predictions.labels.mean())
    ((2000, 2), 0.1)
    """
    if name in ("val", "test"):
        filename = f"{name}_preds.npz"
        predictions = _match(filename, _parse_npz(filename, read_checked(filename)), load())
        _check_split(filename, predictions.indices, name)
        return predictions
    if name in _OWN_SETS:
        return _own_set(f"{name}.npz", num_classes=_OWN_SETS[name])
    raise ValueError(f"name must be val, test, shifted or two_class, got {name!r}")


def read_predictions(path: str | os.PathLike[str]) -> Predictions:
    """Read the logits of any network on GlyphLab images and look up the labels and scenes.

    Parameters
    ----------
    path : path
        An npz file with `indices` (N,) int64, which of the 360 images, none twice, and `logits`
        (N, 3) float32, finite. `labels`, where it holds them, must be those of these images:
        predictions of another set are not about them. Other arrays are left alone.

    Returns
    -------
    Predictions

    Raises
    ------
    DataFileError
        If the file cannot be read or does not hold that.

    Examples
    --------
    >>> read_predictions(data_path("test_preds.npz")).logits.shape
    (60, 3)
    """
    arrays = _parse_npz(str(path), read_bytes(path))
    predictions = _match(str(path), arrays, load())
    labels = arrays.get("labels", predictions.labels)
    if not np.array_equal(labels, predictions.labels):
        raise DataFileError(
            f"{path}: its labels are not those of the GlyphLab images in indices: "
            "these are predictions of another set"
        )
    return predictions


def verify(directory: str | os.PathLike[str] | None = None) -> None:
    """Check every file against the shipped checksums.

    Parameters
    ----------
    directory : path, optional
        Where the files are; the shipped ones by default.

    Raises
    ------
    DataFileError
        Naming the first file that is missing or altered, with the SHA-256 expected and the one
        found.

    Examples
    --------
    >>> verify()
    """
    for filename in FILES:
        read_checked(filename, directory)


def write(directory: str | os.PathLike[str]) -> None:
    """Write the GlyphLab files.

    Images, labels and metadata are drawn anew by `glyphlab.generate`; the checkpoint and the
    logits, which come out of training, are copied.

    Parameters
    ----------
    directory : path
        Where to write; made if missing. Files of these names are replaced.

    Raises
    ------
    DataFileError
        If a shipped file is missing or altered, or if what was drawn differs from what is shipped.
        Nothing is written then.
    OSError
        If the directory cannot be written.
    """
    files = drawn_files() | {filename: read_checked(filename) for filename in LEARNED_FILES}
    for filename in DRAWN_FILES:
        _check_sum(filename, files[filename])
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for filename, content in files.items():
        write_bytes(directory / filename, content)
    write_checksums(directory)


def drawn_files() -> dict[str, bytes]:
    """Draw images, labels and metadata, and return the content of their files by name."""
    drawing, split = generate.draw_glyphlab()
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["index", "scene_id", "view", "label", "split", *drawing.attributes])
    writer.writerows(
        zip(
            range(len(split)),
            drawing.scene_id,
            drawing.view,
            drawing.labels,
            split,
            *drawing.attributes.values(),
            strict=True,
        )
    )
    return {
        "images.npy": _npy_bytes(drawing.images),
        "labels.npy": _npy_bytes(drawing.labels),
        "metadata.csv": table.getvalue().encode("ascii"),
    }


def write_predictions(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays to an npz file, whole or not at all; the same arrays give the same bytes.

    Parameters
    ----------
    path : path
        File to write; an old one is replaced.
    arrays : mapping of str to ndarray
        What the file holds, by name.
    """
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **dict(arrays))
    write_bytes(path, buffer.getvalue())


def write_checksums(directory: str | os.PathLike[str]) -> None:
    """Write SHA256SUMS for the GlyphLab files of a directory.

    Parameters
    ----------
    directory : path
        Where the files are.
    """
    directory = Path(directory)
    lines = [f"{_sha256((directory / filename).read_bytes())}  {filename}\n" for filename in FILES]
    write_bytes(directory / CHECKSUMS, "".join(lines).encode("ascii"))


def read_checked(filename: str, directory: str | os.PathLike[str] | None = None) -> bytes:
    """Return the content of a GlyphLab file after a look at its checksum.

    Parameters
    ----------
    filename : str
        One of `FILES`.
    directory : path, optional
        Where the file is; the shipped one by default.

    Returns
    -------
    bytes

    Raises
    ------
    DataFileError
        If the file is missing or altered, with the SHA-256 expected and the one found.
    """
    path = (_DATA if directory is None else Path(directory)) / filename
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = "missing" if isinstance(error, FileNotFoundError) else error.strerror
        raise DataFileError(
            f"{path}: {reason}: expected a file with SHA-256 {_expected_sum(filename)}"
        ) from error
    _check_sum(path, content)
    return content


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of any file.

    Parameters
    ----------
    path : path
        File to read.

    Returns
    -------
    bytes

    Raises
    ------
    DataFileError
        If it cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise DataFileError(f"{path}: {error.strerror or error}") from error


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, whole or not at all.

    Parameters
    ----------
    path : path
        File to write; an old one is replaced at the end.
    content : bytes
        What to write.

    Raises
    ------
    OSError
        If it cannot be written; it names `path`.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _expected_sum(filename: str) -> str:
    try:
        lines = (_DATA / CHECKSUMS).read_text(encoding="ascii").splitlines()
    except OSError as error:
        raise DataFileError(
            f"{_DATA / CHECKSUMS}: {error.strerror}; install glyphlab again"
        ) from error
    sums = {name: value for value, _, name in (line.partition("  ") for line in lines)}
    if filename not in sums:
        raise DataFileError(f"{_DATA / CHECKSUMS}: no line for {filename}; install glyphlab again")
    return sums[filename]


def _check_sum(where: str | Path, content: bytes) -> None:
    expected, found = _expected_sum(Path(where).name), _sha256(content)
    if found != expected:
        raise DataFileError(f"{where}: altered: expected SHA-256 {expected}, found {found}")


def _npy_bytes(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _parse_npy(where: str, content: bytes) -> NDArray[Any]:
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise DataFileError(f"{where}: not an npy file of numbers") from error
    if not isinstance(array, np.ndarray):
        raise DataFileError(f"{where}: not an npy file of numbers")
    return array


def _parse_npz(where: str, content: bytes) -> dict[str, NDArray[Any]]:
    """Return `indices` and `logits`, and whatever else the file holds."""
    try:
        file = np.load(io.BytesIO(content), allow_pickle=False)
        arrays = {name: file[name] for name in file.files}
    except Exception as error:  # numpy, zipfile and zlib raise a dozen types between them
        raise DataFileError(
            f"{where}: not an npz file of numbers, as numpy.savez writes"
        ) from error
    for name in ("indices", "logits"):
        if name not in arrays:
            found = ", ".join(arrays) or "nothing"
            raise DataFileError(f"{where}: no array {name!r}; the file holds {found}")
    return arrays


def _parse_metadata(content: bytes) -> dict[str, NDArray[Any]]:
    rows = list(csv.DictReader(io.StringIO(content.decode("ascii"))))
    columns: dict[str, NDArray[Any]] = {}
    try:
        for name in ("index", "scene_id", "view", "label"):
            columns[name] = np.array([int(row[name]) for row in rows], dtype=np.int64)
        columns["split"] = np.array([row["split"] for row in rows])
    except (KeyError, TypeError, ValueError) as error:
        raise DataFileError(
            f"metadata.csv: column missing or not of whole numbers: {error}"
        ) from error
    return columns


def _check_metadata(metadata: Mapping[str, NDArray[Any]], labels: NDArray[np.int64]) -> None:
    """Check that lines are in order, labels those of labels.npy, and scenes pairs in one split."""
    where = "metadata.csv"
    _check_array(where, "index", metadata["index"], np.int64, (_IMAGES,))
    expected = np.arange(_IMAGES)
    for name, wanted in (
        ("index", expected),
        ("scene_id", expected // VIEWS),
        ("view", expected % VIEWS),
        ("label", labels),
        ("split", np.repeat(metadata["split"][::VIEWS], VIEWS)),
    ):
        _refuse(
            where,
            name,
            metadata[name],
            metadata[name] != wanted,
            "be what its place and labels.npy say",
        )
    _refuse(where, "split", metadata["split"], ~np.isin(metadata["split"], SPLITS), "be a split")


def _match(where: str, arrays: Mapping[str, NDArray[Any]], glyphs: Glyphs) -> Predictions:
    """Check logits on GlyphLab images and look up what is true of these images."""
    indices, logits = _checked_logits(where, arrays, num_classes=len(CLASS_NAMES))
    _check_range(where, "indices", indices, 0, _IMAGES - 1)
    return Predictions(indices, logits, glyphs.labels[indices], glyphs.scene_id[indices])


def _check_split(where: str, indices: NDArray[np.int64], name: str) -> None:
    split = load().split
    _refuse(where, "indices", indices, split[indices] != name, f"be of split {name}")
    if len(indices) != np.count_nonzero(split == name):
        raise DataFileError(f"{where}: {len(indices)} images, not all of split {name}")


def _own_set(filename: str, num_classes: int) -> Predictions:
    """Load a set whose labels and scenes are in the file itself."""
    arrays = _parse_npz(filename, read_checked(filename))
    indices, logits = _checked_logits(filename, arrays, num_classes)
    columns = {}
    for name, end in (("labels", num_classes), ("scene_id", len(indices))):
        if name not in arrays:
            raise DataFileError(f"{filename}: no array {name!r}")
        columns[name] = arrays[name]
        _check_array(filename, name, columns[name], np.int64, (len(indices),))
        _check_range(filename, name, columns[name], 0, end - 1)
    return Predictions(indices, logits, columns["labels"], columns["scene_id"])


def _checked_logits(
    where: str, arrays: Mapping[str, NDArray[Any]], num_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    indices, logits = arrays["indices"], arrays["logits"]
    _check_array(where, "indices", indices, np.int64, (None,))
    if len(indices) == 0:
        raise DataFileError(f"{where}: indices is empty")
    _check_array(where, "logits", logits, np.float32, (len(indices), num_classes))
    _refuse(where, "logits", logits, ~np.isfinite(logits), "be finite")
    first = np.unique(indices, return_index=True)[1]
    repeated = ~np.isin(np.arange(len(indices)), first)
    _refuse(where, "indices", indices, repeated, "be there once")
    return indices, logits


def _check_array(
    where: str, name: str, array: NDArray[Any], dtype: type, shape: tuple[int | None, ...]
) -> None:
    if array.dtype != np.dtype(dtype):
        raise DataFileError(
            f"{where}: {name} must be {np.dtype(dtype)}, got {array.dtype}; "
            f"convert with .astype(numpy.{np.dtype(dtype)})"
        )
    matches = len(array.shape) == len(shape) and all(
        wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True)
    )
    if not matches:
        wanted = ", ".join("N" if size is None else str(size) for size in shape)
        raise DataFileError(f"{where}: {name} must have shape ({wanted}), got {array.shape}")


def _check_range(where: str, name: str, array: NDArray[Any], low: int, high: int) -> None:
    outside = ~((array >= low) & (array <= high))
    _refuse(where, name, array, outside, f"be from {low} to {high}")


def _refuse(
    where: str, name: str, array: NDArray[Any], wrong: NDArray[np.bool_], wanted: str
) -> None:
    """Raise if anything is wrong, naming the first place and its value."""
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        position = ", ".join(map(str, place))
        raise DataFileError(f"{where}: {name} must {wanted}: {name}[{position}] is {array[place]}")
