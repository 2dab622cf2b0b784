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
    "TOLD",
    "agrees",
    "close",
    "element",
    "entries",
    "numbers",
    "parts",
    "place",
    "quiet",
    "raises",
    "same_array",
    "split",
    "unchanged",
    "varies",
    "whole",
]

#: An answer may differ by this much, relative to the expected value or absolutely.
TOLERANCE = 1e-6
#: Said of values that are right but for their last decimals.
ROUNDED = "It looks rounded: hand in the value as computed, right within 1e-6."
#: Said of what is no number and holds none.
ACCEPTED = "Hand in a float, a Fraction, a list, an array or a tensor."
NOTHING = "Nothing was returned or handed in."
OTHER_PARTS = "The task names another number of parts."
OTHER_SHAPE = "The task asks for another shape."
NO_ENTRY = "An entry that the task names is missing."
NOT_OF_GRID = "It is not an element of the grid."
NOT_WHOLE = "Whole numbers are expected, and no mask."
NOT_FINITE = "A finite number is expected, neither NaN nor infinite."
UNDEFINED = "An undefined value is NaN, float('nan'), and nothing else."
NOT_FROM_VALIDATION = "The validation set does not decide: whatever it is, the same is chosen."
#: What a message says of the form of an answer; the feedback repeats these sentences and nothing
#: else of a message. They are fixed: what depends on an answer could carry hidden inputs out.
TOLD = (
    ROUNDED,
    ACCEPTED,
    NOTHING,
    OTHER_PARTS,
    OTHER_SHAPE,
    NO_ENTRY,
    NOT_OF_GRID,
    NOT_WHOLE,
    NOT_FINITE,
    UNDEFINED,
    NOT_FROM_VALIDATION,
)

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
    >>> close([0.5, 0.25], [0.5, 0.25, 0.25], "shares")
    Traceback (most recent call last):
        ...
    AssertionError: shares has shape (2,), expected is shape (3,). The task asks for another shape.
    """
    got, want = _pair(actual, expected, what)
    given, got, want = got, got.astype(np.float64), want.astype(np.float64)
    with np.errstate(all="ignore"):
        near = np.abs(got - want) <= TOLERANCE * np.maximum(1.0, np.abs(want))
    right = (near & np.isfinite(want)) | (got == want) | (np.isnan(got) & np.isnan(want))
    form = ROUNDED if _looks_rounded(got, want, right) else ""
    _require(right, given, want, what, hint, show_expected, form)


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
def numbers(
    value: object, what: str, shape: tuple[int, ...] | None = None, *, finite: bool = False
) -> None:
    """Check that something can be read as numbers, whatever they are.

    Parameters
    ----------
    value : array_like
        What the learner handed in.
    what : str
        The name of the thing, which begins the message.
    shape : tuple of int, optional
        The shape that the task asks for, ``()`` for a single number; any, if not given.
    finite : bool, default False
        Whether NaN and infinities are refused.

    Raises
    ------
    AssertionError
        If it cannot; the message says what can. If the shape is another, or an entry not finite.

    Examples
    --------
    >>> numbers([0.5, float("nan")], "recall", (2,))
    >>> numbers([0.5], "F1", ())
    Traceback (most recent call last):
        ...
    AssertionError: F1 has shape (1,), expected is a single number. The task asks for another shape.
    >>> numbers([None], "P")
    Traceback (most recent call last):
        ...
    AssertionError: P, entry 0 is None. An undefined value is NaN, float('nan'), and nothing else.
    """
    array = _numbers(value, what)
    if shape is not None:
        _require_shape(array, np.empty(shape), what)
    if finite and not np.isfinite(array).all():
        _fail(f"{what}: {_shown(array[~np.isfinite(array)][0])} came. {NOT_FINITE}")


@_short_traceback
def whole(value: object, what: str) -> Numbers:
    """Read a sequence of whole numbers, such as indices; a mask of True and False is none.

    Parameters
    ----------
    value : array_like
        What the learner handed in.
    what : str
        The name of the thing, which begins the message.

    Returns
    -------
    numpy.ndarray
        The numbers, as integers.

    Raises
    ------
    AssertionError
        If it is not one sequence, or holds a truth value or anything but whole numbers.

    Examples
    --------
    >>> whole([4.0, 2.0], "A part").tolist()
    [4, 2]
    >>> whole([True, False], "A part")
    Traceback (most recent call last):
        ...
    AssertionError: A part: you have True. Whole numbers are expected, and no mask.
    """
    array = _numbers(value, what)
    if array.ndim != 1:
        _fail(f"{what} {_form(array)}, expected is one sequence. {OTHER_SHAPE}")
    for entry in array:
        if isinstance(entry, np.bool_) or not _whole_array(entry):
            _fail(f"{what}: you have {_shown(entry)}. {NOT_WHOLE}")
    return array.astype(np.int64)


@_short_traceback
def entries(result: object, names: Sequence[str], what: str) -> list[Any]:
    """Take entries out of a dictionary, or say in words why it cannot be.

    Parameters
    ----------
    result : mapping
        What the learner handed in or a function returned.
    names : sequence of str
        The entries that the task names; others may be there too.
    what : str
        The name of the thing, which begins the message.

    Returns
    -------
    list
        Their values, in the order of the names.

    Raises
    ------
    AssertionError
        If there is nothing, no dictionary, or an entry is missing.

    Examples
    --------
    >>> entries({"ece": 0.05, "brier": 0.1}, ("brier", "ece"), "before")
    [0.1, 0.05]
    >>> entries({"ECE": 0.05}, ("ece",), "before")
    Traceback (most recent call last):
        ...
    AssertionError: before has no entry 'ece'. An entry that the task names is missing.
    """
    if result is None or result is ...:
        _fail(f"{what}: this is None. {NOTHING} Expected is a dictionary.")
    given: Any = result
    try:
        if not hasattr(given, "keys"):
            _fail(f"{what} is {_kind(given)}, expected is a dictionary. {NO_ENTRY}")
        return [_entry(given, name, what) for name in names]
    except AssertionError:
        raise
    except (Exception, SystemExit) as error:
        raise AssertionError(f"{what} cannot be read as a dictionary. {NO_ENTRY}") from error


def _entry(given: Any, name: str, what: str) -> Any:
    try:
        return given[name]
    except KeyError:
        _fail(f"{what} has no entry {name!r}. {NO_ENTRY}")


@_short_traceback
def varies(values: Sequence[float], what: str) -> None:
    """Check that what is chosen for several validation sets is not the same throughout.

    Parameters
    ----------
    values : sequence of float
        What was chosen for each of them.
    what : str
        The name of the thing, which begins the message.

    Raises
    ------
    AssertionError
        If all are equal.

    Examples
    --------
    >>> varies([0.75, 1.5], "The temperature")
    """
    if len(set(values)) < 2:
        raise AssertionError(f"{what}: {NOT_FROM_VALIDATION}")


@_short_traceback
def element(value: object, grid: Sequence[float], what: str) -> int:
    """Find the element of a grid that a number is, within 1e-6.

    Parameters
    ----------
    value : number
        What the learner handed in.
    grid : sequence of float
        The numbers it may be.
    what : str
        The name of the thing, which begins the message.

    Returns
    -------
    int
        The element's position.

    Raises
    ------
    AssertionError
        If it is no single number, or none of the grid.

    Examples
    --------
    >>> element(0.75, [0.5, 0.75, 1.0], "temperature")
    1
    >>> element(0.7, [0.5, 0.75, 1.0], "temperature")
    Traceback (most recent call last):
        ...
    AssertionError: temperature is 0.7. It is not an element of the grid.
    """
    numbers(value, what, ())
    for position, candidate in enumerate(grid):
        if agrees(value, candidate):
            return position
    _fail(f"{what} is {_shown(_numbers(value, what))}. {NOT_OF_GRID}")


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
    >>> parts(None, ("P", "R"), "The call")
    Traceback (most recent call last):
        ...
    AssertionError: The call: this is None. Nothing was returned or handed in. Expected is (P, R).
    """
    wanted = f"Expected is ({', '.join(names)})."
    if result is None or result is ...:
        _fail(f"{what}: this is None. {NOTHING} {wanted}")
    try:
        if isinstance(result, dict | set | str | bytes):
            raise TypeError
        several: Any = result
        values = list(itertools.islice(several, len(names) + 1))
    except (Exception, SystemExit) as error:
        kind = _a(_type_name(result))
        raise AssertionError(
            f"{what}: this is {kind} without parts. {OTHER_PARTS} {wanted}"
        ) from error
    if len(values) != len(names):
        number = "too many" if len(values) > len(names) else len(values)
        _fail(f"{what}: these are {number} parts. {OTHER_PARTS} {wanted}")
    return values


