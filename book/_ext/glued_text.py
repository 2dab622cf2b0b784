"""Text that a chapter computed: alternative texts of figures.

A code cell says ``mystnb: image: alt: "glue:NAME"``; the page's figure then carries the text that
the chapter glued under NAME, so that what a screen reader says comes from the plotted data.
A glued number whose name says what it measures is held to that measure's range.
"""

from __future__ import annotations

import json
import math
import re
from ast import literal_eval
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
PREFIX = "glue:"


def glued(app: Sphinx, docname: str) -> dict[str, str]:
    """Return what a chapter glued, as plain text by name."""
    path = Path(app.outdir).parent / "jupyter_execute" / f"{docname}.glue.json"
    if not path.is_file():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    return {name: _plain(output["data"].get("text/plain", "")) for name, output in data.items()}


def _plain(text: str) -> str:
    """Undo the repr of a string; the repr of a number is its text."""
    return str(literal_eval(text)) if text[:1] in {"'", '"'} else text


#: By what a glued number's name says it is, the range that it cannot leave.
RANGES = (
    (re.compile(r"accuracy|recall|precision|f1|ece|confidence|risk|coverage|mce"), 0.0, 1.0),
    (re.compile(r"brier"), 0.0, 2.0),
    (re.compile(r"loss"), 0.0, math.inf),
)
#: Differences may have either sign.
DIFFERENCE = re.compile(r"gap|change|difference|gain")


def out_of_range(name: str, text: str) -> str | None:
    """Say why a glued number cannot be what its name says, or return None."""
    try:
        value = float(text)
    except ValueError:
        return None
    if DIFFERENCE.search(name):
        return None
    for pattern, low, high in RANGES:
        if pattern.search(name) and not low <= value <= high:
            return f"glued as {name!r}: {text} is not between {low:g} and {high:g}"
    return None


def check_ranges(app: Sphinx, doctree: nodes.document) -> None:
    for name, text in glued(app, app.env.docname).items():
        if fault := out_of_range(name, text):
            LOGGER.warning(fault, location=app.env.docname)


def fill_alternative_texts(app: Sphinx, doctree: nodes.document) -> None:
    docname = app.env.docname
    texts = glued(app, docname)
    for image in doctree.findall(nodes.image):
        alt = image.get("alt", "")
        if not alt.startswith(PREFIX):
            continue
        name = alt.removeprefix(PREFIX)
        if name in texts:
            image["alt"] = texts[name]
        else:
            LOGGER.warning("alternative text: nothing is glued as %r", name, location=image)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", fill_alternative_texts)
    app.connect("doctree-read", check_ranges)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
