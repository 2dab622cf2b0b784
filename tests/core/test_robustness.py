"""Whatever is handed in: a right value, or a clear ValueError or ZeroDivisionError.

Good values in every container and type that can hold them give the same results as plain float64
arrays. Bad ones are put, one at a time, in the place of every argument of every function.
"""

import array
import datetime
import itertools
import warnings
from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import glyphlab_core as g

from . import reference

BINS = g.Binning.uniform(4)
Z = np.array([[2.0, 0.0, -1.0], [0.0, 2.0, 1.0], [3.0, 2.0, 0.0], [1.0, 0.0, 1.0]])
Y = np.array([0, 1, 1, 2])
P = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.75, 0.25, 0.0], [0.125, 0.375, 0.5]])
CONFIDENCE = np.array([0.5, 1.0, 0.75, 0.25])
CORRECT = np.array([1, 1, 0, 1])
COUNTS = np.array([[4, 2, 0], [1, 3, 0], [1, 1, 0]])
SHARES = np.array([0.5, 0.25, 0.25])
GRID = np.array([0.5, 1.0, 2.0, 4.0])
VALUES = np.array([1.0, 0.0, 2.0, 3.0])

# Forty samples of three classes, right often enough for every calibrator to have an optimum.
MANY_Y = np.arange(40) % 3
MANY_Z = np.round(4 * np.random.default_rng(1).normal(scale=2, size=(40, 3))) / 4
MANY_Z[np.arange(40), MANY_Y] += 1.5
KINDS = (
    g.TemperatureScaling,
    g.PlattScaling,
    g.VectorScaling,
    g.MatrixScaling,
    g.IsotonicCalibration,
)

