"""``glyphlab toy``: the worked matrix C_z in the three conventions, beside the exact values."""

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

import glyphlab_core as core
from glyphlab import expected
from glyphlab.cli._output import CommandError, Result, columns, number
from glyphlab.cli.report import METRICS, PER_CLASS, draw_matrix, matrix_part, matrix_text
from glyphlab_core import worked

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NAMES = ("0", "1", "2")
_WORDS = {
    "omit": "undefined (-), and left out of the macro average",
    "zero": "0, and part of the macro average",
    "raise": "an error",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this subcommand."""
    parser.add_argument("--plot", metavar="FILE", help="draw the matrix to FILE (png, svg, pdf)")


def build(args: argparse.Namespace) -> Result:
    """Compute matrix and metrics, and compare each with its exact value."""
    C = core.confusion_matrix(worked.y_true, worked.y_pred, num_classes=3)
    modes: dict[str, Any] = {m: core.core_metrics(C, zero_division=m) for m in ("omit", "zero")}
    try:
        core.core_metrics(C, zero_division="raise")
        raised = None
    except ZeroDivisionError as error:
        raised = str(error)
    return {
        "command": "toy",
        "K": 3,
        "samples": int(C.sum()),
        "confusion_matrix": matrix_part(C),
        "modes": modes,
        "raise": raised,
        "values_compared": _compare(C, modes, raised),
    }


def _compare(C: np.ndarray[Any, Any], modes: dict[str, Any], raised: str | None) -> int:
    """Compare everything with `glyphlab.expected`; return how many names were compared."""
    if not np.array_equal(C, worked.C_z):
        raise CommandError(f"C_z is {C.tolist()}: the core is broken", status=1)
    pairs: list[tuple[str, Any]] = [
        ("C_z.support", C.sum(axis=1)),
        ("C_z.predicted", C.sum(axis=0)),
        ("C_z.total", C.sum()),
        ("C_z.trace", np.trace(C)),
    ]
    for mode, metrics in modes.items():
        pairs += [(_exact_name(mode, name), metrics[name]) for name in METRICS]
        pairs += [(f"C_z.{mode}.{name}", metrics["per_class"][name]) for name in PER_CLASS]
        averaged = [metrics["averaged"][name] for name in PER_CLASS]
        pairs += [(f"C_z.{mode}.averaged", averaged), ("C_z.prevalence", metrics["prevalence"])]
    for name, value in pairs:
        right = expected.number(name)
        if not np.allclose(value, right, rtol=1e-14, atol=0, equal_nan=True):
            raise CommandError(f"{name} is {value}, not {right}: the core is broken", status=1)
    if raised is None:
        raise CommandError("zero_division='raise' raised no error: the core is broken", status=1)
    return len(dict(pairs))


def _exact_name(mode: str, metric: str) -> str:
    return f"C_z.{mode}.{metric}" if metric.startswith("macro") else f"C_z.{metric}"


def text(result: Result) -> str:
    """Write the result out."""
    parts = [
        f"The worked example C_z of chapter 23.1: {result['samples']} samples, K = 3 classes",
        matrix_text(result["confusion_matrix"], _NAMES),
    ]
    for mode, metrics in result["modes"].items():
        parts.append(f"zero_division = {mode}: a value over a zero denominator is {_WORDS[mode]}")
        header = ["", *(f"class {n}" for n in _NAMES)]
        rows = [[n, *(number(v) for v in metrics["per_class"][n])] for n in PER_CLASS]
        parts.append(columns([header, *rows]))
        parts.append(
            columns(
                [
                    [name.replace("_", " "), number(metrics[name]), _fraction(mode, name)]
                    for name in METRICS
                ]
            )
        )
    parts.append(f"zero_division = raise: {_WORDS['raise']}: {result['raise']}")
    parts.append(f"All {result['values_compared']} values agree with the exact ones.")
    return "\n\n".join(parts)


def _fraction(mode: str, metric: str) -> str:
    value = expected.exact(_exact_name(mode, metric))
    assert isinstance(value, Fraction)
    return f"= {value}"


def figure(result: Result) -> "Figure":
    """Draw the matrix."""
    return draw_matrix(result["confusion_matrix"]["counts"], _NAMES, "C_z of chapter 23.1")
