"""Inert data between processes that do not trust each other: frames of tagged JSON and bytes.

A frame is a JSON document, in which every container carries a tag, and the raw bytes of its
arrays. Nothing that arrives is ever unpickled, imported or called: `Decoder` builds exact
built-in numbers, strings and containers, numpy arrays and torch tensors of listed types, and
refuses everything else. Both ends bound size, number of items and depth.

=================== ==============================================================
JSON                stands for
=================== ==============================================================
null, true, 1, 1.0  None, bool, int, float
"text"              str
["i", hex]          int of more than 53 bits
["l", ...]          list; likewise "t" tuple, "s" set, "z" frozenset
["d", [k, v], ...]  dict
["c", re, im]       complex
["F", p, q]         Fraction; ["D", text] Decimal
["r", a, b, step]   range; likewise "e" slice; ["..."] Ellipsis
["b", n]            bytes, in buffer n; ["B", n] bytearray
["a", type, shape, n, writeable]
                    numpy array in buffer n, C order; ["n", type, n] numpy scalar
["o", shape, ...]   numpy array of Python objects
["T", type, shape, n, requires_grad]
                    torch tensor; ["Y", type] torch.dtype; ["y", type] numpy.dtype
["C", name]         a built-in class
[other, ...]        what an extension of `Encoder` and `Decoder` makes of it: handles
=================== ==============================================================
"""

import json
import math
import numbers
import socket
import struct
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Bounds", "Closed", "Decoder", "Encoder", "Frame", "Late", "Link", "Rubbish", "Unfit"]

