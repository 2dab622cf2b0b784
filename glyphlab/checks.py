"""Checks that notebooks call on what a learner hands in.

Each one returns nothing when the answer is right and raises `AssertionError`, never another
exception, when it is not, whatever was handed in. The message names the thing, says what form was
expected and where the first fault is; it shows the expected value only where the caller asks for
it. Only NumPy is imported; a torch tensor is read without importing torch.

Examples
--------
>>> close([2 / 3, 0.6, float("nan")], (2 / 3, 0.6, None), "f1")
>>> close(0.5219, 19 / 30, "macro_f1", hint="Average the F1 of the classes.")
Traceback (most recent call last):
    ...
AssertionError: macro_f1 is not right: you have 0.5219. Average the F1 of the classes.
"""

import contextlib
import functools
import io
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, NoReturn, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ACCEPTED",
    "ROUNDED",
    "agrees",
    "close",
    "numbers",
    "parts",
    "place",
    "quiet",
    "raises",
    "same_array",
    "unchanged",
]

#: An answer may differ by this much, relative to the expected value or absolutely.
TOLERANCE = 1e-6
#: Said of values that are right but for their last decimals; the feedback repeats it.
ROUNDED = "It looks rounded: hand in the value as computed, right within 1e-6."
#: Said of what is no number and holds none; the feedback repeats it.
ACCEPTED = "Hand in a float, a Fraction, a list, an array or a tensor."

Numbers = NDArray[Any]
P = ParamSpec("P")
T = TypeVar("T")


def _short_traceback(check: Callable[P, T]) -> Callable[P, T]:
    """Leave a check's inner frames out of the traceback: its message follows the learner's line."""

    @functools.wraps(check)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return check(*args, **kwargs)
        except AssertionError as error:
            raise AssertionError(*error.args) from error.__cause__

    return called


@_short_traceback
def close(
    actual: object,
    expected: object,
    what: str,
    hint: str | None = None,
    *,
    show_expected: bool = False,
) -> None:
    """Check numbers against expected ones, within 1e-6 relative or absolute.

    Parameters
    ----------
    actual : array_like
        What the learner handed in: a number, `fractions.Fraction`, list, tuple, array or torch
        tensor, of any shape and number type.
    expected : array_like
        The right values; `None` stands for an undefined one and is matched by NaN only.
    what : str
        The name of the thing, which begins the message.
    hint : str, optional
        What to look at, appended to the message when the values are wrong.
    show_expected : bool, default False
        Whether the message may show the expected value.

    Raises
    ------
    AssertionError
        If `actual` cannot be read as numbers, has another shape, or differs. NaN equals NaN.

    Examples
    --------
    >>> close(0.3333333, 1 / 3, "macro_recall")
    >>> close([0.5, 0.25], [0.5, 0.25, 0.25], "prevalence")
    Traceback (most recent call last):
        ...
    AssertionError: prevalence has shape (2,), expected is shape (3,).
    """
    got, want = _pair(actual, expected, what)
    given, got, want = got, got.astype(np.float64), want.astype(np.float64)
    with np.errstate(all="ignore"):
        near = np.abs(got - want) <= TOLERANCE * np.maximum(1.0, np.abs(want))
    right = (near & np.isfinite(want)) | (got == want) | (np.isnan(got) & np.isnan(want))
    _require(right, given, want, what, hint, show_expected, _looks_rounded(got, want, right))


def agrees(actual: object, expected: object) -> bool:
    """Tell whether `close` accepts the numbers, for checks that look for one among several.

    Parameters
    ----------
    actual : array_like
        What the learner handed in.
    expected : array_like
        The values to compare with.

    Returns
    -------
    bool
        Whether they are equal within the tolerance of `close`.

    Examples
    --------
    >>> agrees([0.5, 0.25], [1 / 2, 1 / 4]), agrees(None, 0.5)
    (True, False)
    """
    try:
        close(actual, expected, "it")
    except AssertionError:
        return False
    return True


@_short_traceback
def numbers(value: object, what: str) -> None:
    """Check that something can be read as numbers, whatever they are.

    Parameters
    ----------
    value : array_like
        What the learner handed in.
    what : str
        The name of the thing, which begins the message.

    Raises
    ------
    AssertionError
        If it cannot; the message says what can.

    Examples
    --------
    >>> numbers([0.5, float("nan")], "recall")
    >>> numbers(["0.5"], "recall")
    Traceback (most recent call last):
        ...
    AssertionError: recall, entry 0: a text where a number is expected.
    """
    _numbers(value, what)


