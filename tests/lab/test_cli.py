"""The command is run as a learner runs it; its numbers are computed again with plain NumPy."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax

from glyphlab import dataset

VAL, TEST = dataset.data_path("val_preds.npz"), dataset.data_path("test_preds.npz")
COMMAND = [sys.executable, "-m", "glyphlab"]


def run(*arguments, command=COMMAND, **options):
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, check=False, **options
    )


def result_of(*arguments):
    """The result as parsed JSON; NaN or Infinity in it fails."""
    done = run(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout, parse_constant=pytest.fail)


def assert_refused(done, *told):
    """One line on standard error that says all that was told, status 2, nothing else."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("\n")
    for part in told:
        assert part in done.stderr


@pytest.fixture
def nothing_written(tmp_path):
    """Nothing new, not even a temporary file, may be in the folder afterwards."""
    yield tmp_path
    left = [p.name for p in tmp_path.rglob("*") if p.name != "preds.npz"]
    assert left == []


def glyphs_of(split):
    glyphs = dataset.load()
    indices = np.flatnonzero(glyphs.split == split)
    return indices, glyphs.labels[indices], glyphs.scene_id[indices]


def save(folder, **arrays):
    path = folder / "preds.npz"
    np.savez(path, **arrays)
    return path


def predictions(split, logits_of):
    """Arrays for a split, with logits as a function of the one-hot labels."""
    indices, labels, _ = glyphs_of(split)
    return {"indices": indices, "logits": logits_of(np.eye(3)[labels]).astype(np.float32)}


# ------------------------------------------------------------------------------------------ toy


def test_toy_text():
    done = run("toy")
    assert (done.returncode, done.stderr) == (0, "")
    for told in (
        "12 samples",
        "K = 3",
        "rows are true classes, columns predicted classes",
        "7/12",
        "19/30",
        "19/45",
        "zero_division = raise: an error: precision has a zero denominator: class 2",
        "agree with the exact ones",
    ):
        assert told in done.stdout


def test_toy_json_holds_the_three_conventions():
    result = result_of("toy")
    assert result["confusion_matrix"]["counts"] == [[4, 2, 0], [1, 3, 0], [1, 1, 0]]
    assert result["confusion_matrix"]["rows"] == "true class"
    omit, zero = result["modes"]["omit"], result["modes"]["zero"]
    assert omit["per_class"]["precision"] == [2 / 3, 1 / 2, None]
    assert omit["macro_f1"] == pytest.approx(19 / 30, rel=1e-15)
    assert zero["macro_f1"] == pytest.approx(19 / 45, rel=1e-15)
    assert "class 2" in result["raise"]


def test_toy_notices_a_broken_core(tmp_path):
    script = tmp_path / "broken.py"
    script.write_text(
        "import sys, glyphlab_core as core\n"
        "right = core.core_metrics\n"
        "def wrong(C, zero_division='omit'):\n"
        "    out = right(C, zero_division)\n"
        "    return out | {'macro_f1': out['macro_f1'] + 1e-9}\n"
        "core.core_metrics = wrong\n"
        "from glyphlab.cli import main\n"
        "sys.exit(main(['toy']))\n"
    )
    done = run(command=[sys.executable, script])
    assert done.returncode == 1
    assert done.stderr.startswith("glyphlab toy: C_z.omit.macro_f1 is ")
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)


# --------------------------------------------------------------------------------------- report


def counted(path):
    with np.load(path) as file:
        indices, logits = file["indices"], file["logits"]
    glyphs = dataset.load()
    C = [[0] * 3 for _ in range(3)]
    for true, scores in zip(glyphs.labels[indices], logits, strict=True):
        C[true][list(scores).index(max(scores))] += 1
    return np.array(C), glyphs.scene_id[indices]


def plain_metrics(C):
    """Accuracy and macro F1 of a matrix without empty rows or columns."""
    precision, recall = np.diag(C) / C.sum(axis=0), np.diag(C) / C.sum(axis=1)
    f1 = 2 * precision * recall / (precision + recall)
    return {
        "accuracy": np.trace(C) / C.sum(),
        "macro_precision": precision.mean(),
        "macro_recall": recall.mean(),
        "macro_f1": f1.mean(),
    }


