"""Bootstrap over groups: images of one scene are not independent, so scenes are drawn."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glyphlab_core import _checks
from glyphlab_core._checks import Array, Floats, Integers
from glyphlab_core.binning import Binning, required

Statistic = Callable[..., ArrayLike]
_DRAWS_AT_ONCE = 1 << 20  # drawn groups held in memory at a time
_MOST_RESAMPLES = 10_000_000


@dataclass(frozen=True)
class AdditiveStatistic:
    """A statistic that is a function of sums over samples, such as a mean or a metric of C.

    A resample of groups then needs only the sums of each group, added up: thousands of resamples
    are one matrix product.

    Parameters
    ----------
    terms : callable
        ``terms(*arrays)`` → (N,) or (N, D), each sample's contribution to the sums.
    finish : callable
        ``finish(sums)`` with sums (B, D) → (B,) or (B, M), the statistic of each of B resamples.

    Examples
    --------
    >>> statistic = AdditiveStatistic.mean()
    >>> float(statistic([1.0, 2.0, 6.0]))
    3.0
    """

    terms: Callable[..., ArrayLike]
    finish: Callable[[Floats], ArrayLike]

    def __post_init__(self) -> None:
        _require_callable(self.terms, "terms")
        _require_callable(self.finish, "finish")

    def __call__(self, *arrays: ArrayLike) -> Any:
        """Return the statistic of the arrays themselves."""
        terms = self._terms(*arrays)
        with np.errstate(over="ignore"):
            sums = terms.sum(axis=0)[None]
        return self._finished(_not_overflown(sums, terms))[0]

    def _finished(self, sums: Floats) -> Floats:
        """The statistic of each row of sums; NaN, without a warning, where it divides by zero."""
        with np.errstate(invalid="ignore", divide="ignore"):
            values = _checks.numeric(self.finish(sums), "finish's result")
        if values.ndim == 0 or len(values) != len(sums):
            raise ValueError(
                f"finish must give one value or row a resample: shape {values.shape}, "
                f"not {len(sums)}"
            )
        return values.astype(np.float64)

    def _terms(self, *arrays: ArrayLike) -> Floats:
        terms = _checks.numeric(self.terms(*arrays), "terms' result").astype(np.float64)
        if terms.ndim not in (1, 2):
            raise ValueError(f"terms must give one value or row a sample, not shape {terms.shape}")
        return terms[:, None] if terms.ndim == 1 else terms

    @staticmethod
    def mean() -> "AdditiveStatistic":
        """Return the mean of one array of values, such as losses or correctness."""

        def terms(values: ArrayLike) -> Floats:
            column = _checks.vector(values, "values").astype(np.float64)
            return np.column_stack([column, np.ones(len(column))])

        return AdditiveStatistic(terms, lambda sums: sums[:, 0] / sums[:, 1])

    @staticmethod
    def confusion(num_classes: int, finish: Callable[[Floats], ArrayLike]) -> "AdditiveStatistic":
        """Return a metric of the confusion matrix of ``(y_true, y_pred)``.

        Parameters
        ----------
        num_classes : int
            The number of classes, K.
        finish : callable
            ``finish(matrices)`` with matrices (B, K, K) → (B,) or (B, M).

        Examples
        --------
        >>> accuracy = AdditiveStatistic.confusion(2, lambda C: C.trace(0, 1, 2) / C.sum((1, 2)))
        >>> float(accuracy([0, 0, 1, 1], [0, 1, 1, 1]))
        0.75
        """
        k = _checks.whole_number(num_classes, "num_classes", least=1)
        _require_callable(finish, "finish")

        def terms(y_true: ArrayLike, y_pred: ArrayLike) -> Floats:
            true = _checks.vector(y_true, "y_true")
            predicted = _checks.labels(y_pred, "y_pred", k, len(true), "y_true")
            cells = _checks.labels(y_true, "y_true", k, len(true), "y_true") * k + predicted
            one_hot: Floats = np.equal(cells[:, None], np.arange(k * k)).astype(np.float64)
            return one_hot

        return AdditiveStatistic(terms, lambda sums: finish(sums.reshape(-1, k, k)))

    @staticmethod
    def reliability(binning: Binning) -> "AdditiveStatistic":
        """Return the accuracy in each bin of ``(confidence, correct)``; NaN in an empty one.

        Parameters
        ----------
        binning : Binning
            M bins: edges and closedness.

        Examples
        --------
        >>> accuracy = AdditiveStatistic.reliability(Binning.uniform(2))
        >>> accuracy([0.2, 0.7, 0.9], [1, 0, 1]).tolist()
        [1.0, 0.5]
        """
        m = len(required(binning))

        def terms(confidence: ArrayLike, correct: ArrayLike) -> Floats:
            inside = np.equal(binning.index(confidence)[:, None], np.arange(m))
            hits = _checks.vector(correct, "correct", len(inside), "confidence")
            right = _checks.zero_one_block(hits, "correct").astype(np.float64)
            return np.hstack([inside, inside * right[:, None]])

        return AdditiveStatistic(terms, lambda sums: sums[:, m:] / sums[:, :m])


@dataclass(frozen=True)
class BootstrapResult:
    """A statistic with its percentile interval.

    Attributes
    ----------
    estimate : float or array
        The statistic of the data themselves.
    lower, upper : float or array
        Ends of the interval, over the resamples where the statistic is defined (not NaN).
    samples : (B,) or (B, M) float64 array
        The statistic of each resample.
    """

    estimate: Any
    lower: Any
    upper: Any
    samples: Floats


def group_bootstrap(
    statistic: Statistic | AdditiveStatistic,
    groups: ArrayLike,
    *arrays: ArrayLike,
    n_resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> BootstrapResult:
    """Bootstrap a statistic, drawing whole groups with replacement.

    Parameters
    ----------
    statistic : callable or AdditiveStatistic
        ``statistic(*arrays)`` → a number or a vector. An `AdditiveStatistic` is vectorised over
        the resamples.
    groups : array_like, shape (N,)
        The group of each sample, such as its scene: integers or strings.
    *arrays : array_like, length N each
        What the statistic is computed from; cut along the first axis.
    n_resamples : int
        How many resamples, B.
    level : float
        Coverage aimed at, between 0 and 1.
    seed : int
        Of the draw. The same seed and groups draw the same resamples whatever the statistic.

    Returns
    -------
    BootstrapResult
        Percentile interval.

    Raises
    ------
    ValueError
        Arrays of another length than `groups`, no array, bad numbers.

    Notes
    -----
    Chapter 23.1 §7 and 23.2 §5. Efron and Tibshirani 1993, ch. 13. With few groups the interval is
    too short.

    Examples
    --------
    >>> result = group_bootstrap(np.mean, [0, 0, 1, 1, 2, 2], [1, 1, 0, 1, 1, 0])
    >>> round(float(result.estimate), 4), float(result.lower), float(result.upper)
    (0.6667, 0.5, 1.0)
    """
    _require_callable(statistic, "statistic")
    group, count = _checks.groups(groups, "groups")
    data = [_rows(array, f"arrays[{i}]", len(group)) for i, array in enumerate(arrays)]
    if not data:
        raise ValueError("arrays must hold at least one array")
    b = _checks.whole_number(n_resamples, "n_resamples", least=1, most=_MOST_RESAMPLES)
    inside = _level(level)
    rng = np.random.default_rng(_checks.whole_number(seed, "seed", least=0))
    draws = _draws(rng, count, b)
    if isinstance(statistic, AdditiveStatistic):
        samples = _additive(statistic, group, count, data, draws)
    else:
        samples = _general(statistic, group, count, data, draws)
    return _summary(statistic(*data), samples, inside)


def paired_group_bootstrap(
    statistic: Statistic | AdditiveStatistic,
    groups: ArrayLike,
    first: Sequence[ArrayLike],
    second: Sequence[ArrayLike],
    *,
    n_resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> BootstrapResult:
    """Bootstrap a difference: ``statistic(*second) - statistic(*first)`` on the same resamples.

    Parameters
    ----------
    statistic, groups, n_resamples, level, seed
        As for `group_bootstrap`.
    first, second : lists or tuples of array_like, length N each
        The statistic's arrays for the two models or decision rules.

    Returns
    -------
    BootstrapResult
        Of the difference.

    Raises
    ------
    ValueError
        As `group_bootstrap`.

    Notes
    -----
    Chapter 23.2 §5. What both have in common cancels, so this interval is usually much shorter
    than those of the two apart.

    Examples
    --------
    >>> scenes = [0, 0, 1, 1]
    >>> result = paired_group_bootstrap(np.mean, scenes, [[1, 0, 1, 0]], [[1, 1, 1, 1]])
    >>> float(result.estimate), float(result.lower), float(result.upper)
    (0.5, 0.5, 0.5)
    """
    inside = _level(level)
    before, after = (
        group_bootstrap(
            statistic, groups, *arrays, n_resamples=n_resamples, level=inside, seed=seed
        )
        for arrays in (_several(first, "first"), _several(second, "second"))
    )
    with np.errstate(invalid="ignore"):  # of two infinite statistics: NaN
        difference: Floats = np.asarray(after.estimate) - np.asarray(before.estimate)
        samples = after.samples - before.samples
    return _summary(difference, samples, inside)


def _require_callable(function: Any, name: str) -> None:
    if not callable(function):
        raise ValueError(f"{name} must be callable, not {type(function).__name__}")


def _level(level: float) -> float:
    return _checks.scalar(level, "level", "lie between 0 and 1", lambda x: 0 < x < 1)


def _several(arrays: Sequence[ArrayLike], name: str) -> Sequence[ArrayLike]:
    if not isinstance(arrays, list | tuple):
        raise ValueError(f"{name} must be a list or tuple of arrays, not {type(arrays).__name__}")
    return arrays


def _rows(array: ArrayLike, name: str, length: int) -> Array:
    rows = _checks.numeric(array, name)
    if rows.ndim == 0 or len(rows) != length:
        raise ValueError(f"{name} must have one row a sample: shape {rows.shape}, not {length}")
    return rows


def _draws(rng: np.random.Generator, count: int, n_resamples: int) -> Iterator[Integers]:
    """Draw groups with replacement, in parts that fit in memory; each (b, G)."""
    step = max(1, _DRAWS_AT_ONCE // count)
    for start in range(0, n_resamples, step):
        yield rng.integers(count, size=(min(step, n_resamples - start), count))


def _additive(
    statistic: AdditiveStatistic,
    group: Integers,
    count: int,
    data: list[Array],
    draws: Iterator[Integers],
) -> Floats:
    terms = statistic._terms(*data)
    if len(terms) != len(group):
        raise ValueError(f"terms must give one row a sample: {len(terms)}, not {len(group)}")
    sums: Floats = np.column_stack([np.bincount(group, column, count) for column in terms.T])
    _not_overflown(sums, terms)
    return np.concatenate([statistic._finished(_summed(drawn, sums)) for drawn in draws])


def _summed(drawn: Integers, sums: Floats) -> Floats:
    """The sums (b, D) of each resample, from those of the groups (G, D)."""
    if not np.isfinite(sums).all():  # a product would make NaN of a group not drawn, 0 · inf
        with np.errstate(invalid="ignore"):
            return np.array([sums[row].sum(axis=0) for row in drawn])
    cells = drawn + np.arange(len(drawn))[:, None] * drawn.shape[1]
    times = np.bincount(cells.ravel(), minlength=drawn.size).reshape(drawn.shape)
    with np.errstate(over="ignore"):
        total: Floats = times.astype(float) @ sums
    return _not_overflown(total, sums)


def _not_overflown(total: Floats, parts: Floats) -> Floats:
    if np.isfinite(parts).all() and not np.isfinite(total).all():
        raise ValueError("arrays must hold values whose sums a double can hold")
    return total


def _general(
    statistic: Statistic,
    group: Integers,
    count: int,
    data: list[Array],
    draws: Iterator[Integers],
) -> Floats:
    order = np.argsort(group, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(group, minlength=count))[:-1])
    samples: list[Floats] = []
    for drawn in draws:
        for row in drawn:
            chosen = np.concatenate([members[g] for g in row])
            samples.append(_value(statistic(*(a[chosen] for a in data))))
            if samples[-1].shape != samples[0].shape:
                raise ValueError(
                    "statistic must return as many numbers for every resample: "
                    f"shape {samples[-1].shape}, not {samples[0].shape}"
                )
    return np.array(samples)


def _value(result: ArrayLike) -> Floats:
    """What a statistic returned."""
    return _checks.numeric(result, "statistic's result").astype(np.float64)


def _summary(estimate: ArrayLike, samples: Floats, level: float) -> BootstrapResult:
    ends = np.full((2, *samples.shape[1:]), np.nan)
    for place in np.ndindex(samples.shape[1:]):
        column: NDArray[np.float64] = samples[(slice(None), *place)]
        defined = column[~np.isnan(column)]
        if len(defined):
            # There is no interpolating towards infinity.
            method: Any = "linear" if np.isfinite(defined).all() else "inverted_cdf"
            shares = [(1 - level) / 2, (1 + level) / 2]
            ends[(slice(None), *place)] = np.quantile(defined, shares, method=method)
    value = _value(estimate)
    if value.ndim == 0:
        return BootstrapResult(float(value), float(ends[0]), float(ends[1]), samples)
    return BootstrapResult(value, ends[0], ends[1], samples)
