"""Confusion matrices and the metrics read off them, with the convention always stated.

Rows are true classes, columns predicted ones. A zero denominator is handled in one of three named
ways (``zero_division``): ``"raise"``, ``"zero"`` or ``"omit"``.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from glyphlab_core import _checks
from glyphlab_core._blocks import blocks
from glyphlab_core._checks import Array, Floats, Integers

ZeroDivision = Literal["raise", "zero", "omit"]
_MODES = ("raise", "zero", "omit")
_PAIRED_CLASSES = 8  # up to here two samples are counted by one histogram cell


def confusion_matrix(
    y_true: ArrayLike, y_pred: ArrayLike, num_classes: int | None = None
) -> Integers:
    """Count how often class i was taken for class j.

    Parameters
    ----------
    y_true, y_pred : array_like, shape (N,)
        Class indices 0 … K-1: integers, booleans, or floats that are whole.
    num_classes : int, optional
        K; without it, the largest label seen plus one, at most 10,000.

    Returns
    -------
    (K, K) int64 array
        Counts; rows are true classes, columns predicted classes. All zero for N = 0.

    Raises
    ------
    ValueError
        A label that is not whole or outside 0 … K-1 (argument, position and value are named),
        lengths that differ, or no sample and no `num_classes`.

    Notes
    -----
    Chapter 23.1 §2. Other libraries transpose the matrix: name the axes wherever it is shown.

    Examples
    --------
    >>> confusion_matrix([0, 0, 1], [0, 1, 1])
    array([[1, 1],
           [0, 1]])
    """
    true = _checks.vector(y_true, "y_true")
    predicted = _checks.vector(y_pred, "y_pred", len(true), "y_true")
    if num_classes is None:
        k = max(_largest_label(true, "y_true"), _largest_label(predicted, "y_pred")) + 1
    else:
        k = _checks.whole_number(num_classes, "num_classes", least=1)
    try:
        counts = np.zeros((k, k), dtype=np.int64)
    except (MemoryError, ValueError):
        raise ValueError(f"num_classes must leave room for its matrix: {k} is too large") from None
    for part in blocks(len(true)):
        rows = _checks.labels_in_range(true[part], "y_true", k, part.start)
        columns = _checks.labels_in_range(predicted[part], "y_pred", k, part.start)
        if k <= _PAIRED_CLASSES:
            counts += _count_paired(rows, columns, k)
        else:
            np.add.at(counts, (rows, columns), 1)
    return counts


def _largest_label(labels: Array, name: str) -> int:
    if len(labels) == 0:
        raise ValueError(f"{name} must not be empty when num_classes is not given")
    limit = _checks.MAX_INFERRED_CLASSES
    return max(
        int(_checks.labels_in_range(labels[part], name, limit, part.start).max())
        for part in blocks(len(labels))
    )


def _count_paired(rows: Array, columns: Array, k: int) -> Integers:
    """Count the cells of one block, two samples to a histogram entry.

    A histogram takes most of the time, and its time goes with the number of entries. One byte
    holds a cell, so two neighbours read as one 16-bit number halve it.
    """
    cells = rows.astype(np.uint8)
    cells *= np.uint8(k)
    cells += columns.astype(np.uint8)
    pairs = np.bincount(cells[: len(cells) // 2 * 2].view(np.uint16), minlength=256 * k * k)
    square = pairs.reshape(k * k, 256)[:, : k * k]  # [one neighbour, the other]
    counts = square.sum(axis=0) + square.sum(axis=1)
    if len(cells) % 2:
        counts[cells[-1]] += 1
    block: Integers = counts.reshape(k, k)
    return block


def precision_recall_from_confusion(
    C: ArrayLike, zero_division: ZeroDivision = "omit"
) -> tuple[Floats, Floats, Floats]:
    """Precision, recall and F1 of each class.

    Parameters
    ----------
    C : array_like, shape (K, K)
        Confusion matrix, rows true; finite, not negative, with a positive sum. It need not be
        whole: a reweighted matrix is not.
    zero_division : {"omit", "zero", "raise"}
        What a precision or recall with denominator 0 becomes: NaN, 0, or an error.

    Returns
    -------
    precision, recall, f1 : (K,) float64 arrays
        F1 is NaN where precision or recall is, and 0 where both are 0.

    Raises
    ------
    ValueError
        `C` is not a confusion matrix, or an unknown mode.
    ZeroDivisionError
        In mode ``"raise"``, naming the classes.

    Notes
    -----
    Chapter 23.1 §2: P_i = TP_i / (TP_i + FP_i), R_i = TP_i / (TP_i + FN_i),
    F1_i = 2 P_i R_i / (P_i + R_i).

    Examples
    --------
    >>> from glyphlab_core import worked
    >>> P, R, F1 = precision_recall_from_confusion(worked.C_z)
    >>> [p.round(4).tolist() for p in (P, R, F1)]
    [[0.6667, 0.5, nan], [0.6667, 0.75, 0.0], [0.6667, 0.6, nan]]
    """
    counts = _confusion(C)
    if not isinstance(zero_division, str) or zero_division not in _MODES:
        mode = _checks.shown(zero_division)
        raise ValueError(f"zero_division must be one of {_MODES}, not {mode}")
    empty = 0.0 if zero_division == "zero" else np.nan
    for what, axis, why in (("precision", 0, "never predicted"), ("recall", 1, "without samples")):
        if zero_division == "raise" and not counts.any(axis=axis).all():
            classes = ", ".join(map(str, np.flatnonzero(~counts.any(axis=axis))))
            raise ZeroDivisionError(f"{what} has a zero denominator: class {classes} is {why}")
    precision = _shares(counts, (0,), empty).diagonal()
    recall = _shares(counts, (1,), empty).diagonal()
    return precision.copy(), recall.copy(), _harmonic_mean(precision, recall)


def _confusion(C: ArrayLike) -> Floats:
    """`C` as float64, checked."""
    counts = _checks.matrix(C, "C", "(K, K)")
    if counts.shape[0] != counts.shape[1]:
        raise ValueError(f"C must be square, not of shape {counts.shape}")
    counts = counts.astype(np.float64)
    _checks.refuse("C", "be finite", counts, ~np.isfinite(counts))
    _checks.refuse("C", "not be negative", counts, counts < 0)
    if not counts.any():
        raise ValueError("C must have a positive sum: it counts nothing")
    return counts


def _scaled(counts: Floats, axis: tuple[int, ...]) -> Floats:
    """Counts times a power of two, for each sum over `axis` its own, so that no sum overflows."""
    exponent = np.frexp(counts.max(axis=axis, keepdims=True))[1]
    with np.errstate(under="ignore"):
        scaled: Floats = np.ldexp(counts, -exponent)
    return scaled


def _shares(counts: Floats, axis: tuple[int, ...], empty: float) -> Floats:
    """Each count over its sum along `axis`; `empty` where that sum is 0."""
    scaled = _scaled(counts, axis)
    total = scaled.sum(axis=axis, keepdims=True)
    out: Floats = np.full_like(scaled, empty)
    np.divide(scaled, total, out=out, where=total > 0)
    return out


def _harmonic_mean(precision: Floats, recall: Floats) -> Floats:
    """2PR / (P + R); 0 where both are 0, NaN where either is."""
    total = precision + recall
    out: Floats = np.where(np.isnan(total), np.nan, 0.0)
    # P/(P+R) first: the product P·R could vanish where neither factor does.
    share = np.divide(precision, total, out=np.zeros_like(total), where=total > 0)
    np.multiply(2 * share, recall, out=out, where=total > 0)
    return out


def core_metrics(C: ArrayLike, zero_division: ZeroDivision = "omit") -> dict[str, Any]:
    """Every metric of chapter 23.1 from one confusion matrix.

    Parameters
    ----------
    C : array_like, shape (K, K)
        Confusion matrix, rows true, as for `precision_recall_from_confusion`.
    zero_division : {"omit", "zero", "raise"}
        How zero denominators are treated. ``"omit"`` leaves those classes out of the macro
        averages.

    Returns
    -------
    dict
        ``accuracy``; ``micro_precision``, ``micro_recall``, ``micro_f1`` (each Σ TP over its own
        denominator); ``macro_precision``, ``macro_recall``, ``macro_f1`` (floats; NaN where no
        class is left to average); ``prevalence`` (K,); ``per_class`` {precision, recall, f1}, each
        (K,); ``averaged`` {precision, recall, f1}: how many classes each macro average ran over.

    Raises
    ------
    ValueError, ZeroDivisionError
        As `precision_recall_from_confusion`.

    Notes
    -----
    Chapter 23.1 §3–4. Macro F1 is the mean of the per-class F1, not the harmonic mean of the macro
    precision and recall. In single-label classification the micro values all equal the accuracy.

    Examples
    --------
    >>> from glyphlab_core import worked
    >>> metrics = core_metrics(worked.C_z)
    >>> round(metrics["accuracy"], 4), round(metrics["macro_f1"], 4), metrics["averaged"]["f1"]
    (0.5833, 0.6333, 2)
    """
    counts = _confusion(C)
    precision, recall, f1 = precision_recall_from_confusion(counts, zero_division)
    counts = _scaled(counts, (0, 1))
    hits, total = float(np.trace(counts)), float(counts.sum())
    predicted, supports = counts.sum(axis=0), counts.sum(axis=1)
    micro_precision, micro_recall = hits / float(predicted.sum()), hits / float(supports.sum())
    per_class = {"precision": precision, "recall": recall, "f1": f1}
    return {
        "accuracy": hits / total,
        "micro_precision": micro_precision,
        "micro_recall": micro_recall,
        "micro_f1": 2 * hits / float(predicted.sum() + supports.sum()),
        **{f"macro_{name}": _mean_of_defined(values) for name, values in per_class.items()},
        "prevalence": supports / total,
        "per_class": per_class,
        "averaged": {n: int(np.count_nonzero(~np.isnan(v))) for n, v in per_class.items()},
    }


def _mean_of_defined(values: Floats) -> float:
    """Mean over the entries that are not NaN; NaN where there are none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def reweighted_accuracy(C: ArrayLike, prevalence: ArrayLike) -> float:
    """Accuracy that the recalls in `C` would give under another prevalence.

    Parameters
    ----------
    C : array_like, shape (K, K)
        Confusion matrix, rows true.
    prevalence : array_like, shape (K,)
        p', the share of each true class; not negative, sums to 1 within 1e-6.

    Returns
    -------
    float
        Σ p'_i R_i. A class without samples drops out where p'_i = 0.

    Raises
    ------
    ValueError
        A bad matrix or prevalence, or a class without samples that p' gives a positive share.

    Notes
    -----
    Chapter 23.1 §4 and exercise F5. It assumes label shift: P(x|y) as before.

    Examples
    --------
    >>> round(reweighted_accuracy([[9, 1], [4, 6]], [0.2, 0.8]), 12)
    0.66
    """
    return float(np.trace(reweighted_confusion(C, prevalence)))