def test_report_numbers():
    result = result_of("report", TEST)
    C, scenes = counted(TEST)
    matrix = result["confusion_matrix"]
    assert matrix["counts"] == C.tolist()
    assert matrix["supports"] == C.sum(axis=1).tolist()
    assert matrix["predicted"] == C.sum(axis=0).tolist()
    np.testing.assert_allclose(matrix["row_normalised"], C / C.sum(axis=1, keepdims=True))
    assert (result["K"], result["zero_division"]) == (3, "omit")
    assert result["predictions"]["splits"] == {"test": len(scenes)}
    for name, value in plain_metrics(C).items():
        assert result["metrics"][name] == pytest.approx(value, rel=1e-12)
    for name in ("micro_precision", "micro_recall", "micro_f1"):
        assert result["metrics"][name] == pytest.approx(np.trace(C) / C.sum(), rel=1e-12)
    assert result["resampling"]["scenes"] == len(set(scenes.tolist()))


def test_report_intervals_are_those_of_a_bootstrap_over_scenes(tmp_path):
    indices, labels, scenes = glyphs_of("test")
    right = np.isin(scenes, np.unique(scenes)[::3], invert=True)  # both views, or neither
    logits = np.eye(3)[(labels + ~right) % 3].astype(np.float32)
    result = result_of("report", save(tmp_path, indices=indices, logits=logits))
    by_scene = np.array([right[scenes == s].mean() for s in np.unique(scenes)])
    rng = np.random.default_rng(2026)
    means = [rng.choice(by_scene, len(by_scene)).mean() for _ in range(4000)]
    # One scene more or less in a quantile; an interval over images would be 0.1 shorter.
    expected = np.quantile(means, [0.025, 0.975])
    assert result["intervals"]["accuracy"] == pytest.approx(expected, abs=1.01 / len(by_scene))
    width = np.subtract(*result["intervals"]["accuracy"][::-1])
    over_images = 2 * 1.96 * np.sqrt(right.mean() * (1 - right.mean()) / len(right))
    assert width > 1.2 * over_images


def test_report_text_states_axes_conventions_and_intervals():
    done = run("report", TEST)
    assert (done.returncode, done.stderr) == (0, "")
    for told in (
        "60 images of 30 scenes (split test 60)",
        "K = 3 classes: vertical, horizontal, diagonal",
        "rows are true classes, columns predicted classes",
        "support",
        "Row-normalised profile",
        "zero_division = omit",
        "Macro F1 is the mean of the classes' F1",
        "95 % interval",
        "2000 resamples of whole scenes",
    ):
        assert told in done.stdout
    assert done.stdout.isascii()


def test_an_unpredicted_class_is_null_in_omit_and_named_in_raise(tmp_path):
    def never_diagonal(one_hot):
        return one_hot @ np.array([[3, 0, 0], [0, 3, 0], [1, 0, 0]])

    path = save(tmp_path, **predictions("test", never_diagonal))
    omit = result_of("report", path)
    assert omit["metrics"]["per_class"]["precision"] == [0.5, 1.0, None]
    assert omit["metrics"]["averaged"] == {"precision": 2, "recall": 3, "f1": 2}
    assert "2 of 3 classes" in run("report", path).stdout
    zero = result_of("report", path, "--zero-division", "zero")
    assert zero["metrics"]["per_class"]["precision"] == [0.5, 1.0, 0.0]
    refused = run("report", path, "--zero-division", "raise")
    assert_refused(refused, "precision has a zero denominator: class 2", "--zero-division omit")
    assert run("report", TEST, "--zero-division", "raise").returncode == 0


def test_report_on_one_image(tmp_path):
    path = save(tmp_path, indices=np.array([5]), logits=np.zeros((1, 3), np.float32))
    result = result_of("report", path)
    assert sum(result["predictions"]["splits"].values()) == 1


def test_report_tells_of_training_images(tmp_path):
    path = save(tmp_path, **predictions("train", lambda one_hot: one_hot))
    assert "240 of them are training images" in run("report", path).stdout
    assert "Note" not in run("report", TEST).stdout


GOOD = {"indices": np.arange(4), "logits": np.zeros((4, 3), np.float32)}


def with_entry(value):
    logits = np.zeros((4, 3), np.float32)
    logits[2, 1] = value
    return logits


