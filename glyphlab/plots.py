"""The figures of the course, and the sentences that say what each shows.

Every function draws on the Axes it is given, or on a new figure, and returns the Axes. The colours
are those of Okabe and Ito, safe for colour-blind readers, and never the only sign: line styles,
markers, hatches or text say the same. Each figure has a function ``describe_…`` that computes its
alternative text from the same data.

References
----------
Okabe, M. and Ito, K. (2008). Color Universal Design: how to make figures and presentations that
are friendly to colorblind people.

Examples
--------
>>> from matplotlib.figure import Figure
>>> ax = confusion_matrix([[5, 1], [0, 3]], ax=Figure().add_subplot())
>>> ax.get_ylabel()
'true class'
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.container import BarContainer
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from glyphlab.tables import temperature_text
from glyphlab_core import ReliabilityTable, RiskCoverage, ThresholdSweep, normalize_confusion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "confusion_matrix",
    "describe_confusion_matrix",
    "describe_measured_curves",
    "describe_reliability",
    "describe_risk_coverage",
    "describe_temperature_curve",
    "describe_threshold_sweep",
    "measured_curves",
    "reliability_diagram",
    "risk_coverage",
    "temperature_curve",
    "threshold_cells",
    "threshold_curves",
]

# Okabe and Ito: blue, vermilion, bluish green, reddish purple.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_MARKERS = ("o", "s", "^", "D")
_LINES = ("-", "--", "-.", ":")
_TINTS = ("#CCE3F0", "#F7DFCC", "#CCECE3", "#F5E4ED")  # the colours mixed with white, one to four
_HATCHES = ("", "////", "....", "xx")
_GREY = "#595959"
# Inches; at 100 dots an inch such a figure is as wide as a column and still legible on a phone.
_SIZE = (5.2, 4.4)
_FONT = 11
_COUNTS = "counts"  # the label of the panel under a reliability diagram
_MOST_LABELLED_BARS = 20

Normalize = Literal["true", "pred", "all"]
_SHARES_OF = {"true": "each true class", "pred": "each predicted class", "all": "all samples"}


def confusion_matrix(
    C: ArrayLike,
    class_names: Sequence[str] | None = None,
    normalize: Normalize | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a confusion matrix with named axes and a number in every cell.

    Parameters
    ----------
    C : array_like, shape (K, K)
        Counts; rows are true classes, columns predicted ones.
    class_names : sequence of str, optional
        K names; the indices where none are given.
    normalize : {"true", "pred", "all"}, optional
        Colour and first number become the share of the row, the column or the whole; the count
        stays beneath it in parentheses.
    ax : matplotlib Axes, optional
        Where to draw; a new figure where none is given.

    Returns
    -------
    matplotlib Axes
        Right decisions, on the diagonal, have a thick frame.

    Raises
    ------
    ValueError
        If `C` is no confusion matrix, or the number of names differs from K.
    """
    shares = normalize_confusion(C, over=normalize or "all")
    counts = np.asarray(C)
    names = _names(class_names, len(counts))
    ax = ax or _new_axes()
    shade = np.nan_to_num(shares if normalize else counts / counts.max())
    colours = ax.imshow(shade, cmap="Blues", vmin=0, vmax=1).to_rgba(shade)
    for i, j in np.ndindex(counts.shape):
        ax.text(
            j,
            i,
            _cell(counts[i, j], float(shares[i, j]) if normalize else None),
            ha="center",
            va="center",
            fontsize=_FONT + 1,
            color=_ink(colours[i, j]),
        )
    for i in range(len(counts)):
        frame = Rectangle((i - 0.47, i - 0.47), 0.94, 0.94, fill=False, lw=2, ec=_GREY)
        ax.add_patch(frame)
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(names)), names)
    _label(ax, "predicted class", "true class")
    return ax


def _cell(count: Any, share: float | None) -> str:
    number = f"{count:g}"
    if share is None:
        return number
    return f"–\n({number})" if np.isnan(share) else f"{share:.2f}\n({number})"


def _ink(colour: NDArray[Any]) -> str:
    """Black or white, whichever contrasts more: WCAG 2.2's relative luminance decides."""
    c = colour[:3]
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    return "white" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "black"


