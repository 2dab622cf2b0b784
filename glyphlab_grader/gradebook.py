"""The one place where the course's code reads and writes nbgrader's gradebook."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from glyphlab_grader.course import Course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.restoring.master import StoredCell

__all__ = ["CellScore", "GradebookKeeper", "Marks", "NotebookScore", "open_gradebook"]


@dataclass(frozen=True)
class CellScore:
    """Points of one graded cell.

    Parameters
    ----------
    score : float or None
        What the tests gave; None where they have not run.
    max_score : float
        Points of the cell.
    automatic : bool
        Whether tests grade it; a person does otherwise.
    settled : bool
        Whether it has points, from tests or by hand.
    """

    score: float | None
    max_score: float
    automatic: bool
    settled: bool


@dataclass(frozen=True)
class NotebookScore:
    """Points of one notebook of one student.

    Parameters
    ----------
    score : float
        Sum of all points given so far, by tests and by hand; cells without any count 0.
    max_score : float
        Points that can be reached.
    cells : dict of str to CellScore
        By nbgrader id.
    """

    score: float
    max_score: float
    cells: dict[str, CellScore]

    @property
    def ungraded(self) -> bool:
        """Whether tests that grade a part of the notebook have given it nothing yet."""
        return any(cell.automatic and not cell.settled for cell in self.cells.values())

    @property
    def awaiting(self) -> float:
        """Points of the parts that a person grades and has not yet."""
        parts = [cell for cell in self.cells.values() if not cell.automatic and not cell.settled]
        return sum(cell.max_score for cell in parts)


@dataclass(frozen=True)
class Marks:
    """What is entered for one notebook of one student.

    Parameters
    ----------
    grades : dict of str to float or None
        Points of each graded cell; None where a person grades it.
    untouched : collection of str
        Answers that are still the stub.
    unchanged : collection of str
        Answers graded by hand that are the same as when they were.
    timestamp : datetime or None
        When the submission was made, UTC.
    """

    grades: dict[str, float | None]
    untouched: Collection[str] = ()
    unchanged: Collection[str] = ()
    timestamp: datetime | None = None


class GradebookKeeper:
    """The gradebook, open.

    Parameters
    ----------
    gradebook : nbgrader.api.Gradebook
        nbgrader's own object.
    """

    def __init__(self, gradebook: Any) -> None:
        self.gradebook = gradebook

    def require_assignment(self, assignment: str, notebooks: list[str]) -> None:
        """Refuse an assignment that the gradebook does not know as its folder stands."""
        try:
            known = sorted(n.name for n in self.gradebook.find_assignment(assignment).notebooks)
        except MissingEntry:
            known = []
        if known != sorted(notebooks):
            raise GraderError(
                f"the gradebook holds {', '.join(known) or 'nothing'} of {assignment}, its folder "
                f"{', '.join(notebooks)}: "
                f"run `nbgrader generate_assignment {assignment} --force` first"
            )

    def max_score(self, assignment: str, notebook: str) -> float:
        """Return the points of a notebook."""
        return float(self.gradebook.find_notebook(notebook, assignment).max_score)

    def stored_cells(self, assignment: str, notebook: str) -> dict[str, StoredCell]:
        """Return the cells of the assignment by nbgrader id, hidden tests included."""
        found = self.gradebook.find_notebook(notebook, assignment)
        return {
            str(cell.name): StoredCell(str(cell.source), cell.checksum)
            for cell in found.source_cells
        }

    def scores(self, assignment: str, notebook: str, student: str) -> NotebookScore:
        """Read the points of one notebook of one student.

        Raises
        ------
        nbgrader.api.MissingEntry
            If the gradebook has no such submission.
        """
        found = self.gradebook.find_submission_notebook(notebook, assignment, student)
        self.gradebook.db.refresh(found)
        by_hand = {str(cell.name) for cell in found.notebook.solution_cells}
        by_hand |= {str(cell.name) for cell in found.notebook.task_cells}
        cells = {
            str(grade.name): CellScore(
                score=None if grade.auto_score is None else float(grade.auto_score),
                max_score=float(grade.cell.max_score),
                automatic=str(grade.name) not in by_hand,
                settled=grade.auto_score is not None or grade.manual_score is not None,
            )
            for grade in found.grades
        }
        return NotebookScore(float(found.score), float(found.max_score), cells)

    def withdraw(self, assignment: str, notebook: str, student: str) -> None:
        """Take back what tests gave a notebook, so that no old score passes for a new one.

        Points given by hand stay. A submission that the gradebook does not know yet is entered,
        so that it is seen there to be ungraded.
        """
        for grade in self._grades(assignment, notebook, student):
            grade.auto_score = None
            grade.needs_manual_grade = True
        self.gradebook.db.commit()

    def give_nothing(self, assignment: str, notebook: str, student: str) -> None:
        """Give 0 to a notebook that was not handed in, as nbgrader does."""
        for grade in self._grades(assignment, notebook, student):
            grade.auto_score = 0.0
            grade.needs_manual_grade = False
        self.gradebook.db.commit()

    def give(self, assignment: str, notebook: str, student: str, marks: Marks) -> None:
        """Enter what tests gave a notebook, in one transaction, as nbgrader does.

        Raises
        ------
        ValueError
            If the marks are not for exactly the notebook's graded cells.
        """
        grades = self._grades(assignment, notebook, student, marks.timestamp)
        if {grade.name for grade in grades} != set(marks.grades):
            raise ValueError(f"marks for {sorted(marks.grades)}, not for the notebook's cells")
        for grade in grades:
            grade.auto_score = marks.grades[grade.name]
            by_hand = grade.manual_score is not None and grade.name not in marks.unchanged
            grade.needs_manual_grade = by_hand or (
                grade.auto_score is None and grade.manual_score is None
            )
        found = self.gradebook.find_submission_notebook(notebook, assignment, student)
        for comment in found.comments:
            untouched = comment.name in marks.untouched
            comment.auto_comment = "No response." if untouched else None
        self.gradebook.db.commit()

    def is_late(self, assignment: str, student: str) -> bool:
        """Say whether a submission came after the due date."""
        return bool(self.gradebook.find_submission(assignment, student).total_seconds_late > 0)

    def _grades(
        self, assignment: str, notebook: str, student: str, timestamp: datetime | None = None
    ) -> list[Any]:
        """Return the grades of a notebook, entered first where there are none yet."""
        try:
            found = self.gradebook.find_submission_notebook(notebook, assignment, student)
            if timestamp in (None, found.assignment.timestamp):
                return list(found.grades)
        except MissingEntry:
            pass
        known = {} if timestamp is None else {"timestamp": timestamp}
        # nbgrader links a new submission up while SQLAlchemy would already write it.
        with self.gradebook.db.no_autoflush:
            self.gradebook.update_or_create_student(student)
            self.gradebook.update_or_create_submission(assignment, student, **known)
        found = self.gradebook.find_submission_notebook(notebook, assignment, student)
        return list(found.grades)

    def remove_submission(self, assignment: str, student: str) -> None:
        """Remove a submission with all its grades; nothing happens where there is none."""
        try:
            self.gradebook.remove_submission(assignment, student)
        except MissingEntry:
            return


@contextmanager
def open_gradebook(course: Course) -> Iterator[GradebookKeeper]:
    """Open the course's gradebook.

    Parameters
    ----------
    course : Course
        The course.

    Yields
    ------
    GradebookKeeper
        The gradebook, closed at the end.

    Raises
    ------
    GraderError
        If it is an SQLite file that does not exist yet.
    """
    if not course.has_gradebook:
        raise GraderError(
            f"no gradebook at {course.database}: "
            "run `nbgrader generate_assignment ASSIGNMENT --force` first"
        )
    with Gradebook(course.database, course.course_id) as gradebook:
        yield GradebookKeeper(gradebook)
