"""Reads in an executed notebook and its points what there is to tell an instructor."""

from pathlib import Path
from typing import Any

from glyphlab_grader.gradebook import NotebookScore
from glyphlab_grader.intake import cell_id, read_notebook
from glyphlab_grader.names import printable
from glyphlab_grader.outcome import Fault

__all__ = ["execution_faults", "misconceptions"]

# What nbgrader writes into a cell that it stopped.
TIMEOUT_ERROR = "CellTimeoutError"


def misconceptions(source: Path) -> dict[str, str]:
    """Read which misconception each test cell of the instructor's notebook stands for.

    Parameters
    ----------
    source : Path
        The instructor's notebook.

    Returns
    -------
    dict of str to str
        nbgrader id of the test cell to id of the misconception.
    """
    found = {}
    for cell in read_notebook(source)["cells"]:
        name = cell_id(cell)
        misconception = cell["metadata"].get("glyphlab", {}).get("misconception")
        if name is not None and misconception:
            found[name] = str(misconception)
    return found


def execution_faults(executed: Path, scores: NotebookScore, named: dict[str, str]) -> list[Fault]:
    """List what happened while a notebook ran, in the order of its cells.

    Parameters
    ----------
    executed : Path
        The notebook with the outputs of grading.
    scores : NotebookScore
        What its tests gave.
    named : dict of str to str
        Misconceptions by test cell, from `misconceptions`.

    Returns
    -------
    list of Fault
        Tests that gave less than their points, cells that raised, cells that ran out of time.
    """
    faults = []
    for index, cell in enumerate(read_notebook(executed)["cells"]):
        name = cell_id(cell)
        label = name or f"cell {index + 1}"
        errors = [o for o in cell.get("outputs", []) if o.get("output_type") == "error"]
        stopped = any(error.get("ename") == TIMEOUT_ERROR for error in errors)
        if stopped:
            faults.append(Fault(label, "timeout", "the cell ran out of time and was stopped"))
        score = scores.cells.get(name) if name else None
        if score is not None and score.automatic:
            if score.score is not None and score.score < score.max_score:
                points = f"{score.score:g} of {score.max_score:g} points"
                reason = _reason(cell, errors, stopped)
                told = [points, named[name]] if name in named else [points]
                faults.append(Fault(label, "test", ": ".join([*told, reason])))
        elif errors and not stopped:
            faults.append(Fault(label, "raised", _summary(errors[0])))
    return faults


def _reason(cell: dict[str, Any], errors: list[dict[str, Any]], stopped: bool) -> str:
    if stopped:
        return "it ran out of time"
    if errors:
        return _summary(errors[0])
    outputs = cell.get("outputs", [])
    if any(output.get("name") == "stderr" for output in outputs):
        return "it wrote to standard error, which nbgrader takes for a failure"
    return "it gave part of its points"


def _summary(error: dict[str, Any]) -> str:
    """Put an exception into one line."""
    name, value = str(error.get("ename", "")), str(error.get("evalue", ""))
    return printable(f"{name}: {' '.join(value.split())}" if value else name)
