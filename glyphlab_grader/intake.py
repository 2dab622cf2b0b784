"""What can be said of a submission before anything in it runs.

A student's file is data of a stranger: its size is bounded before it is read, and nothing of it is
believed.
"""

import json
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glyphlab_grader.names import name_problem, printable
from glyphlab_grader.outcome import Fault

__all__ = ["LARGEST_NOTEBOOK", "Intake", "cell_id", "examine", "read_notebook"]

LARGEST_NOTEBOOK = 20_000_000
"""Bytes of the largest notebook that is read."""


@dataclass(frozen=True)
class Intake:
    """What was found in a submitted file.

    Parameters
    ----------
    faults : list of Fault
        What is amiss.
    absent : bool
        Whether nothing was handed in under this name or a similar one.
    usable : bool
        Whether it can be graded.
    """

    faults: list[Fault] = field(default_factory=list)
    absent: bool = False
    usable: bool = True


def examine(
    folder: Path, notebook: str, expected: Collection[str], others: Collection[str]
) -> Intake:
    """Look at one submitted notebook.

    Parameters
    ----------
    folder : Path
        What the student handed in for the assignment.
    notebook : str
        The notebook looked for, without ``.ipynb``.
    expected : collection of str
        nbgrader ids of the assignment's cells in this notebook.
    others : collection of str
        The assignment's notebooks; a file of another name may be a renamed one.

    Returns
    -------
    Intake
        What was found.
    """
    student = folder.parent.name
    if problem := name_problem(student):
        return _unusable("name", f"the student id {printable(student)!r} {problem}")
    if folder.is_symlink() or folder.parent.is_symlink():
        return _unusable("link", "the submission's folder is a symbolic link")
    path = folder / f"{notebook}.ipynb"
    if path.is_symlink():
        return _unusable("link", f"{path.name} is a symbolic link")
    if not path.exists():
        return _absent(folder, path, others)
    try:
        cells = read_notebook(path)["cells"]
    except ValueError as error:
        return _unusable("corrupt", f"{path.name} {error}")
    return Intake(_links(folder) + _cell_faults(cells, expected))


def read_notebook(path: Path) -> dict[str, Any]:
    """Read a stranger's notebook as plain data.

    Parameters
    ----------
    path : Path
        A regular file.

    Returns
    -------
    dict
        The notebook: format 4, with a list of cells, each with a dict of metadata.

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
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"is not JSON: {printable(str(error))}") from None
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


def _is_cell(cell: object) -> bool:
    return (
        isinstance(cell, dict)
        and isinstance(cell.get("metadata"), dict)
        and cell.get("cell_type") in ("code", "markdown", "raw")
        and isinstance(cell.get("source"), str | list)
    )


def _unusable(kind: str, message: str) -> Intake:
    return Intake([Fault(None, kind, message)], usable=False)


def _absent(folder: Path, path: Path, others: Collection[str]) -> Intake:
    """Tell a notebook that was not handed in from one under another name."""
    strangers = sorted(found.name for found in folder.glob("*.ipynb") if found.stem not in others)
    if strangers:
        listed = ", ".join(printable(name, 60) for name in strangers[:5])
        message = f"there is no {path.name}, but {listed}: rename it and grade again"
        return _unusable("renamed", message)
    fault = Fault(None, "missing", f"{path.name} was not handed in and gets 0 points")
    return Intake([fault], absent=True)


def _links(folder: Path) -> list[Fault]:
    """Name the symbolic links that lie beside the notebook, the nearest first."""
    found = sorted(path for path in folder.rglob("*") if path.is_symlink())
    return [
        Fault(None, "link", f"{printable(str(path.relative_to(folder)))} is a symbolic link")
        for path in found[:5]
    ]


def _cell_faults(cells: list[dict[str, Any]], expected: Collection[str]) -> list[Fault]:
    counts = Counter(cell_id(cell) for cell in cells)
    deleted = [
        Fault(name, "deleted", "the cell is not in the notebook")
        for name in expected
        if not counts[name]
    ]
    duplicated = [
        Fault(name, "duplicated", f"the cell is in the notebook {counts[name]} times")
        for name in expected
        if counts[name] > 1
    ]
    return deleted + duplicated
