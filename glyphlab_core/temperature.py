"""One temperature for all logits: its log loss, the best of a grid, and the exact minimiser."""

import warnings
from math import frexp, inf, nan

import numpy as np
from numpy.typing import ArrayLike

from glyphlab_core import _checks, _logits, _optimum
from glyphlab_core._checks import Floats

DEFAULT_GRID = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)


class GridEdgeWarning(UserWarning):
    """The grid's best temperature is its smallest or largest: the minimiser may lie outside."""


class NoOptimumError(ValueError):
    """No finite positive temperature, or no finite weights, minimise the log loss.

    Attributes
    ----------
    limit : float
        Where the loss falls to its infimum: 0 or inf; NaN where it is the same for every T. For
        the weights of other calibrators inf.
    """

    def __init__(self, message: str, limit: float) -> None:
        super().__init__(message)
        self.limit = limit


def _grid(grid: ArrayLike) -> Floats:
    values = _checks.vector(grid, "grid").astype(np.float64)
    if len(values) == 0:
        raise ValueError("grid must not be empty")
    _checks.refuse("grid", "be finite and above 0", values, ~((values > 0) & (values < inf)))
    return values


def temperature_curve(logits: ArrayLike, y: ArrayLike, grid: ArrayLike = DEFAULT_GRID) -> Floats:
    """Log loss at each temperature of a grid.

    Parameters
    ----------
    logits : array_like, shape (N, K)
        One row a sample; ``-inf`` masks a class.
    y : array_like, shape (N,)
        True classes, 0 … K-1.
    grid : array_like, shape (G,)
        Temperatures, finite and above 0.

    Returns
    -------
    (G,) float64 array
        Mean log loss in nats; infinite where the true class of some row is masked.

    Raises
    ------
    ValueError
        Bad logits, labels or grid; argument and place are named.

    Notes
    -----
    Chapter 23.2 §3. The loss is convex in 1/T, hence unimodal in T; in T it is not convex.

    Examples
    --------
    >>> from glyphlab_core import worked
    >>> temperature_curve(worked.Z, worked.y, [0.5, 0.75, 1.0]).round(6)
    array([0.579231, 0.540199, 0.571774])
    """
    data = _logits.labelled(logits, y)
    return np.array([_logits.mean_loss(data, _checks.inverse(t)) for t in _grid(grid).tolist()])


def fit_temperature(logits: ArrayLike, y: ArrayLike, grid: ArrayLike = DEFAULT_GRID) -> float:
    """Return the temperature of a grid with the least log loss.

    Parameters
    ----------
    logits : array_like, shape (N, K)
        One row a sample; ``-inf`` masks a class.
    y : array_like, shape (N,)
        True classes, 0 … K-1.
    grid : array_like, shape (G,)
        Temperatures, finite and above 0, in any order.

    Returns
    -------
    float
        The grid's best element; of equal losses the first.

    Raises
    ------
    ValueError
        Bad logits, labels or grid; argument and place are named.
    NoOptimumError
        Every loss is infinite, as where some true class is masked.

    Warns
    -----
    GridEdgeWarning
        The choice is an end of a grid of two or more: nothing then bounds its distance from the
        minimiser.

    Notes
    -----
    Chapter 23.2 §3, exercise F3. Guo et al. 2017.

    Examples
    --------
    >>> from glyphlab_core import worked
    >>> fit_temperature(worked.Z, worked.y)
    0.75
    """
    values = _grid(grid)
    losses = temperature_curve(logits, y, values)
    if np.isinf(losses).all():
        raise NoOptimumError("logits must give a finite loss: it is infinite on all the grid", nan)
    best = float(values[int(np.argmin(losses))])
    if len(values) > 1 and best in (values.min(), values.max()):
        warnings.warn(
            f"the best temperature {best:g} is an end of the grid: widen it",
            GridEdgeWarning,
            stacklevel=2,
        )
    return best