@_short_traceback
def parts(result: object, names: Sequence[str], what: str) -> list[Any]:
    """Take apart what a function returned, or say in words why it cannot be.

    Parameters
    ----------
    result : object
        What the learner's function returned: a tuple, a list, the rows of an array.
    names : sequence of str
        What it should hold, in order.
    what : str
        The call in words, which begins the message.

    Returns
    -------
    list
        The parts, as many as there are names.

    Raises
    ------
    AssertionError
        If there is nothing, one thing, a dictionary, or another number of parts.

    Examples
    --------
    >>> parts(([1.0], [0.5]), ("P", "R"), "The function")
    [[1.0], [0.5]]
    >>> parts(None, ("P", "R"), "The function")
    Traceback (most recent call last):
        ...
    AssertionError: The function returned nothing. Return (P, R).
    """
    wanted = f"Return ({', '.join(names)})."
    if result is None or result is ...:
        _fail(f"{what} returned nothing. {wanted}")
    try:
        if isinstance(result, dict | set | str | bytes):
            raise TypeError
        several: Any = result
        values = list(itertools.islice(several, len(names) + 1))
    except (Exception, SystemExit) as error:
        kind = _a(_type_name(result))
        raise AssertionError(f"{what} returned {kind} without parts. {wanted}") from error
    if len(values) != len(names):
        number = "too many" if len(values) > len(names) else len(values)
        _fail(f"{what} returned {number} parts. {wanted}")
    return values


