"""Argument checks: everything public passes through here before any arithmetic.

One form of message for all: what the argument must be, then the first offending place and its
value, for example ``y_true must hold whole numbers: y_true[3] is 0.7``.
"""

import numbers
import warnings
from collections.abc import Callable
from decimal import Decimal
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_INFERRED_CLASSES = 10_000

# How far a row of probabilities may be from summing to 1: several roundings of the type it was
# computed in. Probabilities from a float32 network are often stored as float64, hence its 1e-6.
_SUM_TOLERANCE = {"bfloat16": 2e-2, "float16": 1e-2, "float32": 1e-5, "float64": 1e-6}


def shown(value: Any) -> str:
    """A value as a message shows it: on one line, and not a long one."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def offence(name: str, wanted: str, place: Any = None, value: Any = None) -> ValueError:
    """Build the error for argument `name`, pointing at its first offending place."""
    if place is None:
        return ValueError(f"{name} must {wanted}")
    if isinstance(value, np.generic):
        value = value.item()
    spot = "" if place == () else f"[{', '.join(map(str, np.atleast_1d(place)))}]"
    return ValueError(f"{name} must {wanted}: {name}{spot} is {shown(value)}")


def first(bad: NDArray[np.bool_]) -> tuple[int, ...]:
    """Index of the first true element of `bad`, in row-major order."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))


def refuse(name: str, wanted: str, array: Array, bad: NDArray[np.bool_], row: int = 0) -> None:
    """Raise for the first element of `array` where `bad` holds; `array` starts at row `row`."""
    if bad.any():
        place = first(bad)
        raise offence(name, wanted, (place[0] + row, *place[1:]) if place else (), array[place])


def float_type(value: Any, array: Array) -> str:
    """Name of the floating type that `value` was computed in; `array` is what it was read as.

    They differ for a bfloat16 tensor only, whose type an array cannot have.
    """
    if str(getattr(value, "dtype", "")) == "torch.bfloat16":
        return "bfloat16"
    return array.dtype.name if array.dtype.kind == "f" else "float64"


def _from_tensor(tensor: Any) -> Any:
    """A torch tensor as an array: detached, on the CPU, bfloat16 widened (NumPy has none)."""
    tensor = tensor.detach().cpu()
    if hasattr(tensor, "resolve_conj"):
        tensor = tensor.resolve_conj().resolve_neg()
    return (tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor).numpy()


def _objects_to_float(array: Array, name: str) -> Floats:
    """Convert an object array of numbers (big integers, Fractions, Decimals) element by element."""
    out = np.empty(array.shape, dtype=np.float64)
    for place, value in np.ndenumerate(array):
        try:
            if not isinstance(value, numbers.Real | Decimal | np.bool_):
                raise TypeError
            out[place] = float(value)
            if np.isinf(out[place]) and out[place] != value:
                raise OverflowError  # a Decimal or long double beyond the largest double
        except (TypeError, ValueError, OverflowError):
            raise offence(name, "hold numbers", place, value) from None
    return out


def _read(value: Any, name: str) -> Array:
    """`value` as an array of any type; masked entries and what makes no array are refused."""
    if np.ma.isMaskedArray(value):
        mask = np.ma.getmaskarray(value)
        if mask.any():
            raise offence(name, "have no masked entries", first(mask), "masked")
        value = np.ma.getdata(value)
    try:
        if callable(getattr(value, "detach", None)):
            value = _from_tensor(value)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a conversion warns of is refused below
            return np.asarray(value)
    except Exception as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from None