def reweighted_confusion(C: ArrayLike, prevalence: ArrayLike) -> Floats:
    """The confusion matrix, as shares of the whole, under another prevalence.

    Parameters
    ----------
    C : array_like, shape (K, K)
        Confusion matrix, rows true.
    prevalence : array_like, shape (K,)
        p', as for `reweighted_accuracy`.

    Returns
    -------
    (K, K) float64 array
        C'_ij = p'_i C_ij / N_i; it sums to 1 (within the 1e-6 that p' may be off).

    Raises
    ------
    ValueError
        As `reweighted_accuracy`.

    Notes
    -----
    Chapter 23.1 §4 and exercise F5. Macro precision and F1 move with prevalence; macro recall
    does not.

    Examples
    --------
    >>> from glyphlab_core import worked
    >>> moved = reweighted_confusion(worked.C, worked.p_prime)
    >>> round(core_metrics(moved)["macro_precision"], 6)
    0.700132
    """
    counts = _confusion(C)
    shares = _prevalence(prevalence, len(counts))
    unseen = ~counts.any(axis=1) & (shares > 0)
    if unseen.any():
        i = _checks.first(unseen)
        wanted = f"be 0 for class {i[0]}, which has no samples in C"
        raise _checks.offence("prevalence", wanted, i, shares[i])
    moved: Floats = shares[:, None] * _shares(counts, (1,), 0.0)
    return moved


