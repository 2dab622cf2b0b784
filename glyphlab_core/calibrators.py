"""Calibrators behind one protocol: ``fit(logits, y)``, then ``predict_proba(logits)``.

As in scikit-learn, options go to the constructor, `fit` returns the calibrator, and what it has
learned ends in an underscore. SciPy optimises; it is imported when something is fitted.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from glyphlab_core import _checks, _likelihood, _logits
from glyphlab_core._checks import Array, Floats, Integers
from glyphlab_core._likelihood import Model
from glyphlab_core.probability import log_loss, softmax
from glyphlab_core.temperature import NoOptimumError, optimal_temperature

_LARGEST = float(np.finfo(np.float64).max)
_LOG_2 = float(np.log(2))


class Calibrator(ABC):
    """The protocol that all calibrators share.

    Attributes
    ----------
    n_classes_ : int
        K, as fitted.
    """

    n_classes_: int

    def fit(self, logits: ArrayLike, y: ArrayLike) -> Self:
        """Learn from logits that the network was not trained on.

        Parameters
        ----------
        logits : array_like, shape (N, K)
            One row a sample.
        y : array_like, shape (N,)
            True classes, 0 … K-1.

        Returns
        -------
        Calibrator
            Itself.

        Raises
        ------
        ValueError
            Bad logits or labels; argument and place are named.
        NoOptimumError
            The loss has no finite minimiser.
        """
        z, labels = _logits.labelled(logits, y)
        self._learn(z, labels)
        self.n_classes_ = z.shape[1]
        return self

    def predict_proba(self, logits: ArrayLike) -> Floats:
        """Return calibrated probabilities.

        Parameters
        ----------
        logits : array_like, shape (N, K)
            One row a sample, K as fitted.

        Returns
        -------
        (N, K) float64 array
            Rows in [0, 1] that sum to 1.

        Raises
        ------
        ValueError
            Bad logits, another K, or `fit` was not called.
        """
        if not hasattr(self, "n_classes_"):
            raise ValueError(f"{type(self).__name__} must be fitted before predict_proba")
        z = _checks.matrix(logits, "logits")
        if z.shape[1] != self.n_classes_:
            raise ValueError(
                f"logits must have {self.n_classes_} columns, as when fitted, not {z.shape[1]}"
            )
        return self._predict(z)

    @abstractmethod
    def _learn(self, z: Array, y: Integers) -> None: ...

    @abstractmethod
    def _predict(self, z: Array) -> Floats: ...


class TemperatureScaling(Calibrator):
    """Divide all logits by one temperature: one parameter, and the argmax stays.

    Attributes
    ----------
    temperature_ : float
        T*, as `optimal_temperature`; ``-inf`` may mask a class here.

    Notes
    -----
    Chapter 23.2 §3. Guo et al. 2017.

    Examples
    --------
    >>> from glyphlab_core import worked
    >>> round(TemperatureScaling().fit(worked.Z, worked.y).temperature_, 6)
    0.704528
    """

    temperature_: float

    def _learn(self, z: Array, y: Integers) -> None:
        self.temperature_ = optimal_temperature(z, y)

    def _predict(self, z: Array) -> Floats:
        return softmax(z, self.temperature_)


class PlattScaling(Calibrator):
    """Logistic regression on each class's log odds, one class against the rest.

    Two classes share one regression, on z_1 - z_0. With more, each class k has its own, on
    log(p_k / (1 - p_k)), and the K results are divided by their sum.

    Parameters
    ----------
    smoothed : bool
        Whether the targets are Platt's, (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) in place of 1 and 0:
        they keep the parameters finite however well the classes are told apart.

    Attributes
    ----------
    slope_, intercept_ : (1,) or (K,) float64 arrays
        p = 1 / (1 + exp(-(slope · log odds + intercept))).

    Notes
    -----
    Chapter 23.2, beyond one temperature. Platt 1999, whose A and B are -slope and -intercept;
    several classes as Zadrozny and Elkan 2002. It can change the argmax.

    Examples
    --------
    >>> logits = [[2, 0], [1, 0], [0.5, 0], [0, 0.5], [0, 1], [0, 3]]
    >>> y = [0, 1, 0, 1, 0, 1]
    >>> PlattScaling().fit(logits, y).predict_proba(logits).round(4)[:, 1]
    array([0.3301, 0.4064, 0.4467, 0.5287, 0.5694, 0.7187])
    """

    slope_: Floats
    intercept_: Floats

    def __init__(self, smoothed: bool = True) -> None:
        self.smoothed = smoothed

    def _learn(self, z: Array, y: Integers) -> None:
        if not isinstance(self.smoothed, bool | np.bool_):
            raise ValueError(f"smoothed must be True or False, not {_checks.shown(self.smoothed)}")
        _all_present(y, z.shape[1])
        odds = _log_odds(_finite(z))
        fits = [_platt(odds[:, k], y == k, bool(self.smoothed)) for k in _regressed(z.shape[1])]
        self.slope_, self.intercept_ = np.array(fits).T.copy()

    def _predict(self, z: Array) -> Floats:
        odds = _log_odds(_finite(z))[:, _regressed(z.shape[1])]
        fitted = _bounded(lambda: odds * self.slope_ + self.intercept_)
        if len(self.slope_) == 1:
            return softmax(np.hstack([np.zeros((len(z), 1)), fitted]))
        return softmax(-np.logaddexp(0, -fitted))  # sigmoids divided by their sum


def _regressed(num_classes: int) -> list[int]:
    """The classes that get a curve of their own: of two, the second decides both."""
    return [1] if num_classes == 2 else list(range(num_classes))


def _log_odds(z: Floats) -> Floats:
    """log(p_k / (1 - p_k)) of each class's softmax probability, without p on the way."""
    with np.errstate(over="ignore"):
        if z.shape[1] == 2:
            return np.clip(z - z[:, ::-1], -_LARGEST, _LARGEST)
        top = z.argmax(axis=1)[:, None]
        rest = z.copy()
        np.put_along_axis(rest, top, -inf, axis=1)
        second, terms = _logits.exponentials(rest, 1.0)
        gap = np.take_along_axis(z, top, axis=1) - second[:, None]
        of_top = gap - np.log(terms.sum(axis=1, keepdims=True))
        # The others have p ≤ 1/2, where log p - log(1 - p) loses no digits.
        log_p = np.minimum(z - z.max(axis=1, keepdims=True) - np.logaddexp(0, -of_top), -_LOG_2)
        odds: Floats = log_p - np.log1p(-np.exp(log_p))
        np.put_along_axis(odds, top, of_top, axis=1)
        return np.clip(odds, -_LARGEST, _LARGEST)