def numeric(value: Any, name: str) -> Array:
    """`value` as a boolean, integer or floating array; anything else is refused."""
    array = _read(value, name)
    if array.dtype.kind == "O":
        return _objects_to_float(array, name)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be an array of numbers, not of {array.dtype}")
    if array.dtype.itemsize > 8:
        with np.errstate(over="ignore", under="ignore"):
            narrow = array.astype(np.float64)
        lost = np.isinf(narrow) & np.isfinite(array)
        refuse(name, "hold numbers that a double can hold", array, lost)
        return narrow
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def vector(value: Any, name: str, length: int | None = None, of: str = "") -> Array:
    """A one-dimensional numeric array, of `length` elements where given."""
    array = numeric(value, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not of shape {array.shape}")
    if length is not None and len(array) != length:
        raise ValueError(f"{name} must have as many elements as {of}: {len(array)}, not {length}")
    return array


def matrix(value: Any, name: str, form: str = "(N, K)") -> Array:
    """A two-dimensional numeric array with at least one row and one column."""
    array = numeric(value, name)
    if array.ndim != 2:
        raise ValueError(f"{name} must be two-dimensional, {form}, not of shape {array.shape}")
    if 0 in array.shape:
        raise ValueError(f"{name} must not be empty: its shape is {array.shape}")
    return array


def scalar(value: Any, name: str, wanted: str, holds: Callable[[float], bool]) -> float:
    """A single number for which `holds` is true (never for NaN)."""
    array = numeric(value, name)
    if array.size != 1:
        raise ValueError(f"{name} must be a single number, not of shape {array.shape}")
    number = float(array.reshape(()))
    if not holds(number):
        raise offence(name, wanted, (), number)
    return number


def whole_number(value: Any, name: str, least: int, most: int | None = None) -> int:
    """A single whole number from `least` to `most`; booleans are refused."""
    number = value
    if not isinstance(value, int):  # as it is: no float holds all integers
        array = numeric(value, name)
        number = array.reshape(-1)[0].item() if array.size == 1 else nan
    if isinstance(number, bool) or not abs(number) < inf or number % 1:
        raise offence(name, "be a whole number", (), value)
    if number < least:
        raise offence(name, f"be at least {least}", (), int(number))
    if most is not None and number > most:
        raise offence(name, f"be at most {most}", (), int(number))
    return int(number)


def positive(value: Any, name: str) -> float:
    """A single finite number above 0, such as a temperature."""
    return scalar(value, name, "be finite and above 0", lambda x: 0 < x < np.inf)


def inverse(temperature: Any) -> float:
    """β = 1/T for a checked temperature, kept finite where T is below 5.6e-309."""
    return min(1 / positive(temperature, "temperature"), float(np.finfo(float).max))


def whole_labels(block: Array, name: str, row: int = 0) -> Array:
    """The labels of one block as integers, floats only where they are whole."""
    if block.dtype.kind == "f":
        values = block.astype(np.float64)
        with np.errstate(invalid="ignore"):  # NaN equals nothing, so it is not whole
            whole = (values == np.floor(values)) & (np.abs(values) < 2.0**62)
        refuse(name, "hold whole numbers", block, ~whole, row)
        return values.astype(np.int64)
    return block.astype(np.int64) if block.dtype.kind == "b" else block


def labels_in_range(block: Array, name: str, num_classes: int, row: int = 0) -> Array:
    """The labels of one block as integers in [0, num_classes)."""
    whole = whole_labels(block, name, row)
    if len(whole):
        # Read as unsigned, a negative label is at least `sign`: one pass finds both offences.
        unsigned = whole.view(whole.dtype.str.replace("i", "u"))
        sign = 2 ** (8 * whole.dtype.itemsize - 1)
        limit = min(num_classes, sign) if whole.dtype.kind == "i" else num_classes
        if int(unsigned.max()) >= limit:
            wanted = f"hold whole numbers from 0 to {num_classes - 1}"
            refuse(name, wanted, block, (whole < 0) | (whole >= num_classes), row)
    return whole


def labels(value: Any, name: str, num_classes: int, length: int, of: str) -> Integers:
    """A label vector for the `length` rows of `of`, as int64 in [0, num_classes)."""
    array = vector(value, name, length, of)
    return labels_in_range(array, name, num_classes).astype(np.int64, copy=False)


def groups(value: Any, name: str) -> tuple[Integers, int]:
    """Number the groups 0 … G-1: the number of each sample's group, and G."""
    names = _read(value, name)
    if names.dtype.kind in "OT":
        kinds = (str, numbers.Integral)
        exact = any(all(isinstance(each, kind) for each in names.flat) for kind in kinds)
        # As floats, integers beyond 2^53 would become one group.
        names = names.astype(object) if exact else _objects_to_float(names, name)
    if names.ndim != 1 or len(names) == 0 or names.dtype.kind not in "biufUSO":
        raise ValueError(f"{name} must be a non-empty vector of numbers or strings, one a sample")
    if names.dtype.kind == "f":
        refuse(name, "not hold NaN", names, np.isnan(names))
    distinct, number = np.unique(names, return_inverse=True)
    return number.astype(np.int64), len(distinct)


def logit_block(block: Array, name: str, row: int = 0) -> Array:
    """Refuse NaN, +inf and wholly masked rows in a block of logits, naming the row."""
    if block.dtype.kind == "f" and not np.isfinite(block).all():
        refuse(name, "not hold NaN", block, np.isnan(block), row)
        refuse(name, "not hold +inf", block, block == np.inf, row)
        masked = (block == -np.inf).all(axis=1)
        if masked.any():
            place = first(masked)[0] + row
            raise ValueError(f"{name} must leave a class in every row: row {place} is all -inf")
    return block


def fractions(value: Any, name: str, length: int | None = None, of: str = "") -> Array:
    """A vector of numbers in [0, 1], such as confidences; it keeps a floating type it has."""
    array = vector(value, name, length, of)
    if len(array) == 0:
        raise ValueError(f"{name} must not be empty")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def fraction_block(block: Array, name: str, row: int = 0) -> Array:
    """Refuse what lies outside [0, 1] in a block, NaN included."""
    if not (block.min() >= 0 and block.max() <= 1):  # NaN makes either comparison false
        refuse(name, "lie in [0, 1]", block, ~((block >= 0) & (block <= 1)), row)
    return block


def zero_one_block(block: Array, name: str, row: int = 0) -> Array:
    """Refuse what is neither 0 nor 1 (or false or true) in a block."""
    if block.dtype.kind in "iu" and len(block):
        return labels_in_range(block, name, 2, row)  # one pass
    if block.dtype.kind != "b":
        refuse(name, "hold 0 or 1", block, (block != 0) & (block != 1), row)
    return block


def sum_tolerance(float_type: str) -> float:
    """How far rows of probabilities of a type may be from summing to 1."""
    return _SUM_TOLERANCE[float_type]


def probability_block(block: Array, name: str, tolerance: float, row: int = 0) -> Floats:
    """A block of probability rows as float64: in [0, 1], each row summing to 1."""
    fraction_block(block, name, row)
    rows = block.astype(np.float64)
    off = np.abs(rows.sum(axis=1) - 1) > tolerance
    if off.any():
        place = first(off)[0]
        total = float(rows[place].sum())
        raise ValueError(
            f"{name} must have rows that sum to 1 (within {tolerance:g}): "
            f"row {place + row} sums to {total!r}"
        )
    return rows


def rounded_to(float_type: str, numbers: Floats) -> Floats:
    """`numbers` rounded to a type, as float64: what it can hold, infinite beyond its range."""
    with np.errstate(over="ignore", under="ignore"):
        if float_type != "bfloat16":
            return numbers.astype(float_type).astype(np.float64)
        # The upper half of a float32, rounded to even.
        bits = numbers.astype(np.float32).view(np.uint32)
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
        return bits.view(np.float32).astype(np.float64)
