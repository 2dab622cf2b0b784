"""From logits to probabilities, and the scores that judge them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from glyphlab_core import _checks, _logits
from glyphlab_core._blocks import blocks, workspace
from glyphlab_core._checks import Floats
from glyphlab_core._rows import probability_rows
from glyphlab_core.binning import Binning, required


def softmax(logits: ArrayLike, temperature: float = 1.0) -> Floats:
    """Turn each row of logits into probabilities.

    Parameters
    ----------
    logits : array_like, shape (N, K)
        One row a sample. ``-inf`` masks a class, never a whole row.
    temperature : float
        T, finite and above 0, in the unit of the logits.

    Returns
    -------
    (N, K) float64 array
        p_nk = exp(z_nk / T) / Σ_j exp(z_nj / T).

    Raises
    ------
    ValueError
        Logits that are not two-dimensional, are empty, or hold NaN, +inf or a wholly masked row
        (named); a temperature that is not positive.

    Notes
    -----
    Chapter 23.2 §2–3. Take decisions on the logits: rounding can make two probabilities equal
    whose logits are not.

    Examples
    --------
    >>> softmax([[2, 2, 1]]).round(4)
    array([[0.4223, 0.4223, 0.1554]])
    """
    z = _checks.matrix(logits, "logits")
    beta = _checks.inverse(temperature)
    out, room = np.empty(z.shape), workspace(*z.shape)
    for part in blocks(*z.shape):
        _, terms = _logits.exponentials(_logits.checked(z[part], part.start, room), beta, out[part])
        terms /= terms.sum(axis=1, keepdims=True)
    return out


def log_loss(logits: ArrayLike, y: ArrayLike, temperature: float = 1.0) -> float:
    """Mean negative log probability of the true class, straight from logits.

    Parameters
    ----------
    logits : array_like, shape (N, K)
        As for `softmax`.
    y : array_like, shape (N,)
        True classes, 0 … K-1.
    temperature : float
        T, finite and above 0.

    Returns
    -------
    float
        In nats. Infinite where the true class of some row is masked.

    Raises
    ------
    ValueError
        As `softmax`, or labels that do not fit the logits.

    Notes
    -----
    Chapter 23.2 §2. Also called cross-entropy or negative log-likelihood. It sees only the true
    class's probability. Never computed through ``log(softmax)``, which is -inf where softmax
    underflows.

    Examples
    --------
    >>> from glyphlab_core import worked
    >>> round(log_loss(worked.Z, worked.y), 6)
    0.571774
    """
    return _logits.mean_loss(_logits.labelled(logits, y), _checks.inverse(temperature))


def energy_score(logits: ArrayLike, temperature: float = 1.0) -> Floats:
    """Energy of each row, a score for inputs unlike the training data.

    Parameters
    ----------
    logits : array_like, shape (N, K)
        As for `softmax`.
    temperature : float
        T, finite and above 0.

    Returns
    -------
    (N,) float64 array
        -T log Σ_k exp(z_k / T), in the unit of the logits; lower is more familiar.

    Raises
    ------
    ValueError
        As `softmax`.

    Notes
    -----
    Chapter 23.2 §8. Unlike the largest probability it changes when all logits of a row are
    shifted. Liu et al. 2020, Energy-based Out-of-distribution Detection.

    Examples
    --------
    >>> energy_score([[0.1, 0.0], [10.1, 10.0]]).round(4)
    array([ -0.7444, -10.7444])
    """
    z = _checks.matrix(logits, "logits")
    t, beta = _checks.positive(temperature, "temperature"), _checks.inverse(temperature)
    out, room = np.empty(len(z)), workspace(*z.shape)
    for part in blocks(*z.shape):
        top, terms = _logits.exponentials(_logits.checked(z[part], part.start, room), beta)
        with np.errstate(over="ignore", under="ignore"):
            # Half and half: T log Σ alone may overflow where the sum with the maximum does not.
            out[part] = -2 * (top / 2 + t / 2 * np.log(terms.sum(axis=1)))
    return out


def brier_score(probabilities: ArrayLike, y: ArrayLike) -> float:
    """Mean squared distance between the probabilities and the one-hot truth.

    Parameters
    ----------
    probabilities : array_like, shape (N, K)
        Rows in [0, 1] that sum to 1, within 1e-6 (float32 1e-5, float16 1e-2, bfloat16 2e-2).
    y : array_like, shape (N,)
        True classes, 0 … K-1.

    Returns
    -------
    float
        In [0, 2]: the sum over classes, not halved.

    Raises
    ------
    ValueError
        Probabilities that are not such rows, or labels that do not fit them.

    Notes
    -----
    Chapter 23.2 §2. Brier 1950. For two classes this is twice the binary score.

    Examples
    --------
    >>> brier_score([[0.0, 1.0], [1.0, 0.0]], [1, 1])
    1.0
    """
    total = []
    p = probability_rows(probabilities, y)
    for distance, labels, _ in p.blocks():
        distance[np.arange(len(labels)), labels] -= 1
        total.append(float(np.einsum("nk,nk->", distance, distance)))
    return float(np.sum(total)) / len(p.y)


@dataclass(frozen=True)
class BrierDecomposition:
    """Parts of a binary Brier score: brier = reliability - resolution + uncertainty + within_bin.

    Attributes
    ----------
    reliability : float
        Σ_m (n_m/N) (mean confidence - accuracy)², the squared gaps; 0 is best.
    resolution : float
        Σ_m (n_m/N) (accuracy_m - accuracy)², how far the bins differ in accuracy.
    uncertainty : float
        Accuracy · (1 - accuracy), no matter what the model says.
    within_bin : float
        What binning hides: the confidences' variance within bins less twice their covariance with
        correctness. 0 where all confidences of a bin are equal.
    brier : float
        Mean (confidence - correct)², computed on its own.
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_bin: float
    brier: float


def brier_decomposition(
    confidence: ArrayLike, correct: ArrayLike, binning: Binning
) -> BrierDecomposition:
    """Split the binary Brier score of confidences into what binned diagnostics can see.

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
    BrierDecomposition

    Raises
    ------
    ValueError
        Confidences outside [0, 1], correctness that is neither 0 nor 1, lengths that differ.

    Notes
    -----
    Chapter 23.2 §2. Murphy 1973; the remainder is that of Stephenson, Coelho and Jolliffe 2008.

    Examples
    --------
    >>> parts = brier_decomposition([0.2, 0.2, 0.8, 0.8], [0, 0, 1, 0], Binning.uniform(5))
    >>> round(parts.reliability, 4), round(parts.resolution, 4), round(parts.brier, 4)
    (0.065, 0.0625, 0.19)
    """
    p = _checks.fractions(confidence, "confidence")
    a = _checks.vector(correct, "correct", len(p), "confidence")
    bins = required(binning).index(confidence)
    f = p.astype(np.float64)
    o = _checks.zero_one_block(a, "correct").astype(np.float64)
    count = np.bincount(bins, minlength=len(binning))
    size = np.maximum(count, 1)
    forecast = np.bincount(bins, f, len(binning)) / size
    observed = np.bincount(bins, o, len(binning)) / size
    overall, weight = float(o.mean()), count / len(f)
    spread, miss = f - forecast[bins], o - observed[bins]
    return BrierDecomposition(
        reliability=float(np.sum(weight * (forecast - observed) ** 2)),
        resolution=float(np.sum(weight * (observed - overall) ** 2)),
        uncertainty=overall * (1 - overall),
        within_bin=float(np.mean(spread**2) - 2 * np.mean(spread * miss)),
        brier=float(np.mean((f - o) ** 2)),
    )
