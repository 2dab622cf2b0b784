"""The checks take every right form, refuse every wrong one, and never raise anything else."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
import torch

from glyphlab import checks
from glyphlab.checks import (
    agrees,
    close,
    element,
    entries,
    numbers,
    parts,
    place,
    quiet,
    raises,
    same_array,
    unchanged,
    whole,
)

NAN = float("nan")


class Hostile:
    """Raises from whatever is asked of it."""

    def __getattribute__(self, name):
        raise RuntimeError("asked for " + name)

    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None


class AlwaysEqual:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = None


class Leaves:
    def __float__(self):
        raise SystemExit(0)


class Meta(type):
    @property
    def __name__(cls):
        raise RuntimeError


class OddlyNamed(metaclass=Meta):
    pass


class EqualArray(np.ndarray):
    def __array_ufunc__(self, *args, **kwargs):
        return True

    def __eq__(self, other):
        return True

    __hash__ = None


def recursive_list():
    loop = []
    loop.append(loop)
    return loop


NOT_NUMBERS = {
    "None": None,
    "text": "2/3",
    "bytes": b"2/3",
    "texts": ["0.5", "0.5", "0.5"],
    "text array": np.array(["0.5", "0.5", "0.5"]),
    "None inside": [0.5, None, 0.5],
    "ragged": [[0.5], [0.5, 0.5]],
    "ragged integers": [[1], [1, 2]],
    "dict": {"a": 0.5},
    "set": {0.5},
    "generator": (v for v in (0.5, 0.5, 0.5)),
    "function": lambda: 0.5,
    "class": float,
    "object": object(),
    "objects": np.array([object(), 0.5, 0.5]),
    "complex": 0.5 + 0j,
    "complex array": np.array([0.5 + 0j] * 3),
    "complex scalar": [np.complex128(0.5)] * 3,
    "dates": np.array(["2026-01-01"] * 3, dtype="datetime64[D]"),
    "structured": np.zeros(3, dtype=[("a", float)]),
    "masked": np.ma.array([0.5, 0.5, 0.5], mask=[0, 1, 0]),
    "sparse tensor": torch.ones(3).to_sparse(),
    "meta tensor": torch.ones(3, device="meta"),
    "complex tensor": torch.ones(3, dtype=torch.complex64),
    "hostile": Hostile(),
    "hostile inside": [0.5, Hostile(), 0.5],
    "always equal": AlwaysEqual(),
    "always equal inside": [AlwaysEqual()] * 3,
    "exits": Leaves(),
    "oddly named": OddlyNamed(),
    "recursive": recursive_list(),
    "lists of nothing": [[], [], []],
    "module": np,
}


@pytest.mark.parametrize("name", NOT_NUMBERS)
@pytest.mark.parametrize("check", [close, same_array])
@pytest.mark.parametrize("expected", [1.0, [1, 1, 1], (1.0, None, 0.0)], ids=["0-d", "int", "None"])
def test_anything_else_is_an_assertion_error_that_names_the_thing(name, check, expected, capfd):
    with pytest.raises(AssertionError, match="precision"):
        check(NOT_NUMBERS[name], expected, "precision")
    assert capfd.readouterr() == ("", "")


RIGHT = {
    "list": [2 / 3, 1 / 2, NAN],
    "tuple": (2 / 3, 1 / 2, NAN),
    "Fractions": [Fraction(2, 3), Fraction(1, 2), NAN],
    "Decimals": [Decimal(2) / 3, Decimal("0.5"), Decimal("NaN")],
    "float64": np.array([2 / 3, 1 / 2, NAN]),
    "float32": np.array([2 / 3, 1 / 2, NAN], dtype=np.float32),
    "object array": np.array([Fraction(2, 3), Fraction(1, 2), NAN], dtype=object),
    "list of scalars": [np.float32(2 / 3), np.float64(0.5), np.nan],
    "list of arrays": [np.array(2 / 3), np.array(1 / 2), np.array(NAN)],
    "tensor": torch.tensor([2 / 3, 1 / 2, NAN]),
    "tensor needing gradients": torch.tensor([2 / 3, 1 / 2, NAN], requires_grad=True),
    "list of tensors": [torch.tensor(2 / 3, requires_grad=True), torch.tensor(0.5), NAN],
    "unmasked": np.ma.array([2 / 3, 1 / 2, NAN]),
    "strided": np.array([2 / 3, 0, 1 / 2, 0, NAN, 0])[::2],
}


@pytest.mark.parametrize("form", RIGHT)
@pytest.mark.parametrize("expected", [(Fraction(2, 3), Fraction(1, 2), None), [2 / 3, 1 / 2, NAN]])
def test_close_takes_every_form_of_the_right_numbers(form, expected):
    close(RIGHT[form], expected, "precision")


@pytest.mark.parametrize(
    "value", [1, 1.0, True, Fraction(1), np.float32(1), np.array(1), torch.ones(())]
)
def test_a_single_number(value):
    close(value, 1, "accuracy")
    same_array(value, 1, "accuracy")


def test_bfloat16_is_read():
    close(torch.tensor([0.5, 0.25], dtype=torch.bfloat16), [0.5, 0.25], "p")


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_tolerance_is_relative_or_absolute(scale):
    close(scale + 0.9e-6 * max(1, scale), scale, "x")
    with pytest.raises(AssertionError):
        close(scale + 1.1e-6 * max(1, scale), scale, "x")


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (NAN, 1.0),
        (1.0, NAN),
        (float("inf"), 1.0),
        (1.0, float("inf")),
        (float("-inf"), float("inf")),
        (1e308, float("inf")),
        (0.5219, 0.52192982),
        ([1, 2], [2, 1]),
    ],
)
def test_wrong_values(actual, expected):
    with pytest.raises(AssertionError, match="not right"):
        close(actual, expected, "x")


def test_infinity_equals_itself():
    close([float("inf"), float("-inf")], [float("inf"), float("-inf")], "x")


@pytest.mark.parametrize(
    ("actual", "expected", "form"),
    [
        ([1.0], 1.0, "has shape (1,), expected is a single number"),
        (1.0, [1.0], "is a single number, expected is shape (1,)"),
        ([[1.0, 2.0]], [1.0, 2.0], "has shape (1, 2), expected is shape (2,)"),
        ([], [1.0], "has shape (0,), expected is shape (1,)"),
    ],
)
@pytest.mark.parametrize("check", [close, same_array])
def test_shape_is_told(actual, expected, form, check):
    with pytest.raises(AssertionError) as failure:
        check(actual, expected, "recall")
    assert str(failure.value) == f"recall {form}. {checks.OTHER_SHAPE}"


def test_expected_value_is_shown_only_when_asked():
    with pytest.raises(AssertionError) as failure:
        close([0.1, 0.2], [0.1, 0.7654321], "p", hint="Look at class 1.")
    assert str(failure.value) == "p is not right at [1]: you have 0.2. Look at class 1."
    with pytest.raises(AssertionError, match=r"Expected is 0\.7654321\."):
        close([0.1, 0.2], [0.1, 0.7654321], "p", show_expected=True)


def test_rounding_is_named():
    with pytest.raises(AssertionError, match="looks rounded"):
        close([0.5833, 0.4722], [7 / 12, 17 / 36], "macro")
    with pytest.raises(AssertionError) as failure:
        close([0.5833, 0.4], [7 / 12, 17 / 36], "macro")
    assert "rounded" not in str(failure.value)
    assert "2 of 2" in str(failure.value)


def test_numbers_of_other_libraries_are_numbers():
    half = sympy.Rational(1, 2)
    close(
        [half, sympy.Float(0.25), mpmath.mpf(0.125), Decimal("0.5")], [0.5, 0.25, 0.125, 0.5], "p"
    )
    numbers([half, half], "p")
    with pytest.raises(AssertionError, match=r"^p, entry 1: a Symbol where a number"):
        numbers([half, sympy.Symbol("x")], "p")


def test_exact_numbers_of_sympy_are_numbers():
    e = sympy.E
    exact = [e**2 / (2 * e**2 + e), sympy.sqrt(2), sympy.pi, sympy.nan]
    close(exact, [np.e**2 / (2 * np.e**2 + np.e), 2**0.5, np.pi, NAN], "p")
    assert agrees(np.array(exact, dtype=object), exact)
    for wrong in (sympy.I, sympy.Symbol("x") + 1, sympy.zoo, sympy.true, sympy.Matrix([1])[:]):
        with pytest.raises(AssertionError, match=r"^p"):
            close(wrong, 0.5, "p")


def test_undefined_entries():
    with pytest.raises(AssertionError, match=r"you have nan\. A number is expected"):
        close([0.5, NAN], [0.5, 0.25], "p")
    with pytest.raises(AssertionError) as failure:
        close([0.5, 0.0], [0.5, None], "p")
    assert "NaN" not in str(failure.value)


def test_same_array():
    same_array(np.array([4, 3, 0], dtype=np.uint8), (4, 3, 0), "tp")
    same_array([4.0, 3.0, 0.0], [4, 3, 0], "tp")
    same_array([], [], "zero_denominators")
    same_array(np.array([True, False]), [1, 0], "decisions")
    same_array(2**62 + 1, 2**62 + 1, "big")
    for wrong in ([4, 3, 1], [4.0000001, 3, 0], [4, 3, NAN]):
        with pytest.raises(AssertionError, match="tp is not right"):
            same_array(wrong, [4, 3, 0], "tp")
    with pytest.raises(AssertionError):
        same_array(2**62 + 1, 2**62, "big")


def test_unchanged():
    before = np.array([[1.0, NAN]])
    unchanged(before, before.copy(), "C")
    unchanged(torch.ones(2), torch.ones(2), "Z")
    for after in (np.array([[1.0, 2.0]]), np.array([1.0, NAN]), [[1.0, NAN]], None, Hostile()):
        with pytest.raises(AssertionError, match="The argument C was changed"):
            unchanged(before, after, "C")
    with pytest.raises(AssertionError):
        unchanged(before, before.astype(np.float32), "C")


PARTS = {
    "tuple": (1, 2),
    "list": [1, 2],
    "array": np.array([[1, 2], [3, 4]]),
    "tensor": torch.ones(2, 3),
    "generator": (v for v in (1, 2)),
}


@pytest.mark.parametrize("form", PARTS)
def test_parts_takes_apart_what_has_parts(form):
    assert len(parts(PARTS[form], ("P", "R"), "The function")) == 2


def endless():
    while True:
        yield 1


def breaks():
    yield 1
    raise SystemExit(0)


NO_PARTS = {
    "None": None,
    "number": 0.5,
    "0-d array": np.array(0.5),
    "0-d tensor": torch.ones(()),
    "dict": {"P": 1, "R": 2},
    "set": {1, 2},
    "text": "PR",
    "one": (1,),
    "three": (1, 2, 3),
    "endless": endless(),
    "breaks": breaks(),
    "hostile": Hostile(),
}


@pytest.mark.parametrize("form", NO_PARTS)
def test_parts_says_what_was_to_be_returned(form):
    with pytest.raises(AssertionError, match=r"^The function: th.*\. Expected is \(P, R\)\.$"):
        parts(NO_PARTS[form], ("P", "R"), "The function")


@pytest.mark.parametrize("form", NOT_NUMBERS)
def test_agrees_with_nothing_that_is_no_number(form):
    assert not agrees(NOT_NUMBERS[form], [1, 1, 1])


def test_place_finds_the_first_and_tells_where_there_is_none():
    answers = [None, [0.5, 1.0], (Fraction(1, 4), 0.75), [0.25, 0.75]]
    assert place(answers, [0.25, 0.75], "recall") == 2
    with pytest.raises(AssertionError, match=r"recall is not right, whatever its position\. Sum\."):
        place(answers, [0.25, 0.5], "recall", hint="Sum.")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[0, 1, 2, 3], [4, 5, 6, 7, 8]], r"All of parts, in order, has shape \(9,\)"),
        ([[0, 1, 2], [3, *range(4, 10)]], "A scene has images in two of the parts"),
        ([[0, 1], range(2, 10)], "The parts do not hold the fractions 0.4, 0.6 of the images"),
        ([range(10)], "these are 1 parts"),
    ],
)
def test_a_split_is_told_what_it_is_not(given, message):
    scenes = np.repeat(np.arange(5), 2)
    with pytest.raises(AssertionError, match=message):
        checks.split(given, ("first", "second"), scenes, (0.4, 0.6), "parts")


def test_quiet_shows_nothing_and_lets_exceptions_through(capfd):
    import sys
    import warnings

    def loud():
        print("out")
        print("err", file=sys.stderr)
        warnings.warn("loud", stacklevel=1)
        return 1 / 0

    with pytest.raises(ZeroDivisionError), quiet():
        loud()
    assert capfd.readouterr() == ("", "")


def give(error):
    raise error


class Own(ValueError):
    pass


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError


def test_raises_accepts_the_exception_and_its_subclasses(capfd):
    raises(ValueError, give, ValueError("no"), what="x")
    raises(ValueError, give, Own("no"), what="x")
    raises((ValueError, TypeError), give, TypeError("no"), what="x")
    raises(ZeroDivisionError, lambda a, mode: a / 0, 1, mode="raise", what="x")

    def warns():
        import warnings

        print("loud")
        warnings.warn("loud", stacklevel=1)
        raise ValueError

    raises(ValueError, warns, what="x")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("function", "arguments", "told"),
    [
        (lambda: 1, (), "a ZeroDivisionError is expected, but the call returned an int"),
        (lambda: None, (), "the call returned a NoneType"),
        (give, (ValueError("because"),), r"it was ValueError \(because\)"),
        (give, (SystemExit(3),), r"it was SystemExit \(3\)"),
        (give, (Unprintable(),), "it was Unprintable"),
        (None, (), "a function is expected, this is a NoneType"),
        (0.5, (), "a function is expected, this is a float"),
        (lambda: OddlyNamed(), (), "returned an OddlyNamed"),
        (lambda: Hostile(), (), "returned a Hostile"),
    ],
)
def test_raises_tells_what_happened_instead(function, arguments, told):
    with pytest.raises(AssertionError, match=f"^An empty row: .*{told}.* Say why\\.$"):
        raises(ZeroDivisionError, function, *arguments, what="An empty row", hint="Say why.")


def test_an_interrupt_passes_through():
    with pytest.raises(KeyboardInterrupt):
        raises(ValueError, give, KeyboardInterrupt(), what="x")


class Length:
    """Can be made a float, but is of no kind of numbers: it would not leave a learner's process."""

    def __float__(self):
        return 0.25