BAD_ARRAYS = {
    "no indices": ({"logits": GOOD["logits"]}, "indices"),
    "no logits": ({"indices": GOOD["indices"]}, "logits"),
    "float indices": (GOOD | {"indices": np.arange(4.0)}, "int64"),
    "int32 indices": (GOOD | {"indices": np.arange(4, dtype=np.int32)}, "int64"),
    "float64 logits": (GOOD | {"logits": np.zeros((4, 3))}, "float32"),
    "text logits": (GOOD | {"logits": np.full((4, 3), "x")}, "float32"),
    "two classes": (GOOD | {"logits": np.zeros((4, 2), np.float32)}, "(4, 2)"),
    "flat logits": (GOOD | {"logits": np.zeros(4, np.float32)}, "(4,)"),
    "lengths differ": (GOOD | {"indices": np.arange(3)}, "(4, 3)"),
    "square indices": (GOOD | {"indices": np.zeros((2, 2), np.int64)}, "(2, 2)"),
    "empty": ({"indices": np.arange(0), "logits": np.zeros((0, 3), np.float32)}, "empty"),
    "index too large": (
        GOOD | {"indices": np.array([0, 1, 360, 2])},
        "from 0 to 359: indices[2] is 360",
    ),
    "negative index": (GOOD | {"indices": np.array([0, -1, 3, 2])}, "indices[1] is -1"),
    "twice": (GOOD | {"indices": np.array([7, 1, 7, 2])}, "indices[2] is 7"),
    "NaN": (GOOD | {"logits": with_entry(np.nan)}, "logits[2, 1] is nan"),
    "infinite": (GOOD | {"logits": with_entry(np.inf)}, "logits[2, 1] is inf"),
    "objects": (GOOD | {"logits": np.full((4, 3), None)}, "npz"),
}


@pytest.mark.parametrize("fault", BAD_ARRAYS)
def test_arrays_that_break_the_contract(fault, nothing_written):
    arrays, told = BAD_ARRAYS[fault]
    path = save(nothing_written, **arrays)
    plot = nothing_written / "plot.png"
    assert_refused(run("report", path, "--plot", plot), f"glyphlab report: {path}: ", told)


@pytest.mark.parametrize("place", [0, 1])
def test_calibrate_checks_both_files(place, nothing_written):
    arrays, told = BAD_ARRAYS["NaN"]
    files = [VAL, TEST]
    files[place] = save(nothing_written, **arrays)
    plot = nothing_written / "plot.png"
    done = run("calibrate", *files, "--plot", plot)
    assert_refused(done, f"glyphlab calibrate: {files[place]}: ", told)


def not_an_npz(kind, folder):
    path = folder / "preds.npz"
    if kind == "text":
        path.write_text("indices,logits\n")
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "npy":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    elif kind == "truncated":
        path.write_bytes(TEST.read_bytes()[:-200])
    elif kind == "damaged":
        content = bytearray(TEST.read_bytes())
        content[300:340] = bytes(40)
        path.write_bytes(content)
    elif kind == "folder":
        path.mkdir()
    elif kind == "pickle":
        import pickle

        path.write_bytes(pickle.dumps({"indices": [1]}))
    return path


@pytest.mark.parametrize(
    "kind", ["missing", "text", "empty", "npy", "truncated", "damaged", "folder", "pickle"]
)
def test_files_that_are_no_npz(kind, nothing_written):
    path = not_an_npz(kind, nothing_written)
    assert_refused(run("report", path), f"glyphlab report: {path}: ")