def describe_confusion_matrix(
    C: ArrayLike,
    class_names: Sequence[str] | None = None,
    normalize: Normalize | None = None,
) -> str:
    """Say in words what `confusion_matrix` draws.

    Parameters
    ----------
    C : array_like, shape (K, K)
        Counts; rows are true classes.
    class_names : sequence of str, optional
        K names; "class" and the indices where none are given.
    normalize : {"true", "pred", "all"}, optional
        As there: each cell is told as its share, with the count in parentheses.

    Returns
    -------
    str
        One sentence a true class, with its support and where its samples went.

    Raises
    ------
    ValueError
        If `C` is no confusion matrix, or the number of names differs from K.

    Examples
    --------
    >>> describe_confusion_matrix([[5, 1], [0, 3]], ["round", "square"])
    'Confusion matrix of 9 samples, 8 of them right. True round (support 6), called round: 5,
    square: 1. True square (support 3), called round: 0, square: 3.'
    """
    shares = normalize_confusion(C, over=normalize or "all")
    counts = np.asarray(C)
    names = _names(class_names, len(counts))
    if class_names is None:
        names = [f"class {name}" for name in names]
    right = f"{np.trace(counts):g} of them right"
    sentences = [f"Confusion matrix of {counts.sum():g} samples, {right}."]
    if normalize:
        sentences.append(f"Shares of {_SHARES_OF[normalize]}, counts in parentheses.")
    for i, name in enumerate(names):
        went = (
            f"{other}: {_told(counts[i, j], float(shares[i, j]) if normalize else None)}"
            for j, other in enumerate(names)
        )
        sentences.append(f"True {name} (support {counts[i].sum():g}), called {', '.join(went)}.")
    return " ".join(sentences)


def _told(count: Any, share: float | None) -> str:
    """Say what `_cell` writes; of a class without samples there is no share."""
    return _cell(count, share).replace("\n", " ").replace("–", "undefined")


def reliability_diagram(
    table: ReliabilityTable, ax: "Axes | None" = None, label: str | None = None
) -> "Axes":
    """Draw accuracy against mean confidence by bin, with intervals and the count of each bin.

    Call it again on the same Axes to lay a second table over the first.

    Parameters
    ----------
    table : ReliabilityTable
        As `glyphlab_core.reliability_table` returns it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure where none is given. The counts go to a panel in its lower part.
    label : str, optional
        Name of the table in the legend.

    Returns
    -------
    matplotlib Axes
        The axes; the panel of counts is its only child axes.
    """
    if ax is None:
        ax = _new_axes((5.2, 6.0))
    panel: Any = next((a for a in ax.child_axes if a.get_label() == _COUNTS), None)
    if panel is None:
        panel = _frame_of_reliability_diagram(ax)
    series = len(ax.containers)
    _reliability_points(ax, table, series, label)
    _counts(panel, table, series)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), fontsize=_FONT - 1, frameon=False)
    return ax


def _frame_of_reliability_diagram(ax: "Axes") -> "Axes":
    """Draw diagonal and axes; the counts get the lower part, inside, so that any layout fits."""
    ax.plot([0, 1], [0, 1], color=_GREY, ls=":", lw=1.5, label="calibrated: accuracy = confidence")
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.56, 1.04)
    ax.set_yticks(np.arange(6) / 5)
    _label(ax, "confidence", "")
    ax.set_ylabel("accuracy", fontsize=_FONT, y=0.67)
    panel = ax.inset_axes((0, 0, 1, 0.28), sharex=ax, label=_COUNTS)
    panel.tick_params(labelbottom=False, bottom=False, labelsize=_FONT - 1)
    panel.set_ylabel("samples", fontsize=_FONT)
    panel.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    return panel


def _reliability_points(
    ax: "Axes", table: ReliabilityTable, series: int, label: str | None
) -> None:
    seen = table.count > 0
    accuracy = table.accuracy[seen]
    below, above = accuracy - table.lower[seen], table.upper[seen] - accuracy
    ax.errorbar(
        table.mean_confidence[seen],
        accuracy,
        yerr=np.maximum([below, above], 0),
        fmt=_MARKERS[series % 4],
        color=_COLOURS[series % 4],
        ms=7,
        capsize=4,
        elinewidth=1.5,
        label=f"{label or 'bins'}, 95 % interval",
    )


