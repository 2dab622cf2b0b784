"""``glyphlab calibrate VAL.npz TEST.npz``: fit T on validation only, then evaluate test once."""

import argparse
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import glyphlab_core as core
from glyphlab.cli._output import CommandError, Result, columns, interval, number
from glyphlab.cli._predictions import (
    LEVEL,
    SEED,
    bootstrap,
    predictions_text,
    read,
    resampling_arguments,
    resampling_part,
    resampling_text,
    whole_number,
)
from glyphlab.dataset import Predictions, load

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MEASURES = ("log_loss", "brier", "ece", "accuracy")
_DECIMALS = {"log_loss": 6, "brier": 6, "ece": 4, "accuracy": 4}
_PLOTTED = np.geomspace(0.25, 4.0, 97)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    for split in ("val", "test"):
        parser.add_argument(
            split,
            metavar=f"{split.upper()}.npz",
            help=f"indices (N,) int64 and logits (N, 3) float32 of images of the split {split}",
        )
    parser.add_argument(
        "--bins", type=whole_number(1000), default=5, metavar="M", help="bins of ECE (default: 5)"
    )
    parser.add_argument(
        "--closed",
        choices=("left", "right"),
        default="left",
        help="on which side the bins are closed (default: left)",
    )
    resampling_arguments(parser)
    parser.add_argument(
        "--plot", metavar="FILE", help="draw curve and reliability to FILE (png, svg, pdf)"
    )


def build(args: argparse.Namespace) -> Result:
    """Fit on validation, then evaluate validation and test at T = 1 and at the fitted T."""
    val, val_part = read(args.val)
    test, test_part = read(args.test)
    _check_split(args.val, val, "val")
    _check_split(args.test, test, "test")
    temperature = fit(val)
    binning = core.Binning.uniform(args.bins, args.closed)
    evaluated = {
        name: _evaluate(predictions, temperature["used"], binning, args)
        for name, predictions in (("val", val), ("test", test))
    }
    return {
        "command": "calibrate",
        "val": val_part | evaluated["val"],
        "test": test_part | evaluated["test"],
        "temperature": temperature,
        "binning": {"bins": args.bins, "closed": args.closed, "edges": binning.edges},
        "resampling": resampling_part(test_part["scenes"], args),
        "curve": {
            "split": "val",
            "temperature": _PLOTTED,
            "log_loss": core.temperature_curve(val.logits, val.labels, _PLOTTED),
        },
    }


def _check_split(path: str, predictions: Predictions, name: str) -> None:
    """Refuse images of another split: test must take no part in the choice, nor training."""
    split = load().split[predictions.indices]
    wrong = np.flatnonzero(split != name)
    if len(wrong):
        first = int(wrong[0])
        raise CommandError(
            f"{path}: indices must be images of the split {name}: indices[{first}] is "
            f"{predictions.indices[first]}, of the split {split[first]}, and {len(wrong)} of "
            f"{len(split)} are of another; the order of the files is VAL.npz TEST.npz"
        )


def fit(val: Predictions) -> Result:
    """Choose the temperature by log loss on validation: the exact optimum, and that of the grid.

    Parameters
    ----------
    val : Predictions
        The only data that the choice sees.

    Returns
    -------
    dict
        ``exact`` (None where there is no optimum), ``limit`` (where the loss then falls to its
        infimum: "0", "infinity" or "any"), ``grid``, ``grid_choice``, ``at_grid_edge``, and
        ``used``: the exact one where it exists, else the grid's.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        choice = core.fit_temperature(val.logits, val.labels)
    edge = any(issubclass(w.category, core.GridEdgeWarning) for w in caught)
    try:
        exact, limit = core.optimal_temperature(val.logits, val.labels), None
    except core.NoOptimumError as error:
        exact, limit = None, {0.0: "0", np.inf: "infinity"}.get(error.limit, "any")
    return {
        "fitted_on": "val",
        "exact": exact,
        "limit": limit,
        "grid": core.DEFAULT_GRID,
        "grid_choice": choice,
        "at_grid_edge": edge,
        "used": choice if exact is None else exact,
    }


def _evaluate(
    predictions: Predictions, temperature: float, binning: core.Binning, args: argparse.Namespace
) -> Result:
    """Return the measures before and after with their intervals, and the paired difference."""
    statistic = _statistic(len(binning))
    arrays, out = [], {}
    for name, t in (("before", 1.0), ("after", temperature)):
        terms, table = _terms(predictions, t, binning)
        arrays.append(terms)
        result = bootstrap(statistic, predictions, terms, args)
        out[name] = {"temperature": t, "reliability": table} | _values(result)
    difference = core.paired_group_bootstrap(
        statistic,
        predictions.scene_id,
        *arrays,
        n_resamples=args.resamples,
        level=LEVEL,
        seed=SEED,
    )
    return out | {"difference": _values(difference)}


def _terms(
    predictions: Predictions, temperature: float, binning: core.Binning
) -> tuple[tuple[NDArray[Any], ...], core.ReliabilityTable]:
    """Return each sample's loss, Brier score, correctness, gap and bin, and the table of bins."""
    logits, y = predictions.logits.astype(np.float64), predictions.labels
    p = core.softmax(logits, temperature)
    rows = [slice(i, i + 1) for i in range(len(y))]
    losses = np.array([core.log_loss(logits[i], y[i], temperature) for i in rows])
    brier = np.array([core.brier_score(p[i], y[i]) for i in rows])
    confidence, correct = p.max(axis=1), logits.argmax(axis=1) == y
    table = core.reliability_table(confidence, correct, binning)
    return (losses, brier, correct, confidence - correct, binning.index(confidence)), table