def test_a_pickle_is_never_run(nothing_written):
    class Attack:
        def __reduce__(self):
            return (open, (str(nothing_written / "run"), "w"))

    path = save(nothing_written, indices=np.arange(4), logits=np.array([Attack()], dtype=object))
    assert_refused(run("report", path))


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
def test_a_file_name_in_another_encoding(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff\n.npz"
    assert_refused(run("report", os.fsdecode(path)))
    with open(path, "wb") as file:
        file.write(TEST.read_bytes())
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = run("report", os.fsdecode(path), env=environment)
    assert (done.returncode, done.stderr) == (0, "")


# ------------------------------------------------------------------------------------ calibrate


def loss_at(logits, labels, t):
    z = logits.astype(np.float64) / t
    return float(np.mean(logsumexp(z, axis=1) - z[np.arange(len(z)), labels]))


def read(path):
    with np.load(path) as file:
        return file["logits"], dataset.load().labels[file["indices"]]


def plain_measures(logits, labels, t, bins=5):
    p = softmax(logits.astype(np.float64) / t, axis=1)
    confidence, right = p.max(axis=1), logits.argmax(axis=1) == labels
    ece = 0.0
    for k in range(bins):
        inside = (confidence >= k / bins) & ((confidence < (k + 1) / bins) | (k == bins - 1))
        if inside.any():
            ece += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    return {
        "log_loss": loss_at(logits, labels, t),
        "brier": np.mean(((p - np.eye(3)[labels]) ** 2).sum(axis=1)),
        "ece": ece,
        "accuracy": right.mean(),
    }


def test_calibrate_numbers():
    result = result_of("calibrate", VAL, TEST)
    best = minimize_scalar(
        lambda u: loss_at(*read(VAL), np.exp(u)), bounds=(-3, 3), options={"xatol": 1e-10}
    )
    t = result["temperature"]
    assert t["fitted_on"] == "val"
    assert t["exact"] == pytest.approx(np.exp(best.x), rel=1e-6)
    assert t["used"] == t["exact"]
    losses = [loss_at(*read(VAL), g) for g in t["grid"]]
    assert t["grid"] == [0.5, 0.75, 1.0, 1.25, 1.5, 2.0]
    assert t["grid_choice"] == t["grid"][int(np.argmin(losses))]
    for name, path in (("val", VAL), ("test", TEST)):
        measures = {"before": plain_measures(*read(path), 1.0)}
        measures["after"] = plain_measures(*read(path), t["exact"])
        for when, values in measures.items():
            for measure, value in values.items():
                got = result[name][when][measure]
                assert got["value"] == pytest.approx(value, rel=1e-9), (name, when, measure)
                assert got["interval"][0] <= got["value"] + 1e-12
        for measure in ("log_loss", "brier", "ece"):
            change = measures["after"][measure] - measures["before"][measure]
            assert result[name]["difference"][measure]["value"] == pytest.approx(change, abs=1e-12)
        assert result[name]["difference"]["accuracy"] == {"value": 0.0, "interval": [0.0, 0.0]}
    assert result["binning"] == {"bins": 5, "closed": "left", "edges": [0, 0.2, 0.4, 0.6, 0.8, 1]}


def test_paired_interval_is_that_of_a_bootstrap_over_scenes():
    result = result_of("calibrate", VAL, TEST)
    logits, labels = read(TEST)
    rows, t = np.arange(len(labels)), result["temperature"]["exact"]

    def losses(at):
        z = logits.astype(np.float64) / at
        return logsumexp(z, axis=1) - z[rows, labels]

    change = losses(t) - losses(1.0)
    with np.load(TEST) as file:
        scenes = dataset.load().scene_id[file["indices"]]
    by_scene = np.array([change[scenes == s].mean() for s in np.unique(scenes)])
    rng = np.random.default_rng(2026)
    means = [rng.choice(by_scene, len(by_scene)).mean() for _ in range(4000)]
    expected = np.quantile(means, [0.025, 0.975])
    slack = 0.1 * (expected[1] - expected[0])
    got = result["test"]["difference"]["log_loss"]["interval"]
    assert got == pytest.approx(expected, abs=slack)


def test_the_choice_does_not_see_the_test_set(tmp_path):
    other = save(tmp_path, **predictions("test", lambda one_hot: -3 * one_hot))
    here, there = result_of("calibrate", VAL, TEST), result_of("calibrate", VAL, other)
    assert here["temperature"] == there["temperature"]
    assert here["val"]["after"] == there["val"]["after"]
    assert here["test"]["after"] != there["test"]["after"]


def test_bins_and_their_closed_side_are_stated_and_used():
    result = result_of("calibrate", VAL, TEST, "--bins", 15, "--closed", "right")
    assert (result["binning"]["bins"], result["binning"]["closed"]) == (15, "right")
    assert len(result["test"]["before"]["reliability"]["count"]) == 15
    text = run("calibrate", VAL, TEST, "--bins", 15, "--closed", "right").stdout
    assert "15 equal bins (lo, hi], the first closed" in text
    assert "5 equal bins [lo, hi), the last closed" in run("calibrate", VAL, TEST).stdout


@pytest.mark.parametrize(
    ("logits_of", "limit", "words"),
    [
        (lambda one_hot: 5 * one_hot, "0", "as T goes to 0"),
        (lambda one_hot: -5 * one_hot, "infinity", "as T goes to infinity"),
        (lambda one_hot: 0 * one_hot, "any", "the same for every T"),
    ],
)
def test_no_optimum_is_said_with_its_limit(tmp_path, logits_of, limit, words):
    path = save(tmp_path, **predictions("val", logits_of))
    t = result_of("calibrate", path, TEST)["temperature"]
    assert (t["exact"], t["limit"]) == (None, limit)
    losses = [loss_at(*read(path), g) for g in t["grid"]]
    assert t["used"] == t["grid_choice"] == t["grid"][int(np.argmin(losses))]
    assert t["at_grid_edge"] is True
    done = run("calibrate", path, TEST, "--plot", tmp_path / "plot.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No optimum exists: the loss on validation" in done.stdout
    assert words in done.stdout
    assert "an end of the grid" in done.stdout


def test_images_of_another_split_are_refused(tmp_path, nothing_written):
    swapped = run("calibrate", TEST, VAL)
    assert_refused(swapped, f"{TEST}: indices must be images of the split val: indices[0] is ")
    assert "order of the files is VAL.npz TEST.npz" in swapped.stderr
    assert_refused(run("calibrate", VAL, VAL), f"{VAL}: indices must be images of the split test")
    mixed = predictions("val", lambda one_hot: one_hot)
    mixed["indices"][3] = glyphs_of("train")[0][0]
    path = save(tmp_path, **mixed)
    told = f"indices[3] is {mixed['indices'][3]}, of the split train"
    assert_refused(run("calibrate", path, TEST), told, "1 of 60")


# ---------------------------------------------------------------------------------------- plots

SIGNATURES = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml", ".PNG": b"\x89PNG"}


@pytest.mark.parametrize("suffix", SIGNATURES)
def test_plot_is_written_the_same_each_time(tmp_path, suffix):
    contents = []
    for name in ("first", "second"):
        path = tmp_path / (name + suffix)
        done = run("report", TEST, "--plot", path)
        assert (done.returncode, done.stderr) == (0, "")
        contents.append(path.read_bytes())
    assert contents[0].startswith(SIGNATURES[suffix])
    assert contents[0] == contents[1]
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"first{suffix}", f"second{suffix}"]


@pytest.mark.parametrize("arguments", [["toy"], ["calibrate", VAL, TEST]])
def test_other_plots(tmp_path, arguments):
    path = tmp_path / "plot.png"
    done = run(*arguments, "--plot", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("plot.bmp", "'.bmp' is unknown; use one of .png, .svg, .pdf"),
        ("plot", "'' is unknown; use one of"),
        ("none/plot.png", "there is no folder"),
        ("folder.png", "not a regular file"),
        ("/dev/null", "'' is unknown"),
        ("/proc/plot.png", "--plot /proc/plot.png: "),
    ],
)
def test_plot_targets_that_cannot_be(tmp_path, target, told):
    (tmp_path / "folder.png").mkdir()
    assert_refused(run("report", TEST, "--plot", tmp_path / target), told)
    assert [p.name for p in tmp_path.rglob("*")] == ["folder.png"]


