"""Makes a notebook's links to the book's sections lead there from wherever a student opens it.

In the instructor's notebooks a link is the page's place in the repository,
``[Definitions](../../book/23_1_confusion_matrix.md#sec-cm-definitions)``. When an assignment is
generated it becomes an address in the published book (``book_url`` in ``course.yml``). Without one
there is nothing to link to, and the section's title stands alone.
"""

import re
from typing import Any

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

__all__ = ["LinkBook", "link_book"]

LINK = re.compile(r"\[([^\[\]]+)\]\((?:\.\./)+(book/[^\s()#]+)\.md(#[^\s()]+)?\)")


def link_book(notebook: Any, book: str) -> Any:
    """Return a notebook whose links to the book can be followed.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The instructor's notebook.
    book : str
        The address that a page is appended to; empty for no links.

    Returns
    -------
    nbformat.NotebookNode
        A copy.
    """

    def placed(link: re.Match[str]) -> str:
        title, page, label = link.group(1), link.group(2), link.group(3) or ""
        return f"[{title}]({book}{page}.html{label})" if book else f"“{title}”"

    linked = nbformat.from_dict(notebook)
    for cell in linked.cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(placed, cell.source)
    return linked


class LinkBook(NbGraderPreprocessor):  # type: ignore[misc]
    """The step of nbgrader's generation that does it, before the cells are locked and kept."""

    book = Unicode("", help="book_url in course.yml").tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Return the notebook with its links placed."""
        return link_book(nb, self.book), resources
