"""Grades the submissions of an assignment, one after the other; none can touch another."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from glyphlab_grader.course import Course
from glyphlab_grader.cycle.feedback import withdraw_feedback
from glyphlab_grader.errors import GraderError
from glyphlab_grader.faults import execution_faults, misconceptions
from glyphlab_grader.files import remove
from glyphlab_grader.gradebook import GradebookKeeper, open_gradebook
from glyphlab_grader.intake import Intake, examine
from glyphlab_grader.names import name_problem, printable
from glyphlab_grader.outcome import Fault, Outcome
from glyphlab_grader.records import Records, fingerprint
from glyphlab_grader.runner import Ending, Request, run_submission
from glyphlab_grader.settings import Grading

__all__ = ["Options", "grade_assignment", "submitted_students"]


@dataclass(frozen=True)
class Options:
    """How to grade.

    Parameters
    ----------
    students : sequence of str
        Only these; all who submitted where it is empty.
    force : bool
        Grade again what has not changed, too.
    cell_timeout : int or None
        Seconds for one cell; None for ``c.Execute.timeout``.
    """

    students: Sequence[str] = ()
    force: bool = False
    cell_timeout: int | None = None


def submitted_students(course: Course, assignment: str) -> list[str]:
    """List the students who handed in anything for an assignment, whatever their names are."""
    everyone = course.submitted("student", assignment).parent.parent
    if not everyone.is_dir():
        return []
    return sorted(path.name for path in everyone.iterdir() if (path / assignment).is_dir())


def grade_assignment(
    course: Course,
    assignment: str,
    options: Options,
    tell: Callable[[int, int, Outcome], None] = lambda done, total, outcome: None,
) -> list[Outcome]:
    """Grade an assignment.

    Parameters
    ----------
    course : Course
        The course.
    assignment : str
        The assignment.
    options : Options
        Whom, and how.
    tell : callable
        Called after each submission with how many are done, how many there are, and the outcome.

    Returns
    -------
    list of Outcome
        One for each notebook of each student, by student and notebook.

    Raises
    ------
    GraderError
        If there is nothing to grade, or not everything that it takes.
    """
    course.require_assignment(assignment)
    notebooks = course.notebooks(assignment)
    students = _choose(submitted_students(course, assignment), options.students, assignment)
    outcomes: list[Outcome] = []
    with open_gradebook(course) as gradebook:
        gradebook.require_assignment(assignment, notebooks)
        desk = _Desk(course, assignment, options, gradebook)
        for student in students:
            for notebook in notebooks:
                outcomes.append(desk.grade(student, notebook))
                tell(len(outcomes), len(students) * len(notebooks), outcomes[-1])
            desk.settle(student, [o for o in outcomes if o.student == student])
    return outcomes


def _choose(submitted: list[str], asked: Sequence[str], assignment: str) -> list[str]:
    if not submitted:
        raise GraderError(f"nobody has submitted {assignment}: nothing to grade")
    for student in asked:
        if student not in submitted:
            raise GraderError(f"no submission of {assignment} by student {student!r}")
    return sorted(set(asked)) or submitted


class _Desk:
    """Grades one submission after the other, with the gradebook at hand."""

    def __init__(
        self, course: Course, assignment: str, options: Options, gradebook: GradebookKeeper
    ) -> None:
        self.course = course
        self.assignment = assignment
        self.options = options
        self.gradebook = gradebook
        self.records = Records(course, assignment)
        self.limit = Grading(parent=course.app).notebook_timeout
        self.run = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"

    def grade(self, student: str, notebook: str) -> Outcome:
        """Grade one submission; whatever happens, there is an outcome."""
        started = time.monotonic()
        try:
            return self._grade(student, notebook)
        except Exception as error:
            message = printable(f"{type(error).__name__}: {error}")
            seconds = round(time.monotonic() - started, 3)
            return self._failed(student, notebook, [Fault(None, "grader", message)], seconds)

    def settle(self, student: str, outcomes: Sequence[Outcome]) -> None:
        """See to it that what failed has no score.

        nbgrader gives 0 to every notebook that it does not find, each time it grades another one
        of the same student.
        """
        for outcome in outcomes:
            if outcome.outcome == "failed":
                self._withdraw(student, outcome.notebook)

    def _grade(self, student: str, notebook: str) -> Outcome:
        folder = self.course.submitted(student, self.assignment)
        tests = self.gradebook.source_cells(self.assignment, notebook)
        intake = examine(folder, notebook, tests, self.course.notebooks(self.assignment))
        if not intake.usable:
            return self._failed(student, notebook, intake.faults, 0.0)
        limits = (self.options.cell_timeout, self.course.app.config.Execute.timeout, self.limit)
        key = fingerprint(folder, notebook, tests, limits)
        if not self.options.force and (kept := self._kept(student, notebook, key)):
            return kept
        self._withdraw(student, notebook)
        if intake.absent:
            return self._absent(student, notebook, intake)
        for path in folder.rglob("*"):
            if path.is_symlink():
                remove(path)
        outcome = self._execute(student, notebook, intake)
        self.records.keep(outcome, key)
        return outcome

    def _kept(self, student: str, notebook: str, key: str) -> Outcome | None:
        """Return the earlier outcome where nothing changed and the gradebook still has it."""
        outcome = self.records.find(student, notebook, key)
        executed = self.course.autograded(student, self.assignment) / f"{notebook}.ipynb"
        if outcome is None or not executed.is_file():
            return None
        scores = self.gradebook.scores(self.assignment, notebook, student)
        return None if scores.ungraded else outcome.with_scores(scores.score, scores.max_score)

    def _withdraw(self, student: str, notebook: str) -> None:
        """Take back all that an earlier run said of the submission."""
        if name_problem(student):
            return
        self.records.forget(student, notebook)
        self.gradebook.withdraw(self.assignment, notebook, student)
        remove(self.course.autograded(student, self.assignment) / f"{notebook}.ipynb")
        withdraw_feedback(self.course, self.assignment, student, notebook)

    def _absent(self, student: str, notebook: str, intake: Intake) -> Outcome:
        self.gradebook.give_nothing(self.assignment, notebook, student)
        maximum = self.gradebook.max_score(self.assignment, notebook)
        return Outcome.graded(student, notebook, 0.0, maximum, intake.faults, self.run, 0.0)

    def _execute(self, student: str, notebook: str, intake: Intake) -> Outcome:
        ending = run_submission(
            Request(
                root=str(self.course.root),
                assignment=self.assignment,
                student=student,
                notebook=notebook,
                log=str(self.course.log(student, self.assignment, notebook)),
                cell_timeout=self.options.cell_timeout,
                notebook_timeout=self.limit,
            )
        )
        if ending.how != "converted":
            return self._failed(
                student, notebook, [*intake.faults, *_ending_faults(ending, intake)], ending.seconds
            )
        scores = self.gradebook.scores(self.assignment, notebook, student)
        if scores.ungraded:
            missing = [n for n, cell in scores.cells.items() if cell.automatic and not cell.settled]
            told = Fault(None, "grader", f"the tests {', '.join(missing)} gave no points")
            return self._failed(student, notebook, [*intake.faults, told], ending.seconds)
        executed = self.course.autograded(student, self.assignment) / f"{notebook}.ipynb"
        named = misconceptions(self.course.source(self.assignment) / f"{notebook}.ipynb")
        faults = [*intake.faults, *execution_faults(executed, scores, named)]
        return Outcome.graded(
            student, notebook, scores.score, scores.max_score, faults, self.run, ending.seconds
        )

    def _failed(
        self, student: str, notebook: str, faults: Sequence[Fault], seconds: float
    ) -> Outcome:
        maximum = self.gradebook.max_score(self.assignment, notebook)
        self._withdraw(student, notebook)
        return Outcome.failed(student, notebook, maximum, faults, self.run, seconds)


def _ending_faults(ending: Ending, intake: Intake) -> list[Fault]:
    """Tell how running ended, unless the intake already says why."""
    if ending.how == "invalid":
        return [] if intake.faults else [Fault(ending.cell, "corrupt", ending.message)]
    return [Fault(ending.cell, ending.how, ending.message)]