def _prevalence(prevalence: ArrayLike, k: int) -> Floats:
    shares = _checks.vector(prevalence, "prevalence", k, "C has classes").astype(np.float64)
    _checks.refuse("prevalence", "be finite", shares, ~np.isfinite(shares))
    _checks.refuse("prevalence", "not be negative", shares, shares < 0)
    total = float(shares.sum())
    if abs(total - 1) > 1e-6:
        raise ValueError(f"prevalence must sum to 1 (within 1e-06): it sums to {total!r}")
    return shares


def normalize_confusion(C: ArrayLike, over: Literal["true", "pred", "all"] = "true") -> Floats:
    """Shares instead of counts.

    Parameters
    ----------
    C : array_like, shape (K, K)
        Confusion matrix, rows true.
    over : {"true", "pred", "all"}
        Divide each row by its sum, each column by its sum, or everything by the total.

    Returns
    -------
    (K, K) float64 array
        NaN in a row or column that is empty. Over ``"true"`` the diagonal is the recall, over
        ``"pred"`` the precision; no other entry is either.

    Raises
    ------
    ValueError
        A bad matrix, or another `over`.

    Notes
    -----
    Chapter 23.1 §5.

    Examples
    --------
    >>> normalize_confusion([[3, 1], [0, 0]])
    array([[0.75, 0.25],
           [ nan,  nan]])
    """
    counts = _confusion(C)
    axis = {"true": (1,), "pred": (0,), "all": (0, 1)}.get(over if isinstance(over, str) else "")
    if axis is None:
        raise ValueError(f"over must be 'true', 'pred' or 'all', not {_checks.shown(over)}")
    return _shares(counts, axis, np.nan)
