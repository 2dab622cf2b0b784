"""Reading notebooks of strangers as plain data: bounded, and nothing in them believed."""

import json
from pathlib import Path
from typing import Any

from glyphlab_grader.names import printable

__all__ = [
    "LARGEST_NOTEBOOK",
    "PICTURES",
    "cell_id",
    "check_notebook",
    "read_notebook",
    "source_text",
]

LARGEST_NOTEBOOK = 20_000_000
"""Bytes of the largest notebook that is read."""

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Kinds of pictures that a text may hold; an SVG is a document of its own, with scripts."""

_KINDS = ("code", "markdown", "raw")


def read_notebook(path: Path) -> dict[str, Any]:
    """Read a stranger's notebook as plain data.

    Parameters
    ----------
    path : Path
        A regular file.

    Returns
    -------
    dict
        The notebook: format 4, with a list of cells, each with its type, a dict of metadata and a
        source of text.

    Raises
    ------
    ValueError
        If it is not that; the message follows the file's name.
    """
    if not path.is_file():
        raise ValueError("is not a regular file")
    size = path.stat().st_size
    if size > LARGEST_NOTEBOOK:
        raise ValueError(f"has {size:,} bytes, more than the {LARGEST_NOTEBOOK:,} that are read")
    if size == 0:
        raise ValueError("is empty")
    try:
        data = json.loads(path.read_bytes())
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"is not JSON: {printable(str(error))}") from None
    return check_notebook(data)


def check_notebook(data: Any) -> dict[str, Any]:
    """Return data that is a notebook as `read_notebook` promises it, or raise `ValueError`."""
    if not isinstance(data, dict) or "nbformat" not in data:
        raise ValueError("is JSON, but not a notebook")
    if data["nbformat"] != 4:
        version = printable(repr(data["nbformat"]), 20)
        raise ValueError(f"is in notebook format {version}; open and save it in JupyterLab")
    cells = data.get("cells")
    if not isinstance(cells, list) or not all(_is_cell(cell) for cell in cells):
        raise ValueError("has no proper list of cells")
    return data


def cell_id(cell: dict[str, Any]) -> str | None:
    """Return the nbgrader id that a cell claims, or None."""
    metadata = cell["metadata"].get("nbgrader")
    name = metadata.get("grade_id") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else None


def source_text(cell: dict[str, Any]) -> str:
    """Return a cell's source as one text that can be written as UTF-8."""
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_cell(cell: object) -> bool:
    if not isinstance(cell, dict) or not isinstance(cell.get("metadata"), dict):
        return False
    source = cell.get("source")
    text = isinstance(source, str) or (
        isinstance(source, list) and all(isinstance(line, str) for line in source)
    )
    return text and cell.get("cell_type") in _KINDS
