"""What is said of one submission, a notebook of a student: its outcome, score and faults."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from glyphlab_grader.files import replace_file
from glyphlab_grader.names import printable

__all__ = ["FAULT_KINDS", "Fault", "Outcome", "Status", "write_outcomes"]

Status = Literal["graded", "faults", "absent", "failed"]

FAULT_KINDS = {
    "test": "a test gave less than its points: the answer is wrong, nothing is amiss",
    "raised": "a cell of the student ended with an exception",
    "timeout": "a cell ran out of time",
    "kernel_died": "the process that ran the student's cells ended",
    "missing": "the notebook was not handed in",
    "renamed": "the notebook was handed in under another name",
    "corrupt": "the file is not a notebook that can be read",
    "deleted": "a cell of the assignment is not in the notebook",
    "duplicated": "a cell of the assignment is in the notebook more than once",
    "retagged": "a cell's nbgrader metadata or tags are not the assignment's",
    "retyped": "a code cell was made a text cell, or the other way round",
    "altered": "a cell that is not the student's to change was changed",
    "reordered": "a cell of the assignment stood elsewhere",
    "kernel": "the notebook asks for another kernel",
    "limit": "a limit of the sandbox was met",
    "crossing": "a value could not pass from the student's process to the tests",
    "link": "a symbolic link, which is not followed",
    "files": "what was handed in is too much, or lies too deep",
    "name": "a name that cannot be used",
    "grader": "grading itself broke off; the log says where",
}
"""The kinds of fault, and what each means."""


@dataclass(frozen=True)
class Fault:
    """One thing to tell about a submission.

    Parameters
    ----------
    cell : str or None
        The cell's nbgrader id, or ``cell 7`` (counted from 1) for a cell without one; None where
        the fault is the whole notebook's.
    kind : str
        One of `FAULT_KINDS`.
    message : str
        One line.
    """

    cell: str | None
    kind: str
    message: str

    def __post_init__(self) -> None:
        if self.kind not in FAULT_KINDS:
            raise ValueError(f"kind must be one of {', '.join(FAULT_KINDS)}, got {self.kind!r}")

    @classmethod
    def broken_off(cls, error: Exception) -> "Fault":
        """Tell an error of ours, or of the machine, that broke the grading of a notebook off."""
        return cls(None, "grader", printable(f"{type(error).__name__}: {error}"))


@dataclass(frozen=True)
class Outcome:
    """What became of one submission.

    Parameters
    ----------
    student, notebook : str
        Whose, and which notebook of the assignment (without ``.ipynb``).
    outcome : {"graded", "faults", "absent", "failed"}
        ``graded``: it ran as meant, right or wrong. ``faults``: it was graded, and something broke
        on the way or had to be put right. ``absent``: it was not handed in, and counts 0.
        ``failed``: it could not be graded.
    score : float or None
        Points, those given by hand included; None where it failed.
    max_score : float or None
        Points that can be reached; None where the gradebook does not know the notebook.
    faults : tuple of Fault
        All there is to tell, failed tests included.
    run : str
        The run of ``glyphlab-grade`` that graded it: an earlier one where nothing changed since.
    seconds : float
        Wall time that grading it took in that run.
    awaiting : float
        Points of the parts that a person grades and has not yet; they count 0 in `score`.
    outdated : float
        Points of the parts that a person graded before they changed; what was given counts.
    """

    student: str
    notebook: str
    outcome: Status
    score: float | None
    max_score: float | None
    faults: tuple[Fault, ...]
    run: str
    seconds: float
    awaiting: float = 0.0
    outdated: float = 0.0

    def __post_init__(self) -> None:
        if (self.score is None) != (self.outcome == "failed"):
            raise ValueError(f"a {self.outcome} submission cannot have the score {self.score}")

    @classmethod
    def graded(
        cls,
        student: str,
        notebook: str,
        score: float,
        max_score: float,
        faults: Iterable[Fault],
        run: str,
        seconds: float,
        awaiting: float = 0.0,
        outdated: float = 0.0,
    ) -> "Outcome":
        """Make the outcome of a submission that has a score.

        A failed test is what grading is for; a notebook that is missing is ``absent``; anything
        else among the faults makes the outcome ``faults``.
        """
        faults = tuple(faults)
        kinds = {fault.kind for fault in faults} - {"test"}
        status: Status = "absent" if "missing" in kinds else "faults" if kinds else "graded"
        rest = faults, run, seconds, awaiting, outdated
        return cls(student, notebook, status, score, max_score, *rest)

    @classmethod
    def failed(
        cls,
        student: str,
        notebook: str,
        max_score: float | None,
        faults: Iterable[Fault],
        run: str,
        seconds: float,
    ) -> "Outcome":
        """Make the outcome of a submission that could not be graded."""
        return cls(student, notebook, "failed", None, max_score, tuple(faults), run, seconds)

    def with_scores(
        self, score: float, max_score: float, awaiting: float, outdated: float = 0.0
    ) -> "Outcome":
        """Return the same outcome with the gradebook's present scores."""
        return replace(self, score=score, max_score=max_score, awaiting=awaiting, outdated=outdated)

    def as_json(self) -> dict[str, Any]:
        """Return the object that ``--json`` writes for this submission."""
        return asdict(self) | {"faults": [asdict(fault) for fault in self.faults]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Outcome":
        """Read back what `as_json` gave."""
        faults = tuple(Fault(**fault) for fault in data["faults"])
        return cls(**(data | {"faults": faults}))


def write_outcomes(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Write outcomes as a JSON list, whole or not at all.

    Parameters
    ----------
    path : Path
        The file; an older one is replaced.
    outcomes : sequence of Outcome
        In the order in which they are to stand.

    Raises
    ------
    GraderError
        If the file cannot be written.
    """
    text = json.dumps([outcome.as_json() for outcome in outcomes], indent=2, allow_nan=False)
    replace_file(path, text + "\n")
