"""Bugs that were reported against other libraries, each with its source, in ``cases.json``.

A case's ``input`` is executed, its ``feature`` evaluated with the short names below, and the result
compared with ``expected``: ``"raises"`` stands for a ValueError or ZeroDivisionError, ``"inf"`` for
plus infinity. The short names adapt the wording of a case to the package and compute nothing.
"""

import builtins
import json
from math import inf
from pathlib import Path

import numpy as np
import pytest

import glyphlab_core as g

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))


def per_class(position):
    return lambda C, mode="omit": g.precision_recall_from_confusion(np.asarray(C), mode)[position]


def binning(edges, closed="left"):
    return g.Binning(tuple(float(e) for e in edges), closed=closed)


def macro(values):
    values = np.asarray(values, float)
    return float(values[~np.isnan(values)].mean())


def micro(C):
    metrics = g.core_metrics(np.asarray(C))
    return [metrics[name] for name in ("micro_precision", "micro_recall", "micro_f1")]


NAMES = {
    "np": np,
    "g": g,
    "confusion": g.confusion_matrix,
    "accuracy": lambda C: g.core_metrics(np.asarray(C))["accuracy"],
    "precision": per_class(0),
    "recall": per_class(1),
    "f1": per_class(2),
    "macro": macro,
    "micro": micro,
    "reweighted_accuracy": lambda C, prevalence: g.reweighted_accuracy(np.asarray(C), prevalence),
    "softmax": g.softmax,
    "log_loss": g.log_loss,
    "brier": g.brier_score,
    "edges": lambda n: g.Binning.uniform(n).edges,
    "ece": lambda c, a, edges, closed="left": g.expected_calibration_error(
        c, a, binning(edges, closed)
    ),
    "classwise_ece": lambda P, y, edges, closed="left": g.classwise_calibration_error(
        P, y, binning(edges, closed)
    ),
    "fit_temperature": g.optimal_temperature,
    "energy": g.energy_score,
    "tau": g.cost_threshold,
    **{name: getattr(builtins, name) for name in ("round", "float", "list", "str", "int", "len")},
}


def test_ids_are_unique_and_every_case_has_a_source():
    assert len({case["id"] for case in CASES}) == len(CASES) > 30
    for case in CASES:
        assert set(case) == {"id", "source", "feature", "input", "expected", "note"}, case["id"]
        assert case["source"].strip()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case):
    names = dict(NAMES)
    wanted = case["expected"]
    exec(case["input"], names)
    if wanted == "raises":
        with pytest.raises((ValueError, ZeroDivisionError)):
            eval(case["feature"], names)
        return
    actual = eval(case["feature"], names)
    if wanted == "inf":
        assert actual == inf
    elif isinstance(wanted, str):
        assert actual == wanted
    else:
        np.testing.assert_allclose(
            np.asarray(actual, float), np.asarray(wanted, float), rtol=1e-9, atol=1e-9
        )
