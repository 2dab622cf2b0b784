"""Remove the ids that sphinx-proof and sphinx-exercise repeat on every block of a page.

Each wraps the content of a definition, proof, exercise or solution in a section with one and the
same id, which HTML forbids and nothing refers to.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

REPEATED = {"proof-content", "exercise-content", "solution-content"}


def remove_repeated_ids(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for section in doctree.findall(nodes.section):
        if REPEATED & set(section["ids"]):
            section["ids"] = []


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-resolved", remove_repeated_ids)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