def _platt(odds: Floats, positive: Array, smoothed: bool) -> tuple[float, float]:
    """Slope and intercept of a logistic regression on one score."""
    n = len(odds)
    high, low = 1.0, 0.0
    if smoothed:
        high = (positive.sum() + 1) / (positive.sum() + 2)
        low = 1 / (n - positive.sum() + 2)
    second = np.where(positive, high, low)
    x, scale = _near_one(odds[:, None])
    design = np.hstack([x, np.ones((n, 1))])
    model = Model(
        lambda theta: np.outer(design @ theta, [0.0, 1.0]),
        lambda q: design.T @ q[:, 1],
        np.column_stack([1 - second, second]),
        np.zeros(2),
    )
    slope, intercept = _likelihood.minimise(model, np.zeros(2))
    return float(_unscaled(slope, scale)), float(intercept)


class VectorScaling(Calibrator):
    """A weight and a bias for each class: softmax(w · z + b), 2K parameters.

    Attributes
    ----------
    weight_ : (K,) float64 array
        w; all equal to 1/T where it is a temperature.
    bias_ : (K,) float64 array
        b, of mean 0, since a number added to all of them changes nothing.

    Notes
    -----
    Chapter 23.2, beyond one temperature. Guo et al. 2017. It can change the argmax, and unlike
    softmax it depends on what is added to a whole row of logits.

    Examples
    --------
    >>> logits = [[2, 0], [1, 0], [0.5, 0], [0, 0.5], [0, 1], [0, 3]]
    >>> y = [0, 1, 0, 1, 0, 1]
    >>> VectorScaling().fit(logits, y).weight_.round(4)
    array([0.5093, 0.6844])
    """

    weight_: Floats
    bias_: Floats

    def _learn(self, z: Array, y: Integers) -> None:
        x, scale = _near_one(_finite(z))
        targets = _all_present(y, z.shape[1])
        k = targets.shape[1]
        model = Model(
            lambda theta: x * theta[:k] + theta[k:],
            lambda q: np.concatenate([np.einsum("nk,nk->k", q, x), q.sum(axis=0)]),
            targets,
            np.zeros(2 * k),
        )
        theta = _likelihood.minimise(model, np.zeros(2 * k))
        self.weight_, self.bias_ = _unscaled(theta[:k], scale), theta[k:] - theta[k:].mean()

    def _predict(self, z: Array) -> Floats:
        finite = _finite(z)
        return softmax(_bounded(lambda: finite * self.weight_ + self.bias_))