@_short_traceback
def place(values: Sequence[object], expected: object, what: str, hint: str | None = None) -> int:
    """Find the first of several answers that holds the expected numbers.

    Parameters
    ----------
    values : sequence
        The answers, for instance what `parts` returned.
    expected : array_like
        The right values of one of them.
    what : str
        The name of the thing looked for.
    hint : str, optional
        What to look at, appended to the message.

    Returns
    -------
    int
        Its position.

    Raises
    ------
    AssertionError
        If no answer holds them.

    Examples
    --------
    >>> place([[0.5, 1.0], [0.25, 0.75]], [0.25, 0.75], "recall")
    1
    """
    for position, value in enumerate(values):
        if agrees(value, expected):
            return position
    _fail(f"{what} is not right, whatever its position.{f' {hint}' if hint else ''}")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what a learner's code prints, warns or logs out of a test cell's output.

    nbgrader gives no points to a test cell with anything on standard error; a warning or a print is
    no fault in an answer.

    Examples
    --------
    >>> with quiet():
    ...     print("not shown")
    ...     warnings.warn("nor this")
    """
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


@_short_traceback
def same_array(
    actual: object,
    expected: object,
    what: str,
    hint: str | None = None,
    *,
    show_expected: bool = False,
) -> None:
    """Check counts, labels, indices or decisions exactly.

    Whole floats count as integers, and True and False as 1 and 0.

    Parameters
    ----------
    actual : array_like
        What the learner handed in.
    expected : array_like
        The right values.
    what : str
        The name of the thing, which begins the message.
    hint : str, optional
        What to look at, appended to the message when the values are wrong.
    show_expected : bool, default False
        Whether the message may show the expected value.

    Raises
    ------
    AssertionError
        If `actual` cannot be read as numbers, has another shape, or differs anywhere.

    Examples
    --------
    >>> same_array([4, 3, 0], [4, 3, 0], "tp")
    >>> same_array([4, 3, 1], [4, 3, 0], "tp")
    Traceback (most recent call last):
        ...
    AssertionError: tp is not right at [2]: you have 1.
    """
    got, want = _pair(actual, expected, what)
    _require(np.asarray(got == want), got, want, what, hint, show_expected)


@_short_traceback
def unchanged(before: object, after: object, what: str, hint: str | None = None) -> None:
    """Check that a call left its argument as it was.

    Parameters
    ----------
    before : array_like
        A copy of the numbers taken before the call.
    after : array_like
        The argument after it.
    what : str
        The name of the argument.
    hint : str, optional
        What to look at, appended to the message.

    Raises
    ------
    AssertionError
        If type, dtype, shape or any value differs. NaN equals NaN.

    Examples
    --------
    >>> unchanged([[1, 2], [3, 4]], [[1, 2], [3, 4]], "C")
    >>> unchanged([[1, 2], [3, 4]], [[1, 2], [3, 0]], "C")
    Traceback (most recent call last):
        ...
    AssertionError: The argument C was changed by the call. Work on a copy.
    """
    try:
        was, now = _numbers(before, what), _numbers(after, what)
        same = (
            type(before) is type(after)
            and str(getattr(before, "dtype", "")) == str(getattr(after, "dtype", ""))
            and was.shape == now.shape
            and bool(np.all((was == now) | ((was != was) & (now != now))))
        )
    except AssertionError:
        same = False
    if not same:
        _fail(f"The argument {what} was changed by the call. {hint or 'Work on a copy.'}")


@_short_traceback
def raises(
    exception_type: type[BaseException] | tuple[type[BaseException], ...],
    function: object,
    *args: object,
    what: str,
    hint: str | None = None,
    **kwargs: object,
) -> None:
    """Check that a call raises the exception that its task asks for.

    What the call prints or warns is not shown.

    Parameters
    ----------
    exception_type : type or tuple of types
        The exception expected; a subclass of it will do.
    function : callable
        The learner's function.
    *args, **kwargs
        Its arguments.
    what : str
        The call in words, which begins the message.
    hint : str, optional
        What to look at, appended to the message.

    Raises
    ------
    AssertionError
        If the call returns, or raises something else, or `function` cannot be called.

    Examples
    --------
    >>> raises(ZeroDivisionError, lambda a, b: a / b, 1, 0, what="1/0")
    >>> raises(ValueError, lambda grid: None, [], what="An empty grid")
    Traceback (most recent call last):
        ...
    AssertionError: An empty grid: a ValueError is expected, but the call returned a NoneType.
    """
    wanted = _exception_names(exception_type)
    after = f" {hint}" if hint else ""
    if not callable(function):
        _fail(f"{what}: a function is expected, this is {_a(_type_name(function))}.{after}")
    try:
        with quiet():
            result = function(*args, **kwargs)
    except exception_type:
        return
    except (Exception, SystemExit) as error:
        got = f"{_type_name(error)}{_message_of(error)}"
        raise AssertionError(f"{what}: {wanted} is expected, but it was {got}.{after}") from error
    _fail(f"{what}: {wanted} is expected, but the call returned {_a(_type_name(result))}.{after}")


# ------------------------------------------------------------------------- what the messages say


def _fail(message: str) -> NoReturn:
    raise AssertionError(message)


def _require(
    right: NDArray[np.bool_],
    got: Numbers,
    want: Numbers,
    what: str,
    hint: str | None,
    show_expected: bool,
    rounded: bool = False,
) -> None:
    """Raise, with the first wrong entry, unless every entry is right."""
    if right.all():
        return
    first = tuple(int(i) for i in np.argwhere(~right)[0]) if right.ndim else ()
    wrong = int((~right).sum())
    place = f" at {list(first)}" if first else ""
    more = f" ({wrong} of {right.size} entries are wrong)" if wrong > 1 else ""
    message = f"{what} is not right{place}: you have {_shown(got[first])}{more}."
    if show_expected:
        message += f" Expected is {_shown(want[first])}."
    if rounded:
        message += f" {ROUNDED}"
    elif np.isnan(got[first]):
        message += " A number is expected there."
    _fail(message + (f" {hint}" if hint else ""))


def _looks_rounded(got: Numbers, want: Numbers, right: NDArray[np.bool_]) -> bool:
    """Whether every wrong entry is the expected one rounded to two to five decimals."""
    if right.all():
        return False
    a, b = got[~right], want[~right]
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return False
    return any(bool(np.all(np.abs(a - np.round(b, d)) < 1e-9)) for d in (2, 3, 4, 5))


def _shown(value: Any) -> str:
    return str(bool(value)) if isinstance(value, np.bool_) else f"{float(value):.10g}"


def _a(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in set('aeiou') else 'a'} {noun}"


def _type_name(value: object) -> str:
    """The name of the type, read past a metaclass that would answer otherwise."""
    return str(type.__dict__["__name__"].__get__(type(value)))


def _kind(value: object) -> str:
    """Name what was handed in; what stands for an object of a learner's process, by its class."""
    name = _type_name(value)
    if name in ("StudentObject", "StudentIterable"):
        name = str(object.__getattribute__(value, "_name"))
    return "a function" if name in ("function", "StudentFunction") else _a(name)


