"""Keep together what a line must not part.

A browser may break a line beside a formula, which is a picture to it: a comma or a full stop then
begins the next line. A formula is put into one box with the signs that touch it. And the two ends
of an interval, "[0.8, 0.9]", and a number and its percent sign are joined by a space that does not
break. A computed number gets a minus sign, where Python wrote a hyphen: `glyphlab.tables.typeset`.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from glyphlab.tables import typeset

AFTER = re.compile(r"^-\w+|^[^\s\w([{]+")
BEFORE = re.compile(r"[(\[“]+$")


def join_signs(math: nodes.math) -> None:
    """Put an inline formula into a box with the signs before and after it."""
    parent = math.parent
    at = parent.index(math)
    box = nodes.inline(classes=["with-punctuation"])
    after = parent[at + 1] if at + 1 < len(parent) else None
    before = parent[at - 1] if at else None
    behind = AFTER.match(after.astext()) if isinstance(after, nodes.Text) else None
    ahead = BEFORE.search(before.astext()) if isinstance(before, nodes.Text) else None
    if behind is None and ahead is None:
        return
    if behind is not None:
        parent[at + 1] = nodes.Text(after.astext()[behind.end() :])
    if ahead is not None:
        parent[at - 1] = nodes.Text(before.astext()[: ahead.start()])
        box += nodes.Text(ahead[0])
    parent[at] = box
    box += math
    if behind is not None:
        box += nodes.Text(behind[0])


def keep_together(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for math in list(doctree.findall(nodes.math)):
        join_signs(math)
    for text in list(doctree.findall(nodes.Text)):
        if isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.math | nodes.raw):
            continue
        joined = typeset(text.astext())
        if joined != text.astext():
            text.parent.replace(text, nodes.Text(joined))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-resolved", keep_together)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