# name: (function, {argument: a good value}); every argument is given by keyword.
FUNCTIONS = {
    "confusion_matrix": (g.confusion_matrix, {"y_true": Y, "y_pred": Y[::-1], "num_classes": 3}),
    "precision_recall_from_confusion": (
        g.precision_recall_from_confusion,
        {"C": COUNTS, "zero_division": "omit"},
    ),
    "core_metrics": (g.core_metrics, {"C": COUNTS, "zero_division": "zero"}),
    "reweighted_accuracy": (g.reweighted_accuracy, {"C": COUNTS, "prevalence": SHARES}),
    "reweighted_confusion": (g.reweighted_confusion, {"C": COUNTS, "prevalence": SHARES}),
    "normalize_confusion": (g.normalize_confusion, {"C": COUNTS, "over": "pred"}),
    "softmax": (g.softmax, {"logits": Z, "temperature": 2.0}),
    "log_loss": (g.log_loss, {"logits": Z, "y": Y, "temperature": 2.0}),
    "energy_score": (g.energy_score, {"logits": Z, "temperature": 2.0}),
    "brier_score": (g.brier_score, {"probabilities": P, "y": Y}),
    "brier_decomposition": (
        g.brier_decomposition,
        {"confidence": CONFIDENCE, "correct": CORRECT, "binning": BINS},
    ),
    "confidence_and_correctness": (g.confidence_and_correctness, {"probabilities": P, "y": Y}),
    "reliability_table": (
        g.reliability_table,
        {"confidence": CONFIDENCE, "correct": CORRECT, "binning": BINS},
    ),
    "expected_calibration_error": (
        g.expected_calibration_error,
        {"confidence": CONFIDENCE, "correct": CORRECT, "binning": BINS},
    ),
    "maximum_calibration_error": (
        g.maximum_calibration_error,
        {"confidence": CONFIDENCE, "correct": CORRECT, "binning": BINS},
    ),
    "classwise_calibration_error": (
        g.classwise_calibration_error,
        {"probabilities": P, "y": Y, "binning": BINS},
    ),
    "Binning": (g.Binning, {"edges": np.array([0.0, 0.25, 1.0]), "closed": "right"}),
    "Binning.uniform": (g.Binning.uniform, {"n": 5, "closed": "left"}),
    "Binning.quantile": (g.Binning.quantile, {"confidence": CONFIDENCE, "n": 2, "closed": "left"}),
    "Binning.index": (BINS.index, {"confidence": CONFIDENCE}),
    "fit_temperature": (g.fit_temperature, {"logits": Z, "y": Y, "grid": GRID}),
    "temperature_curve": (g.temperature_curve, {"logits": Z, "y": Y, "grid": GRID}),
    "temperature_gradient": (g.temperature_gradient, {"logits": Z, "y": Y, "temperature": 2.0}),
    "optimal_temperature": (g.optimal_temperature, {"logits": Z, "y": Y}),
    "cost_threshold": (g.cost_threshold, {"false_positive_cost": 1.0, "false_negative_cost": 3.0}),
    "decide": (g.decide, {"probability": CONFIDENCE, "threshold": 0.5}),
    "expected_cost": (
        g.expected_cost,
        {
            "probability": CONFIDENCE,
            "y": CORRECT,
            "threshold": 0.5,
            "false_positive_cost": 1.0,
            "false_negative_cost": 2.0,
        },
    ),
    "risk_coverage_curve": (
        g.risk_coverage_curve,
        {"confidence": CONFIDENCE, "correct": CORRECT},
    ),
    "area_under_risk_coverage": (
        g.area_under_risk_coverage,
        {"confidence": CONFIDENCE, "correct": CORRECT},
    ),
    "abstain": (
        g.abstain,
        {"confidence": CONFIDENCE, "correct": CORRECT, "threshold": 0.5},
    ),
    **{
        f"{kind.__name__}.fit": (
            lambda logits, y, kind=kind: kind().fit(logits, y).predict_proba(Z),
            {"logits": MANY_Z, "y": MANY_Y},
        )
        for kind in KINDS
    },
    **{
        f"{kind.__name__}.predict_proba": (
            kind().fit(MANY_Z, MANY_Y).predict_proba,
            {"logits": Z},
        )
        for kind in KINDS
    },
    "cross_validated_temperature": (
        lambda logits, y, groups, folds, seed: (
            g.cross_validated_temperature(logits, y, groups, folds=folds, seed=seed).temperature
        ),
        {
            "logits": MANY_Z,
            "y": MANY_Y,
            "groups": np.arange(40) // 4,
            "folds": 3,
            "seed": 1,
        },
    ),
    "threshold_sweep": (g.threshold_sweep, {"probability": CONFIDENCE, "y": CORRECT}),
    "group_bootstrap": (
        lambda statistic, groups, values, n_resamples, level, seed: g.group_bootstrap(
            statistic, groups, values, n_resamples=n_resamples, level=level, seed=seed
        ),
        {
            "statistic": g.AdditiveStatistic.mean(),
            "groups": np.array([0, 0, 1, 2]),
            "values": VALUES,
            "n_resamples": 9,
            "level": 0.9,
            "seed": 3,
        },
    ),
    "paired_group_bootstrap": (
        g.paired_group_bootstrap,
        {
            "statistic": np.mean,
            "groups": np.array([0, 0, 1, 2]),
            "first": (VALUES,),
            "second": (VALUES[::-1],),
            "n_resamples": 9,
            "level": 0.9,
            "seed": 3,
        },
    ),
}


def plain(result):
    """A result as nested lists, for comparison."""
    if hasattr(result, "__dataclass_fields__"):
        return [plain(getattr(result, name)) for name in result.__dataclass_fields__]
    if isinstance(result, dict):
        return [plain(value) for value in result.values()]
    if isinstance(result, tuple | list):
        return [plain(value) for value in result]
    return result.tolist() if isinstance(result, np.ndarray | np.generic) else result


def agree(actual, wanted, what=""):
    if isinstance(wanted, list):
        assert len(actual) == len(wanted), what
        for a, b in zip(actual, wanted, strict=True):
            agree(a, b, what)
    elif isinstance(wanted, str):
        assert actual == wanted, what
    else:
        same = actual == wanted or (actual != actual and wanted != wanted)
        assert same or abs(actual - wanted) <= 1e-12, what