def _statistic(bins: int) -> core.AdditiveStatistic:
    """Return the measures as functions of sums over samples; ECE needs the gap of each bin."""

    def terms(*arrays: Any) -> NDArray[np.float64]:
        losses, brier, correct, gap, index = (np.asarray(a) for a in arrays)
        in_bin = np.equal(index[:, None], np.arange(bins))
        ones = np.ones(len(losses))
        return np.column_stack([ones, losses, brier, correct, gap[:, None] * in_bin])

    def finish(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        n, losses, brier, correct = sums[:, :4].T
        ece = np.abs(sums[:, 4:]).sum(axis=1)
        means: NDArray[np.float64] = np.column_stack([losses, brier, ece, correct]) / n[:, None]
        return means

    return core.AdditiveStatistic(terms, finish)


def _values(result: core.BootstrapResult) -> Result:
    """Name the entries of a bootstrapped vector of measures."""
    bounds = zip(result.lower, result.upper, strict=True)
    return {
        name: {"value": value, "interval": pair}
        for name, value, pair in zip(_MEASURES, result.estimate, bounds, strict=True)
    }


def text(result: Result) -> str:
    """Write the result out."""
    binning = result["binning"]
    side = (
        "[lo, hi), the last closed" if binning["closed"] == "left" else "(lo, hi], the first closed"
    )
    return "\n\n".join(
        [
            "Temperature scaling: T is fitted on validation only; test is evaluated once.\n"
            f"validation  {predictions_text(result['val'])}\n"
            f"test        {predictions_text(result['test'])}",
            _temperature_text(result["temperature"]),
            "Log loss in nats; Brier score in [0, 2]; ECE of the top class with "
            f"{binning['bins']} equal bins {side}.\nThe difference is after minus before, "
            "on the same resamples.",
            _set_text("Validation, on which T was chosen", result["val"]),
            _set_text("Test", result["test"]),
            resampling_text(result["resampling"]) + "\nThey hold T fixed as fitted. ECE is biased "
            "in small samples, and its resamples are too.",
        ]
    )


def _temperature_text(t: Result) -> str:
    grid = ", ".join(f"{v:g}" for v in t["grid"])
    edge = " It is an end of the grid: the best may lie outside." if t["at_grid_edge"] else ""
    choice = f"Best of the grid {grid}: T = {t['grid_choice']:g}.{edge}"
    if t["exact"] is not None:
        return f"Exact optimum: T = {t['exact']:.6f}, used below.\n{choice}"
    falls = {
        "0": "falls towards its infimum as T goes to 0",
        "infinity": "falls towards its infimum as T goes to infinity",
        "any": "is the same for every T",
    }[t["limit"]]
    return f"No optimum exists: the loss on validation {falls}.\n{choice} It is used below."


def _set_text(title: str, part: Result) -> str:
    rows = [
        [
            "",
            "T = 1",
            "95 % interval",
            f"T = {part['after']['temperature']:.6f}",
            "95 % interval",
            "difference",
            "95 % interval",
        ]
    ]
    for name in _MEASURES:
        row = [name.replace("_", " ")]
        for column in ("before", "after", "difference"):
            entry, decimals = part[column][name], _DECIMALS[name]
            row += [number(entry["value"], decimals), interval(entry["interval"], decimals)]
        rows.append(row)
    return f"{title}\n{columns(rows)}"


def figure(result: Result) -> "Figure":
    """Draw the loss on validation over T, and the reliability on test before and after."""
    from matplotlib.figure import Figure

    from glyphlab import plots

    drawn = Figure(figsize=(10.8, 6.0), layout="constrained")
    left, right = drawn.subplots(1, 2)
    curve, t = result["curve"], result["temperature"]
    minimum = None
    if t["exact"] is not None:
        minimum = (t["exact"], result["val"]["after"]["log_loss"]["value"])
    plots.temperature_curve(curve["temperature"], curve["log_loss"], left, minimum, "validation")
    left.set_title("Validation: log loss", fontsize=11)
    for name in ("before", "after"):
        part = result["test"][name]
        plots.reliability_diagram(
            part["reliability"], right, f"test, T = {part['temperature']:.4g}"
        )
    return drawn
