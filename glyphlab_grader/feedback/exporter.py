"""The feedback page: one file that asks nothing of any other host, and runs nothing."""

import re
from pathlib import Path
from typing import Any

from jinja2 import pass_context
from nbconvert.exporters import HTMLExporter

from glyphlab_grader.formgrader import markdown2html
from glyphlab_grader.formulas import mathml

__all__ = ["FeedbackExporter"]

_TEMPLATES = Path(__file__).parent / "templates"
_LINK = re.compile(r'<a href="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
# How a notebook names a page of the book, as seen from its own folder.
_PAGE = re.compile(r"(?:\.\./)+(book/[\w./-]+)\.(?:md|ipynb|html)(#[\w-]+)?")
# The page's own headings stand above those of the notebook.
_DEEPER = 2


class FeedbackExporter(HTMLExporter):
    """Writes the feedback page with a policy that forbids it to load anything.

    Neither the page nor what a student puts into it can run a script or ask another host for
    something; formulas are MathML.
    """

    def _load_config(self, cfg: Any, *args: Any, **options: Any) -> None:
        """Put our template in the place of nbgrader's, which nbgrader names for every page."""
        super()._load_config(cfg, *args, **options)
        self.template_name = "glyphlab_feedback"
        self.extra_template_basedirs = [str(_TEMPLATES)]
        self.filters = {
            **self.filters,
            "markdown2html": _text,
            "formula": _formula,
            "points": _points,
        }


@pass_context
def _text(context: Any, source: str) -> str:
    """Turn Markdown into HTML whose links lead somewhere from where a student reads it."""
    book = context["resources"]["feedback"]["book"]

    def lead(found: re.Match[str]) -> str:
        target, attributes, text = found.groups()
        page = _PAGE.fullmatch(target)
        if page is not None and book:
            return f'<a href="{book}{page[1]}.html{page[2] or ""}"{attributes}>{text}</a>'
        return found[0] if re.match(r"https?:|mailto:", target) else text

    def deepen(found: re.Match[str]) -> str:
        return f"<{found[1]}h{min(6, int(found[2]) + _DEEPER)}"

    cleaned = markdown2html(context, source)
    made = re.sub(r"<(/?)h([1-6])", deepen, _LINK.sub(lead, cleaned))
    return type(cleaned)(made)


def _formula(shown: str) -> str:
    """Draw a formula that a cell put out, with the dollar signs that Jupyter wants around it."""
    return mathml(shown.strip().strip("$"), display=True)


def _points(score: float, points: float | None = None) -> str:
    """Write points without needless digits, out of how many where that is given."""
    if points is None:
        return f"{score:g}"
    return f"{score:.4g} of {points:g} point{'' if points == 1 else 's'}"