class MatrixScaling(Calibrator):
    """A linear map of the logits: softmax(W z + b), K² + K parameters.

    Parameters
    ----------
    off_diagonal : float
        λ, at least 0: the loss gets λ times the mean square of W's off-diagonal entries added.
    intercept : float
        μ, at least 0: the loss gets μ times the mean square of b added.

    Attributes
    ----------
    weight_ : (K, K) float64 array
        W, row k for the new logit of class k. Adding a row vector to all rows changes nothing: in
        each column the entries off the diagonal have mean 0.
    bias_ : (K,) float64 array
        b, of mean 0.

    Notes
    -----
    Chapter 23.2, beyond one temperature. Guo et al. 2017; the regularisation is the ODIR of Kull
    et al. 2019, which leaves the diagonal free. It can change the argmax, and unlike softmax it
    depends on what is added to a whole row of logits.

    Examples
    --------
    >>> logits = [[2, 0], [1, 0], [0.5, 0], [0, 0.5], [0, 1], [0, 3]]
    >>> y = [0, 1, 0, 1, 0, 1]
    >>> MatrixScaling(off_diagonal=1.0).fit(logits, y).weight_.diagonal().round(4)
    array([0.5093, 0.6844])
    """

    weight_: Floats
    bias_: Floats

    def __init__(self, off_diagonal: float = 0.0, intercept: float = 0.0) -> None:
        self.off_diagonal = off_diagonal
        self.intercept = intercept

    def _learn(self, z: Array, y: Integers) -> None:
        x, scale = _near_one(_finite(z))
        targets = _all_present(y, z.shape[1])
        n, k = targets.shape
        design = np.hstack([x, np.ones((n, 1))])  # θ as a matrix is [W b], row after row
        model = Model(
            lambda theta: design @ theta.reshape(k, k + 1).T,
            lambda q: (q.T @ design).ravel(),
            targets,
            self._ridge(k, scale).ravel(),
        )
        theta = _likelihood.minimise(model, np.zeros(k * (k + 1))).reshape(k, k + 1)
        w, b = _unscaled(theta[:, :k], scale), theta[:, k]
        self.weight_ = w - (w.sum(axis=0) - np.diag(w)) / (k - 1)
        self.bias_ = b - b.mean()

    def _ridge(self, k: int, scale: float) -> Floats:
        """Second derivative of the penalty, per squared unit of the scaled parameters."""
        off = _penalty(self.off_diagonal, "off_diagonal") * 2 / (k * (k - 1)) / scale / scale
        bias = _penalty(self.intercept, "intercept") * 2 / k
        return np.hstack([off * (1 - np.eye(k)), np.full((k, 1), bias)])

    def _predict(self, z: Array) -> Floats:
        x, scale = _near_one(_finite(z))
        return softmax(_bounded(lambda: x @ self.weight_.T * scale + self.bias_))


