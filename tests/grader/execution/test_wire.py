"""What crosses between two processes: exact values, bounds, and nothing else."""

import json
import math
import numbers
import socket
import struct
import threading
import time
from collections import OrderedDict, namedtuple
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from glyphlab_grader.execution.wire import (
    Bounds,
    Closed,
    Decoder,
    Encoder,
    Frame,
    Late,
    Link,
    Rubbish,
    Unfit,
)

BOUNDS = Bounds(size=1 << 20, items=2000, depth=20)


@pytest.fixture
def links():
    one, other = socket.socketpair()
    pair = Link(one, BOUNDS.size), Link(other, BOUNDS.size)
    yield pair
    for link in pair:
        link.close()


def cross(value, bounds=BOUNDS):
    """Encode, go through JSON and bytes, decode."""
    encoder = Encoder(bounds)
    body = json.loads(json.dumps(encoder.encode(value)))
    buffers = [bytearray(data) for data in encoder.buffers]
    return Decoder(Frame(body, buffers), bounds).decode(body)


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.fractions()
    | st.decimals(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
)
keys = st.text() | st.integers() | st.booleans() | st.fractions()
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.sets(keys, max_size=4)
    ),
    max_leaves=20,
)


def same(one, other):
    """Equal, and of the same types at every depth."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return one == other


@given(values)
def test_a_value_arrives_as_itself(value):
    assert same(cross(value), value)


@pytest.mark.parametrize(
    "kind", ["bool", "int8", "uint64", "float16", "float32", "complex128", "<U3"]
)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 1)])
def test_an_array_keeps_type_shape_and_values(kind, shape):
    array = np.arange(math.prod(shape)).astype(kind).reshape(shape)
    arrived = cross(array)
    assert type(arrived) is np.ndarray
    assert (arrived.dtype, arrived.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(arrived, array)


def test_an_array_stays_read_only_or_writeable():
    array = np.arange(3)
    assert cross(array).flags.writeable
    array.flags.writeable = False
    assert not cross(array).flags.writeable


def test_strided_and_foreign_byte_order_arrays_arrive_by_value():
    np.testing.assert_array_equal(
        cross(np.arange(12).reshape(3, 4).T[::2]), np.arange(12).reshape(3, 4).T[::2]
    )
    assert cross(np.array([1, 2], dtype=">i4")).tolist() == [1, 2]


def test_numpy_scalars_keep_their_type():
    for value in np.float32(0.1), np.int8(-1), np.bool_(True), np.str_("é"):
        arrived = cross(value)
        assert type(arrived) is type(value)
        assert arrived == value


def test_arrays_of_objects_keep_their_items():
    arrived = cross(np.array([[Fraction(1, 3), None]], dtype=object))
    assert arrived.dtype == object
    assert arrived.tolist() == [[Fraction(1, 3), None]]


@pytest.mark.parametrize(
    "kind", [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64]
)
def test_tensors_keep_type_and_values(kind):
    tensor = torch.tensor([[0, 1], [2, 3]]).to(kind)
    arrived = cross(tensor.T)
    assert arrived.dtype == kind
    assert torch.equal(arrived, tensor.T)


def test_tensors_keep_whether_they_want_gradients():
    assert cross(torch.ones(2, requires_grad=True)).requires_grad
    assert not cross(torch.ones(2)).requires_grad


def test_nan_and_infinity_arrive():
    arrived = cross([math.nan, math.inf, -math.inf])
    assert math.isnan(arrived[0])
    assert arrived[1:] == [math.inf, -math.inf]


def test_subclasses_arrive_as_their_built_in_base():
    class Loud(float):
        def __float__(self):
            return 99.0

    point = namedtuple("point", "x y")(1, 2)
    assert cross([Loud(1.5), point, OrderedDict(a=1)]) == [1.5, (1, 2), {"a": 1}]
    assert [type(value) for value in cross([Loud(1.5), point])] == [float, tuple]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (object(), "type object"),
        (np.array(["2020"], dtype="datetime64[D]"), "datetime64"),
        ([0] * 3000, "more than 2000 items"),
        (np.zeros(1 << 18), "more than 1048576 bytes"),
        ("x" * (1 << 21), "more than 1048576 bytes"),
        pytest.param(1 << (1 << 17), "an integer of more than", id="integer"),
        (torch.ones(2).to_sparse(), "sparse"),
    ],
)
def test_what_is_too_large_or_not_inert_is_refused(value, reason):
    with pytest.raises(Unfit, match=reason):
        cross(value)


def test_what_is_nested_too_deep_is_refused():
    value: list = []
    for _ in range(BOUNDS.depth):
        value = [value]
    assert cross(value) == value
    with pytest.raises(Unfit, match="nested deeper than 20"):
        cross([value])
    value.append(value)
    with pytest.raises(Unfit):
        cross(value)


@pytest.mark.parametrize(
    "body",
    [
        {"a": 1},
        [],
        [1],
        ["unknown"],
        ["h", 0, "function", "f"],
        ["a", "object", [1], 0, True],
        ["a", "float64", [2], 0, True],
        ["a", "float64", [-1], 0, True],
        ["a", "float64", [1], 7, True],
        ["a", "float64", [1 << 62, 1 << 62], 0, True],
        ["a", "float64", "1", 0, True],
        ["n", "float32", 0],
        ["T", "float64", [5], 0, False],
        ["T", "qint8", [8], 0, False],
        ["d", ["k"]],
        ["d", [["l"], 1]],
        ["F", 1, 0],
        ["F", 1.5, 2],
        ["D", "x"],
        ["i", "zz"],
        ["i", "0x" + "f" * 100_000],
        ["C", "object"],
        ["o", [2], 1],
        ["c", "a", 1],
        ["r", 0, 1, 0],
        [["l"]],
    ],
)
def test_a_malformed_value_is_rubbish(body):
    with pytest.raises(Rubbish):
        Decoder(Frame(body, [bytearray(8)]), BOUNDS).decode(body)


def test_a_deep_or_long_body_is_rubbish():
    body: list = ["l"]
    for _ in range(30):
        body = ["l", body]
    for one in body, ["l", *[0] * 3000]:
        with pytest.raises(Rubbish):
            Decoder(Frame(one, []), BOUNDS).decode(one)


def test_frames_arrive_whole_and_in_order(links):
    one, other = links
    data = np.random.default_rng(0).bytes(500_000)
    sender = threading.Thread(target=lambda: [one.send([n], [data]) for n in range(4)])
    sender.start()
    for n in range(4):
        frame = other.receive(time.monotonic() + 10)
        assert frame.body == [n]
        assert bytes(frame.buffers[0]) == data
    sender.join()


def test_a_deadline_in_the_middle_of_a_frame_loses_nothing(links):
    one, other = links
    with pytest.raises(Late):
        one.send("first", [b"x" * 4_000_000], time.monotonic() + 0.2)
    with pytest.raises(Late):
        other.receive(time.monotonic() + 0.2)
    rest = threading.Thread(target=lambda: one.send("second"))
    rest.start()
    assert len(other.receive(time.monotonic() + 10).buffers[0]) == 4_000_000
    assert other.receive(time.monotonic() + 10).body == "second"
    rest.join()


def test_the_end_of_the_other_process_is_told(links):
    one, other = links
    one.close()
    with pytest.raises(Closed):
        other.receive()
    with pytest.raises(Closed):
        other.send("anything")


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("!II", 4, 0) + b"{[(<",
        struct.pack("!II", 0xFFFFFFFF, 0),
        struct.pack("!II", 2, 1) + struct.pack("!Q", 1 << 60) + b"{}",
        struct.pack("!II", 2, 0xFFFFFFFF),
        struct.pack("!II", 200_000, 0) + b"[" * 200_000,
    ],
)
def test_what_is_no_frame_is_rubbish(data):
    raw, end = socket.socketpair()
    link = Link(end, BOUNDS.size)
    try:
        raw.sendall(data)
        with pytest.raises(Rubbish):
            link.receive(time.monotonic() + 5)
    finally:
        raw.close()
        link.close()


def test_decimals_keep_their_digits():
    assert str(cross(Decimal("1.10"))) == "1.10"


def test_numbers_of_other_libraries_arrive_as_python_s():
    assert cross([sympy.Rational(1, 3), sympy.Integer(4)]) == [Fraction(1, 3), Fraction(4)]
    assert [type(n) for n in cross([sympy.Float(0.25), mpmath.mpf(0.5)])] == [float, float]
    assert cross([sympy.Float(0.25), mpmath.mpf(0.5)]) == [0.25, 0.5]


def test_exact_numbers_of_sympy_arrive_as_floats():
    e = sympy.E
    assert cross([e**2 / (2 * e**2 + e), sympy.sqrt(2)]) == pytest.approx([0.42231879825, 2**0.5])
    assert math.isnan(cross(sympy.nan))
    for other in (sympy.Symbol("x"), sympy.I):
        with pytest.raises(Unfit):
            cross(other)


def test_a_number_that_raises_cannot_be_handed_over():
    class Odd:
        def __float__(self):
            raise RuntimeError

    numbers.Real.register(Odd)
    with pytest.raises(Unfit, match="an Odd that gives no fraction or float: RuntimeError"):
        cross(Odd())
