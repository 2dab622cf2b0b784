"""What can be said of a submission before anything in it runs."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glyphlab_grader.files import walk
from glyphlab_grader.names import name_problem, printable
from glyphlab_grader.notebooks import cell_id, read_notebook
from glyphlab_grader.outcome import Fault

__all__ = ["Intake", "examine"]


@dataclass(frozen=True)
class Intake:
    """What was found in a submitted file.

    Parameters
    ----------
    notebook : dict or None
        The notebook as plain data; None where there is none to grade.
    faults : list of Fault
        What is amiss.
    absent : bool
        Whether nothing was handed in, under this name or another.
    """

    notebook: dict[str, Any] | None
    faults: list[Fault] = field(default_factory=list)
    absent: bool = False


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
        return _unusable("link", f"{path.name} is a symbolic link, which is not followed")
    if not path.exists():
        return _renamed_or_absent(folder, path, expected, others)
    try:
        return Intake(read_notebook(path), _links(folder))
    except ValueError as error:
        return _unusable("corrupt", f"{path.name} {error}")


def _unusable(kind: str, message: str) -> Intake:
    return Intake(None, [Fault(None, kind, message)])


def _renamed_or_absent(
    folder: Path, path: Path, expected: Collection[str], others: Collection[str]
) -> Intake:
    """Find the notebook under another name by its cells, if it is there just once."""
    found = []
    strangers = [other for other in sorted(folder.glob("*.ipynb")) if other.stem not in others]
    for other in strangers:
        try:
            if not other.is_symlink() and _is_ours(data := read_notebook(other), expected):
                found.append((other, data))
        except ValueError:
            continue
    if len(found) == 1:
        other, data = found[0]
        message = f"graded {printable(other.name, 80)}, as there is no {path.name}"
        return Intake(data, [Fault(None, "renamed", message), *_links(folder)])
    if strangers:
        listed = ", ".join(printable(other.name, 60) for other in strangers[:5])
        why = "more than one may be it" if found else "which is not it or cannot be read"
        return _unusable("renamed", f"there is no {path.name}, but {listed}: {why}")
    fault = Fault(None, "missing", f"{path.name} was not handed in and gets 0 points")
    return Intake(None, [fault], absent=True)


def _is_ours(data: dict[str, Any], expected: Collection[str]) -> bool:
    """Whether half of the assignment's cells are in a notebook."""
    present = {cell_id(cell) for cell in data["cells"]}
    return 2 * len(present.intersection(expected)) >= max(1, len(expected))


def _links(folder: Path) -> list[Fault]:
    """Name the symbolic links that lie beside the notebook."""
    found = sorted(path for path in walk(folder) if path.is_symlink())
    return [
        Fault(None, "link", f"{printable(str(path.relative_to(folder)), 80)} is a symbolic link")
        for path in found[:5]
    ]
