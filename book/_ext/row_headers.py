"""Let the first column of a table name its rows, as that of a table that a cell shows does.

A screen reader that moves down a column then says in which row it is (WCAG 1.3.1). A table of
Markdown has headers of columns alone; here each cell of its first column becomes a header, too.
A table in which one of these cells is empty is left as it is: that column names nothing.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def name_rows(table: nodes.table) -> bool:
    """Make the first column one of headers where it names every row; return whether it does."""
    first_cells = [row[0] for row in table.findall(nodes.row)]
    named = all(cell.astext().strip() for cell in first_cells)
    if named:
        next(table.findall(nodes.colspec))["stub"] = 1
    return named


def name_all_rows(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for table in doctree.findall(nodes.table):
        name_rows(table)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-resolved", name_all_rows)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