#: numpy types that cross; strings ("U") do as well.
ARRAY_TYPES = frozenset(
    (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
)
#: torch types that cross.
TENSOR_TYPES = ARRAY_TYPES | {"bfloat16"}
#: Classes that cross by name.
_CLASSES = (bool, int, float, complex, str, bytes, list, tuple, dict, set)
CLASSES: dict[str, Any] = {one.__name__: one for one in _CLASSES}

_HEAD = struct.Struct("!II")
_LENGTH = struct.Struct("!Q")
_MOST_BUFFERS = 65_536
_PLAIN_INT = 1 << 53
_LONGEST_INT_BITS = 1 << 16


class Unfit(Exception):
    """A value cannot cross: the message says why."""


class Rubbish(Exception):
    """What arrived is not what the other end would send."""


class Closed(Exception):
    """The other end is gone."""


class Late(Exception):
    """The deadline passed."""


class Bounds(NamedTuple):
    """How much may cross in one frame: bytes, items, and depth of nesting."""

    size: int
    items: int
    depth: int


class Frame(NamedTuple):
    """A decoded JSON document and the bytes that it refers to."""

    body: Any
    buffers: list[bytearray]


class Encoder:
    """Turns values into tagged JSON and buffers.

    Parameters
    ----------
    bounds : Bounds
        Of one frame.
    other : callable, optional
        Makes ``[tag, ...]`` of a value that is not inert data, or raises `Unfit`.
    """

    def __init__(self, bounds: Bounds, other: Callable[[Any], list[Any]] | None = None) -> None:
        self.bounds = bounds
        self.buffers: list[Any] = []
        self._other = other
        self._size = 0
        self._items = 0

    def encode(self, value: Any, depth: int = 0) -> Any:
        """Give the tagged form of `value`; an instance of a subclass goes as its built-in base."""
        self._count(depth)
        if value is None or value is True or value is False:
            return value
        if isinstance(value, np.generic):
            return self._scalar(value)
        for kind, make in self._KINDS:
            if isinstance(value, kind):
                return make(self, value, depth)
        if isinstance(value, type) and value in CLASSES.values():
            return ["C", str(value.__name__)]
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return self._tensor(value)
        if torch is not None and isinstance(value, torch.dtype):
            return ["Y", str(value).removeprefix("torch.")]
        if isinstance(value, numbers.Real) or _symbolic(value):
            return self._real(value)
        if self._other is None:
            raise Unfit(f"an object of type {type(value).__name__} cannot be handed over")
        return self._other(value)

    def _count(self, depth: int) -> None:
        self._items += 1
        if self._items > self.bounds.items:
            raise Unfit(f"a value of more than {self.bounds.items} items cannot be handed over")
        if depth > self.bounds.depth:
            raise Unfit(f"a value nested deeper than {self.bounds.depth} cannot be handed over")

    def _add(self, data: Any) -> int:
        self._size += memoryview(data).nbytes
        if self._size > self.bounds.size:
            raise Unfit(f"a value of more than {self.bounds.size} bytes cannot be handed over")
        if len(self.buffers) >= _MOST_BUFFERS:
            raise Unfit(f"a value of more than {_MOST_BUFFERS} arrays cannot be handed over")
        self.buffers.append(data)
        return len(self.buffers) - 1

    def _int(self, value: int, _: int) -> Any:
        value = int.__int__(value)
        if -_PLAIN_INT < value < _PLAIN_INT:
            return value
        if value.bit_length() > _LONGEST_INT_BITS:
            raise Unfit(f"an integer of more than {_LONGEST_INT_BITS} bits cannot be handed over")
        return ["i", hex(value)]

    def _real(self, value: numbers.Real) -> Any:
        """Turn another library's number (SymPy's, mpmath's) into Python's."""
        try:
            if isinstance(value, numbers.Rational):
                return self._fraction(Fraction(int(value.numerator), int(value.denominator)), 0)
            return float.__float__(float(value))
        except Unfit:
            raise
        # The class may be the student's own, and raise what it likes.
        except Exception as error:
            kind, why = type(value).__name__, type(error).__name__
            raise Unfit(f"an {kind} that gives no fraction or float: {why}") from None

    def _float(self, value: float, _: int) -> Any:
        return float.__float__(value)

    def _str(self, value: str, _: int) -> Any:
        self._size += len(value)
        if self._size > self.bounds.size:
            raise Unfit(f"a value of more than {self.bounds.size} bytes cannot be handed over")
        return str.__str__(value)

    def _bytes(self, value: bytes | bytearray, _: int) -> Any:
        return ["B" if isinstance(value, bytearray) else "b", self._add(bytes(value))]

    def _complex(self, value: complex, _: int) -> Any:
        return ["c", value.real, value.imag]

    def _sequence(self, value: Any, depth: int) -> Any:
        tags: dict[Any, str] = {list: "l", tuple: "t", set: "s", frozenset: "z"}
        kind = next(kind for kind in tags if isinstance(value, kind))
        return [tags[kind], *(self.encode(item, depth + 1) for item in kind.__iter__(value))]

    def _dict(self, value: dict[Any, Any], depth: int) -> Any:
        below = depth + 1
        pairs = ([self.encode(k, below), self.encode(v, below)] for k, v in dict.items(value))
        return ["d", *pairs]

    def _fraction(self, value: Fraction, depth: int) -> Any:
        return ["F", self._int(value.numerator, depth), self._int(value.denominator, depth)]

    def _decimal(self, value: Decimal, depth: int) -> Any:
        return ["D", self._str(Decimal.__str__(value), depth)]

    def _range(self, value: range, depth: int) -> Any:
        return ["r", *(self._int(n, depth) for n in (value.start, value.stop, value.step))]

    def _slice(self, value: slice, depth: int) -> Any:
        return ["e", *(self.encode(n, depth + 1) for n in (value.start, value.stop, value.step))]

    def _ellipsis(self, value: Any, depth: int) -> Any:
        return ["..."]

    def _dtype(self, value: "np.dtype[Any]", depth: int) -> Any:
        return ["y", _array_type(value)]

    def _array(self, value: Any, depth: int) -> Any:
        value = np.asarray(value)
        shape = list(value.shape)
        if value.dtype.kind == "O":
            return ["o", shape, *(self.encode(item, depth + 1) for item in value.ravel().tolist())]
        data = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("="))
        number = self._add(data.reshape(-1).view(np.uint8) if data.size else b"")
        return ["a", _array_type(data.dtype), shape, number, bool(value.flags.writeable)]

    def _scalar(self, value: Any) -> Any:
        return ["n", _array_type(value.dtype), self._add(value.tobytes())]

    def _tensor(self, value: Any) -> Any:
        name = str(value.dtype).removeprefix("torch.")
        if name not in TENSOR_TYPES or value.layout is not sys.modules["torch"].strided:
            raise Unfit(f"a tensor of type {name}, {value.layout} cannot be handed over")
        flat = value.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
        raw = flat.view(sys.modules["torch"].uint8).numpy() if flat.numel() else b""
        return ["T", name, list(value.shape), self._add(raw), bool(value.requires_grad)]

    _KINDS: "list[tuple[Any, Any]]" = [  # noqa: RUF012 (never changed)
        (int, _int),
        (float, _float),
        (str, _str),
        (np.ndarray, _array),
        ((list, tuple, set, frozenset), _sequence),
        (dict, _dict),
        (Fraction, _fraction),
        (Decimal, _decimal),
        ((bytes, bytearray), _bytes),
        (complex, _complex),
        (range, _range),
        (slice, _slice),
        (np.dtype, _dtype),
        (type(...), _ellipsis),
    ]


