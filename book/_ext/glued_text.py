"""Text that a chapter computed: alternative texts of figures.

A code cell says ``mystnb: image: alt: "glue:NAME"``; the page's figure then carries the text that
the chapter glued under NAME, so that what a screen reader says comes from the plotted data.
"""

from __future__ import annotations

import json
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
    return {"parallel_read_safe": True, "parallel_write_safe": True}
