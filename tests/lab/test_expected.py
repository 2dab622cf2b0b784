"""Every expected value is computed again here, with fractions or mpmath, never with the core."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from glyphlab.expected import TABLE, TEMPERATURES, exact, number

F = Fraction
MP = mpmath.mp.clone()
MP.dps = 50

# ---------------------------------------------------------------------------- inputs, typed in

C = [[5, 1, 0], [0, 3, 1], [1, 0, 2]]
C_Z = [[4, 2, 0], [1, 3, 0], [1, 1, 0]]
C_F2 = [[6, 1, 0], [0, 4, 0], [1, 1, 2]]
P_PRIME = [F(6, 10), F(3, 10), F(1, 10)]
Z = [["2.0", "0.5", "-0.5"], ["0.2", "1.8", "-0.3"], ["2.5", "1.8", "0.2"]]
Y = [0, 1, 1]


# -------------------------------------------------------------------- confusion, with fractions


def divide(numerator, denominator, mode):
    if denominator == 0:
        return F(0) if mode == "zero" else None
    return F(numerator) / F(denominator)


def mean_of_defined(values):
    kept = [v for v in values if v is not None]
    return sum(kept, F(0)) / len(kept)


def harmonic(a, b):
    return 2 * a * b / (a + b)


def counts(matrix):
    n = len(matrix)
    total = sum(map(sum, matrix))
    rows = [sum(row) for row in matrix]
    columns = [sum(row[j] for row in matrix) for j in range(n)]
    tp = [matrix[i][i] for i in range(n)]
    fp = [columns[i] - tp[i] for i in range(n)]
    fn = [rows[i] - tp[i] for i in range(n)]
    tn = [
        sum(matrix[a][b] for a in range(n) for b in range(n) if i not in (a, b)) for i in range(n)
    ]
    return {
        "total": total,
        "trace": sum(tp),
        "support": rows,
        "predicted": columns,
        "true_positive": tp,
        "false_positive": fp,
        "false_negative": fn,
        "true_negative": tn,
    }


def per_class(matrix, mode):
    c = counts(matrix)
    tp, predicted, support = c["true_positive"], c["predicted"], c["support"]
    p = [divide(a, b, mode) for a, b in zip(tp, predicted, strict=True)]
    r = [divide(a, b, mode) for a, b in zip(tp, support, strict=True)]
    f1 = []
    for a, b in zip(p, r, strict=True):
        if a is None or b is None:
            f1.append(None)
        else:
            f1.append(F(0) if a + b == 0 else harmonic(a, b))
    return {
        "precision": p,
        "recall": r,
        "f1": f1,
        "macro_precision": mean_of_defined(p),
        "macro_recall": mean_of_defined(r),
        "macro_f1": mean_of_defined(f1),
    }


def micro(matrix):
    c = counts(matrix)
    tp, fp, fn = (sum(c[k]) for k in ("true_positive", "false_positive", "false_negative"))
    p, r = F(tp, tp + fp), F(tp, tp + fn)
    return {"micro_precision": p, "micro_recall": r, "micro_f1": harmonic(p, r)}


def averaged(values):
    return [sum(v is not None for v in values[k]) for k in ("precision", "recall", "f1")]


def prevalence(matrix):
    c = counts(matrix)
    return [F(n, c["total"]) for n in c["support"]]


def reweighted_accuracy(matrix):
    return sum(
        p * F(row[i], sum(row)) for i, (p, row) in enumerate(zip(P_PRIME, matrix, strict=True))
    )


def transposed(matrix):
    return [list(column) for column in zip(*matrix, strict=True)]


def prefixed(prefix, values):
    return {f"{prefix}.{k}": v for k, v in values.items()}


def whole_matrix(name, matrix):
    c = counts(matrix)
    return prefixed(name, {**c, **micro(matrix), "accuracy": F(c["trace"], c["total"])})


def confusion_values():
    opening = [[50, 0, 0], [6, 0, 0], [4, 0, 0]]
    o = per_class(opening, "zero")
    out = {
        "opening.accuracy": F(50, 60),
        "opening.recall": o["recall"],
        "opening.macro_recall": o["macro_recall"],
        "opening.prevalence": prevalence(opening),
    }
    c = per_class(C, "omit")
    out |= whole_matrix("C", C) | prefixed("C", c)
    out["C.sum_precision"] = sum(c["precision"])
    out["C.micro_false_positive"] = sum(counts(C)["false_positive"])
    out["C.micro_false_negative"] = sum(counts(C)["false_negative"])
    out["C.prevalence"] = prevalence(C)

    omit, zero = per_class(C_Z, "omit"), per_class(C_Z, "zero")
    out |= whole_matrix("C_z", C_Z) | prefixed("C_z.omit", omit) | prefixed("C_z.zero", zero)
    out["C_z.prevalence"] = prevalence(C_Z)
    out["C_z.omit.averaged"], out["C_z.zero.averaged"] = averaged(omit), averaged(zero)
    for which in ("precision", "recall", "f1"):
        out[f"C_z.omit.sum_{which}"] = sum(v for v in omit[which] if v is not None)
    out["C_z.omit.harmonic"] = harmonic(omit["macro_precision"], omit["macro_recall"])
    first_two = [sum(omit[k][:2]) / 2 for k in ("precision", "recall")]
    out["C_z.first_two.harmonic"] = harmonic(*first_two)
    swapped = per_class(transposed(C_Z), "zero")
    out["C_z.zero.swapped_macro_precision"] = swapped["macro_precision"]
    out["C_z.zero.swapped_macro_recall"] = swapped["macro_recall"]
    out["C_z.zero.harmonic"] = harmonic(swapped["macro_precision"], swapped["macro_recall"])

    out |= whole_matrix("C_F2", C_F2) | prefixed("C_F2", per_class(C_F2, "raise"))
    return out | reweighting_values() | errata_of_23_1()


def reweighting_values():
    matrix = [[p * F(n, sum(row)) for n in row] for p, row in zip(P_PRIME, C, strict=True)]
    return prefixed("reweighting.C", {**per_class(matrix, "omit"), "confusion": matrix}) | {
        "reweighting.prevalence": P_PRIME,
        "reweighting.C.accuracy": reweighted_accuracy(C),
        "reweighting.C_z.accuracy": reweighted_accuracy(C_Z),
        "reweighting.majority": max(P_PRIME),
    }


def errata_of_23_1():
    e8 = per_class([[2, 0], [0, 0]], "omit")
    e9 = [[9, 0, 0], [1, 0, 0], [1, 0, 0]]
    return {
        "E8.omit.macro_precision": e8["macro_precision"],
        "E8.omit.macro_recall": e8["macro_recall"],
        "E8.omit.macro_f1": e8["macro_f1"],
        "E8.omit.averaged": averaged(e8),
        "E8.first_clause_macro_f1": (e8["f1"][0] + 0) / 2,
        "E9.accuracy": F(9, 11),
        "E9.macro_recall": per_class(e9, "zero")["macro_recall"],
    }


# ------------------------------------------------------------------- calibration, with fractions


def ece(confidence, correct, n_bins, closed="left"):
    """The definition, bin by bin: edges k/n as exact numbers, first or last bin closed twice."""
    total = 0
    for k in range(n_bins):
        low, high = F(k, n_bins), F(k + 1, n_bins)
        if isinstance(confidence[0], MP.mpf):
            low, high = MP.mpf(k) / n_bins, MP.mpf(k + 1) / n_bins
        if closed == "left":
            inside = [low <= c < high or (k == n_bins - 1 and c == 1) for c in confidence]
        else:
            inside = [low < c <= high or (k == 0 and c == 0) for c in confidence]
        members = [i for i, yes in enumerate(inside) if yes]
        total += abs(sum(confidence[i] - correct[i] for i in members))
    return total / len(confidence)


def calibration_values():
    cost_fp, cost_fn = 1, 5
    wrong_one_hot = (F(1) - 0) ** 2 + (F(0) - 1) ** 2
    # E11, three equally likely predictions and their truths, in tenths.
    predictions, truths = [(1, 3, 6), (1, 5, 4), (3, 3, 4)], [(2, 2, 6), (0, 5, 5), (3, 4, 3)]
    pairs = zip(predictions, truths, strict=True)
    at_two_fifths = [F(t[p.index(4)], 10) for p, t in pairs if max(p) == 4]
    assert len(at_two_fifths) == 1
    return {
        "E11.confidence": F(4, 10),
        "E11.accuracy": at_two_fifths[0],
        "brier.range": [F(0), wrong_one_hot],
        "cost.threshold": F(cost_fp, cost_fp + cost_fn),
        "E18.ece[left]": ece([F(8, 10), F(7, 10)], [0, 1], 5, "left"),
        "E18.ece[right]": ece([F(8, 10), F(7, 10)], [0, 1], 5, "right"),
        "E31.ece": ece([F(1), F(1)], [1, 0], 5),
        "accurate_miscalibrated.accuracy": F(90, 100),
        "accurate_miscalibrated.ece": ece(
            [F(99, 100)] * 90 + [F(51, 100)] * 10, [1] * 90 + [0] * 10, 5
        ),
        "E14.confidence[1]": [F(6, 6 + 1 + 1), F(20, 20 + 5 + 1)],
        "E14.confidence[0.5]": [F(6**2, 6**2 + 1 + 1), F(20**2, 20**2 + 5**2 + 1)],
        "two_two_one.softmax[0]": [F(1, 2), F(1, 2), F(0)],
        "two_two_one.softmax[inf]": [F(1, 3)] * 3,
    }


# ------------------------------------------------------------------ three samples, with mpmath


def softmax(z, t):
    powers = [MP.exp(v / t) for v in z]
    return [p / sum(powers) for p in powers]


def at_temperature(t):
    rows = [[MP.mpf(v) for v in z] for z in Z]
    probabilities = [softmax(z, t) for z in rows]
    losses = [-MP.log(p[k]) for p, k in zip(probabilities, Y, strict=True)]
    brier = [
        sum((p[j] - (j == k)) ** 2 for j in range(3)) for p, k in zip(probabilities, Y, strict=True)
    ]
    return {
        "softmax": probabilities,
        "sample_log_loss": losses,
        "log_loss": sum(losses) / 3,
        "brier": sum(brier) / 3,
        "confidence": [max(p) for p in probabilities],
    }


def log_loss_at(t):
    return at_temperature(t)["log_loss"]


def minimiser(function, start):
    """Where the numerical derivative vanishes: no closed form of the gradient is used."""
    with MP.workdps(90):
        return MP.findroot(lambda t: MP.diff(function, t), MP.mpf(start))


def three_samples_values():
    t_star = minimiser(log_loss_at, "0.7")
    t_brier = minimiser(lambda t: at_temperature(t)["brier"], "0.95")
    places = {f"{t:g}": MP.mpf(t) for t in TEMPERATURES}
    out = {"three_samples.T_star": t_star, "three_samples.T_brier": t_brier}
    for place, t in {**places, "T_star": t_star, "T_brier": t_brier}.items():
        for quantity, value in at_temperature(t).items():
            out[f"three_samples.{quantity}[{place}]"] = value
        with MP.workdps(90):
            out[f"three_samples.gradient[{place}]"] = MP.diff(log_loss_at, t)
    out["three_samples.log_loss[0.7]"] = log_loss_at(MP.mpf(7) / 10)
    default = ["0.5", "0.75", "1", "1.25", "1.5", "2"]
    grids = {
        "default": default,
        "with_quarter": ["0.25", *default],
        "three": ["0.5", "1", "2"],
        "linspace": [str(F(5 + k, 10).limit_denominator()) for k in range(26)],
    }
    for name, grid in grids.items():
        best = min(
            (F(t) for t in grid), key=lambda t: log_loss_at(MP.mpf(t.numerator) / t.denominator)
        )
        out[f"three_samples.best[{name}]"] = best
    confidence = at_temperature(MP.mpf(1))["confidence"]
    correct = [1, 1, 0]
    out["three_samples.accuracy"] = F(sum(correct), 3)
    out["three_samples.mean_confidence"] = sum(confidence) / 3
    for n in (5, 10, 15):
        left, right = (ece(confidence, correct, n, closed) for closed in ("left", "right"))
        assert left == right
        out[f"three_samples.ece[{n}]"] = left
    return out


def other_logits():
    near, far = [[MP.mpf(1) / 10 + shift, MP.mpf(shift)] for shift in (0, 10)]
    assert MP.almosteq(softmax(near, 1)[0], softmax(far, 1)[0])
    return {
        "two_two_one.softmax[1]": softmax([2, 2, 1], MP.mpf(1)),
        "two_two_one.softmax[0.5]": softmax([2, 2, 1], MP.mpf("0.5")),
        "ood.softmax": softmax(near, 1),
        "ood.energy": [-MP.log(sum(MP.exp(v) for v in z)) for z in (near, far)],
    }


@pytest.fixture(scope="module")
def recomputed():
    return confusion_values() | calibration_values() | three_samples_values() | other_logits()


# ------------------------------------------------------------------------------------- the tests


def agrees(value, again):
    if isinstance(value, tuple):
        return len(value) == len(again) and all(map(agrees, value, again))
    if value is None or again is None:
        return value is again
    if isinstance(value, Fraction):
        if isinstance(again, MP.mpf):  # a derivative that vanishes
            return abs(again - MP.mpf(value.numerator) / value.denominator) < MP.mpf("1e-35")
        return value == again
    half_a_unit = MP.mpf(10) ** value.as_tuple().exponent / 2
    return abs(MP.mpf(str(value)) - again) <= half_a_unit * (1 + MP.mpf("1e-9"))


def test_every_value_is_recomputed(recomputed):
    assert recomputed.keys() == TABLE.keys()


@pytest.mark.parametrize("name", TABLE)
def test_value_agrees(name, recomputed):
    assert agrees(exact(name), recomputed[name]), (exact(name), recomputed[name])


def leaves(value):
    if isinstance(value, tuple):
        for v in value:
            yield from leaves(v)
    else:
        yield value


@pytest.mark.parametrize("name", TABLE)
def test_form(name):
    entry = TABLE[name]
    assert entry.where.startswith(("23.1 §", "23.2 §"))
    for value in leaves(entry.value):
        assert value is None or isinstance(value, Fraction | Decimal)
        if isinstance(value, Decimal):
            assert len(value.as_tuple().digits) == 30


def test_the_comparison_can_fail():
    assert not agrees(F(1, 3), F(1, 4))
    assert not agrees(Decimal("0.704528124866494164428913164582"), exact_mp("three_samples.T_star"))
    assert not agrees((F(1), None), [F(1), F(0)])


def exact_mp(name):
    return MP.mpf(str(exact(name)))


# The digits that the course's table of worked values prints, typed in; half a unit in the last
# place is allowed. One printed digit string a line: name, or name and index.
PRINTED = {
    "C_z.omit.harmonic": "0.521929824561",
    "two_two_one.softmax[1]": "0.4223188 0.4223188 0.1553624",
    "two_two_one.softmax[0.5]": "0.46831053 0.46831053 0.06337894",
    "ood.softmax": "0.52497919 0.47502081",
    "ood.energy": "-0.7444 -10.7444",
    "three_samples.T_star": "0.704528124866494",
    "three_samples.T_brier": "0.950089009449",
    "three_samples.log_loss[T_star]": "0.539015699830434",
    "three_samples.brier[T_star]": "0.367948841722",
    "three_samples.brier[T_brier]": "0.349657440229",
    "three_samples.ece[5]": "0.0491593730937",
    "three_samples.ece[10]": "0.368330754358",
    "three_samples.ece[15]": "0.368330754358",
    "three_samples.mean_confidence": "0.716",
    "three_samples.sample_log_loss[1]": "0.266368 0.280924 1.168029",
    "three_samples.sample_log_loss[0.5]": "0.054985 0.054259 1.628448",
    "three_samples.log_loss[0.25]": "0.954511229491",
    "three_samples.log_loss[0.5]": "0.579230838347",
    "three_samples.log_loss[0.75]": "0.540198506594",
    "three_samples.log_loss[1]": "0.571773723732",
    "three_samples.log_loss[1.25]": "0.617273385011",
    "three_samples.log_loss[1.5]": "0.661606325502",
    "three_samples.log_loss[2]": "0.735268230777",
    "three_samples.gradient[0.25]": "-3.48112560651",
    "three_samples.gradient[0.5]": "-0.488009825937",
    "three_samples.gradient[0.75]": "0.0498333985544",
    "three_samples.gradient[1]": "0.171280650407",
    "three_samples.gradient[1.25]": "0.184178069717",
    "three_samples.gradient[1.5]": "0.16844640885",
    "three_samples.gradient[2]": "0.12686621174",
    "three_samples.brier[0.25]": "0.59237842158",
    "three_samples.brier[0.5]": "0.429651647185",
    "three_samples.brier[0.75]": "0.361080832353",
    "three_samples.brier[1]": "0.35016607685",
    "three_samples.brier[1.25]": "0.363068109239",
    "three_samples.brier[1.5]": "0.383536997346",
    "three_samples.brier[2]": "0.425303392062",
    "three_samples.confidence[0.25]": "0.9974822 0.9981171 0.9425860",
    "three_samples.confidence[0.5]": "0.9464991 0.9471870 0.7957673",
    "three_samples.confidence[0.75]": "0.8539642 0.8479952 0.6945328",
    "three_samples.confidence[1]": "0.7661572 0.7550857 0.6262352",
    "three_samples.confidence[1.25]": "0.6961221 0.6828683 0.5780258",
    "three_samples.confidence[1.5]": "0.6423618 0.6286340 0.5426218",
    "three_samples.confidence[2]": "0.5685464 0.5557820 0.4947250",
    "three_samples.softmax[1]": (
        "0.7661572066 0.1709527802 0.06289001325 0.152449178 0.7550857215 0.09246510049 "
        "0.6262351912 0.3109791927 0.06278561617"
    ),
}


@pytest.mark.parametrize("name", PRINTED)
def test_printed_digits(name):
    values = list(leaves(exact(name)))
    printed = [Decimal(p) for p in PRINTED[name].split()]
    assert len(values) == len(printed)
    for value, digits in zip(values, printed, strict=True):
        if isinstance(value, Fraction):
            value = Decimal(value.numerator) / Decimal(value.denominator)
        unit = Decimal(1).scaleb(digits.as_tuple().exponent)
        assert abs(value - digits) <= unit * Decimal("0.5000001"), (value, digits)


# The fractions that the course's table prints.
PRINTED_FRACTIONS = {
    "C.accuracy": "10/13",
    "C.macro_f1": "3/4",
    "C_z.accuracy": "7/12",
    "C_z.omit.macro_precision": "7/12",
    "C_z.omit.macro_recall": "17/36",
    "C_z.omit.macro_f1": "19/30",
    "C_z.zero.macro_precision": "7/18",
    "C_z.zero.macro_recall": "17/36",
    "C_z.zero.macro_f1": "19/45",
    "C_z.omit.harmonic": "119/228",
    "C_z.zero.harmonic": "119/279",
    "opening.accuracy": "5/6",
    "opening.macro_recall": "1/3",
    "C_F2.accuracy": "4/5",
    "C_F2.macro_precision": "53/63",
    "C_F2.macro_recall": "11/14",
    "C_F2.macro_f1": "244/315",
    "reweighting.C.accuracy": "19/24",
    "reweighting.C_z.accuracy": "5/8",
    "reweighting.C.macro_precision": "7427/10608",
    "reweighting.C.macro_recall": "3/4",
    "reweighting.C.macro_f1": "26549/36975",
    "cost.threshold": "1/6",
    "accurate_miscalibrated.ece": "0.06",
    "three_samples.best[default]": "0.75",
    "three_samples.best[with_quarter]": "0.75",
    "three_samples.best[three]": "1",
    "three_samples.best[linspace]": "0.7",
}


@pytest.mark.parametrize("name", PRINTED_FRACTIONS)
def test_printed_fractions(name):
    assert exact(name) == F(PRINTED_FRACTIONS[name])


def test_number():
    assert number("C.accuracy") == 10 / 13
    np.testing.assert_array_equal(number("C_z.omit.f1"), [2 / 3, 3 / 5, np.nan])
    assert number("three_samples.softmax[1]").shape == (3, 3)
    assert number("three_samples.softmax[1]").dtype == np.float64
    with pytest.raises(KeyError, match="no_such"):
        number("no_such")