def _symbolic(value: Any) -> bool:
    """Whether it is a real number of SymPy, exact or NaN, as `glyphlab.checks` takes it."""
    sympy = sys.modules.get("sympy")
    return (
        sympy is not None
        and isinstance(value, sympy.Expr)
        and bool(value.is_number)
        and value.is_extended_real is not False
    )


class Decoder:
    """Builds the values of one frame.

    Parameters
    ----------
    frame : Frame
        What arrived.
    bounds : Bounds
        Of one frame; size is checked where it is read.
    other : callable, optional
        Makes a value of ``[tag, ...]`` for tags that are not inert data, or raises `Rubbish`.
    gradients : bool
        Whether tensors that ask for a gradient do so here, too; NumPy refuses such.
    """

    def __init__(
        self,
        frame: Frame,
        bounds: Bounds,
        other: Callable[[list[Any]], Any] | None = None,
        gradients: bool = True,
    ) -> None:
        self._gradients = gradients
        self._buffers = frame.buffers
        self._bounds = bounds
        self._other = other
        self._items = 0

    def decode(self, body: Any) -> Any:
        """Give the value, or raise `Rubbish`."""
        try:
            return self._value(body, 0)
        except Rubbish:
            raise
        # Everything here comes from a stranger: whatever goes wrong means the same.
        except Exception as error:
            raise Rubbish(f"malformed value: {type(error).__name__}: {error}") from None

    def _value(self, body: Any, depth: int) -> Any:
        self._items += 1
        if self._items > self._bounds.items or depth > self._bounds.depth:
            raise Rubbish("a value with too many items or nested too deep")
        if body is None or isinstance(body, bool | int | float | str):
            return body
        if not isinstance(body, list) or not body or not isinstance(body[0], str):
            raise Rubbish("a value without a tag")
        make = self._TAGS.get(body[0])
        if make is not None:
            return make(self, body[1:], depth)
        if self._other is None:
            raise Rubbish(f"an unknown tag {body[0]!r}")
        return self._other(body)

    def _many(self, body: list[Any], depth: int) -> list[Any]:
        return [self._value(item, depth + 1) for item in body]

    def _int(self, body: list[Any], _: int) -> int:
        (text,) = body
        if len(text) > _LONGEST_INT_BITS // 4 + 4:
            raise Rubbish("an integer that is too long")
        return int(text, 16)

    def _whole(self, body: Any) -> int:
        value = self._value(body, 0)
        if type(value) is not int:
            raise Rubbish("not an integer")
        return value

    def _dict(self, body: list[Any], depth: int) -> dict[Any, Any]:
        below = depth + 1
        return {self._value(k, below): self._value(v, below) for k, v in body}

    def _fraction(self, body: list[Any], _: int) -> Fraction:
        numerator, denominator = map(self._whole, body)
        return Fraction(numerator, denominator)

    def _decimal(self, body: list[Any], _: int) -> Decimal:
        (text,) = body
        return Decimal(text)

    def _complex(self, body: list[Any], _: int) -> complex:
        real, imaginary = body
        return complex(float(real), float(imaginary))

    def _range(self, body: list[Any], _: int) -> range:
        start, stop, step = map(self._whole, body)
        return range(start, stop, step)

    def _slice(self, body: list[Any], depth: int) -> slice:
        start, stop, step = self._many(body, depth)
        return slice(start, stop, step)

    def _buffer(self, number: Any) -> bytearray:
        if type(number) is not int or not 0 <= number < len(self._buffers):
            raise Rubbish("a buffer that was not sent")
        return self._buffers[number]

    def _array(self, body: list[Any], _: int) -> Any:
        name, shape, number, writeable = body
        kind = _checked_array_type(name)
        data = self._buffer(number)
        if math.prod(_checked_shape(shape)) * kind.itemsize != len(data):
            raise Rubbish("an array whose size does not fit its shape")
        array = np.frombuffer(data, kind) if len(data) else np.empty(0, kind)
        array = array.reshape(shape)
        array.flags.writeable = writeable is True
        return array

    def _scalar(self, body: list[Any], _: int) -> Any:
        name, number = body
        kind = _checked_array_type(name)
        data = self._buffer(number)
        if len(data) != kind.itemsize:
            raise Rubbish("a scalar of the wrong size")
        return np.frombuffer(data, kind)[0] if data else np.str_("")

    def _objects(self, body: list[Any], depth: int) -> Any:
        shape, *items = body
        array = np.empty(len(items), dtype=object)
        array[:] = self._many(items, depth)
        return array.reshape(_checked_shape(shape))

    def _tensor(self, body: list[Any], _: int) -> Any:
        import torch

        name, shape, number, requires_grad = body
        if name not in TENSOR_TYPES:
            raise Rubbish("a tensor of an unknown type")
        kind = getattr(torch, name)
        data = self._buffer(number)
        if math.prod(_checked_shape(shape)) * kind.itemsize != len(data):
            raise Rubbish("a tensor whose size does not fit its shape")
        flat = torch.frombuffer(data, dtype=kind) if len(data) else torch.empty(0, dtype=kind)
        return flat.reshape(shape).requires_grad_(self._gradients and requires_grad is True)

    def _torch_type(self, body: list[Any], _: int) -> Any:
        import torch

        (name,) = body
        if name not in TENSOR_TYPES:
            raise Rubbish("an unknown torch type")
        return getattr(torch, name)

    _TAGS: "dict[str, Any]" = {  # noqa: RUF012 (never changed)
        "i": _int,
        "l": _many,
        "t": lambda self, body, depth: tuple(self._many(body, depth)),
        "s": lambda self, body, depth: set(self._many(body, depth)),
        "z": lambda self, body, depth: frozenset(self._many(body, depth)),
        "d": _dict,
        "F": _fraction,
        "D": _decimal,
        "c": _complex,
        "r": _range,
        "e": _slice,
        "...": lambda self, body, depth: ...,
        "b": lambda self, body, depth: bytes(self._buffer(*body)),
        "B": lambda self, body, depth: bytearray(self._buffer(*body)),
        "a": _array,
        "n": _scalar,
        "o": _objects,
        "T": _tensor,
        "Y": _torch_type,
        "y": lambda self, body, depth: _checked_array_type(*body),
        "C": lambda self, body, depth: CLASSES[body[0]],
    }


