"""Files what came of a submission: gradebook, executed notebook, outcome kept for the next run."""

import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import parse_utc

from glyphlab_grader.course import Course
from glyphlab_grader.cycle.feedback import withdraw_feedback
from glyphlab_grader.files import remove
from glyphlab_grader.gradebook import GradebookKeeper, Marks
from glyphlab_grader.names import name_problem
from glyphlab_grader.outcome import Fault, Outcome
from glyphlab_grader.records import Records
from glyphlab_grader.submission import Result

__all__ = ["Files"]

# nbgrader's own timestamps have some thirty characters.
_LONGEST_TIMESTAMP = 100


class Files:
    """The one writer of a run.

    Parameters
    ----------
    course : Course
        The course.
    assignment : str
        The assignment.
    gradebook : GradebookKeeper
        Open for the whole run.
    run : str
        The run's id.
    """

    def __init__(
        self, course: Course, assignment: str, gradebook: GradebookKeeper, run: str
    ) -> None:
        self.course = course
        self.assignment = assignment
        self.gradebook = gradebook
        self.run = run
        self.records = Records(course, assignment)

    def kept(self, student: str, notebook: str, key: str) -> Outcome | None:
        """Return the earlier outcome where nothing changed and its results are still there."""
        outcome = self.records.find(student, notebook, key)
        if outcome is None or outcome.outcome == "failed":
            return None
        if outcome.outcome != "absent" and not self._executed(student, notebook).is_file():
            return None
        scores = self.gradebook.scores(self.assignment, notebook, student)
        if scores.ungraded:
            return None
        return outcome.with_scores(scores.score, scores.max_score, scores.awaiting)

    def withdraw(self, student: str, notebook: str) -> None:
        """Take back all that an earlier run said of a submission, points by hand excepted."""
        if name_problem(student):
            return
        self.records.forget(student, notebook)
        self.gradebook.withdraw(self.assignment, notebook, student)
        remove(self._executed(student, notebook))
        withdraw_feedback(self.course, self.assignment, student, notebook)

    def settle(
        self, student: str, notebook: str, key: str, result: Result, executed: Path
    ) -> Outcome:
        """Enter a result and say what the outcome is."""
        if result.how == "failed":
            return self.failed(student, notebook, result.faults, result.seconds)
        if result.how == "absent":
            self.gradebook.give_nothing(self.assignment, notebook, student)
        else:
            before = self.records.answers(student, notebook)
            same = [name for name, digest in result.answers.items() if before.get(name) == digest]
            self._copy_files(student)
            timestamp = self._timestamp(student)
            marks = Marks(result.grades, result.untouched, same, timestamp)
            self.gradebook.give(self.assignment, notebook, student, marks)
            self._penalise(student, notebook)
            shutil.move(executed, self._executed(student, notebook))
        scores = self.gradebook.scores(self.assignment, notebook, student)
        outcome = Outcome.graded(
            student,
            notebook,
            scores.score,
            scores.max_score,
            result.faults,
            self.run,
            result.seconds,
            scores.awaiting,
        )
        self.records.keep(outcome, key, result.answers)
        return outcome

    def failed(
        self, student: str, notebook: str, faults: Sequence[Fault], seconds: float
    ) -> Outcome:
        """Leave a submission without a score, and say why."""
        self.withdraw(student, notebook)
        maximum = self.gradebook.max_score(self.assignment, notebook)
        return Outcome.failed(student, notebook, maximum, faults, self.run, seconds)

    def _executed(self, student: str, notebook: str) -> Path:
        return self.course.autograded(student, self.assignment) / f"{notebook}.ipynb"

    def _copy_files(self, student: str) -> None:
        """Put beside the executed notebook what lay beside the submitted one, as nbgrader does.

        Links are left out; the instructor's files win over the student's.
        """
        target = self.course.autograded(student, self.assignment)
        target.mkdir(parents=True, exist_ok=True)
        largest = 1000 * int(self.course.directory.max_file_size)
        submitted = self.course.submitted(student, self.assignment)
        for folder in (submitted, self.course.source(self.assignment)):
            for path in sorted(folder.rglob("*")):
                real = path.is_file() and not path.is_symlink() and path.suffix != ".ipynb"
                # A linked folder on the way would lead out of the submission.
                inside = real and path.resolve().is_relative_to(folder.resolve())
                if inside and path.stat().st_size <= largest:
                    copy = target / path.relative_to(folder)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    remove(copy)
                    shutil.copyfile(path, copy)

    def _timestamp(self, student: str) -> datetime | None:
        """Read when the submission was made, where nbgrader's exchange noted it."""
        path = self.course.submitted(student, self.assignment) / "timestamp.txt"
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LONGEST_TIMESTAMP:
            return None
        try:
            found: datetime | None = parse_utc(path.read_text(encoding="utf-8").strip())
        except (ValueError, OverflowError):
            return None
        return found

    def _penalise(self, student: str, notebook: str) -> None:
        """Take points off a late submission, with nbgrader's step and the configured plugin."""
        if self.gradebook.is_late(self.assignment, student):
            place: Mapping[str, Any] = {
                "notebook": notebook,
                "assignment": self.assignment,
                "student": student,
                "db_url": self.course.database,
            }
            step = AssignLatePenalties(parent=self.course.app)
            step.preprocess(_EMPTY, {"nbgrader": place})


class _Empty:
    """The step goes over a notebook's cells, and does nothing with them."""

    cells = ()


_EMPTY = _Empty()
