"""What running a notebook gives: the executed notebook and what went wrong from outside."""

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["FAULT_ERRORS", "TEST_BROKEN_OFF", "Execution", "Fault", "FaultKind"]

FaultKind = Literal[
    "timeout",
    "cpu",
    "memory",
    "disk",
    "output",
    "dead",
    "exit",
    "rubbish",
    "unfit",
    "callbacks",
    "score",
]

FAULT_ERRORS: dict[FaultKind, str] = {
    "timeout": "CellTimeoutError",
    "cpu": "LimitError",
    "memory": "LimitError",
    "disk": "LimitError",
    "output": "LimitError",
    "dead": "DeadKernelError",
    "exit": "StudentProcessError",
    "rubbish": "StudentProcessError",
    "unfit": "StudentProcessError",
    "callbacks": "StudentProcessError",
}
"""The error that a cell's output shows for a fault that ended it."""

TEST_BROKEN_OFF = "JudgeError"
"""The error of a test that did not come to its end, for no fault that is known."""


@dataclass(frozen=True)
class Fault:
    """Something that the grader had to do or found, beside ordinary errors of cells.

    Parameters
    ----------
    cell : str
        The cell's nbgrader id, or ``cell 3`` (counted from 1).
    kind : str
        ``timeout``, ``cpu``, ``memory``, ``disk``, ``output``: a limit was met. ``dead``: the
        student's process ended; ``exit``: a call tried to. ``rubbish``: the process sent what it
        would not. ``unfit``, ``callbacks``: a value could not cross, or too many calls back.
        ``score``: a test's last value was no score and was left out.
    message : str
        One sentence.
    """

    cell: str
    kind: FaultKind
    message: str


@dataclass(frozen=True)
class Execution:
    """An executed notebook.

    Parameters
    ----------
    notebook : NotebookNode
        A copy with outputs in nbgrader's form: a test cell that passed has no error, one that
        failed has one, a partial score is a last value.
    faults : list of Fault
        In the order of the cells.
    after_tests : frozenset of int
        Indices of cells that ran in the student's process after a test had. Their outputs may
        repeat a hidden input and are not for the student to see.
    seconds : float
        Wall time.
    """

    notebook: Any
    faults: list[Fault]
    after_tests: frozenset[int]
    seconds: float