class StudentObject:
    """As the judge shows an object of a class that does not cross."""

    _name = "Rational"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (True, r"it is not right: you have True\."),
        ([True, False], r"it is not right at \[0\]: you have True"),
        (Length(), r"it: a Length where a number .* is expected\. Hand in a float, a Fraction"),
        (StudentObject(), r"it: a Rational where a number .* is expected\. Hand in a float, a Fra"),
        (len, r"it: a builtin_function_or_method where a number"),
        (lambda: 0.5, r"it: a function where a number"),
    ],
)
def test_what_was_handed_in_is_named_in_the_learners_words(value, message):
    expected = [0.25, 0.0] if isinstance(value, list) else 0.25
    with pytest.raises(AssertionError, match=message):
        close(value, expected, "it")


# ------------------------------------------------------------- errors of form, which are told


#: For each fixed sentence, checks whose message holds it.
FORMS = {
    checks.ROUNDED: [lambda: close(0.3333, 1 / 3, "p")],
    checks.ACCEPTED: [
        lambda: numbers("0.5", "p"),
        lambda: numbers({"a": 0.5}, "p"),
        lambda: numbers(0.5j, "p"),
        lambda: numbers(np.array(["0.5"]), "p"),
        lambda: close(Hostile(), 0.5, "p"),
    ],
    checks.NOTHING: [
        lambda: parts(None, ("P", "R"), "tp"),
        lambda: entries(None, ("ece",), "before"),
        lambda: close(None, 0.5, "p"),
        lambda: numbers(None, "p", ()),
        lambda: close(np.asarray(None), [0.5], "p"),
        lambda: element(None, [0.5], "temperature"),
        lambda: whole(None, "A part"),
    ],
    checks.OTHER_PARTS: [
        lambda: parts((1, 2, 3), ("P", "R"), "The function"),
        lambda: parts([], ("P", "R"), "The function"),
        lambda: parts(0.5, ("P", "R"), "The function"),
    ],
    checks.OTHER_SHAPE: [
        lambda: close([0.5], 0.5, "accuracy"),
        lambda: same_array([[1]], [1], "tp"),
        lambda: numbers([0.5], "accuracy", ()),
        lambda: numbers(np.ones((3, 1)), "micro", (3,)),
        lambda: numbers([[0.5], [0.5, 0.5]], "p"),
        lambda: whole([[1], [2]], "A part"),
        lambda: element([0.5], [0.5, 1.0], "temperature"),
    ],
    checks.NO_ENTRY: [
        lambda: entries({"ECE": 1}, ("ece",), "before"),
        lambda: entries([1, 2], ("ece",), "before"),
        lambda: entries(Hostile(), ("ece",), "before"),
    ],
    checks.NOT_OF_GRID: [lambda: element(0.7, [0.5, 1.0], "temperature")],
    checks.NOT_WHOLE: [
        lambda: whole([True, False], "A part"),
        lambda: whole(np.array([True, False]), "A part"),
        lambda: whole([0.5, 1.0], "A part"),
        lambda: whole([NAN], "A part"),
        lambda: same_array([0.5, 1], [1, 1], "tp"),
        lambda: same_array([NAN, 1], [1, 1], "tp"),
    ],
    checks.NOT_FINITE: [
        lambda: numbers(NAN, "accuracy", (), finite=True),
        lambda: numbers([0.5, float("inf")], "change", finite=True),
    ],
    checks.NOT_FROM_VALIDATION: [lambda: checks.varies([0.5, 0.5], "The temperature")],
    checks.UNDEFINED: [
        lambda: close([0.5, None], [0.5, NAN], "p"),
        lambda: numbers(np.ma.array([1.0, 2.0], mask=[0, 1]), "p"),
    ],
}


