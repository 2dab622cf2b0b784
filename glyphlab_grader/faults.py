"""Reads in an executed notebook and its points what there is to tell an instructor."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from glyphlab_grader.execution.outcome import Fault as SandboxFault
from glyphlab_grader.losses import other_losses
from glyphlab_grader.names import printable
from glyphlab_grader.notebooks import cell_id, read_notebook
from glyphlab_grader.outcome import Fault

__all__ = ["ENDINGS", "execution_faults", "misconceptions"]

# What nbgrader itself, without the sandbox, writes into a cell that it stopped.
TIMEOUT_ERROR = "CellTimeoutError"
# What the sandbox writes into a cell for which no process was left.
NOT_RUN = "NotRunError"

_SANDBOX_KINDS = {
    "timeout": "timeout",
    "cpu": "limit",
    "memory": "limit",
    "disk": "limit",
    "output": "limit",
    "dead": "kernel_died",
    "exit": "kernel_died",
    "rubbish": "crossing",
    "unfit": "crossing",
    "callbacks": "crossing",
    "score": "crossing",
}

ENDINGS = ("kernel_died", "timeout", "limit")
"""What may have ended the student's process: no test after it says what the student thought."""


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


def execution_faults(
    notebook: Any,
    grades: Mapping[str, float | None],
    named: Mapping[str, str],
    sandbox: Sequence[SandboxFault],
) -> list[Fault]:
    """List what happened while a notebook ran, in the order of its cells.

    Parameters
    ----------
    notebook : NotebookNode
        The notebook with the outputs of grading.
    grades : mapping of str to float or None
        What its graded cells got.
    named : mapping of str to str
        Misconceptions by test cell, from `misconceptions`.
    sandbox : sequence of SandboxFault
        What the sandbox had to do.

    Returns
    -------
    list of Fault
        What the sandbox told, tests that gave less than their points (with the misconception where
        they tell of it), cells that raised.
    """
    other = other_losses(notebook)
    named = {test: name for test, name in named.items() if test not in other}
    faults: list[Fault] = []
    for index, cell in enumerate(notebook.cells):
        name = cell_id(cell)
        label = name or f"cell {index + 1}"
        gone = any(fault.kind in ENDINGS for fault in faults)
        told = [
            Fault(label, _SANDBOX_KINDS[fault.kind], printable(fault.message))
            for fault in sandbox
            # The sandbox repeats for each test that the student's process is gone.
            if fault.cell == label and not (gone and fault.kind in ("dead", "exit"))
        ]
        errors = [o for o in cell.get("outputs", []) if o.get("output_type") == "error"]
        if not told and any(error.get("ename") == TIMEOUT_ERROR for error in errors):
            told = [Fault(label, "timeout", "the cell ran out of time and was stopped")]
        faults += told
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade") and not marks.get("solution"):
            faults += _test_fault(label, grades.get(label), float(marks["points"]), cell, named)
        elif errors and not told and errors[0].get("ename") != NOT_RUN:
            faults.append(Fault(label, "raised", _summary(errors[0])))
    return faults


def _test_fault(
    label: str, points: float | None, maximum: float, cell: Any, named: Mapping[str, str]
) -> list[Fault]:
    if points is None or points >= maximum:
        return []
    told = [f"{points:g} of {maximum:g} points"]
    if label in named:
        told.append(named[label])
    errors = [o for o in cell.get("outputs", []) if o.get("output_type") == "error"]
    if errors:
        told.append(_summary(errors[0]))
    elif any(output.get("name") == "stderr" for output in cell.get("outputs", [])):
        told.append("it wrote to standard error, which nbgrader takes for a failure")
    return [Fault(label, "test", ": ".join(told))]


def _summary(error: Any) -> str:
    """Put an exception into one line."""
    name, value = str(error.get("ename", "")), str(error.get("evalue", ""))
    return printable(f"{name}: {' '.join(value.split())}" if value else name)
