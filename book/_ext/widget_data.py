"""What each widget starts from, and the table that stands in its place where no script runs.

Inputs come from the worked examples and the shipped predictions; the table's numbers from
``glyphlab_core``. The scripts in ``book/assets/widgets`` compute everything else in the browser.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import glyphlab_core as core
from glyphlab import dataset
from glyphlab.tables import Table, temperature_text
from glyphlab_core import Binning, worked


@dataclass(frozen=True)
class Widget:
    """A widget: its title, the data of its script, and the table without one."""

    title: str
    data: Callable[[], dict[str, Any]]
    fallback: Callable[[], Table]


def _rows(logits: NDArray[Any]) -> list[list[float]]:
    """Write float32 as the shortest decimals that round to them; the scripts round them again."""
    return [[float(str(value)) for value in row] for row in logits]


def _labelled(logits: NDArray[Any], labels: NDArray[Any]) -> dict[str, Any]:
    return {"logits": _rows(logits), "labels": labels.tolist()}


def _predictions(name: str) -> dict[str, Any]:
    predictions = dataset.load_predictions(name)
    return _labelled(predictions.logits, predictions.labels)


# ------------------------------------------------------------------ the confusion matrix editor

#: One class-0 sample that was called 1 is called 2 instead: section 4 of chapter 23.1.
ATTEMPT = np.array([[4, 1, 1], [1, 3, 0], [1, 1, 0]])
#: The opening question of chapter 23.1.
OPENING = np.array([[50, 0, 0], [6, 0, 0], [4, 0, 0]])


def editor_data() -> dict[str, Any]:
    presets = (
        ("C", "C, the first matrix", worked.C),
        ("C_z", "C_z, class 2 never called", worked.C_z),
        ("attempt", "C_z with one wrong attempt at class 2", ATTEMPT),
        ("opening", "the opening question: all called 0", OPENING),
    )
    return {
        "presets": [
            {"name": name, "label": label, "cells": cells.tolist()}
            for name, label, cells in presets
        ]
    }


def editor_fallback() -> Table:
    names = ("accuracy", "macro_precision", "macro_recall", "macro_f1")
    rows = []
    for name, C in (("C", worked.C), ("C_z", worked.C_z), ("opening question", OPENING)):
        for convention in ("omit", "zero"):
            metrics = core.core_metrics(C, convention)
            rows.append([name, convention, *(f"{metrics[key]:.4f}" for key in names)])
    header = ["matrix", "convention", *(name.replace("_", " ") for name in names)]
    caption = "Averages of three matrices in two conventions; raise stops at all but C."
    return Table(caption, header, rows)


# ------------------------------------------------------------------ temperature


def samples_data() -> dict[str, Any]:
    return {"logits": worked.Z.tolist(), "labels": worked.y.tolist()}


def samples_fallback() -> Table:
    rows = []
    for T in (*core.DEFAULT_GRID, core.optimal_temperature(worked.Z, worked.y)):
        p = core.softmax(worked.Z, T)
        loss, brier = core.log_loss(worked.Z, worked.y, T), core.brier_score(p, worked.y)
        rows.append([temperature_text(T), f"{loss:.6f}", f"{brier:.6f}"])
    return Table(
        "The three samples; the last T has the least log loss.", ["T", "log loss", "Brier"], rows
    )


def sets_data() -> dict[str, Any]:
    return {"validation": _predictions("val"), "test": _predictions("test")}


def sets_fallback() -> Table:
    val = dataset.load_predictions("val")
    best = core.optimal_temperature(val.logits, val.labels)
    rows = []
    for name, key in (("validation", "val"), ("test", "test")):
        part = dataset.load_predictions(key)
        for T in (1.0, best):
            p = core.softmax(part.logits, T)
            loss = core.log_loss(part.logits, part.labels, T)
            brier = core.brier_score(p, part.labels)
            right = np.mean(part.logits.argmax(axis=1) == part.labels)
            rows.append([name, temperature_text(T), f"{loss:.6f}", f"{brier:.6f}", f"{right:.4f}"])
    header = ["set", "T", "log loss", "Brier", "accuracy"]
    return Table("Both sets at T = 1 and at the T* of validation.", header, rows)


# ------------------------------------------------------------------ bins

#: Two samples with confidences on an edge, and what hides in one bin: section 2 of chapter 23.2.
ON_AN_EDGE = {"confidence": [0.8, 0.7], "correct": [0, 1]}
HIDDEN = {
    "confidence": [0.62] * 50 + [0.78] * 50,
    "correct": [1] * 39 + [0] * 11 + [1] * 31 + [0] * 19,
}


def bins_data() -> dict[str, Any]:
    sets = (
        ("test", "GlyphLab test set, 60 images", _predictions("test")),
        ("val", "GlyphLab validation set, 60 images", _predictions("val")),
        ("edge", "two samples, one on an edge", ON_AN_EDGE),
        ("hidden", "100 samples whose errors cancel", HIDDEN),
    )
    return {"sets": [{"name": name, "label": label, **data} for name, label, data in sets]}


def bins_fallback() -> Table:
    test = dataset.load_predictions("test")
    confidence, _, correct = core.confidence_and_correctness(core.softmax(test.logits), test.labels)
    data = (
        ("test set", confidence, correct),
        ("two samples", ON_AN_EDGE["confidence"], ON_AN_EDGE["correct"]),
        ("errors that cancel", HIDDEN["confidence"], HIDDEN["correct"]),
    )
    rows = [
        [
            name,
            str(n),
            *(
                f"{core.expected_calibration_error(c, a, Binning.uniform(n, closed)):.4f}"
                for closed in ("left", "right")
            ),
        ]
        for name, c, a in data
        for n in (1, 5, 10, 20)
    ]
    return Table("The ECE by bins.", ["predictions", "bins", "closed left", "closed right"], rows)


# ------------------------------------------------------------------ threshold and costs


def two_halves() -> tuple[tuple[NDArray[Any], NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]]:
    """Return logits and labels of every other scene, and of the scenes between."""
    two = dataset.load_predictions("two_class")
    _, rank = np.unique(two.scene_id, return_inverse=True)
    first = rank % 2 == 0
    return (two.logits[first], two.labels[first]), (two.logits[~first], two.labels[~first])


def threshold_data() -> dict[str, Any]:
    fit, shown = two_halves()
    return {"fit": _labelled(*fit), "shown": _labelled(*shown)}


def threshold_fallback() -> Table:
    fit, (logits, labels) = two_halves()
    rows = []
    for T in (1.0, core.optimal_temperature(*fit)):
        p = core.softmax(logits, T)[:, 1]
        for miss in (1, 5, 20):
            tau = core.cost_threshold(1, miss)
            cost = core.expected_cost(p, labels, tau, 1, miss)
            half = core.expected_cost(p, labels, 0.5, 1, miss)
            rows.append(
                [temperature_text(T), f"1 : {miss}", f"{tau:.4f}", f"{cost:.4f}", f"{half:.4f}"]
            )
    header = ["T", "costs", "τ*", "mean cost at τ*", "at one half"]
    return Table("What decisions cost, as the network says and calibrated.", header, rows)


WIDGETS = {
    "confusion-editor": Widget("A matrix to change", editor_data, editor_fallback),
    "temperature-samples": Widget("One temperature, three samples", samples_data, samples_fallback),
    "temperature-sets": Widget("Choose on validation, then look", sets_data, sets_fallback),
    "reliability-bins": Widget("Bins make the number", bins_data, bins_fallback),
    "threshold-costs": Widget("A threshold and its price", threshold_data, threshold_fallback),
}