def _exception_names(types: type[BaseException] | tuple[type[BaseException], ...]) -> str:
    several = types if isinstance(types, tuple) else (types,)
    return " or ".join(_a(t.__name__) for t in several)


def _message_of(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        return ""
    return f" ({text})" if text else ""


# --------------------------------------------------------------------- reading what was handed in


def _pair(actual: object, expected: object, what: str) -> tuple[Numbers, Numbers]:
    """Read both and compare their shapes."""
    want = _numbers(expected, f"The expected value of {what}", undefined_allowed=True)
    got = _numbers(actual, what)
    if got.shape != want.shape:
        _fail(f"{what} {_form(got)}, expected is {_form(want, wanted=True)}.")
    return got, want


def _form(array: Numbers, wanted: bool = False) -> str:
    if array.ndim == 0:
        return "a single number" if wanted else "is a single number"
    return f"shape {array.shape}" if wanted else f"has shape {array.shape}"


def _numbers(value: object, what: str, undefined_allowed: bool = False) -> Numbers:
    """Read `value` as integers or float64, or raise an AssertionError that says why not."""
    if value is None:
        _fail(f"{what} is None: nothing was handed in.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nested = _nested(value, what, (), undefined_allowed)
            try:
                return np.array(nested, dtype=None if _whole(nested) else np.float64)
            except ValueError:
                _fail(f"{what}: its rows have different lengths; a rectangular array is expected.")
    except AssertionError:
        raise
    except (Exception, SystemExit) as error:
        raise AssertionError(
            f"{what} cannot be read as numbers: it is {_a(_type_name(value))}."
        ) from error


def _whole(nested: object) -> bool:
    """Whether there are only integers of 64 bits, and at least one."""
    if isinstance(nested, np.ndarray):
        return nested.dtype.kind in "biu" and nested.size > 0
    if isinstance(nested, list):
        return bool(nested) and all(_whole(v) for v in nested)
    return isinstance(nested, int) and -(2**63) <= nested < 2**63


def _nested(value: object, what: str, place: tuple[int, ...], undefined: bool) -> Any:
    """Turn `value` into an array of numbers, or nested lists of Python numbers."""
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.is_masked(value):
            _fail(f"{what} has masked entries; a plain array is expected, NaN where undefined.")
        value = value.data
    if isinstance(value, np.ndarray | np.generic):
        plain = np.asarray(value)
        if plain.dtype.kind in "biuf":
            return plain.astype(np.float64) if plain.dtype.kind == "f" else plain
        if plain.dtype.kind == "O":
            return _nested(plain.tolist(), what, place, undefined)
        _fail(f"{what}{_at(place)}: numbers are expected, this has dtype {plain.dtype}.")
    if isinstance(value, list | tuple | range):
        return [_nested(v, what, (*place, i), undefined) for i, v in enumerate(value)]
    if hasattr(value, "detach") and hasattr(value, "tolist"):  # a torch tensor
        return _nested(value.detach().tolist(), what, place, undefined)
    if hasattr(value, "__array__"):
        return _nested(np.asarray(value), what, place, undefined)
    return _number(value, what, place, undefined)


def _number(value: object, what: str, place: tuple[int, ...], undefined: bool) -> int | float:
    if value is None and undefined:
        return float("nan")
    if value is None:
        _fail(f"{what}{_at(place)} is None; an undefined value is NaN, float('nan').")
    if isinstance(value, str | bytes):
        _fail(f"{what}{_at(place)}: a text where a number is expected.")
    if isinstance(value, int):
        return value if isinstance(value, bool) else int(value)
    # A method __float__ alone does not do: such an object stays in the learner's own process.
    if not isinstance(value, Real | Decimal):
        _fail(
            f"{what}{_at(place)}: {_kind(value)} where a number or a sequence of numbers is "
            f"expected. {ACCEPTED}"
        )
    return float(value)


def _at(place: tuple[int, ...]) -> str:
    if not place:
        return ""
    return f", entry {place[0] if len(place) == 1 else list(place)}"