def _counts(panel: "Axes", table: ReliabilityTable, series: int) -> None:
    edges = np.clip(table.binning.edges, 0, 1)
    panel.bar(
        edges[:-1],
        table.count,
        np.diff(edges),
        align="edge",
        fc=_TINTS[series % 4],
        ec=_COLOURS[series % 4],
        hatch=_HATCHES[series % 4],
    )
    _side_by_side(panel)
    panel.margins(y=0.3)


def _side_by_side(panel: "Axes") -> None:
    """Let the tables share the width of each bin, the last one having been added at full width."""
    groups = [c for c in panel.containers if isinstance(c, BarContainer)]
    for text in list(panel.texts):
        text.remove()
    n = len(groups)
    for k, group in enumerate(groups):
        parts = n - 1 if k < n - 1 else 1  # how many share the bin so far
        for bar in group:
            width = bar.get_width() * parts
            left = bar.get_x() - k * bar.get_width() if parts > 1 else bar.get_x()
            bar.set_x(left + k * width / n)
            bar.set_width(width / n)
        if n * len(group) <= _MOST_LABELLED_BARS:
            heights = (int(bar.get_height()) for bar in group)
            texts = [f"{height}" if height else "" for height in heights]
            panel.bar_label(group, texts, fontsize=_FONT - 2)


def describe_reliability(table: ReliabilityTable) -> str:
    """Say in words what `reliability_diagram` draws.

    Parameters
    ----------
    table : ReliabilityTable
        As `glyphlab_core.reliability_table` returns it.

    Returns
    -------
    str
        One sentence a bin that has samples, and the number of empty bins.
    """
    edges = table.binning.edges
    last = len(table.count) - 1
    sentences = []
    for m in np.flatnonzero(table.count):
        sentences.append(
            f"{_interval(edges[m], edges[m + 1], table.binning.closed, m == 0, m == last)}: "
            f"{_plural(table.count[m], 'sample')}, mean confidence {table.mean_confidence[m]:.4f}, "
            f"accuracy {table.accuracy[m]:.4f}, "
            f"95 % interval {table.lower[m]:.4f} to {table.upper[m]:.4f}."
        )
    empty = int((table.count == 0).sum())
    head = f"Reliability diagram of {_plural(table.count.sum(), 'sample')}"
    return f"{head} in {_plural(len(table.count), 'bin')}, {empty} empty. " + " ".join(sentences)


def _interval(low: float, high: float, closed: str, first: bool, last: bool) -> str:
    opening = "[" if closed == "left" or first else "("
    closing = "]" if closed == "right" or last else ")"
    return f"{opening}{low:.4g}, {high:.4g}{closing}"


def temperature_curve(
    temperatures: ArrayLike,
    losses: ArrayLike,
    ax: "Axes | None" = None,
    minimum: tuple[float, float] | None = None,
    label: str | None = None,
) -> "Axes":
    """Draw log loss against temperature and mark the minimum.

    Call it again on the same Axes to lay a second curve over the first.

    Parameters
    ----------
    temperatures : array_like, shape (M,)
        Temperatures, in the unit of the logits.
    losses : array_like, shape (M,)
        Mean log loss at each, in nats.
    ax : matplotlib Axes, optional
        Where to draw; a new figure where none is given.
    minimum : (float, float), optional
        Temperature and loss to mark, such as the exact optimum; the least of `losses` where none
        is given.
    label : str, optional
        Name of the curve in the legend.

    Returns
    -------
    matplotlib Axes
    """
    t, loss = _curve(temperatures, losses)
    ax = ax or _new_axes()
    series = sum(line.get_gid() == "curve" for line in ax.lines)
    colour = _COLOURS[series % 4]
    ax.plot(
        t,
        loss,
        ls=_LINES[series % 4],
        color=colour,
        marker=_MARKERS[series % 4] if len(t) <= 30 else None,
        ms=5,
        label=label or "log loss",
        gid="curve",
    )
    at, least = _marked(t, loss, minimum)
    ax.plot(
        [at],
        [least],
        ls="",
        marker="*",
        ms=16,
        color=colour,
        mec="black",
        label=f"least at T = {temperature_text(at)}: {least:.4f}",
        zorder=3,
    )
    _label(ax, "temperature T", "log loss")
    ax.legend(fontsize=_FONT - 1)
    return ax


