"""``glyphlab report PREDS.npz``: what saved predictions come to, with every convention stated."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

import glyphlab_core as core
from glyphlab.cli._output import CommandError, Result, columns, interval, number
from glyphlab.cli._predictions import (
    bootstrap,
    predictions_text,
    read,
    resampling_arguments,
    resampling_part,
    resampling_text,
    splits_text,
)
from glyphlab.dataset import CLASS_NAMES, Predictions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METRICS = (
    "accuracy",
    "micro_precision",
    "micro_recall",
    "micro_f1",
    "macro_precision",
    "macro_recall",
    "macro_f1",
)
PER_CLASS = ("precision", "recall", "f1")
_CONVENTION = {
    "omit": (
        "a precision or recall over a zero denominator is undefined (-); its class is left out of "
        "the macro average"
    ),
    "zero": "a precision or recall over a zero denominator is 0 and counts in the macro average",
    "raise": "a precision or recall over a zero denominator is an error",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument(
        "predictions",
        metavar="PREDS.npz",
        help="an npz file with indices (N,) int64 and logits (N, 3) float32",
    )
    parser.add_argument(
        "--zero-division",
        choices=tuple(_CONVENTION),
        default="omit",
        help="what a precision or recall over a zero denominator is (default: omit)",
    )
    resampling_arguments(parser)
    parser.add_argument("--plot", metavar="FILE", help="draw the matrix to FILE (png, svg, pdf)")


def build(args: argparse.Namespace) -> Result:
    """Read the predictions and compute matrix, metrics and intervals."""
    predictions, part = read(args.predictions)
    decisions = predictions.logits.argmax(axis=1)
    C = core.confusion_matrix(predictions.labels, decisions, num_classes=len(CLASS_NAMES))
    try:
        metrics = core.core_metrics(C, zero_division=args.zero_division)
    except ZeroDivisionError as error:
        raise CommandError(
            f"{args.predictions}: {error}; use --zero-division omit or zero"
        ) from error
    return {
        "command": "report",
        "predictions": part,
        "K": len(CLASS_NAMES),
        "classes": CLASS_NAMES,
        "confusion_matrix": matrix_part(C),
        "zero_division": args.zero_division,
        "metrics": metrics,
        "intervals": _intervals(predictions, decisions, args),
        "resampling": resampling_part(part["scenes"], args),
    }


def matrix_part(C: NDArray[np.int64]) -> Result:
    """Return a confusion matrix with its axes, margins and row-normalised profile."""
    return {
        "rows": "true class",
        "columns": "predicted class",
        "counts": C,
        "supports": C.sum(axis=1),
        "predicted": C.sum(axis=0),
        "row_normalised": core.normalize_confusion(C, over="true"),
    }


def _intervals(
    predictions: Predictions, decisions: NDArray[np.int64], args: argparse.Namespace
) -> dict[str, tuple[float, float]]:
    """Return the interval of every metric; a resample may lack a class, which `raise` cannot."""
    mode: Literal["zero", "omit"] = "zero" if args.zero_division == "zero" else "omit"

    def metrics(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
        each = (core.core_metrics(C, zero_division=mode) for C in matrices)
        return np.array([[values[name] for name in METRICS] for values in each])

    statistic = core.AdditiveStatistic.confusion(len(CLASS_NAMES), metrics)
    result = bootstrap(statistic, predictions, (predictions.labels, decisions), args)
    return dict(zip(METRICS, zip(result.lower, result.upper, strict=True), strict=True))


def text(result: Result) -> str:
    """Write the result out."""
    return "\n\n".join(
        [
            f"Report on {predictions_text(result['predictions'])}{_training_note(result)}",
            f"K = {result['K']} classes: {', '.join(result['classes'])}",
            matrix_text(result["confusion_matrix"], result["classes"]),
            _metrics_text(result),
            resampling_text(result["resampling"]),
        ]
    )


def _training_note(result: Result) -> str:
    seen = result["predictions"]["splits"].get("train", 0)
    if not seen:
        return ""
    return f"\nNote: {seen} of them are training images, which say nothing about new ones."


def matrix_text(part: Result, names: Sequence[str]) -> str:
    """Write out a confusion matrix and its row-normalised profile with named axes."""
    counts = [[f"{n:d}" for n in row] for row in part["counts"].tolist()]
    header = ["true class", *names, "support"]
    rows = [
        [name, *row, f"{n:d}"]
        for name, row, n in zip(names, counts, part["supports"].tolist(), strict=True)
    ]
    over = " " * (2 + max(len(n) for n in (*names, header[0]))) + "predicted class"
    margin = [
        "predicted",
        *(f"{n:d}" for n in part["predicted"].tolist()),
        f"{int(part['supports'].sum()):d}",
    ]
    shares = [
        [name, *(number(v) for v in row)]
        for name, row in zip(names, part["row_normalised"].tolist(), strict=True)
    ]
    return "\n".join(
        [
            "Confusion matrix: rows are true classes, columns predicted classes",
            over,
            columns([header, *rows, margin]),
            "",
            "Row-normalised profile: each row over its support; the diagonal is the recall",
            over,
            columns([header[:-1], *shares]),
        ]
    )


def _metrics_text(result: Result) -> str:
    metrics, mode = result["metrics"], result["zero_division"]
    names = result["classes"]
    per_class = metrics["per_class"]
    table = [["class", *PER_CLASS, "prevalence"]]
    for i, name in enumerate(names):
        values = [*(per_class[m][i] for m in PER_CLASS), metrics["prevalence"][i]]
        table.append([name, *(number(v) for v in values)])
    level = f"{100 * result['resampling']['level']:.0f} % interval"
    rows = [["metric", "value", level, "averaged over"]]
    for name in METRICS:
        rows.append(
            [
                name.replace("_", " "),
                number(metrics[name]),
                interval(result["intervals"][name]),
                _averaged(name, metrics["averaged"], len(names)),
            ]
        )
    return "\n".join(
        [
            f"Convention: zero_division = {mode}: {_CONVENTION[mode]}.",
            "Macro F1 is the mean of the classes' F1. Micro values sum the cells of all classes "
            "first; with one label a sample they equal the accuracy.",
            "",
            columns(table),
            "",
            columns(rows),
        ]
    )


def _averaged(name: str, averaged: dict[str, int], k: int) -> str:
    kind, _, measure = name.partition("_")
    return f"{averaged[measure]} of {k} classes" if kind == "macro" else "all samples"


def figure(result: Result) -> "Figure":
    """Draw the matrix."""
    title = f"GlyphLab, {splits_text(result['predictions'])}"
    return draw_matrix(result["confusion_matrix"]["counts"], result["classes"], title)


def draw_matrix(counts: NDArray[Any], names: Sequence[str], title: str) -> "Figure":
    """Draw a confusion matrix on a figure of its own."""
    from matplotlib.figure import Figure

    from glyphlab import plots

    drawn = Figure(figsize=(5.2, 4.8), layout="constrained")
    ax = plots.confusion_matrix(counts, names, normalize="true", ax=drawn.add_subplot())
    ax.set_title(f"{title}: share of the row (count)", fontsize=11)
    return drawn