class IsotonicCalibration(Calibrator):
    """An increasing function of each class's probability, one class against the rest.

    Two classes share one function, of the second's probability. With more, the K results are
    divided by their sum; a row where all are 0 becomes uniform.

    Attributes
    ----------
    thresholds_, values_ : lists of (M_k,) float64 arrays
        Each function's knots, ascending: probability before and after. Between knots it is
        linear, beyond the ends constant.

    Notes
    -----
    Chapter 23.2, beyond one temperature. Zadrozny and Elkan 2002. Its steps can be 0 or 1, so
    that the log loss of other samples can be infinite. It can change the argmax and makes ties.

    Examples
    --------
    >>> logits = [[2, 0], [1, 0], [0.5, 0], [0, 0.5], [0, 1], [0, 3]]
    >>> y = [0, 1, 0, 1, 0, 1]
    >>> IsotonicCalibration().fit(logits, y).predict_proba(logits)[:, 1].round(4)
    array([0. , 0.5, 0.5, 0.5, 0.5, 1. ])
    """

    thresholds_: list[Floats]
    values_: list[Floats]

    def _learn(self, z: Array, y: Integers) -> None:
        _all_present(y, z.shape[1])
        p = softmax(z)
        curves = [_isotonic(p[:, k], y == k) for k in _regressed(z.shape[1])]
        self.thresholds_, self.values_ = ([curve[i] for curve in curves] for i in (0, 1))

    def _predict(self, z: Array) -> Floats:
        p = softmax(z)[:, _regressed(z.shape[1])]
        curves = zip(p.T, self.thresholds_, self.values_, strict=True)
        out = np.column_stack([np.interp(x, at, value) for x, at, value in curves])
        if out.shape[1] == 1:
            return np.hstack([1 - out, out])
        total = out.sum(axis=1, keepdims=True)
        return np.where(total > 0, out / np.where(total > 0, total, 1), 1 / z.shape[1])


def _isotonic(probability: Floats, positive: Array) -> tuple[Floats, Floats]:
    """Knots of the increasing function nearest to the truth in square; ties share one value."""
    from scipy.optimize import isotonic_regression

    at, place, size = np.unique(probability, return_inverse=True, return_counts=True)
    share = np.bincount(place, positive, len(at)) / size
    value = np.asarray(isotonic_regression(share, weights=size).x, dtype=np.float64)
    kept = np.ones(len(at), dtype=bool)  # within a step its two ends say all
    kept[1:-1] = (value[1:-1] != value[:-2]) | (value[1:-1] != value[2:])
    return at[kept], value[kept]


@dataclass(frozen=True)
class CrossValidatedTemperature:
    """A temperature together with what it does to samples that it was not fitted on.

    Attributes
    ----------
    temperature : float
        T* of all samples, for use.
    fold_temperatures : (F,) float64 array
        T* without each fold; their spread shows how sure T is.
    fold : (N,) int64 array
        The fold of each sample.
    log_loss : float
        Mean over samples, each at the temperature fitted without its fold, in nats.
    log_loss_before : float
        The same at T = 1.
    """

    temperature: float
    fold_temperatures: Floats
    fold: Integers
    log_loss: float
    log_loss_before: float


