"""Slow, exact references: fractions where the value is rational, else mpmath at 50 digits.

Written from the definitions, one Python loop after another, and without the package under test.
"""

from __future__ import annotations

from fractions import Fraction
from math import isnan
from typing import Any

import mpmath

MP = mpmath.mp.clone()
MP.dps = 50


def fractions(values: Any) -> list[Any]:
    """Nested lists of numbers as exact fractions."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, list | tuple | range):
        return [fractions(v) for v in values]
    return Fraction(values)


# ------------------------------------------------------------------------------- confusion matrix


def confusion(y_true: Any, y_pred: Any, k: int) -> list[list[int]]:
    """Rows true, columns predicted."""
    cells = [[0] * k for _ in range(k)]
    for t, p in zip(y_true, y_pred, strict=True):
        cells[int(t)][int(p)] += 1
    return cells


def ratio(numerator: Fraction, denominator: Fraction, mode: str) -> Fraction | None:
    """None where it is undefined and left out."""
    if denominator == 0:
        if mode == "raise":
            raise ZeroDivisionError
        return Fraction(0) if mode == "zero" else None
    return numerator / denominator


def f1(precision: Fraction | None, recall: Fraction | None) -> Fraction | None:
    """Harmonic mean; 0 where both are 0, undefined where either is."""
    if precision is None or recall is None:
        return None
    total = precision + recall
    return 2 * precision * recall / total if total else Fraction(0)


def mean(values: list[Any]) -> Fraction | None:
    """Mean of what is defined."""
    kept = [v for v in values if v is not None]
    return sum(kept, Fraction(0)) / len(kept) if kept else None


def metrics(matrix: Any, mode: str = "omit") -> dict[str, Any]:
    """Every metric of a confusion matrix, exactly."""
    cells = fractions(matrix)
    k = len(cells)
    total = sum(sum(row) for row in cells)
    hits = [cells[i][i] for i in range(k)]
    supports = [sum(cells[i]) for i in range(k)]
    predicted = [sum(cells[i][j] for i in range(k)) for j in range(k)]
    precision = [ratio(h, n, mode) for h, n in zip(hits, predicted, strict=True)]
    recall = [ratio(h, n, mode) for h, n in zip(hits, supports, strict=True)]
    harmonic = [f1(p, r) for p, r in zip(precision, recall, strict=True)]
    return {
        "accuracy": sum(hits) / total,
        "precision": precision,
        "recall": recall,
        "f1": harmonic,
        "macro_precision": mean(precision),
        "macro_recall": mean(recall),
        "macro_f1": mean(harmonic),
        "prevalence": [n / total for n in supports],
        "averaged": {
            name: sum(v is not None for v in values)
            for name, values in (("precision", precision), ("recall", recall), ("f1", harmonic))
        },
    }


def number(value: Any) -> float:
    """A float; NaN for what is undefined."""
    return float("nan") if value is None else float(value)


# --------------------------------------------------------------------------------- log loss and T


def exp_row(row: Any, temperature: Any) -> list[Any]:
    """exp((z - max)/T) of one row; a masked class gets 0."""
    t = MP.mpf(temperature)
    top = max(MP.mpf(z) for z in row)
    return [MP.exp((MP.mpf(z) - top) / t) for z in row]


def softmax(logits: Any, temperature: Any = 1) -> list[list[Any]]:
    """Probabilities of each row."""
    rows = []
    for row in logits:
        terms = exp_row(row, temperature)
        rows.append([x / sum(terms) for x in terms])
    return rows


def log_loss(logits: Any, y: Any, temperature: Any = 1) -> Any:
    """Mean of -log p of the true class."""
    t = MP.mpf(temperature)
    losses = []
    for row, label in zip(logits, y, strict=True):
        top = max(MP.mpf(z) for z in row)
        losses.append(MP.log(sum(exp_row(row, t))) - (MP.mpf(row[int(label)]) - top) / t)
    return MP.fsum(losses) / len(losses)


def slope(logits: Any, y: Any, beta: Any) -> Any:
    """dL/dβ at β = 1/T, as the mean of E[z] - z_y over unmasked classes."""
    b = MP.mpf(beta)
    total = MP.mpf(0)
    for row, label in zip(logits, y, strict=True):
        allowed = [MP.mpf(z) for z in row if z != float("-inf")]
        top = max(allowed)
        weights = [MP.exp(b * (z - top)) for z in allowed]
        expected = sum(w * z for w, z in zip(weights, allowed, strict=True)) / sum(weights)
        total += expected - MP.mpf(row[int(label)])
    return total / len(y)


def gradient(logits: Any, y: Any, temperature: Any) -> Any:
    """dL/dT = -dL/dβ / T²."""
    t = MP.mpf(temperature)
    return -slope(logits, y, 1 / t) / t**2


def existence(logits: Any, y: Any) -> float | None:
    """The limit that `NoOptimumError` states, or None where a minimiser exists; all exact."""
    rows = [
        [None if z == float("-inf") else Fraction(z) for z in map(float, row)] for row in logits
    ]
    if any(row[int(k)] is None for row, k in zip(rows, y, strict=True)):
        return float("nan")
    open_rows = [[z for z in row if z is not None] for row in rows]
    if all(len(set(row)) == 1 for row in open_rows):
        return float("nan")
    true = [row[int(k)] for row, k in zip(rows, y, strict=True)]
    if all(t == max(row) for t, row in zip(true, open_rows, strict=True)):
        return 0.0
    excess = sum(t - sum(row) / len(row) for t, row in zip(true, open_rows, strict=True))
    return None if excess > 0 else float("inf")


def optimal_temperature(logits: Any, y: Any) -> Any:
    """Bisection on the slope in β between two signs; only where `existence` is None."""
    low, high = MP.mpf(1), MP.mpf(1)
    while slope(logits, y, high) < 0:
        high *= 4
    while slope(logits, y, low) >= 0:
        low /= 4
    for _ in range(160):  # to 48 digits
        middle = (low + high) / 2
        if slope(logits, y, middle) < 0:
            low = middle
        else:
            high = middle
    return 2 / (low + high)


def has_optimum_within(logits: Any, y: Any, temperature: float, tolerance: float) -> bool:
    """Whether the slope in β, which rises, changes sign within a relative distance of 1/T."""
    beta, t = 1 / MP.mpf(temperature), MP.mpf(tolerance)
    return slope(logits, y, beta * (1 - t)) < 0 < slope(logits, y, beta * (1 + t))


# ------------------------------------------------------------------------------------ calibration


def bin_of(confidence: Any, edges: Any, closed: str) -> int:
    """The one bin that holds a confidence; edges and confidence compared as they are."""
    found = []
    last = len(edges) - 2
    for m in range(last + 1):
        low, high = edges[m], edges[m + 1]
        if closed == "left":
            inside = low <= confidence < high or (m == last and confidence == high)
        else:
            inside = low < confidence <= high or (m == 0 and confidence == low)
        if inside:
            found.append(m)
    assert len(found) == 1, (confidence, edges, closed, found)
    return found[0]


def bins(confidence: Any, correct: Any, edges: Any, closed: str = "left") -> list[Any]:
    """(confidences, correctness) of each bin, as fractions."""
    table: list[Any] = [([], []) for _ in range(len(edges) - 1)]
    for c, a in zip(confidence, correct, strict=True):
        held = table[bin_of(c, edges, closed)]
        held[0].append(Fraction(float(c)))
        held[1].append(Fraction(int(a)))
    return table


def gaps(confidence: Any, correct: Any, edges: Any, closed: str = "left") -> list[Any]:
    """(share of the samples, |mean confidence - accuracy|) of each bin that holds samples."""
    n = len(confidence)
    return [
        (Fraction(len(c), n), abs(sum(c) - sum(a)) / len(c))
        for c, a in bins(confidence, correct, edges, closed)
        if c
    ]


def expected_calibration_error(
    confidence: Any, correct: Any, edges: Any, closed: str = "left"
) -> Fraction:
    """Σ_m (n_m/N) |mean confidence - accuracy|."""
    return sum((w * g for w, g in gaps(confidence, correct, edges, closed)), Fraction(0))


def maximum_calibration_error(
    confidence: Any, correct: Any, edges: Any, closed: str = "left"
) -> Fraction:
    """Largest gap."""
    return max(g for _, g in gaps(confidence, correct, edges, closed))


def brier(probabilities: Any, y: Any) -> Fraction:
    """Mean over samples of the sum over classes of squared differences."""
    total = Fraction(0)
    for row, label in zip(fractions(probabilities), y, strict=True):
        total += sum((p - (k == int(label))) ** 2 for k, p in enumerate(row))
    return total / len(y)


def same(actual: Any, expected: Any, tolerance: float = 1e-12) -> bool:
    """Whether a float agrees with an exact value to a relative (or tiny absolute) tolerance."""
    if expected is None:
        return isnan(actual)
    difference = abs(
        MP.mpf(float(actual)) - MP.mpf(str(expected))
        if isinstance(expected, float)
        else MP.mpf(float(actual)) - _mpf(expected)
    )
    return bool(difference <= tolerance * max(MP.mpf(1), abs(_mpf(expected))))


def _mpf(value: Any) -> Any:
    if isinstance(value, Fraction):
        return MP.mpf(value.numerator) / MP.mpf(value.denominator)
    return MP.mpf(value)
