"""Confidence calibration measured in bins. The binning is part of every result."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import ArrayLike

from glyphlab_core import _checks
from glyphlab_core._blocks import blocks
from glyphlab_core._checks import Array, Floats, Integers
from glyphlab_core._rows import probability_rows
from glyphlab_core.binning import Binning, Locator, required


def confidence_and_correctness(
    probabilities: ArrayLike, y: ArrayLike
) -> tuple[Array, Integers, Array]:
    """Confidence, prediction and correctness of each sample.

    Parameters
    ----------
    probabilities : array_like, shape (N, K)
        Rows in [0, 1] that sum to 1, within the tolerance of `brier_score`.
    y : array_like, shape (N,)
        True classes, 0 … K-1.

    Returns
    -------
    confidence : (N,) array
        Each row's largest probability, of the type of `probabilities`.
    prediction : (N,) int64 array
        Its class; of equal ones the lowest index.
    correct : (N,) bool array
        Whether the prediction is the true class.

    Raises
    ------
    ValueError
        Probabilities that are not such rows, or labels that do not fit them.

    Notes
    -----
    Chapter 23.2 §2. Where logits are at hand, decide on them: their argmax survives rounding.

    Examples
    --------
    >>> confidence_and_correctness([[0.7, 0.3], [0.5, 0.5]], [0, 1])
    (array([0.7, 0.5]), array([0, 0]), array([ True, False]))
    """
    p = probability_rows(probabilities, y)
    confidence = np.empty(len(p.y), p.rows.dtype if p.rows.dtype.kind == "f" else np.float64)
    prediction = np.empty(len(p.y), np.int64)
    for block, _, part in p.blocks():
        confidence[part], prediction[part] = block.max(axis=1), block.argmax(axis=1)
    return confidence, prediction, prediction == p.y


def _binned(
    confidence: ArrayLike, correct: ArrayLike, binning: Binning
) -> Iterator[tuple[Array, Array, Array]]:
    """Yield blocks of (bin, confidence, correct) after their checks."""
    required(binning)
    p = _checks.fractions(confidence, "confidence")
    a = _checks.vector(correct, "correct", len(p), "confidence")
    locate = Locator(binning, _checks.float_type(confidence, p))
    for part in blocks(len(p), itemsize=4 * 8):  # four temporaries of float64 live at a time
        block = _checks.fraction_block(p[part], "confidence", part.start)
        hits = _checks.zero_one_block(a[part], "correct", part.start)
        yield locate(block), block, hits


class _Sums:
    """Adds up the sums of blocks, and apart from them what rounding loses (Møller, Knuth)."""

    def __init__(self, size: int) -> None:
        self.rounded, self.lost = np.zeros(size), np.zeros(size)

    def add(self, part: Array) -> None:
        """Add one block's sums."""
        total = self.rounded + part
        added = total - self.rounded
        self.lost += (self.rounded - (total - added)) + (part - added)
        self.rounded = total

    @property
    def total(self) -> Floats:
        """All blocks' sums."""
        return self.rounded + self.lost


@dataclass(frozen=True)
class ReliabilityTable:
    """What a reliability diagram shows, one entry a bin.

    Attributes
    ----------
    count : (M,) int64 array
        Samples in the bin.
    mean_confidence : (M,) float64 array
        Their mean confidence; NaN in an empty bin.
    accuracy : (M,) float64 array
        The share that is correct; NaN in an empty bin.
    lower, upper : (M,) float64 arrays
        95 % Wilson interval of the accuracy, which takes the samples for independent.
    binning : Binning
        The bins.
    """

    count: Integers
    mean_confidence: Floats
    accuracy: Floats
    lower: Floats
    upper: Floats
    binning: Binning


_Z95 = 1.959963984540054  # the 0.975 quantile of the standard normal


def _wilson(share: Floats, count: Integers) -> tuple[Floats, Floats]:
    """95 % score interval of a binomial share (Wilson 1927)."""
    n = np.where(count > 0, count, np.nan)
    centre = (share + _Z95**2 / (2 * n)) / (1 + _Z95**2 / n)
    half = _Z95 / (1 + _Z95**2 / n) * np.sqrt(share * (1 - share) / n + _Z95**2 / (4 * n**2))
    # At a share of 0 or 1 the bound is that share; rounding may put it a last digit beside it.
    lower = np.where(share == 0, 0.0, np.maximum(centre - half, 0.0))
    upper = np.where(share == 1, 1.0, np.minimum(centre + half, 1.0))
    return lower, upper


