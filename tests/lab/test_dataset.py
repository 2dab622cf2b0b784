"""The shipped files keep their contract, and a file that does not is named."""

import csv
import hashlib
import io
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from glyphlab import dataset
from glyphlab.dataset import (
    CHECKSUMS,
    FILES,
    DataFileError,
    data_path,
    load,
    load_predictions,
    read_predictions,
    verify,
    write,
)

DATA = data_path(CHECKSUMS).parent


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the data directory."""
    return shutil.copytree(DATA, tmp_path / "data")


@pytest.fixture
def shipped(copy, monkeypatch):
    """Make a copy the data directory, so that a test may break it."""
    monkeypatch.setattr(dataset, "_DATA", copy)
    return copy


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def npz(path):
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


# What is shipped


def test_checksums_cover_every_file():
    lines = data_path(CHECKSUMS).read_text().splitlines()
    sums = dict(reversed(line.split("  ")) for line in lines)
    present = {path.name for path in DATA.iterdir()} - {CHECKSUMS}
    assert set(sums) == present == set(FILES)
    for name, value in sums.items():
        assert sha256(DATA / name) == value


def test_images_are_what_is_promised():
    glyphs = load()
    assert glyphs.images.shape == (360, 1, 24, 24)
    assert glyphs.images.dtype == np.float32
    assert glyphs.images.min() >= 0
    assert glyphs.images.max() <= 1
    assert glyphs.labels.dtype == np.int64
    assert [int((glyphs.split == name).sum()) for name in ("train", "val", "test")] == [240, 60, 60]


def test_metadata_agrees_with_the_arrays():
    with open(data_path("metadata.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:5] == ["index", "scene_id", "view", "label", "split"]
    glyphs = load()
    assert [int(row["index"]) for row in rows] == list(range(360))
    assert [int(row["label"]) for row in rows] == np.load(data_path("labels.npy")).tolist()
    assert [int(row["scene_id"]) for row in rows] == glyphs.scene_id.tolist()
    assert [int(row["view"]) for row in rows] == glyphs.view.tolist()
    assert [row["split"] for row in rows] == glyphs.split.tolist()


@pytest.mark.parametrize("name", ["val", "test"])
def test_split_predictions(name):
    arrays = npz(data_path(f"{name}_preds.npz"))
    assert set(arrays) == {"indices", "logits"}
    assert arrays["indices"].dtype == np.int64
    assert arrays["logits"].dtype == np.float32
    glyphs, predictions = load(), load_predictions(name)
    assert np.array_equal(np.sort(predictions.indices), np.flatnonzero(glyphs.split == name))
    assert np.array_equal(predictions.labels, glyphs.labels[arrays["indices"]])
    assert np.array_equal(predictions.scene_id, glyphs.scene_id[arrays["indices"]])
    assert np.array_equal(predictions.logits, arrays["logits"])


@pytest.mark.parametrize(
    ("name", "counts", "scenes"),
    [("shifted", [180, 90, 30], 150), ("two_class", [1800, 200], 1000)],
)
def test_sets_of_their_own(name, counts, scenes):
    predictions = load_predictions(name)
    n = sum(counts)
    assert predictions.logits.shape == (n, len(counts))
    assert predictions.logits.dtype == np.float32
    assert np.array_equal(predictions.indices, np.arange(n))
    assert np.bincount(predictions.labels).tolist() == counts
    assert np.bincount(predictions.scene_id).tolist() == [2] * scenes
    for scene in range(scenes):
        assert len(set(predictions.labels[predictions.scene_id == scene])) == 1


def test_unknown_names_are_told():
    with pytest.raises(ValueError, match=r"name must be val, test, .* got 'train'"):
        load_predictions("train")
    with pytest.raises(ValueError, match=r"filename must be .* got 'nothing\.npy'"):
        data_path("nothing.npy")


def test_neither_package_nor_dataset_imports_torch():
    code = "import sys, glyphlab, glyphlab.dataset; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Missing and altered files


@pytest.mark.parametrize("filename", FILES)
@pytest.mark.parametrize("fault", ["missing", "altered"])
def test_verify_names_the_file_and_its_checksum(copy, filename, fault):
    path = copy / filename
    if fault == "missing":
        path.unlink()
    else:
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
    with pytest.raises(DataFileError) as error:
        verify(copy)
    assert filename in str(error.value)
    assert fault in str(error.value)
    assert sha256(DATA / filename) in str(error.value)


@pytest.mark.parametrize("filename", ["images.npy", "labels.npy", "metadata.csv"])
def test_load_refuses_an_altered_file(shipped, filename):
    expected = sha256(shipped / filename)
    with open(shipped / filename, "ab") as file:
        file.write(b"0")
    with pytest.raises(DataFileError, match=rf"{filename}: altered: .*{expected}"):
        load()


@pytest.mark.parametrize("name", ["val_preds", "shifted", "two_class"])
def test_load_predictions_refuses_an_altered_file(shipped, name):
    expected = sha256(shipped / f"{name}.npz")
    (shipped / f"{name}.npz").write_bytes(b"")
    with pytest.raises(DataFileError, match=rf"{name}\.npz: altered: .*{expected}"):
        load_predictions(name.removesuffix("_preds"))


def test_missing_checksums_are_told(shipped):
    (shipped / CHECKSUMS).unlink()
    with pytest.raises(DataFileError, match="SHA256SUMS"):
        load()


def test_an_incomplete_list_of_checksums_is_told(shipped):
    (shipped / CHECKSUMS).write_text("")
    with pytest.raises(DataFileError, match=r"SHA256SUMS: no line for images\.npy"):
        load()


# Files that have the right checksum and the wrong content


def change(name, function):
    """Return a breaker of one array of a .npy or .npz file, with the checksums written anew."""

    def apply(directory):
        filename, _, key = name.partition(":")
        path = directory / filename
        if key:
            arrays = npz(path)
            arrays[key] = function(arrays[key])
            np.savez(path, **arrays)
        else:
            np.save(path, function(np.load(path)))
        dataset.write_checksums(directory)

    return apply


def put(index, value):
    def function(array):
        array[index] = value
        return array

    return function


@pytest.mark.parametrize(
    ("breaker", "message"),
    [
        (change("images.npy", put((3, 0, 2, 1), 1.5)), r"images\[3, 0, 2, 1\] is 1.5"),
        (change("images.npy", put((3, 0, 2, 1), np.nan)), r"images\[3, 0, 2, 1\] is nan"),
        (change("images.npy", lambda a: a[:300]), r"images must have shape \(360, 1, 24, 24\)"),
        (change("images.npy", lambda a: a.astype(float)), "images must be float32, got float64"),
        (change("labels.npy", put(7, 3)), r"labels\[7\] is 3"),
        (change("labels.npy", lambda a: a.astype(np.uint8)), "labels must be int64, got uint8"),
        (change("labels.npy", lambda a: (a + 1) % 3), r"label must be .*label\[0\]"),
    ],
)
def test_load_checks_the_arrays(shipped, breaker, message):
    breaker(shipped)
    with pytest.raises(DataFileError, match=message):
        load()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\n5,", "\n4,", r"index\[5\] is 4"),
        ("\n5,2,1,", "\n5,3,1,", r"scene_id\[5\] is 3"),
        ("\n5,2,1,", "\n5,2,0,", r"view\[5\] is 0"),
        ("\n5,", "\nfive,", "not of whole numbers"),
        ("split", "part", "column missing"),
        ("train", "training", r"split\[\d+\] is training"),
        ("\n359,179,1", "\n", "not of whole numbers"),
    ],
)
def test_load_checks_the_metadata(shipped, old, new, message):
    text = (shipped / "metadata.csv").read_text()
    assert old in text
    (shipped / "metadata.csv").write_text(text.replace(old, new))
    dataset.write_checksums(shipped)
    with pytest.raises(DataFileError, match=rf"metadata\.csv: .*{message}"):
        load()


def test_load_refuses_a_scene_in_two_splits(shipped):
    lines = (shipped / "metadata.csv").read_text().splitlines()
    first = lines[1].split(",")
    first[4] = "test" if first[4] != "test" else "val"
    lines[1] = ",".join(first)
    (shipped / "metadata.csv").write_text("\n".join(lines) + "\n")
    dataset.write_checksums(shipped)
    with pytest.raises(DataFileError, match=r"split must .*split\[1\]"):
        load()


@pytest.mark.parametrize(
    ("name", "breaker", "message"),
    [
        ("val", change("val_preds.npz:indices", put(0, 2)), r"of split val: indices\[0\] is 2"),
        ("shifted", change("shifted.npz:labels", put(4, 3)), r"labels\[4\] is 3"),
        (
            "shifted",
            change("shifted.npz:labels", lambda a: a[1:]),
            r"labels must have shape \(300\)",
        ),
        ("shifted", change("shifted.npz:scene_id", put(9, -1)), r"scene_id\[9\] is -1"),
        ("two_class", change("two_class.npz:labels", put(4, 2)), r"labels\[4\] is 2"),
        (
            "two_class",
            change("two_class.npz:logits", put((4, 1), np.inf)),
            r"logits\[4, 1\] is inf",
        ),
        ("two_class", change("two_class.npz:indices", put(4, 3)), r"once: indices\[4\] is 3"),
    ],
)
def test_load_predictions_checks_the_arrays(shipped, name, breaker, message):
    breaker(shipped)
    with pytest.raises(DataFileError, match=message):
        load_predictions(name)


def test_load_predictions_wants_the_whole_split(shipped):
    arrays = npz(shipped / "val_preds.npz")
    np.savez(shipped / "val_preds.npz", **{name: array[:50] for name, array in arrays.items()})
    dataset.write_checksums(shipped)
    with pytest.raises(DataFileError, match=r"50 images, not all of split val"):
        load_predictions("val")


def test_load_predictions_wants_labels_in_a_set_of_its_own(shipped):
    arrays = npz(shipped / "shifted.npz")
    np.savez(shipped / "shifted.npz", indices=arrays["indices"], logits=arrays["logits"])
    dataset.write_checksums(shipped)
    with pytest.raises(DataFileError, match=r"shifted\.npz: no array 'labels'"):
        load_predictions("shifted")


# A learner's own predictions


def test_predictions_of_any_images_in_any_order(tmp_path):
    indices = np.array([359, 0, 17])
    logits = np.arange(9, dtype=np.float32).reshape(3, 3)
    np.savez(tmp_path / "own.npz", indices=indices, logits=logits)
    predictions = read_predictions(tmp_path / "own.npz")
    labels = np.load(data_path("labels.npy"))
    assert np.array_equal(predictions.indices, indices)
    assert np.array_equal(predictions.logits, logits)
    assert predictions.labels.tolist() == [labels[359], labels[0], labels[17]]
    assert predictions.scene_id.tolist() == [179, 0, 8]


GOOD = {"indices": np.arange(4), "logits": np.ones((4, 3), dtype=np.float32)}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"indices": np.array([0, 1, 2, 360])}, r"from 0 to 359: indices\[3\] is 360"),
        ({"indices": np.array([0, -1, 2, 3])}, r"from 0 to 359: indices\[1\] is -1"),
        ({"indices": np.array([0, 5, 7, 5])}, r"once: indices\[3\] is 5"),
        ({"indices": np.arange(4.0)}, "indices must be int64, got float64"),
        ({"indices": np.arange(4, dtype=np.int32)}, r"indices must be int64, got int32"),
        ({"indices": np.arange(4).reshape(4, 1)}, r"indices must have shape \(N\), got \(4, 1\)"),
        ({"indices": np.arange(0)}, "indices is empty"),
        ({"indices": np.arange(5)}, r"logits must have shape \(5, 3\), got \(4, 3\)"),
        ({"logits": np.ones((4, 2), dtype=np.float32)}, r"must have shape \(4, 3\), got \(4, 2\)"),
        ({"logits": np.ones((4, 3))}, "logits must be float32, got float64"),
        ({"logits": np.float32([[1, 2, 3]] * 3 + [[1, np.nan, 3]])}, r"logits\[3, 1\] is nan"),
        ({"logits": np.float32([[1, 2, 3]] * 3 + [[1, 3, -np.inf]])}, r"logits\[3, 2\] is -inf"),
        ({"logits": np.array([[1, 2, None]] * 4)}, "not an npz file of numbers"),
    ],
)
def test_wrong_arrays_are_told(tmp_path, arrays, message):
    path = tmp_path / "own.npz"
    np.savez(path, **(GOOD | arrays))
    with pytest.raises(DataFileError, match=message) as error:
        read_predictions(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_predictions_of_another_set_are_refused():
    with pytest.raises(DataFileError, match="predictions of another set"):
        read_predictions(data_path("shifted.npz"))


def test_labels_of_these_images_are_welcome(tmp_path):
    labels = np.load(data_path("labels.npy"))[:4]
    np.savez(tmp_path / "own.npz", **GOOD, labels=labels)
    assert np.array_equal(read_predictions(tmp_path / "own.npz").labels, labels)


def npy_bytes():
    buffer = io.BytesIO()
    np.save(buffer, np.zeros((4, 3)))
    return buffer.getvalue()


def npz_bytes():
    buffer = io.BytesIO()
    np.savez(buffer, **GOOD)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [b"", b"no archive", b"PK\x03\x04", npy_bytes(), npz_bytes()[:200], npz_bytes()[:-40]],
    ids=["empty", "text", "zip_header", "npy", "cut_early", "cut_late"],
)
def test_files_that_are_no_npz_are_told(tmp_path, content):
    path = tmp_path / "own.npz"
    path.write_bytes(content)
    with pytest.raises(DataFileError, match=r"own\.npz: not an npz file"):
        read_predictions(path)


def test_a_flipped_bit_anywhere_in_an_npz_is_told_or_harmless(tmp_path):
    path = tmp_path / "own.npz"
    told = 0
    for place in range(len(npz_bytes())):
        content = bytearray(npz_bytes())
        content[place] ^= 1 << place % 8
        path.write_bytes(content)
        try:
            predictions = read_predictions(path)
        except DataFileError:
            told += 1
        else:
            assert np.array_equal(predictions.logits, GOOD["logits"])
            assert np.array_equal(predictions.indices, GOOD["indices"])
    assert told > len(npz_bytes()) / 2


def test_an_array_that_does_not_fit_memory_is_told(tmp_path):
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 99999999999999), }\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    path = tmp_path / "own.npz"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("indices.npy", npy_bytes())
        file.writestr("logits.npy", array)
    with pytest.raises(DataFileError, match=r"own\.npz: not an npz file"):
        read_predictions(path)


@pytest.mark.parametrize("name", ["indices", "logits"])
def test_an_array_that_is_not_there_is_named(tmp_path, name):
    path = tmp_path / "own.npz"
    np.savez(path, **{key: array for key, array in GOOD.items() if key != name}, other=np.ones(1))
    with pytest.raises(DataFileError, match=rf"no array '{name}'; the file holds .*other"):
        read_predictions(path)


def test_files_that_cannot_be_read_are_told(tmp_path):
    for path in (tmp_path / "none.npz", tmp_path):
        with pytest.raises(DataFileError, match=str(path)):
            read_predictions(path)


# Writing


def test_write_makes_the_shipped_files(tmp_path):
    target = tmp_path / "new" / "data"
    write(target)
    assert {path.name for path in target.iterdir()} == {*FILES, CHECKSUMS}
    for path in target.iterdir():
        assert path.read_bytes() == data_path(path.name).read_bytes()
    verify(target)


def test_write_writes_nothing_where_a_shipped_file_is_altered(shipped, tmp_path):
    (shipped / "two_class.npz").write_bytes(b"")
    with pytest.raises(DataFileError, match=r"two_class\.npz: altered"):
        write(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_write_writes_nothing_where_the_drawing_differs(tmp_path, monkeypatch):
    other = dataset.drawn_files() | {"labels.npy": b"other"}
    monkeypatch.setattr(dataset, "drawn_files", lambda: other)
    with pytest.raises(DataFileError, match=r"labels\.npy: altered"):
        write(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(dataset.os, "replace", fail)
    with pytest.raises(OSError, match="No space left") as error:
        dataset.write_bytes(path, b"new")
    assert error.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_write_to_a_folder_that_is_not_there_names_the_file(tmp_path):
    path = tmp_path / "none" / "file"
    with pytest.raises(FileNotFoundError) as error:
        dataset.write_bytes(path, b"new")
    assert error.value.filename == str(path)


def test_predictions_are_written_reproducibly(tmp_path, monkeypatch):
    dataset.write_predictions(tmp_path / "first.npz", GOOD)
    monkeypatch.setattr("time.time", lambda: 2e9)
    dataset.write_predictions(tmp_path / "second.npz", GOOD)
    assert (tmp_path / "first.npz").read_bytes() == (tmp_path / "second.npz").read_bytes()