@_short_traceback
def split(
    result: object,
    names: Sequence[str],
    groups: NDArray[Any],
    fractions: Sequence[float],
    what: str,
) -> list[Numbers]:
    """Take a split apart that a learner's experiment rests on, or say what it is not.

    Parameters
    ----------
    result : object
        What the learner handed in: one sequence of indices for each part.
    names : sequence of str
        What each part is, in their order.
    groups : ndarray, shape (N,)
        The scene of each image.
    fractions : sequence of float
        The share of the images that each part should hold, within 0.05.
    what : str
        The name of the thing, which begins the message.

    Returns
    -------
    list of ndarray
        The parts.

    Raises
    ------
    AssertionError
        If an image is in no part or in two, a scene in two, or a part of another size.

    Examples
    --------
    >>> scenes = np.repeat(np.arange(5), 2)
    >>> [part.size for part in split(([0, 1, 2, 3], range(4, 10)), "ab", scenes, (0.4, 0.6), "it")]
    [4, 6]
    """
    found = [np.asarray(part) for part in parts(result, names, what)]
    same_array(np.sort(np.concatenate(found)), np.arange(len(groups)), f"All of {what}, in order,")
    seen = np.concatenate([np.unique(groups[part]) for part in found])
    if np.unique(seen).size != seen.size:
        _fail("A scene has images in two of the parts.")
    shares = [part.size / len(groups) for part in found]
    if np.abs(np.subtract(shares, fractions)).max() > 0.05:
        told = ", ".join(f"{fraction:g}" for fraction in fractions)
        _fail(f"The {what} do not hold the fractions {told} of the images.")
    return found


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
    form = NOT_WHOLE if _whole_array(want) and not _whole_array(got) else ""
    _require(np.asarray(got == want), got, want, what, hint, show_expected, form)


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
    form: str = "",
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
    if form:
        message += f" {form}"
    elif np.isnan(got[first]):
        message += " A number is expected there."
    _fail(message + (f" {hint}" if hint else ""))