def reliability_table(
    confidence: ArrayLike, correct: ArrayLike, binning: Binning
) -> ReliabilityTable:
    """Mean confidence and accuracy bin by bin.

    Parameters
    ----------
    confidence : array_like, shape (N,)
        Numbers in [0, 1].
    correct : array_like, shape (N,)
        0 or 1, or booleans.
    binning : Binning
        Edges and closedness.

    Returns
    -------
    ReliabilityTable

    Raises
    ------
    ValueError
        Confidences outside [0, 1], correctness that is neither 0 nor 1, lengths that differ, or
        nothing at all.

    Notes
    -----
    Chapter 23.2 §2.

    Examples
    --------
    >>> table = reliability_table([0.7, 0.75, 0.9], [1, 0, 1], Binning.uniform(5))
    >>> table.count.tolist(), table.accuracy.tolist()
    ([0, 0, 0, 2, 1], [nan, nan, nan, 0.5, 1.0])
    """
    m = len(required(binning))
    count, confidences, hits = np.zeros(m, dtype=np.int64), _Sums(m), np.zeros(m)
    for bins, block, right in _binned(confidence, correct, binning):
        count += np.bincount(bins, minlength=m)
        confidences.add(np.bincount(bins, block, m))
        hits += np.bincount(bins, right, m)
    size = np.where(count > 0, count, np.nan)
    accuracy = hits / size
    lower, upper = _wilson(accuracy, count)
    return ReliabilityTable(count, confidences.total / size, accuracy, lower, upper, binning)


def expected_calibration_error(
    confidence: ArrayLike, correct: ArrayLike, binning: Binning
) -> float:
    """Gap between mean confidence and accuracy, averaged over bins by their counts.

    Parameters
    ----------
    confidence : array_like, shape (N,)
        Numbers in [0, 1].
    correct : array_like, shape (N,)
        0 or 1, or booleans.
    binning : Binning
        Edges and closedness; another binning gives another value.

    Returns
    -------
    float
        ECE = ``Σ_m (n_m/N) |mean confidence - accuracy|``, in [0, 1]. Empty bins count 0.

    Raises
    ------
    ValueError
        As `reliability_table`.

    Notes
    -----
    Chapter 23.2 §2. The bin's mean confidence enters, not its centre. As n_m cancels, each bin
    needs only Σ (confidence - correct). A biased estimate in small samples. Naeini, Cooper and
    Hauskrecht 2015; Guo et al. 2017.

    Examples
    --------
    >>> round(expected_calibration_error([0.8, 0.7], [0, 1], Binning.uniform(5)), 12)
    0.55
    >>> round(expected_calibration_error([0.8, 0.7], [0, 1], Binning.uniform(5, "right")), 12)
    0.25
    """
    gaps, n = _Sums(len(required(binning))), 0
    for bins, block, right in _binned(confidence, correct, binning):
        gaps.add(np.bincount(bins, np.subtract(block, right, dtype=np.float64), len(binning)))
        n += len(block)
    return fsum(np.abs(gaps.total)) / n


def maximum_calibration_error(confidence: ArrayLike, correct: ArrayLike, binning: Binning) -> float:
    """Largest gap between mean confidence and accuracy over the bins that hold samples.

    Parameters
    ----------
    confidence, correct, binning
        As for `expected_calibration_error`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `reliability_table`.

    Notes
    -----
    Chapter 23.2, beyond one temperature. Often set by the smallest bin. Guo et al. 2017.

    Examples
    --------
    >>> round(maximum_calibration_error([0.9, 0.9, 0.3], [1, 1, 1], Binning.uniform(5)), 12)
    0.7
    """
    table = reliability_table(confidence, correct, binning)
    filled = table.count > 0
    return float(np.abs(table.mean_confidence - table.accuracy)[filled].max())


def classwise_calibration_error(probabilities: ArrayLike, y: ArrayLike, binning: Binning) -> float:
    """Expected calibration error of each class's probability, averaged over the classes.

    Parameters
    ----------
    probabilities : array_like, shape (N, K)
        Rows in [0, 1] that sum to 1, within the tolerance of `brier_score`.
    y : array_like, shape (N,)
        True classes, 0 … K-1.
    binning : Binning
        Edges and closedness.

    Returns
    -------
    float
        (1/K) Σ_k ECE of the pairs (p_nk, y_n = k), in [0, 1].

    Raises
    ------
    ValueError
        Probabilities that are not such rows, or labels that do not fit them.

    Notes
    -----
    Chapter 23.2, beyond one temperature. Neither implies confidence calibration nor follows from it
    (three or more classes). Kull et al. 2019; Nixon et al. 2019 average the same way.

    Examples
    --------
    >>> round(classwise_calibration_error([[0.8, 0.2], [0.6, 0.4]], [0, 1], Binning.uniform(5)), 12)
    0.4
    """
    m, p = len(required(binning)), probability_rows(probabilities, y)
    k = p.rows.shape[1]
    locate, gaps = Locator(binning, p.float_type), _Sums(k * m)
    for block, labels, _ in p.blocks():
        bins = locate(block) + m * np.arange(k)  # each class has bins of its own
        block[np.arange(len(labels)), labels] -= 1  # now the gap of each entry
        gaps.add(np.bincount(bins.ravel(), block.ravel(), k * m))
    return float(fsum(np.abs(gaps.total)) / len(p.y) / k)