@pytest.mark.parametrize(("told", "case"), [(t, c) for t, cases in FORMS.items() for c in cases])
def test_an_error_of_form_is_told_in_one_fixed_sentence(told, case):
    with pytest.raises(AssertionError) as failure:
        case()
    message = str(failure.value)
    assert [text for text in checks.TOLD if text in message] == [told]
    assert message != told


def test_each_fixed_sentence_is_one_of_those_told():
    assert set(FORMS) == set(checks.TOLD)
    sentences = {
        value
        for name, value in vars(checks).items()
        if name.isupper() and isinstance(value, str) and not name.startswith("_")
    }
    assert sentences == set(checks.TOLD)
    assert all(text[0].isupper() and text.endswith(".") for text in checks.TOLD)


@pytest.mark.parametrize(
    ("actual", "expected"), [([NAN, 0.0], [0.0, 0.0]), (0.3, 0.5), ([2, 1], [1, 2])]
)
def test_a_wrong_value_is_no_error_of_form(actual, expected):
    """NaN where mode "zero" gives 0 is what the test is about: it keeps its misconception."""
    for check in (close, place):
        with pytest.raises(AssertionError) as failure:
            check(*(([actual], expected) if check is place else (actual, expected)), "p")
        assert not [text for text in checks.TOLD if text in str(failure.value)]


def test_a_value_of_the_learners_own_is_not_called_the_expected_one():
    with pytest.raises(AssertionError, match=r"^What P is compared with, entry 1: a text"):
        close([0.5, NAN], [0.5, "nan"], "P")


def test_a_form_that_is_asked_for_passes():
    numbers(sympy.Rational(1, 2), "p", ())
    numbers([0.5, NAN], "p", (2,))
    numbers(torch.ones(2, 3), "p", (2, 3), finite=True)
    assert whole(torch.tensor([3, 1]), "A part").tolist() == [3, 1]
    assert whole([], "A part").tolist() == []
    assert entries({"a": 1, "b": None}, ("b", "a"), "it") == [None, 1]
    assert element(np.float32(1 / 3), [0.25, 1 / 3], "T") == 1