def called(name, **changed):
    function, arguments = FUNCTIONS[name]
    return function(**{**arguments, **changed})


ARRAYS = [
    (name, argument)
    for name, (_, arguments) in FUNCTIONS.items()
    for argument, value in arguments.items()
    if isinstance(value, np.ndarray)
]
ALL = [(name, argument) for name, (_, arguments) in FUNCTIONS.items() for argument in arguments]


def with_gaps(values):
    """The same numbers as every third row and column of a larger array."""
    room = np.full([3 * n for n in values.shape], 99, values.dtype)
    view = room[tuple(slice(None, None, 3) for _ in values.shape)]
    view[...] = values
    return view


def read_only(values):
    copy = values.copy()
    copy.setflags(write=False)
    return copy


class Subclass(np.ndarray):
    """An array type of someone's own."""


class Convertible:
    """What only knows how to become an array."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype)


CONTAINERS = {
    "list": lambda v: v.tolist(),
    "tuple": lambda v: tuple(v.tolist()),
    "list of arrays": list,
    "deque": lambda v: deque(v.tolist()),
    "Fortran": np.asfortranarray,
    "gaps": with_gaps,
    "reversed": lambda v: np.flip(np.ascontiguousarray(np.flip(v))),
    "read-only": read_only,
    "big-endian": lambda v: v.astype(v.dtype.newbyteorder(">")),
    "masked nowhere": np.ma.array,
    "subclass": lambda v: v.view(Subclass),
    "convertible": Convertible,
    "float16": lambda v: v.astype(np.float16),
    "float32": lambda v: v.astype(np.float32),
    "float64": lambda v: v.astype(np.float64),
    "longdouble": lambda v: v.astype(np.longdouble),
    "object": lambda v: v.astype(object),
    "Fractions": lambda v: np.vectorize(Fraction, otypes=[object])(v.astype(float)),
    "Decimals": lambda v: np.vectorize(Decimal, otypes=[object])(v.astype(float)),
    "array of scalars": lambda v: np.vectorize(np.float32, otypes=[object])(v),
    "torch": torch.tensor,
    "torch bfloat16": lambda v: torch.tensor(v.astype(float)).to(torch.bfloat16),
    "torch float16": lambda v: torch.tensor(v.astype(float)).to(torch.float16),
    "torch float32 with gradient": lambda v: torch.tensor(v.astype(np.float32), requires_grad=True),
    "torch view": lambda v: torch.tensor(np.stack([v, v], axis=-1))[..., 1],
    "torch parameter": lambda v: torch.nn.Parameter(torch.tensor(v.astype(float))),
}


@pytest.mark.parametrize(("name", "argument"), ARRAYS)
def test_any_container_and_type(name, argument):
    value = FUNCTIONS[name][1][argument]
    wanted = plain(called(name))
    for container, make in CONTAINERS.items():
        try:
            result = called(name, **{argument: make(value.copy())})
        except ValueError as error:
            raise AssertionError(f"{container}: {error}") from error
        agree(plain(result), wanted, container)


WHOLE = [pair for pair in ARRAYS if pair[1] in ("y", "y_true", "y_pred", "correct", "C", "groups")]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize(("name", "argument"), WHOLE)
def test_any_integer_type(name, argument):
    wanted = plain(called(name))
    value = FUNCTIONS[name][1][argument]
    for dtype in map(np.dtype, INTEGERS):
        kinds = [value.astype(dtype), value.astype(dtype.newbyteorder(">"))]
        kinds.append(torch.tensor(value.astype(dtype)))
        if value.ndim == 1:
            kinds.append(array.array(dtype.char, value.tolist()))
        for kind in kinds:
            agree(plain(called(name, **{argument: kind})), wanted, f"{dtype} {type(kind)}")


BOOLEAN = [pair for pair in WHOLE if pair[1] == "correct" or pair == ("threshold_sweep", "y")]


@pytest.mark.parametrize(("name", "argument"), BOOLEAN)
def test_booleans(name, argument):
    value = FUNCTIONS[name][1][argument]
    for truth in (
        value.astype(bool),
        value.astype(bool).tolist(),
        torch.tensor(value.astype(bool)),
    ):
        agree(plain(called(name, **{argument: truth})), plain(called(name)))


def test_integers_boolean_and_ranges_where_numbers_are_wanted():
    assert g.softmax(np.eye(2, dtype=bool)).tolist() == g.softmax(np.eye(2)).tolist()
    assert g.log_loss([[0, 255]], [1]) == 0
    assert g.log_loss(np.array([[0, 255]], np.uint8), [0]) == 255
    assert g.log_loss(np.array([[-128, 127]], np.int8), [0]) == 255
    assert g.energy_score(np.array([[2**63 - 1]])).tolist() == [-(2.0**63)]
    assert g.softmax(np.array([[2**64 - 1, 2**64 - 1]], np.uint64)).tolist() == [[0.5, 0.5]]
    assert g.softmax([[10**30, 10**30]]).tolist() == [[0.5, 0.5]]
    assert g.confusion_matrix(range(3), range(3)).tolist() == np.eye(3).tolist()
    assert g.confusion_matrix([True, False], [1, 0]).tolist() == np.eye(2).tolist()
    assert g.brier_score(np.eye(2, dtype=bool), [0, 1]) == 0
    assert g.expected_calibration_error(np.array([0, 1], np.uint8), [0, 1], BINS) == 0
    assert g.core_metrics(np.eye(2, dtype=bool))["accuracy"] == 1
    assert g.Binning([False, True]).edges == (0.0, 1.0)


SCALARS = [
    (name, argument)
    for name, argument in ALL
    if isinstance(FUNCTIONS[name][1][argument], int | float)
]
ONE_NUMBER = [
    np.float16, np.float32, np.float64, np.longdouble, Fraction, Decimal, np.array, torch.tensor,
    lambda v: np.array([v]), lambda v: [v], lambda v: torch.tensor([float(v)], requires_grad=True),
]  # fmt: skip


@pytest.mark.parametrize(("name", "argument"), SCALARS)
def test_any_kind_of_one_number(name, argument):
    value = FUNCTIONS[name][1][argument]
    for make in ONE_NUMBER:
        result = plain(called(name, **{argument: make(value)}))
        if argument != "level":  # 0.9 is another number in a narrow type
            agree(result, plain(called(name)))


BAD = {
    "None": None,
    "string": "abc",
    "bytes": b"abc",
    "empty string": "",
    "number as a string": "1",
    "strings": ["a", "b", "c", "d"],
    "dict": {"a": 1},
    "set": {1, 2},
    "generator": (i for i in range(4)),
    "object": object(),
    "type": int,
    "function": len,
    "complex": 1j,
    "complex array": np.ones(4, complex),
    "complex matrix": np.ones((4, 3), complex),
    "complex tensor": torch.ones(4, dtype=torch.complex64),
    "NaN": float("nan"),
    "NaNs": np.full(4, np.nan),
    "NaN matrix": np.full((4, 3), np.nan),
    "NaN tensor": torch.full((4,), float("nan"), dtype=torch.bfloat16),
    "infinity": float("inf"),
    "infinities": np.full(4, np.inf),
    "infinite matrix": np.full((4, 3), np.inf),
    "minus infinities": np.full(4, -np.inf),
    "masked matrix": np.full((4, 3), -np.inf),
    "-1": -1,
    "negatives": np.full(4, -1),
    "small negatives": np.full(4, -1, np.int8),
    "negative matrix": np.full((3, 3), -1),
    "empty": [],
    "empty rows": [[], []],
    "no rows": np.zeros((0, 3)),
    "no columns": np.zeros((4, 0)),
    "0-d": np.array(7.5),
    "3-d": np.zeros((2, 2, 2)),
    "5-d": np.zeros((1,) * 5),
    "ragged": [[1, 2], [3]],
    "deeply ragged": [[[1], 2], 3],
    "holes": [1.0, None, 2.0, 3.0],
    "matrix with a hole": [[1.0, None], [2.0, 3.0]],
    "words among numbers": [1, "x", 2, 3],
    "numbers as strings": ["1", "2", "3", "4"],
    "datetimes": np.array(["2026-11-30"] * 4, "datetime64[D]"),
    "a datetime": datetime.datetime(2026, 11, 30),
    "timedeltas": np.ones(4, "timedelta64[s]"),
    "structured": np.zeros(4, [("a", float), ("b", int)]),
    "void": np.zeros(4, "V8"),
    "masked": np.ma.array(np.ones(4), mask=[0, 1, 0, 0]),
    "masked constant": np.ma.masked,
    "list with a masked number": [np.ma.masked, 1, 0, 1],
    "too short": [1],
    "too long": np.ones(9),
    "huge": [1e308] * 4,
    "huge matrix": np.full((3, 3), -1e308),
    "beyond a double": [10**400, 1, 1, 1],
    "a decimal beyond a double": [Decimal("-1e400")] * 4,
    "long doubles beyond a double": np.full((4, 3), np.longdouble("-1e400")),
    "signalling NaN": [Decimal("sNaN")] * 4,
    "halves": np.full(4, 0.5),
    "subnormals": np.full(4, 5e-324),
    "minus zeros": np.full(4, -0.0),
    "large integers": np.full(4, 2**64 - 1, np.uint64),
    "sparse tensor": torch.eye(4).to_sparse(),
    "meta tensor": torch.ones(4, device="meta"),
    "a list of tensors with gradient": [torch.tensor(1.0, requires_grad=True)] * 4,
    "recursive": (lambda a: (a.append(a), a)[1])([]),
}
_NAMES = {  # what an argument may be called in a message besides its own name
    "values": ("arrays", "values"),
    "first": ("arrays", "first"),
    "second": ("arrays", "second"),
    "num_classes": ("num_classes", "y_true"),
    "y_pred": ("y_pred", "y_true"),
    "y_true": ("y_true", "y_pred"),
    "correct": ("correct", "confidence"),
    "C": ("C", "prevalence", "precision", "recall"),
    "y": ("y", "logits", "probabilities"),
    "groups": ("groups", "arrays"),
    "logits": ("logits", "y"),
    "probabilities": ("probabilities", "y"),
    "confidence": ("confidence", "correct"),
    "probability": ("probability", "y"),
}


@pytest.mark.parametrize(("name", "argument"), ALL)
def test_anything_else_is_refused_by_name_or_given_a_value(name, argument):
    """Where it is refused, the message names the argument."""
    names = _NAMES.get(argument, (argument,))
    for what, bad in BAD.items():
        if argument == "statistic" and callable(bad):
            continue  # a statistic that fails does so in its own words
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", g.GridEdgeWarning)
            message = None
            try:
                called(name, **{argument: bad})
            except (ValueError, ZeroDivisionError) as error:
                message = str(error)
            except Exception as error:
                raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
        if message is not None:
            assert any(known in message for known in names), f"{what}: {message}"
            assert len(message) < 1000, what
            assert "\n" not in message, what


def test_no_argument_is_changed():
    for name, (function, arguments) in FUNCTIONS.items():
        copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
        function(**copies)
        for argument, value in arguments.items():
            if isinstance(value, np.ndarray):
                np.testing.assert_array_equal(copies[argument], value, err_msg=name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_not_views_of_arguments(name):
    function, arguments = FUNCTIONS[name]
    copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}

    def arrays(result):
        if isinstance(result, np.ndarray):
            yield result
        elif isinstance(result, dict):
            yield from itertools.chain.from_iterable(map(arrays, result.values()))
        elif isinstance(result, tuple):
            yield from itertools.chain.from_iterable(map(arrays, result))
        elif hasattr(result, "__dataclass_fields__"):
            yield from itertools.chain.from_iterable(
                arrays(getattr(result, f)) for f in result.__dataclass_fields__
            )

    for out in arrays(function(**copies)):
        assert out.flags.writeable
        for value in copies.values():
            if isinstance(value, np.ndarray):
                assert not np.shares_memory(out, value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_callers_error_state_does_not_matter(name):
    """Under np.seterr(all="raise") ordinary data give the same results."""
    wanted = plain(called(name))
    with np.errstate(all="raise"):
        agree(plain(called(name)), wanted)


ANY_FLOAT = st.floats() | st.sampled_from([1e308, -1e308, 5e-324, -np.inf, 0.0, -0.0, 1.0, 0.5])


@given(st.lists(st.lists(ANY_FLOAT, min_size=2, max_size=2), min_size=1, max_size=4), st.data())
def test_any_doubles_as_logits(rows, data):
    y = data.draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
    t = data.draw(st.floats(1e-300, 1e300) | st.sampled_from([1.0, 0.5]))
    z = np.array(rows)
    good = not (np.isnan(z).any() or (z == np.inf).any() or (z == -np.inf).all(axis=1).any())
    if not good:
        for function in (g.softmax, g.energy_score):
            with pytest.raises(ValueError, match="logits must"):
                function(z, t)
        with pytest.raises(ValueError, match="logits must"):
            g.log_loss(z, y, t)
        return
    p = g.softmax(z, t)
    assert np.all((p >= 0) & (p <= 1))
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert g.log_loss(z, y, t) >= 0
    assert not np.isnan(g.energy_score(z, t)).any()
    sizes = np.frexp(np.abs(z[np.isfinite(z) & (z != 0)]))[1]
    if sizes.size and sizes.max() > 300 and sizes.max() - sizes.min() > 1375:
        for function in (g.optimal_temperature, lambda z, y: g.temperature_gradient(z, y, t)):
            with pytest.raises(
                ValueError, match=r"so small beside one of size .*: logits\[\d, \d\]"
            ):
                function(z, y)
        return
    if sizes.size and sizes.max() > 300 and sizes.max() - sizes.min() > 1320:
        return  # some digits may be lost, which is refused too
    if np.isneginf(z[np.arange(len(y)), y]).any():
        with pytest.raises(ValueError, match="must not mask a true class"):
            g.temperature_gradient(z, y, t)
    else:
        assert not np.isnan(g.temperature_gradient(z, y, t))
    try:
        best = g.optimal_temperature(z, y)
    except g.NoOptimumError:
        return
    assert 0 < best < np.inf
    least = g.log_loss(z, y, best)
    for factor in (0.5, 2):
        if 0 < factor * best < np.inf:
            assert least <= g.log_loss(z, y, factor * best) * (1 + 1e-12) + 1e-15


@given(st.lists(st.tuples(ANY_FLOAT, ANY_FLOAT), min_size=1, max_size=6))
def test_any_doubles_as_confidence_and_correctness(samples):
    confidence, correct = map(np.array, zip(*samples, strict=True))
    good = np.all((confidence >= 0) & (confidence <= 1)) and np.isin(correct, (0, 1)).all()
    for function in (g.expected_calibration_error, g.maximum_calibration_error):
        if good:
            assert 0 <= function(confidence, correct, BINS) <= 1
        else:
            with pytest.raises(ValueError, match=r"(confidence|correct) must"):
                function(confidence, correct, BINS)


@given(
    st.integers(1, 3).flatmap(
        lambda k: st.lists(st.lists(ANY_FLOAT, min_size=k, max_size=k), min_size=k, max_size=k)
    )
)
def test_any_doubles_as_a_confusion_matrix(rows):
    C = np.array(rows)
    good = np.isfinite(C).all() and (C >= 0).all() and C.any()
    if not good:
        with pytest.raises(ValueError, match="C must"):
            g.core_metrics(C)
        return
    metrics, exact = g.core_metrics(C, "zero"), reference.metrics(rows, "zero")
    for name in ("accuracy", "macro_precision", "macro_recall", "macro_f1"):
        assert reference.same(metrics[name], exact[name], 1e-15)
    assert metrics["prevalence"].sum() == pytest.approx(1)
