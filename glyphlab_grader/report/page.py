"""Writes the report as one HTML page that needs nothing else: no script, no other file, no host."""

from functools import cache
from typing import Any

import jinja2

__all__ = ["page"]


def page(report: dict[str, Any]) -> str:
    """Write a report from `gather` as HTML."""
    return _template().render(report)


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("glyphlab_grader.report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"number": _number, "percent": _percent, "score": _score}
    return environment.get_template("page.html.j2")


def _number(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def _score(said: dict[str, Any] | None) -> str:
    """Put an outcome and its points into words."""
    if said is None:
        return "not graded"
    words = {"graded": "graded", "faults": "with faults", "absent": "not handed in"}
    outcome = words.get(said["outcome"], said["outcome"])
    return outcome if said["score"] is None else f"{said['score']:g} ({outcome})"
