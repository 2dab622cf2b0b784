"""The one form that notebooks have in git: no outputs, cell ids that are the cells' names.

``python -m glyphlab_grader.release.canonical`` puts the instructor's notebooks into this form after
an edit in JupyterLab; ``--check`` only says which are not in it.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat

__all__ = ["canonical", "main", "write"]

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
NOTEBOOK_METADATA = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
CELL_METADATA = ("nbgrader", "glyphlab")


def canonical(text: str) -> str:
    """Return a notebook's text in its canonical form.

    Every cell must be an nbgrader cell (task text and imports too, as read-only cells): its
    ``grade_id`` becomes its id, so that a release is the same at each generation.

    Parameters
    ----------
    text : str
        A notebook, as JSON.

    Returns
    -------
    str
        The same notebook without outputs, counts and the traces that editors leave.

    Raises
    ------
    ValueError
        If it is no notebook, or a cell has no name of its own.
    """
    notebook = nbformat.reads(text, as_version=4)
    seen: set[str] = set()
    for position, cell in enumerate(notebook.cells):
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if not name:
            raise ValueError(f"cell {position} is not an nbgrader cell: {cell.source[:40]!r}")
        if name in seen:
            raise ValueError(f"two cells are called {name!r}")
        seen.add(name)
        _clean(cell, name)
    notebook.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)) + "\n"


def _clean(cell: Any, name: str) -> None:
    cell.id = name
    kept = {key: cell.metadata[key] for key in CELL_METADATA if key in cell.metadata}
    cell.metadata = nbformat.from_dict(kept)
    cell.source = "\n".join(line.rstrip() for line in cell.source.strip("\n").split("\n"))
    if cell.cell_type == "code":
        cell.outputs = []
        cell.execution_count = None


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m glyphlab_grader.release.canonical",
        description="Put notebooks into the form that git keeps.",
    )
    parser.add_argument("paths", nargs="*", type=Path, help="default: all in solutions/")
    parser.add_argument("--check", action="store_true", help="change nothing, name what differs")
    options = parser.parse_args(arguments)
    differing = 0
    for path in options.paths or sorted(Path("solutions").glob("*/*.ipynb")):
        try:
            before = path.read_text(encoding="utf-8")
            after = canonical(before)
        except (OSError, ValueError, nbformat.ValidationError) as error:
            print(f"{path}: {' '.join(str(error).split())}", file=sys.stderr)
            return 2
        if after != before:
            differing += 1
            print(path)
            if not options.check:
                write(path, after)
    return 1 if options.check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
