"""Link every erratum that a page names, "erratum E16" say, to its entry; docstrings too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

NAMED = re.compile(r"\b(?:[Ee]rratum|[Ee]rrata) E(\d+)\b")
UNLINKED = (nodes.literal, nodes.literal_block, nodes.raw, nodes.reference, nodes.title)


def linked(text: str, docname: str) -> Iterator[nodes.Node]:
    """Cut a text into plain parts and references."""
    end = 0
    for match in NAMED.finditer(text):
        if match.start() > end:
            yield nodes.Text(text[end : match.start()])
        yield addnodes.pending_xref(
            "",
            nodes.inline("", match[0]),
            refdomain="std",
            reftype="ref",
            reftarget=f"erratum-{match[1]}",
            refexplicit=True,
            refdoc=docname,
            refwarn=True,
        )
        end = match.end()
    if end < len(text):
        yield nodes.Text(text[end:])


def link_errata(app: Sphinx, doctree: nodes.document) -> None:
    for text in list(doctree.findall(nodes.Text)):
        if isinstance(text.parent, UNLINKED) or not NAMED.search(text.astext()):
            continue
        parts = list(linked(text.astext(), app.env.docname))
        for part in parts:
            part.source, part.line = text.parent.source, text.parent.line
        text.parent.replace(text, parts)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", link_errata)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
