"""Remove the ids that sphinx-proof and sphinx-exercise repeat on every block of a page.

A proof, and the content of each definition, proof, exercise and solution, gets one and the same id,
which HTML forbids and nothing refers to.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

REPEATED = {"proof", "proof-content", "exercise-content", "solution-content"}


def remove_repeated_ids(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in doctree.findall(nodes.Element):
        if REPEATED & set(node.get("ids", ())):
            node["ids"] = [name for name in node["ids"] if name not in REPEATED]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-resolved", remove_repeated_ids)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
