"""Selective prediction: answer where confident, abstain elsewhere, and what that leaves wrong."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glyphlab_core import _checks
from glyphlab_core._checks import Floats, Integers


@dataclass(frozen=True)
class RiskCoverage:
    """Risk over the samples answered, as more of them are, one entry a threshold.

    Attributes
    ----------
    threshold : (M,) float64 array
        Descending: the distinct confidences. Answered is what reaches the threshold, so samples
        of equal confidence are answered together.
    count : (M,) int64 array
        How many are answered.
    coverage : (M,) float64 array
        Their share of all, in (0, 1].
    risk : (M,) float64 array
        The share of the answered that is wrong.
    """

    threshold: Floats
    count: Integers
    coverage: Floats
    risk: Floats


def risk_coverage_curve(confidence: ArrayLike, correct: ArrayLike) -> RiskCoverage:
    """Return the error among the answered for every share that can be answered.

    Parameters
    ----------
    confidence : array_like, shape (N,)
        Scores, higher for surer; any finite numbers, not only probabilities.
    correct : array_like, shape (N,)
        0 or 1, or booleans.

    Returns
    -------
    RiskCoverage

    Raises
    ------
    ValueError
        No sample, a confidence that is not finite, correctness that is neither 0 nor 1, lengths
        that differ.

    Notes
    -----
    Chapter 23.2, beyond one temperature. Only the order of the confidences matters: a monotone
    miscalibration changes nothing. Geifman and El-Yaniv 2017.

    Examples
    --------
    >>> curve = risk_coverage_curve([0.9, 0.6, 0.6, 0.5], [1, 1, 0, 0])
    >>> curve.coverage.tolist(), curve.risk.round(4).tolist()
    ([0.25, 0.75, 1.0], [0.0, 0.3333, 0.5])
    """
    score, wrong = _scored(confidence, correct)
    distinct, place = np.unique(-score, return_inverse=True)
    count = np.cumsum(np.bincount(place, minlength=len(distinct)))
    errors = np.cumsum(np.bincount(place, wrong, len(distinct)))
    return RiskCoverage(-distinct, count.astype(np.int64), count / len(score), errors / count)


def _scored(confidence: ArrayLike, correct: ArrayLike) -> tuple[Floats, Floats]:
    score = _checks.vector(confidence, "confidence").astype(np.float64)
    if len(score) == 0:
        raise ValueError("confidence must not be empty")
    _checks.refuse("confidence", "be finite", score, ~np.isfinite(score))
    hits = _checks.vector(correct, "correct", len(score), "confidence")
    wrong: Floats = 1 - _checks.zero_one_block(hits, "correct").astype(np.float64)
    return score, wrong


def area_under_risk_coverage(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Mean risk over all coverages 1/N, 2/N, …, 1.

    Parameters
    ----------
    confidence, correct
        As for `risk_coverage_curve`.

    Returns
    -------
    float
        In [0, 1]; lower is better, 0 only where nothing is wrong. Samples of equal confidence
        are averaged over their orders, so the value does not depend on theirs.

    Raises
    ------
    ValueError
        As `risk_coverage_curve`.

    Notes
    -----
    Chapter 23.2, beyond one temperature. Depends on the error rate as well as on the order;
    compare models only with that in mind. Geifman, Uziel and El-Yaniv 2019.

    Examples
    --------
    >>> round(area_under_risk_coverage([0.9, 0.8, 0.7], [1, 1, 0]), 4)
    0.1111
    """
    score, wrong = _scored(confidence, correct)
    _, place, size = np.unique(-score, return_inverse=True, return_counts=True)
    errors = np.bincount(place, wrong, len(size))
    # Within a tie each next sample is wrong with the tie's own error rate, on average.
    expected = np.cumsum(np.repeat(errors / size, size))
    return float(np.mean(expected / np.arange(1, len(score) + 1)))


@dataclass(frozen=True)
class Abstention:
    """What a threshold on the confidence answers and what it gets wrong.

    Attributes
    ----------
    answered : (N,) bool array
        Whether the confidence reaches the threshold.
    coverage : float
        The share answered.
    risk : float
        The share of the answered that is wrong; NaN where nothing is answered.
    """

    answered: NDArray[np.bool_]
    coverage: float
    risk: float


def abstain(confidence: ArrayLike, correct: ArrayLike, threshold: float) -> Abstention:
    """Answer where the confidence reaches a threshold, abstain elsewhere.

    Parameters
    ----------
    confidence, correct
        As for `risk_coverage_curve`.
    threshold : float
        Not NaN. It is rounded to the type of `confidence` first.

    Returns
    -------
    Abstention

    Raises
    ------
    ValueError
        As `risk_coverage_curve`, or a threshold that is NaN.

    Notes
    -----
    Chapter 23.2, beyond one temperature. Chow 1970: with cost c for an abstention and 1 for an
    error, calibrated confidences are best cut at 1 - c.

    Examples
    --------
    >>> result = abstain([0.9, 0.6, 0.5], [1, 0, 0], 0.6)
    >>> result.answered.tolist(), round(result.coverage, 4), result.risk
    ([True, True, False], 0.6667, 0.5)
    """
    score, wrong = _scored(confidence, correct)
    cut = _checks.scalar(threshold, "threshold", "be a number", lambda x: x == x)
    float_type = _checks.float_type(confidence, _checks.vector(confidence, "confidence"))
    rounded = _checks.rounded_to(float_type, np.array([cut]))
    answered = score >= rounded[0]
    risk = float(wrong[answered].mean()) if answered.any() else float("nan")
    return Abstention(answered, float(answered.mean()), risk)
