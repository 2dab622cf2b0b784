"""Classical item analysis of graded tests."""

from collections.abc import Mapping, Sequence
from statistics import StatisticsError, correlation, fmean, median
from typing import Any

__all__ = ["analyse_items", "distribution"]

_BINS = 10


def distribution(scores: Sequence[float], maximum: float) -> dict[str, Any]:
    """Describe how scores are spread.

    Parameters
    ----------
    scores : sequence of float
        Points.
    maximum : float
        Points that can be reached, above 0.

    Returns
    -------
    dict
        ``count``, ``mean`` and ``median`` (None for no scores), and ``bins``: ten of equal width
        from 0 to `maximum`, each with ``lower``, ``upper`` and ``count``. A bin holds its lower
        edge, the last one its upper edge too; what lies outside counts in the nearest.

    Examples
    --------
    >>> found = distribution([0.0, 4.0, 10.0], 10.0)
    >>> [b["count"] for b in found["bins"]], found["median"]
    ([1, 0, 0, 0, 1, 0, 0, 0, 0, 1], 4.0)
    """
    counts = [0] * _BINS
    for score in scores:
        # Compared rather than divided, so that a score on an edge is in the bin it begins.
        at = sum(score * _BINS >= edge * maximum for edge in range(1, _BINS))
        counts[at] += 1
    return {
        "count": len(scores),
        "mean": fmean(scores) if scores else None,
        "median": median(scores) if scores else None,
        "bins": [
            {"lower": maximum * i / _BINS, "upper": maximum * (i + 1) / _BINS, "count": count}
            for i, count in enumerate(counts)
        ],
    }


def analyse_items(
    points: Mapping[str, float], scores: Sequence[Mapping[str, float]]
) -> list[dict[str, Any]]:
    """Say of each test how many passed it and how well it tells students apart.

    Parameters
    ----------
    points : mapping of str to float
        What each test is worth, in the notebook's order.
    scores : sequence of mapping of str to float
        For each student who handed the notebook in: points by test.

    Returns
    -------
    list of dict
        ``test``, ``points``, ``graded`` (students), ``passed`` (with all points), ``pass_rate``,
        ``mean_share`` of the points, and ``discrimination``: the correlation of the test's points
        with the sum of the notebook's other tests (None where one of them does not vary).

    References
    ----------
    F. M. Lord and M. R. Novick, Statistical Theories of Mental Test Scores, Addison-Wesley 1968,
    chapter 15: the item-test correlation, here without the item itself in the total.

    Examples
    --------
    >>> students = [{"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}, {"a": 0.0, "b": 0.0}]
    >>> (first, _) = analyse_items({"a": 1.0, "b": 2.0}, students)
    >>> first["passed"], round(first["discrimination"], 4)
    (2, 1.0)
    """
    found = []
    for test, worth in points.items():
        own = [student[test] for student in scores]
        rest = [sum(student.values()) - student[test] for student in scores]
        passed = sum(score >= worth for score in own)
        found.append(
            {
                "test": test,
                "points": worth,
                "graded": len(own),
                "passed": passed,
                "pass_rate": passed / len(own) if own else None,
                "mean_share": fmean(own) / worth if own and worth else None,
                "discrimination": _correlation(own, rest),
            }
        )
    return found


def _correlation(own: Sequence[float], rest: Sequence[float]) -> float | None:
    try:
        return correlation(own, rest)
    except StatisticsError:
        # Fewer than two students, or one of the two does not vary.
        return None