def _array_type(kind: "np.dtype[Any]") -> str:
    if kind.name in ARRAY_TYPES:
        return str(kind.name)
    if kind.kind == "U":
        return f"U{kind.itemsize // 4}"
    raise Unfit(f"an array of type {kind} cannot be handed over")


def _checked_array_type(name: Any) -> "np.dtype[Any]":
    if isinstance(name, str) and name in ARRAY_TYPES:
        return np.dtype(name)
    if isinstance(name, str) and name[:1] == "U" and name[1:].isdecimal() and len(name) < 9:
        return np.dtype(name)
    raise Rubbish("an array of an unknown type")


def _checked_shape(shape: Any) -> list[int]:
    if not isinstance(shape, list) or len(shape) > 32:
        raise Rubbish("an impossible shape")
    if not all(type(n) is int and n >= 0 for n in shape):
        raise Rubbish("an impossible shape")
    return shape


class Link:
    """One end of a stream socket that carries frames.

    A deadline that passes in the middle of a frame loses nothing: the next call goes on with it.

    Parameters
    ----------
    end : socket.socket
        A connected stream socket, owned by the link from here on.
    size : int
        Bytes of the largest value that is taken.
    """

    def __init__(self, end: socket.socket, size: int) -> None:
        self._socket = end
        # JSON of many small items is larger than the items; buffers are counted by the encoder.
        self._most = 8 * size + (1 << 20)
        self._arrived = bytearray()
        self._unsent: list[memoryview] = []

    def fileno(self) -> int:
        """Give the descriptor, for `select`."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def send(
        self, body: Any, buffers: "list[Any] | tuple[()]" = (), deadline: float = math.inf
    ) -> None:
        """Send a frame; raises `Closed`, and `Late` at `deadline` (of `time.monotonic`)."""
        text = json.dumps(body, separators=(",", ":")).encode()
        views = [memoryview(data).cast("B") for data in buffers]
        lengths = b"".join(_LENGTH.pack(view.nbytes) for view in views)
        head = _HEAD.pack(len(text), len(views)) + lengths + text
        self._unsent += [memoryview(head), *(view for view in views if view.nbytes)]
        while self._unsent:
            self._wait(deadline)
            try:
                sent = self._socket.send(self._unsent[0])
            except TimeoutError:
                raise Late from None
            except OSError:
                raise Closed from None
            self._unsent[0] = self._unsent[0][sent:]
            if not self._unsent[0]:
                del self._unsent[0]

    def receive(self, deadline: float = math.inf) -> Frame:
        """Wait for a frame; raises `Closed`, `Rubbish`, and `Late` at `deadline`."""
        while (frame := self.take()) is None:
            self._wait(deadline)
            self.read()
        return frame

    def read(self) -> None:
        """Read what is there, waiting for something; raises `Closed`, `Late`."""
        try:
            data = self._socket.recv(1 << 20)
        except TimeoutError:
            raise Late from None
        except OSError:
            raise Closed from None
        if not data:
            raise Closed
        self._arrived += data

    def take(self) -> Frame | None:
        """Give the next frame if all of it has been read; raises `Rubbish`."""
        arrived = self._arrived
        if len(arrived) < _HEAD.size:
            return None
        text_length, count = _HEAD.unpack_from(arrived)
        if count > _MOST_BUFFERS or text_length > self._most:
            raise Rubbish("a frame that is too large")
        start = _HEAD.size + _LENGTH.size * count
        if len(arrived) < start:
            return None
        ends = [start + text_length]
        for number in range(count):
            (length,) = _LENGTH.unpack_from(arrived, _HEAD.size + _LENGTH.size * number)
            ends.append(ends[-1] + length)
        if ends[-1] - start > self._most:
            raise Rubbish("a frame that is too large")
        if len(arrived) < ends[-1]:
            return None
        text = arrived[start : ends[0]]
        buffers = [arrived[a:b] for a, b in pairwise(ends)]
        del arrived[: ends[-1]]
        try:
            return Frame(json.loads(text), buffers)
        except (ValueError, RecursionError):
            raise Rubbish("a frame that is not JSON") from None

    def _wait(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise Late
        self._socket.settimeout(None if left == math.inf else left)