def _whole_array(array: Numbers) -> bool:
    return bool(np.all(np.isfinite(array) & (array == np.floor(array))))


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
    # A test may compare two values of the learner's: it is not said which is the expected one.
    want = _numbers(expected, f"What {what} is compared with", undefined_allowed=True)
    got = _numbers(actual, what)
    _require_shape(got, want, what)
    return got, want


def _require_shape(got: Numbers, want: Numbers, what: str) -> None:
    if got.shape != want.shape:
        _fail(f"{what} {_form(got)}, expected is {_form(want, wanted=True)}. {OTHER_SHAPE}")


def _form(array: Numbers, wanted: bool = False) -> str:
    if array.ndim == 0:
        return "a single number" if wanted else "is a single number"
    return f"shape {array.shape}" if wanted else f"has shape {array.shape}"


def _numbers(value: object, what: str, undefined_allowed: bool = False) -> Numbers:
    """Read `value` as integers or float64, or raise an AssertionError that says why not."""
    if value is None:
        _fail(f"{what} is None. {NOTHING}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nested = _nested(value, what, (), undefined_allowed)
            try:
                return np.array(nested, dtype=None if _whole(nested) else np.float64)
            except ValueError:
                _fail(f"{what}: its rows have different lengths. {OTHER_SHAPE}")
    except AssertionError:
        raise
    except (Exception, SystemExit) as error:
        raise AssertionError(
            f"{what} cannot be read as numbers: it is {_a(_type_name(value))}. {ACCEPTED}"
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
            _fail(f"{what} has masked entries, expected is a plain array. {UNDEFINED}")
        value = value.data
    if isinstance(value, np.ndarray | np.generic):
        plain = np.asarray(value)
        if plain.dtype.kind in "biuf":
            return plain.astype(np.float64) if plain.dtype.kind == "f" else plain
        if plain.dtype.kind == "O":
            return _nested(plain.tolist(), what, place, undefined)
        _fail(f"{what}{_at(place)}: numbers are expected, this has dtype {plain.dtype}. {ACCEPTED}")
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
        _fail(f"{what}{_at(place)} is None. {UNDEFINED if place else NOTHING}")
    if isinstance(value, str | bytes):
        _fail(f"{what}{_at(place)}: a text where a number is expected. {ACCEPTED}")
    if isinstance(value, int):
        return value if isinstance(value, bool) else int(value)
    # A method __float__ alone does not do: such an object stays in the learner's own process.
    if not isinstance(value, Real | Decimal) and not _symbolic(value):
        _fail(
            f"{what}{_at(place)}: {_kind(value)} where a number or a sequence of numbers is "
            f"expected. {ACCEPTED}"
        )
    number: Any = value
    return float(number)


def _symbolic(value: object) -> bool:
    """Whether it is a real number of SymPy, exact or NaN, which no abstract class covers."""
    if type(value).__module__.partition(".")[0] != "sympy":
        return False
    number: Any = value
    if not getattr(number, "is_number", False):
        return False
    try:
        float(number)
    except TypeError:
        return False
    return True


def _at(place: tuple[int, ...]) -> str:
    if not place:
        return ""
    return f", entry {place[0] if len(place) == 1 else list(place)}"