def test_an_earlier_plot_survives_a_later_fault(tmp_path):
    path = tmp_path / "plot.png"
    path.write_bytes(b"earlier")
    assert_refused(run("report", tmp_path / "missing.npz", "--plot", path))
    assert path.read_bytes() == b"earlier"


# ----------------------------------------------------------------------------------------- data


def test_data_verifies_the_shipped_files():
    done = run("data")
    assert (done.returncode, done.stderr) == (0, "")
    assert result_of("data")["files"] == list(dataset.FILES)


def test_data_writes_what_is_shipped(tmp_path):
    folder = tmp_path / "new" / "data"
    assert run("data", "write", folder).returncode == 0
    for name in dataset.FILES:
        assert (folder / name).read_bytes() == dataset.data_path(name).read_bytes()
    assert run("data", "verify", folder).returncode == 0


def test_an_altered_or_missing_file_is_named_with_its_checksum(tmp_path):
    import hashlib

    run("data", "write", tmp_path)
    labels = tmp_path / "labels.npy"
    expected = hashlib.sha256(labels.read_bytes()).hexdigest()
    content = bytearray(labels.read_bytes())
    content[-1] ^= 1
    labels.write_bytes(content)
    assert_refused(run("data", "verify", tmp_path), str(labels), expected)
    labels.unlink()
    assert_refused(run("data", "verify", tmp_path), str(labels), "missing", expected)


