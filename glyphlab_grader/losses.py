"""Why a test lost points, where it is not for the misconception that the test stands for.

What is said is fixed text. A learner's code has seen the inputs of hidden tests, so that nothing of
what it wrote into an exception is repeated.
"""

from typing import Any

from glyphlab.checks import TOLD
from glyphlab_grader.execution.library import WITHHELD
from glyphlab_grader.execution.outcome import TEST_BROKEN_OFF
from glyphlab_grader.notebooks import cell_id

__all__ = ["MISSING", "STAND_IN", "STOPPED", "UNSET", "how_it_ended", "other_losses"]

_LIMIT = "It could not be finished: your code met a limit of the sandbox."
_GONE = "It could not be run: the process with your code had ended."
STOPPED = {
    "CellTimeoutError": "It could not be finished: your code took too long.",
    "DeadKernelError": _GONE,
    "NotRunError": _GONE,
    "LimitError": _LIMIT,
    # What a process gets that asks for more than it may have.
    "MemoryError": _LIMIT,
    "StudentProcessError": "It could not be finished: your code tried to end its process, or gave "
    "something that cannot be passed to a test.",
    TEST_BROKEN_OFF: "It could not be finished.",
}
"""What stopped a test from the outside, by the error that stands in its output."""

UNSET = (
    "A name that the test looks for is not there: the cell that sets it raised an exception or ran "
    "out of time."
)
MISSING = "A name is not there: compare the names in your answer with those in the task."

STAND_IN = "Your code calls a function of the library that this exercise asks you to write."
"""What a function of the library says that is not there for this exercise."""

_ENDED = {
    "CellTimeoutError": "It was stopped because it took too long.",
    "DeadKernelError": "The process with your code ended in it.",
    "NotRunError": "It was not run: the process with your code had ended.",
    "LimitError": "It was stopped at a limit of the sandbox.",
}
_RAISED = "It raised an exception."


def other_losses(notebook: Any) -> dict[str, tuple[str, ...]]:
    """Say of each test in an executed notebook whose failure tells of no misconception why.

    Parameters
    ----------
    notebook : NotebookNode
        With the outputs of grading.

    Returns
    -------
    dict of str to tuple of str
        By the nbgrader id of the test cell, what to tell the learner instead.
    """
    found = {}
    broken = False
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        errors = _errors(cell)
        if not marks.get("grade") or marks.get("solution"):
            broken = broken or bool(errors)
        elif told := _told(errors, broken):
            found[str(cell_id(cell))] = told
    return found


def how_it_ended(cell: Any) -> str:
    """Say how a learner's cell ended; empty where it came to its end."""
    errors = _errors(cell)
    if not errors:
        return ""
    return next((text for name, text in _ENDED.items() if name in errors), _RAISED)


def _told(errors: dict[str, str], broken: bool) -> tuple[str, ...]:
    """Say why a test failed, unless it looked for a mistake and found it."""
    if stopped := tuple(text for name, text in STOPPED.items() if name in errors):
        return stopped
    if "NameError" in errors:
        return (UNSET if broken else MISSING,)
    said = " ".join(errors.values())
    if WITHHELD in said:
        return (STAND_IN,)
    # The form of the answer is at fault, and not what the test looks for.
    return tuple(text for text in TOLD if text in said)


def _errors(cell: Any) -> dict[str, str]:
    outputs = cell.get("outputs", [])
    return {o["ename"]: o["evalue"] for o in outputs if o["output_type"] == "error"}