def cross_validated_temperature(
    logits: ArrayLike,
    y: ArrayLike,
    groups: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
) -> CrossValidatedTemperature:
    """Fit a temperature where there are too few samples to set some aside.

    Parameters
    ----------
    logits : array_like, shape (N, K)
        One row a sample; ``-inf`` masks a class.
    y : array_like, shape (N,)
        True classes, 0 … K-1.
    groups : array_like, shape (N,), optional
        The group of each sample, such as its scene: never split between folds. Without it each
        sample is its own.
    folds : int
        F, from 2 to the number of groups.
    seed : int
        Of the groups' assignment to folds.

    Returns
    -------
    CrossValidatedTemperature

    Raises
    ------
    ValueError
        Bad logits, labels, groups or numbers.
    NoOptimumError
        There is no temperature for all samples, or for those outside some fold.

    Notes
    -----
    Chapter 23.2, beyond one temperature.

    Examples
    --------
    >>> logits = 2 * [[2, 0], [1, 0], [0.5, 0], [0, 0.5], [0, 1], [0, 3]]
    >>> y, scene = 2 * [0, 1, 0, 1, 0, 1], 2 * [0, 1, 2, 3, 4, 5]
    >>> result = cross_validated_temperature(logits, y, scene, folds=3)
    >>> round(result.temperature, 4), result.fold_temperatures.round(4)
    (1.6404, array([1.3108, 6.2114, 1.1535]))
    """
    z, labels = _logits.labelled(logits, y)
    fold = _folds(np.arange(len(z)) if groups is None else groups, len(z), folds, seed)
    inside = [fold == f for f in range(int(fold.max()) + 1)]
    temperatures = [_fitted_without(f, z[~held], labels[~held]) for f, held in enumerate(inside)]
    losses = [
        held.sum() / len(z) * log_loss(z[held], labels[held], t)
        for held, t in zip(inside, temperatures, strict=True)
    ]
    return CrossValidatedTemperature(
        temperature=optimal_temperature(z, labels),
        fold_temperatures=np.array(temperatures),
        fold=fold,
        log_loss=float(np.sum(losses)),
        log_loss_before=log_loss(z, labels),
    )


def _folds(groups: ArrayLike, length: int, folds: int, seed: int) -> Integers:
    """The fold of each sample: groups in random order, dealt out in turn."""
    number, count = _checks.groups(groups, "groups")
    if len(number) != length:
        raise ValueError(f"groups must have one element a row: {len(number)}, not {length}")
    n = _checks.whole_number(folds, "folds", least=2)
    if n > count:
        raise ValueError(f"folds must be at most the number of groups, {count}: folds is {n}")
    rng = np.random.default_rng(_checks.whole_number(seed, "seed", least=0))
    of_group: Integers = rng.permutation(np.arange(count) % n)
    return of_group[number]


def _fitted_without(fold: int, z: Array, y: Integers) -> float:
    try:
        return optimal_temperature(z, y)
    except NoOptimumError as error:
        raise NoOptimumError(f"without fold {fold}: {error}", error.limit) from None


# ------------------------------------------------------------------------------ shared pieces


def _finite(z: Array) -> Floats:
    """Logits as float64; a masked class has no place in a weighted sum."""
    values = z.astype(np.float64)
    _checks.refuse("logits", "be finite", values, ~np.isfinite(values))
    return values


def _all_present(y: Integers, num_classes: int) -> Floats:
    """The labels as rows of 0 and 1, after a check that every class has a sample."""
    if num_classes < 2:
        raise ValueError("logits must have at least two columns, one a class")
    absent = np.flatnonzero(np.bincount(y, minlength=num_classes) == 0)
    if len(absent):
        classes = ", ".join(map(str, absent))
        raise ValueError(f"y must hold all {num_classes} classes: class {classes} is missing")
    one_hot: Floats = np.equal(y[:, None], np.arange(num_classes)).astype(np.float64)
    return one_hot


def _near_one(z: Floats) -> tuple[Floats, float]:
    """Divide logits by a power of two about as large as they are; return it too."""
    largest = float(np.abs(z).max())
    if largest == 0:
        return z, 1.0
    exponent = int(np.frexp(largest)[1])
    x: Floats = np.ldexp(z, -exponent)
    more = int(np.frexp(np.sqrt(np.mean(x**2)))[1])
    scale = float(np.ldexp(1.0, min(exponent + more, 1023)))
    return z / scale, scale


def _unscaled(weight: Floats, scale: float) -> Floats:
    """Weights for the logits themselves."""
    with np.errstate(over="ignore"):
        result: Floats = weight / scale
    if not np.isfinite(result).all():
        raise NoOptimumError("logits must be large enough for weights that a double can hold", inf)
    return result


def _bounded(new_logits: Callable[[], Floats]) -> Floats:
    """New logits, the largest double in place of what overflows."""
    with np.errstate(over="ignore"):
        return np.clip(new_logits(), -_LARGEST, _LARGEST)


def _penalty(value: float, name: str) -> float:
    return _checks.scalar(value, name, "be finite and not negative", lambda x: 0 <= x < inf)