def test_data_refuses_what_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    assert_refused(run("data", "write"), "write needs a folder")
    assert_refused(run("data", "write", tmp_path / "file"), str(tmp_path / "file"))
    assert_refused(run("data", "write", tmp_path / "file" / "below"), str(tmp_path / "file"))
    assert_refused(run("data", "verify", tmp_path / "none"), "images.npy", "missing")
    assert_refused(run("data", "remove"), "invalid choice: 'remove'")


# ---------------------------------------------------------------------------------------- train


def test_train_saves_checkpoint_and_predictions(tmp_path):
    out = tmp_path / "a" / "run"
    result = result_of("train", "--epochs", 1, "--out", out)
    assert sorted(p.name for p in out.iterdir()) == sorted(result["files"])
    assert result["images"] == 240
    for split in ("val", "test"):
        report = result_of("report", out / f"{split}_preds.npz")
        assert report["predictions"]["splits"] == {split: 60}
    assert run("calibrate", out / "val_preds.npz", out / "test_preds.npz").returncode == 0
    import torch

    from glyphlab import network

    state = torch.load(out / "model.pt", weights_only=True)
    model = network.GlyphNet()
    model.load_state_dict(state)
    with np.load(out / "test_preds.npz") as file:
        images = dataset.load().images[file["indices"]]
        np.testing.assert_allclose(network.gather_logits(model, images), file["logits"], atol=1e-4)


def test_train_refuses_what_is_no_folder(nothing_written):
    path = save(nothing_written, x=np.zeros(1))
    assert_refused(run("train", "--out", path), f"--out {path}: this is not a folder")
    assert_refused(run("train", "--out", path / "below"), str(path))
    assert_refused(run("train", "--epochs", 0), "from 1 to 1000000, not '0'")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupt_ends_with_130_and_leaves_nothing(nothing_written):
    out = nothing_written / "deep" / "run"
    process = subprocess.Popen(
        [*COMMAND, "train", "--epochs", "100000", "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not out.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    try:
        stdout, stderr = process.communicate(timeout=120)
    finally:
        process.kill()
    assert (process.returncode, stdout, stderr) == (130, "", "glyphlab train: interrupted\n")


# --------------------------------------------------------------------------- the command itself


def test_the_installed_command_is_the_module():
    script = Path(sys.executable).parent / "glyphlab"
    assert run("toy", command=[script]).stdout == run("toy").stdout


def test_version_and_help():
    from glyphlab import __version__

    assert run("--version").stdout == f"glyphlab {__version__}\n"
    for arguments in ((), ("toy",), ("report",), ("calibrate",), ("train",), ("data",)):
        done = run(*arguments, "--help")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("usage: glyphlab")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "a command is wanted: toy, report, calibrate, train, data"),
        (("tоy",), "invalid choice"),
        (("toy", "--colour"), "unrecognized arguments: --colour"),
        (("report",), "PREDS.npz"),
        (("calibrate", VAL), "TEST.npz"),
        (("calibrate", VAL, TEST, "--bins", "0"), "from 1 to 1000, not '0'"),
        (("calibrate", VAL, TEST, "--bins", "many"), "from 1 to 1000, not 'many'"),
        (("calibrate", VAL, TEST, "--bins", "1000000000"), "from 1 to 1000, not '1000000000'"),
        (("report", TEST, "--resamples", "-3"), "from 1 to 100000, not '-3'"),
        (("report", TEST, "--resamples", "100000000000"), "from 1 to 100000, not"),
        (("report", TEST, "--zero-division", "one"), "invalid choice: 'one'"),
    ],
)
def test_wrong_arguments(arguments, told):
    assert_refused(run(*arguments), told, "--help")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "report", TEST], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "glyphlab report: No space left on device\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes")
def test_a_reader_that_goes_away():
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [*COMMAND, "report", TEST],
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("arguments", [["toy"], ["report", TEST], ["calibrate", VAL, TEST]])
def test_torch_is_not_loaded_where_it_is_not_needed(arguments):
    code = (
        "import sys; from glyphlab.cli import main; status = main(sys.argv[1:]); "
        "sys.exit(status or any(m in sys.modules for m in ('torch', 'matplotlib')))"
    )
    assert run(*arguments, command=[sys.executable, "-c", code]).returncode == 0
