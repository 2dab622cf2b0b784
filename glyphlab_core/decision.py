"""Decisions on a probability: thresholds, their costs, and what moves with them."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glyphlab_core import _checks
from glyphlab_core._checks import Array, Floats, Integers


def _cost(value: float, name: str) -> float:
    return _checks.scalar(value, name, "be finite and not negative", lambda x: 0 <= x < inf)


def cost_threshold(false_positive_cost: float, false_negative_cost: float) -> float:
    """Return the probability from which deciding positive costs no more than negative.

    Parameters
    ----------
    false_positive_cost, false_negative_cost : float
        C_FP and C_FN, finite, not negative, not both 0; right decisions cost 0.

    Returns
    -------
    float
        τ* = C_FP / (C_FP + C_FN), in [0, 1].

    Raises
    ------
    ValueError
        A cost that is negative or not finite, or both 0.

    Notes
    -----
    Chapter 23.2 §2. It holds for calibrated probabilities. Elkan 2001.

    Examples
    --------
    >>> cost_threshold(1, 9)
    0.1
    """
    fp = _cost(false_positive_cost, "false_positive_cost")
    fn = _cost(false_negative_cost, "false_negative_cost")
    if fp == fn == 0:
        raise ValueError("false_positive_cost and false_negative_cost must not both be 0")
    if fp + fn == inf:
        fp, fn = fp / 2, fn / 2
    return fp / (fp + fn)


def decide(probability: ArrayLike, threshold: float) -> NDArray[np.bool_]:
    """Decide positive where the probability reaches the threshold.

    Parameters
    ----------
    probability : array_like, shape (N,)
        Of the positive class, in [0, 1].
    threshold : float
        τ, at least 0; above 1 (``inf`` too) nothing is positive. It is rounded to the type of
        `probability` first, so that float32 0.7 reaches 0.7.

    Returns
    -------
    (N,) bool array

    Raises
    ------
    ValueError
        Probabilities outside [0, 1], a negative threshold or NaN.

    Notes
    -----
    Chapter 23.2 §2.

    Examples
    --------
    >>> decide([0.1, 0.5, 0.9], 0.5).tolist()
    [False, True, True]
    """
    p = _checks.fractions(probability, "probability")
    _checks.fraction_block(p, "probability")
    tau = _checks.scalar(threshold, "threshold", "be at least 0", lambda x: x >= 0)
    # Above 1 all are equal, and a large one would overflow a narrow type.
    rounded = _checks.rounded_to(_checks.float_type(probability, p), np.array([min(tau, 2.0)]))
    reached: NDArray[np.bool_] = p.astype(np.float64) >= rounded[0]
    return reached


def _positives(y: ArrayLike, length: int) -> NDArray[np.bool_]:
    labels = _checks.vector(y, "y", length, "probability")
    return np.asarray(_checks.zero_one_block(labels, "y") != 0)


def expected_cost(
    probability: ArrayLike,
    y: ArrayLike,
    threshold: float,
    false_positive_cost: float,
    false_negative_cost: float,
) -> float:
    """Mean cost per sample of deciding at a threshold.

    Parameters
    ----------
    probability : array_like, shape (N,)
        Of the positive class, in [0, 1].
    y : array_like, shape (N,)
        Truth, 1 or True where positive.
    threshold : float
        As for `decide`.
    false_positive_cost, false_negative_cost : float
        C_FP and C_FN, finite, not negative.

    Returns
    -------
    float
        (FP · C_FP + FN · C_FN) / N, in the unit of the costs.

    Raises
    ------
    ValueError
        As `decide`, labels that are neither 0 nor 1, bad costs.

    Notes
    -----
    Chapter 23.2 §2.

    Examples
    --------
    >>> expected_cost([0.2, 0.9], [1, 1], 0.5, 1, 5)
    2.5
    """
    fp = _cost(false_positive_cost, "false_positive_cost")
    fn = _cost(false_negative_cost, "false_negative_cost")
    positive = decide(probability, threshold)
    truth = _positives(y, len(positive))
    return fp * float(np.mean(positive & ~truth)) + fn * float(np.mean(~positive & truth))


@dataclass(frozen=True)
class ThresholdSweep:
    """How decisions move with the threshold, one entry a threshold.

    Attributes
    ----------
    threshold : (M,) float64 array
        Ascending: every distinct probability, then inf, where nothing is positive.
    true_positive, false_positive, false_negative, true_negative : (M,) int64 arrays
        The four cells.
    precision : (M,) float64 array
        TP / (TP + FP); NaN where nothing is decided positive.
    recall : (M,) float64 array
        TP / (TP + FN); NaN where nothing is positive in truth.
    """

    threshold: Floats
    true_positive: Integers
    false_positive: Integers
    false_negative: Integers
    true_negative: Integers
    precision: Floats
    recall: Floats


def threshold_sweep(probability: ArrayLike, y: ArrayLike) -> ThresholdSweep:
    """Return the four cells, precision and recall at every threshold that matters.

    Parameters
    ----------
    probability : array_like, shape (N,)
        Of the positive class, in [0, 1].
    y : array_like, shape (N,)
        Truth, 1 or True where positive.

    Returns
    -------
    ThresholdSweep

    Raises
    ------
    ValueError
        Probabilities outside [0, 1], labels that are neither 0 nor 1, lengths that differ.

    Notes
    -----
    Chapter 23.2 §4. Recall never rises with the threshold; precision can do either.

    Examples
    --------
    >>> sweep = threshold_sweep([0.2, 0.6, 0.9], [0, 1, 1])
    >>> sweep.threshold.tolist(), sweep.true_positive.tolist(), sweep.false_positive.tolist()
    ([0.2, 0.6, 0.9, inf], [2, 2, 1, 0], [1, 0, 0, 0])
    """
    p = _checks.fractions(probability, "probability")
    _checks.fraction_block(p, "probability")
    truth = _positives(y, len(p))
    distinct, place = np.unique(p.astype(np.float64), return_inverse=True)
    # Positive at a threshold is everything at or above it: sums from the top down.
    tp = _from_above(np.bincount(place, truth, len(distinct)))
    fp = _from_above(np.bincount(place, ~truth, len(distinct)))
    fn, tn = int(truth.sum()) - tp, int((~truth).sum()) - fp
    return ThresholdSweep(
        threshold=np.append(distinct, inf),
        true_positive=tp,
        false_positive=fp,
        false_negative=fn,
        true_negative=tn,
        precision=_share(tp, tp + fp),
        recall=_share(tp, tp + fn),
    )


def _from_above(per_value: Array) -> Integers:
    return np.append(np.cumsum(per_value[::-1])[::-1], 0).astype(np.int64)


def _share(part: Integers, whole: Integers) -> Floats:
    out: Floats = np.full(len(part), np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out
