"""Show what a cell prints in one piece, exactly as printed.

A kernel sends its output in parts whose borders depend on the time, so that two builds of one page
differ. MyST-NB's own merging (``nb_merge_streams``) puts a line break at each border and drops
blank lines; this extension replaces it by plain concatenation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from myst_nb.core import render
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def join_streams(outputs: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Join neighbouring parts of one stream; everything else stays as and where it is."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if (
            last is not None
            and output["output_type"] == last["output_type"] == "stream"
            and output["name"] == last["name"]
        ):
            joined[-1] = NotebookNode(last | {"text": last["text"] + output["text"]})
        else:
            joined.append(output)
    return joined


def setup(app: Sphinx) -> dict[str, Any]:
    if not hasattr(render, "coalesce_streams"):
        raise ExtensionError("MyST-NB merges streams elsewhere now: see whole_streams")
    render.coalesce_streams = join_streams
    return {"parallel_read_safe": True, "parallel_write_safe": True}
