"""Bins: every confidence in exactly one of them, on the right side of every edge, in every type."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import glyphlab_core as g

from . import reference

CLOSED = ("left", "right")
FLOATS = (np.float16, np.float32, np.float64)
SIZES = [1, 2, 3, 5, 7, 10, 15, 20, 49, 100, 255, 1000, 4097]


@pytest.mark.parametrize("n", SIZES)
def test_edges_are_the_doubles_nearest_to_k_over_n(n):
    edges = g.Binning.uniform(n).edges
    assert edges == tuple(float(Fraction(k, n)) for k in range(n + 1))
    assert len(g.Binning.uniform(n)) == n == len(edges) - 1


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", SIZES)
def test_edges_and_their_neighbours(n, dtype, closed):
    """k/n, the next number below and the next above, in the type the confidences have."""
    exact = (np.arange(n + 1) / n).astype(dtype)
    bins = g.Binning.uniform(n, closed)
    below = np.nextafter(exact[1:], dtype(0))
    above = np.nextafter(exact[:-1], dtype(1))
    k = np.arange(n)
    if len(np.unique(exact)) == n + 1:
        assert (bins.index(exact[:-1]) == (k if closed == "left" else np.maximum(k - 1, 0))).all()
        assert (
            bins.index(exact[1:]) == (np.minimum(k + 1, n - 1) if closed == "left" else k)
        ).all()
    # Every index is the reference's, also where rounding makes edges fall together.
    for values in (exact, below, above):
        for value, found in list(zip(values, bins.index(values), strict=True))[:: max(1, n // 100)]:
            assert found == searched(value, exact, closed)


def searched(value, edges, closed):
    """The bin by counting inner edges at or below (left) or strictly below (right) the value."""
    inner = [float(e) for e in edges[1:-1]]
    return sum(e <= float(value) if closed == "left" else e < float(value) for e in inner)


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("n", [1, 3, 5, 10, 15])
@pytest.mark.parametrize("kind", ["bfloat16", "float16", "float32", "float64"])
def test_torch_tensors_have_edges_of_their_type(kind, n, closed):
    edges = (torch.arange(n + 1, dtype=torch.float64) / n).to(getattr(torch, kind))
    wanted = np.arange(n) if closed == "left" else np.maximum(np.arange(n) - 1, 0)
    bins = g.Binning.uniform(n, closed)
    np.testing.assert_array_equal(bins.index(edges[:-1]), wanted)
    np.testing.assert_array_equal(bins.index(edges[:-1].requires_grad_()), wanted)


def test_a_list_of_float32_has_edges_of_float32():
    values = [np.float32(0.7), np.float32(0.6), np.float32(0.1)]
    np.testing.assert_array_equal(g.Binning.uniform(10).index(values), [7, 6, 1])
    assert g.decide(values, 0.7).tolist() == [True, False, False]


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("dtype", FLOATS)
def test_every_float16_is_in_the_bin_it_belongs_to(dtype, closed):
    """All 15,361 half-precision numbers of [0, 1], with edges that they can and cannot hit."""
    values = np.arange(0x3C01, dtype=np.uint16).view(np.float16).astype(dtype)
    for n in (2, 3, 10, 15, 100):
        edges = (np.arange(n + 1) / n).astype(dtype)
        side = "right" if closed == "left" else "left"
        expected = np.searchsorted(edges[1:-1], values, side=side)
        np.testing.assert_array_equal(g.Binning.uniform(n, closed).index(values), expected)


EDGES = st.lists(st.integers(1, 63), min_size=0, max_size=8, unique=True).map(
    lambda inner: [0.0, *(k / 64 for k in sorted(inner)), 1.0]
)
GRID = st.lists(st.integers(0, 64).map(lambda k: k / 64), min_size=1, max_size=40)


@given(EDGES, GRID, st.sampled_from(CLOSED), st.sampled_from(FLOATS))
def test_any_edges(edges, values, closed, dtype):
    found = g.Binning(edges, closed).index(np.array(values, dtype))
    assert found.tolist() == [reference.bin_of(v, edges, closed) for v in values]


@given(st.integers(1, 400), st.lists(st.floats(0, 1), min_size=1), st.sampled_from(CLOSED))
def test_uniform_bins_of_any_double(n, values, closed):
    """The multiplication that finds a bin agrees with a search among the edges."""
    bins = g.Binning.uniform(n, closed)
    for value, found in zip(values, bins.index(values), strict=True):
        assert found == reference.bin_of(value, bins.edges, closed)


@pytest.mark.parametrize("closed", CLOSED)
def test_edges_outside_the_unit_interval(closed):
    bins = g.Binning((-1e300, -3, 0.5, 7, 1.7e308), closed)
    for dtype in FLOATS:
        found = bins.index(np.array([0, 0.5, 1], dtype))
        assert found.tolist() == ([1, 2, 2] if closed == "left" else [1, 1, 2])
    assert g.Binning((-np.finfo(float).max, np.finfo(float).max)).index([0.2]).tolist() == [0]


def test_at_the_outer_edges_the_bins_are_closed():
    for closed in CLOSED:
        bins = g.Binning((0, 0.5, 1), closed)
        assert bins.index([0, 1]).tolist() == [0, 1]


@given(GRID, st.integers(1, 12), st.sampled_from(CLOSED), st.sampled_from(FLOATS))
def test_quantile_bins_never_split_equal_values(values, n, closed, dtype):
    values = np.array(values, dtype)
    bins = g.Binning.quantile(values, n, closed)
    assert 1 <= len(bins) <= n
    found = bins.index(values)
    assert len(np.unique(found)) == len(bins), "no bin is empty"
    for value in np.unique(values):
        assert len(np.unique(found[values == value])) == 1
    if len(np.unique(values)) >= 1:
        order = np.argsort(values, kind="stable")
        assert (np.diff(found[order]) >= 0).all()


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize(("size", "n"), [(100, 4), (101, 7), (12, 12), (1000, 15), (5, 1)])
def test_quantile_bins_of_distinct_values_have_equal_mass(size, n, closed):
    values = np.random.default_rng(size).permutation(np.linspace(0.01, 0.99, size))
    counts = np.bincount(g.Binning.quantile(values, n, closed).index(values), minlength=n)
    assert len(counts) == n
    assert counts.max() - counts.min() <= 1


def test_quantile_cuts_at_the_nearest_place_that_ties_leave():
    # 5 of 10 would be cut inside the run of 0.5; below it lie 2, above it 9 of 10.
    values = [0.1, 0.2, *[0.5] * 7, 0.9]
    assert g.Binning.quantile(values, 2).edges == (0.0, 0.5, 1.0)
    assert g.Binning.quantile(values, 2, "right").edges == (0.0, 0.2, 1.0)
    # Halfway between two places, the lower.
    assert g.Binning.quantile([0.1, 0.5, 0.5, 0.9], 2).edges == (0.0, 0.5, 1.0)
    assert g.Binning.quantile([0.3, 0.3], 5).edges == (0.0, 1.0)
    for closed in CLOSED:
        assert g.Binning.quantile([0.0, 0.0, 1.0, 1.0], 2, closed).edges == (0.0, 0.5, 1.0)
    # No double lies between these and the end: they share a bin.
    assert g.Binning.quantile([np.nextafter(1, 0), 1.0], 2).edges == (0.0, 1.0)
    assert g.Binning.quantile([0.0, 5e-324], 2, "right").edges == (0.0, 1.0)


def test_most_bins():
    assert len(g.Binning.uniform(1_000_000)) == 1_000_000
    with pytest.raises(ValueError, match="n must be at most 1000000: n is 1000001"):
        g.Binning.uniform(1_000_001)


@pytest.mark.parametrize("n", SIZES)
def test_uniform_binnings_know_it(n):
    assert g.Binning.uniform(n).is_uniform
    assert g.Binning([Fraction(k, n) for k in range(n + 1)]).is_uniform


@pytest.mark.parametrize(
    "edges", [(0, 0.4, 1), (0, 0.3, 0.6, 1), (-1, 0.5, 1), (0, np.nextafter(0.5, 1), 1)]
)
def test_other_binnings_are_not_uniform(edges):
    assert not g.Binning(edges).is_uniform


def test_equal_binnings_are_equal():
    assert g.Binning((0, 0.5, 1)) == g.Binning.uniform(2) == g.Binning([0, Fraction(1, 2), 1])
    assert hash(g.Binning(np.array([0, 0.5, 1]))) == hash(g.Binning.uniform(2))
    assert g.Binning.uniform(2) != g.Binning.uniform(2, "right")


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ((0,), "edges must be at least two, not 1"),
        ((0, 0.5, 0.5, 1), r"edges must strictly increase: edges\[2\] is 0.5"),
        ((0, 0.7, 0.5, 1), r"edges must strictly increase: edges\[2\] is 0.5"),
        ((0.1, 1), r"edges must cover \[0, 1\]: they run from 0.1 to 1"),
        ((0, 0.5, 0.9), r"edges must cover \[0, 1\]: they run from 0.0 to 0.9"),
        ((0, np.nan, 1), r"edges must be finite: edges\[1\] is nan"),
        ((-np.inf, 1), r"edges must be finite: edges\[0\] is -inf"),
        ("abc", "edges must be an array of numbers"),
        (5, r"edges must be one-dimensional, not of shape \(\)"),
        (None, "edges must hold numbers: edges is None"),
        ([[0, 1]], "edges must be one-dimensional"),
    ],
)
def test_refused_edges(edges, message):
    with pytest.raises(ValueError, match=message):
        g.Binning(edges)


@pytest.mark.parametrize(
    "closed", ["both", None, 1, ["left"], "Left", np.array(["left", "right"])], ids=str
)
def test_refused_closedness(closed):
    for make in (
        lambda: g.Binning((0, 1), closed),
        lambda: g.Binning.uniform(3, closed),
        lambda: g.Binning.quantile([0.2, 0.7], 2, closed),
    ):
        with pytest.raises(ValueError, match="closed must be 'left' or 'right'"):
            make()


@pytest.mark.parametrize("n", [0, -3, 1.5, "5", None, True, [1, 2], 10**13, np.nan, np.inf])
def test_refused_number_of_bins(n):
    for make in (g.Binning.uniform, lambda n: g.Binning.quantile([0.5], n)):
        with pytest.raises(ValueError, match=r"^n must"):
            make(n)


REFUSED_CONFIDENCES = [
    ([0.5, 1.2], r"confidence must lie in \[0, 1\]: confidence\[1\] is 1.2"),
    ([0.5, -1e-300], r"confidence\[1\] is -1e-300"),
    ([np.nan, 0.5], r"confidence must lie in \[0, 1\]: confidence\[0\] is nan"),
    ([], "confidence must not be empty"),
    ([[0.5]], "confidence must be one-dimensional"),
    ("x", "confidence must be an array of numbers"),
]


@pytest.mark.parametrize(("confidence", "message"), REFUSED_CONFIDENCES)
def test_refused_confidences(confidence, message):
    bins = g.Binning.uniform(2)
    for function in (
        bins.index,
        lambda c: g.Binning.quantile(c, 2),
        lambda c: g.reliability_table(c, np.ones(np.shape(c)), bins),
        lambda c: g.expected_calibration_error(c, np.ones(np.shape(c)), bins),
        lambda c: g.maximum_calibration_error(c, np.ones(np.shape(c)), bins),
        lambda c: g.brier_decomposition(c, np.ones(np.shape(c)), bins),
    ):
        with pytest.raises(ValueError, match=message):
            function(confidence)


class Column:
    """A column of a table library: a type of its own, which becomes a NumPy array."""

    dtype = "float[pyarrow]"

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


def test_the_array_tells_the_type_of_another_librarys_column():
    """0.7 in float32 is below 0.7; the edge must be rounded as the column was."""
    values = np.array([0.7, 0.3], np.float32)
    assert g.Binning.uniform(10).index(Column(values)).tolist() == [7, 3]
    assert g.decide(Column(values), 0.7).tolist() == [True, False]
    assert g.abstain(Column(values), [1, 1], 0.7).answered.tolist() == [True, False]
    ones = np.full((1, 1000), 0.001, np.float16)  # they sum to 1.0003
    assert g.brier_score(Column(ones), [0]) == g.brier_score(ones, [0])