def describe_temperature_curve(
    temperatures: ArrayLike, losses: ArrayLike, minimum: tuple[float, float] | None = None
) -> str:
    """Say in words what `temperature_curve` draws.

    Parameters
    ----------
    temperatures, losses : array_like, shape (M,)
        As for `temperature_curve`.
    minimum : (float, float), optional
        The temperature and loss that are marked there.

    Returns
    -------
    str
        The loss at both ends and the one that is marked as the least, and where they are.

    Examples
    --------
    >>> describe_temperature_curve([0.5, 1, 2], [0.579, 0.572, 0.735])
    'Log loss against temperature: 0.579000 at T = 0.5, least at T = 1 with 0.572000,
    0.735000 at T = 2.'
    """
    t, loss = _curve(temperatures, losses)
    at, least = _marked(t, loss, minimum)
    return (
        f"Log loss against temperature: {loss[0]:.6f} at T = {temperature_text(t[0])}, "
        f"least at T = {temperature_text(at)} with {least:.6f}, "
        f"{loss[-1]:.6f} at T = {temperature_text(t[-1])}."
    )


def _curve(temperatures: ArrayLike, losses: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    t, loss = np.asarray(temperatures, dtype=float), np.asarray(losses, dtype=float)
    if t.ndim != 1 or t.shape != loss.shape or not len(t):
        raise ValueError(
            f"temperatures and losses must be vectors of one length, not {t.shape}, {loss.shape}"
        )
    order = np.argsort(t, kind="stable")
    return t[order], loss[order]


def _marked(
    t: NDArray[Any], loss: NDArray[Any], minimum: tuple[float, float] | None
) -> tuple[float, float]:
    """Where the star stands: at the minimum that is given, or at the least of the losses."""
    return minimum if minimum is not None else (t[loss.argmin()], loss.min())


def threshold_curves(
    sweep: ThresholdSweep, ax: "Axes | None" = None, threshold: float | None = None
) -> "Axes":
    """Draw how precision and recall move with the threshold.

    Parameters
    ----------
    sweep : ThresholdSweep
        As `glyphlab_core.threshold_sweep` returns it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure where none is given.
    threshold : float, optional
        A threshold to mark, such as the cost threshold.

    Returns
    -------
    matplotlib Axes
        Precision has no value, and no line, where nothing is predicted positive.
    """
    ax = ax or _new_axes()
    _steps(ax, sweep, sweep.precision, 0, "precision")
    _steps(ax, sweep, sweep.recall, 1, "recall")
    ax.set_ylim(-0.04, 1.04)
    _finish_threshold_axes(ax, "precision, recall", threshold)
    return ax


def threshold_cells(
    sweep: ThresholdSweep, ax: "Axes | None" = None, threshold: float | None = None
) -> "Axes":
    """Draw how the four cells of the confusion matrix move with the threshold.

    Parameters
    ----------
    sweep : ThresholdSweep
        As `glyphlab_core.threshold_sweep` returns it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure where none is given.
    threshold : float, optional
        A threshold to mark, such as the cost threshold.

    Returns
    -------
    matplotlib Axes
    """
    ax = ax or _new_axes()
    _steps(ax, sweep, sweep.true_negative, 0, "true negative")
    _steps(ax, sweep, sweep.false_positive, 1, "false positive")
    _steps(ax, sweep, sweep.true_positive, 2, "true positive")
    _steps(ax, sweep, sweep.false_negative, 3, "false negative")
    _finish_threshold_axes(ax, "samples", threshold)
    return ax


def _steps(ax: "Axes", sweep: ThresholdSweep, values: NDArray[Any], style: int, name: str) -> None:
    """Draw a step line: between two thresholds the decisions are those of the higher one."""
    finite = np.minimum(
        sweep.threshold, max(1.0, sweep.threshold[np.isfinite(sweep.threshold)].max())
    )
    ax.plot(
        np.append(0.0, finite),
        np.append(values[0], values),
        drawstyle="steps-pre",
        ls=_LINES[style],
        color=_COLOURS[style],
        lw=2,
        label=name,
    )


def _finish_threshold_axes(ax: "Axes", what: str, threshold: float | None) -> None:
    if threshold is not None:
        ax.axvline(threshold, color=_GREY, lw=1.5, label=f"τ = {threshold:.4g}")
    ax.set_xlim(-0.02, 1.02)
    _label(ax, "threshold τ (positive where p ≥ τ)", what)
    ax.legend(fontsize=_FONT - 1)


def describe_threshold_sweep(sweep: ThresholdSweep, thresholds: Sequence[float]) -> str:
    """Say in words what `threshold_curves` and `threshold_cells` draw, at a few thresholds.

    Parameters
    ----------
    sweep : ThresholdSweep
        As `glyphlab_core.threshold_sweep` returns it.
    thresholds : sequence of float
        Where to read the curves.

    Returns
    -------
    str
        One sentence a threshold: the four cells, precision and recall.
    """
    sentences = []
    for tau in thresholds:
        i = int(np.searchsorted(sweep.threshold, tau, side="left"))
        p = sweep.precision[i]
        precision = "undefined" if np.isnan(p) else f"{p:.4f}"
        sentences.append(
            f"At threshold {tau:.4g}: {sweep.true_positive[i]} true positive, "
            f"{sweep.false_positive[i]} false positive, {sweep.false_negative[i]} false negative, "
            f"{sweep.true_negative[i]} true negative; precision {precision}, "
            f"recall {sweep.recall[i]:.4f}."
        )
    return " ".join(sentences)


def risk_coverage(
    curve: RiskCoverage, ax: "Axes | None" = None, label: str | None = None
) -> "Axes":
    """Draw the error among the answered against the share answered.

    Call it again on the same Axes to lay a second curve over the first.

    Parameters
    ----------
    curve : RiskCoverage
        As `glyphlab_core.risk_coverage_curve` returns it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure where none is given.
    label : str, optional
        Name of the curve in the legend.

    Returns
    -------
    matplotlib Axes
        Answers that are right and not answering are both free of risk: lower is better.
    """
    ax = ax or _new_axes()
    series = sum(line.get_gid() == "curve" for line in ax.lines)
    ax.plot(
        curve.coverage,
        curve.risk,
        ls=_LINES[series % 4],
        color=_COLOURS[series % 4],
        marker=_MARKERS[series % 4],
        markevery=max(1, len(curve.coverage) // 12),
        ms=5,
        lw=2,
        label=label or "risk",
        gid="curve",
    )
    ax.set_xlim(-0.02, 1.02)
    highest = max(float(np.max(line.get_ydata())) for line in ax.lines)
    ax.set_ylim(-0.04 * (highest or 1), 1.08 * (highest or 1))
    _label(ax, "coverage: share answered", "risk: share of the answered that is wrong")
    ax.legend(fontsize=_FONT - 1)
    return ax


def describe_risk_coverage(curve: RiskCoverage, coverages: Sequence[float] = (0.5, 0.8, 1)) -> str:
    """Say in words what `risk_coverage` draws, at a few coverages.

    Parameters
    ----------
    curve : RiskCoverage
        As `glyphlab_core.risk_coverage_curve` returns it.
    coverages : sequence of float
        Where to read the curve, from above 0 to 1: at the least coverage that reaches each.

    Returns
    -------
    str
        One sentence a point of the curve, with its threshold and risk.

    Examples
    --------
    >>> from glyphlab_core import risk_coverage_curve
    >>> curve = risk_coverage_curve([0.9, 0.6, 0.6, 0.5], [1, 1, 0, 0])
    >>> describe_risk_coverage(curve, [0.5, 1])
    'Risk against coverage of 4 samples. Answering from confidence 0.6, coverage 0.7500,
    risk 0.3333. Answering from confidence 0.5, coverage 1.0000, risk 0.5000.'
    """
    sentences = [f"Risk against coverage of {_plural(curve.count[-1], 'sample')}."]
    reached = np.searchsorted(curve.coverage, coverages)
    for i in dict.fromkeys(np.minimum(reached, len(curve.coverage) - 1).tolist()):
        sentences.append(
            f"Answering from confidence {curve.threshold[i]:.4g}, "
            f"coverage {curve.coverage[i]:.4f}, risk {curve.risk[i]:.4f}."
        )
    return " ".join(sentences)


def measured_curves(
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    x_label: str,
    y_label: str,
    ax: "Axes | None" = None,
    x_scale: Literal["linear", "log"] = "linear",
    y_scale: Literal["linear", "log"] = "linear",
) -> "Axes":
    """Draw what was measured at several places, each curve with its intervals.

    Parameters
    ----------
    x : array_like, shape (M,)
        Where it was measured, ascending.
    curves : mapping of str to array_like
        By name: (M,) values, or (3, M) values with the lower and upper ends of their intervals.
        At most four, as many as there are signs to tell them apart.
    x_label, y_label : str
        Names of the axes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure where none is given.
    x_scale, y_scale : {"linear", "log"}
        How the axes run.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        Curves of another length than `x`, none at all, or more than four.
    """
    at, rows = _measured(x, curves)
    ax = ax or _new_axes()
    ax.set_xscale(x_scale)
    ax.set_yscale(y_scale)
    drawn: list[Any] = []
    for series, (name, (value, lower, upper)) in enumerate(rows.items()):
        look: Any = {"color": _COLOURS[series], "ls": _LINES[series], "lw": 2, "label": name}
        marks: Any = {"marker": _MARKERS[series], "ms": 6, "markevery": max(1, len(at) // 8)}
        if np.isnan(lower).all():
            drawn += ax.plot(at, value, **look, **marks)
        else:
            ends = np.maximum([value - lower, upper - value], 0)
            drawn += [ax.errorbar(at, value, yerr=ends, capsize=4, elinewidth=1.5, **look, **marks)]
    if x_scale == "log":
        ax.set_xticks(at, [f"{place:g}" for place in at])
        ax.set_xticks([], minor=True)
    _label(ax, x_label, y_label)
    place: Any = {"loc": "lower left", "bbox_to_anchor": (0, 1)}
    ax.legend(handles=drawn, fontsize=_FONT - 1, frameon=False, **place)
    return ax


def _measured(
    x: ArrayLike, curves: Mapping[str, ArrayLike]
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Places, and value, lower and upper end of each curve; NaN where it has no interval."""
    at = np.asarray(x, dtype=np.float64)
    if at.ndim != 1 or len(at) == 0:
        raise ValueError(f"x must be a non-empty vector, not of shape {at.shape}")
    if not 1 <= len(curves) <= len(_COLOURS):
        raise ValueError(f"curves must be one to {len(_COLOURS)}, not {len(curves)}")
    rows = {}
    for name, values in curves.items():
        curve = np.asarray(values, dtype=np.float64)
        if curve.shape not in {at.shape, (3, *at.shape)}:
            raise ValueError(
                f"curves[{name!r}] must be of shape {at.shape} or {(3, *at.shape)}, "
                f"not {curve.shape}"
            )
        missing = np.full((2, len(at)), np.nan)
        rows[name] = curve if curve.ndim == 2 else np.vstack([curve, missing])
    return at, rows


def describe_measured_curves(
    x: ArrayLike, curves: Mapping[str, ArrayLike], x_label: str, y_label: str, digits: int = 4
) -> str:
    """Say in words what `measured_curves` draws.

    Parameters
    ----------
    x, curves, x_label, y_label
        As there.
    digits : int
        Decimals of the values.

    Returns
    -------
    str
        One sentence a curve, with its first and last value.

    Examples
    --------
    >>> describe_measured_curves([1, 10], {"plain": [0.5, 0.25]}, "samples", "error", 2)
    'error against samples. plain: 0.50 at 1, 0.25 at 10.'
    """
    at, rows = _measured(x, curves)

    def told(curve: NDArray[np.float64], i: int) -> str:
        value, lower, upper = (f"{number:.{digits}f}" for number in curve[:, i])
        interval = "" if np.isnan(curve[1, i]) else f" (interval {lower} to {upper})"
        return f"{value}{interval} at {at[i]:g}"

    sentences = [
        f"{name}: {told(curve, 0)}, {told(curve, len(at) - 1)}." for name, curve in rows.items()
    ]
    return " ".join([f"{y_label} against {x_label}.", *sentences])


# ------------------------------------------------------------------------------ shared pieces


def _new_axes(size: tuple[float, float] = _SIZE) -> "Axes":
    from matplotlib import pyplot as plt

    _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax


def _names(class_names: Sequence[str] | None, k: int) -> list[str]:
    names = [str(i) for i in range(k)] if class_names is None else [str(n) for n in class_names]
    if len(names) != k:
        raise ValueError(f"class_names must be {k} names, one a class of C, not {len(names)}")
    return names


def _label(ax: "Axes", x: str, y: str) -> None:
    ax.set_xlabel(x, fontsize=_FONT)
    ax.set_ylabel(y, fontsize=_FONT)
    ax.tick_params(labelsize=_FONT - 1)


def _plural(n: Any, noun: str) -> str:
    return f"{int(n)} {noun}" if n == 1 else f"{int(n)} {noun}s"