def temperature_gradient(logits: ArrayLike, y: ArrayLike, temperature: float) -> float:
    """Derivative of the mean log loss with respect to the temperature.

    Parameters
    ----------
    logits : array_like, shape (N, K)
        One row a sample; ``-inf`` masks a class.
    y : array_like, shape (N,)
        True classes, 0 … K-1.
    temperature : float
        T, finite and above 0.

    Returns
    -------
    float
        dL/dT = mean_n (z_ny - Σ_k p_nk(T) z_nk) / T², in nats per unit of T.

    Raises
    ------
    ValueError
        Bad logits, labels or temperature, or a masked true class: an infinite loss has no slope.
        Logits so small beside others, such as 1e-308 beside 1e308, that no scale holds both.

    Notes
    -----
    Chapter 23.2 §3.

    Examples
    --------
    >>> from glyphlab_core import worked
    >>> round(temperature_gradient(worked.Z, worked.y, 1.0), 6)
    0.171281
    """
    t = _checks.positive(temperature, "temperature")
    data, exponent = _optimum.near_one(_logits.labelled(logits, y))
    masked = _optimum.scan(data).masked_row
    if masked is not None:
        raise ValueError(f"{_MASKED}: row {masked}")
    # T as mantissa · 2^power, so that neither 1/T nor 1/T² leaves a double's range on the way.
    mantissa, power = frexp(t)
    with np.errstate(over="ignore", under="ignore"):
        beta = min(float(np.ldexp(1 / mantissa, exponent - power)), float(np.finfo(float).max))
        slope, _ = _logits.mean_derivatives(data, beta)
        return float(-np.ldexp(slope / mantissa**2, exponent - 2 * power))


def optimal_temperature(logits: ArrayLike, y: ArrayLike) -> float:
    """Return the temperature that minimises the log loss, exactly.

    Parameters
    ----------
    logits : array_like, shape (N, K)
        One row a sample; ``-inf`` masks a class.
    y : array_like, shape (N,)
        True classes, 0 … K-1.

    Returns
    -------
    float
        T*, the one minimiser, to about the last digits of a double; where gains and losses of
        the rows all but cancel, so do that many of its digits.

    Raises
    ------
    ValueError
        Bad logits or labels; argument and place are named. Logits so small beside others, such as
        1e-308 beside 1e308, that no scale holds both.
    NoOptimumError
        No finite positive minimiser exists. Its ``limit`` is 0 where every true class has its
        row's largest logit, inf where the true classes' logits are on average not above their
        rows' means (or by less than their sum's roundings), and NaN where the loss is the same,
        or infinite, for every T.

    Notes
    -----
    Chapter 23.2 §3: existence and uniqueness. Newton's method on ℓ'(β) = 0 with β = 1/T, in which
    the loss is convex, kept inside a bracket.

    Examples
    --------
    >>> from glyphlab_core import worked
    >>> round(optimal_temperature(worked.Z, worked.y), 12)
    0.704528124866
    """
    data, exponent = _optimum.near_one(_logits.labelled(logits, y))
    found = _optimum.scan(data)
    if found.masked_row is not None:
        raise NoOptimumError(f"{_MASKED}: row {found.masked_row}", nan)
    if found.flat:
        raise NoOptimumError("logits must differ within a row: the loss is the same for all T", nan)
    if found.all_right:
        raise NoOptimumError(
            "logits must put some true class below its row's largest: "
            "all are largest, and the loss falls as T goes to 0",
            0.0,
        )
    if found.slope_at_zero >= 0:
        with np.errstate(over="ignore", under="ignore"):
            excess = 0.0 - float(np.ldexp(found.slope_at_zero, exponent))
        raise NoOptimumError(
            "logits must favour the true classes: their mean excess over the row's mean is "
            f"{excess:g}, not above 0, and the loss falls as T grows",
            inf,
        )
    with np.errstate(over="ignore", under="ignore"):
        best = float(np.ldexp(1 / _optimum.solve(data), exponent))
    if not 0 < best < inf:
        raise NoOptimumError(f"logits must give a T that a double can hold, not {best}", best)
    return best


_MASKED = "logits must not mask a true class: its loss is infinite for every T"
