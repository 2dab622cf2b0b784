"""Exports the gradebook to one CSV file in which ungraded is empty, not 0.

Columns, one row for each student and assignment; the first eleven are those of nbgrader's export:

======================= ==========================================================================
assignment              the assignment
duedate, timestamp      when it was due and when it was submitted, UTC; empty where not known
student_id              the student, with last_name, first_name and email as the gradebook has them
raw_score               points given by tests and by hand; empty where anything is ungraded
late_submission_penalty points taken off
score                   raw_score less the penalty, not below 0; empty where anything is ungraded
max_score               points that can be reached
ungraded                notebooks whose tests have given no score: not run yet, or failed
needs_manual_grade      notebooks with a written part that still counts 0, for a person to grade
======================= ==========================================================================

A notebook that was not handed in counts 0; a student who handed in nothing has no score at all.
"""

import csv
import io
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from nbgrader.plugins import ExportPlugin

from glyphlab_grader.excess import excess_warning
from glyphlab_grader.files import replace_file
from glyphlab_grader.ledger import Ledger, NotebookScore, students

__all__ = ["COLUMNS", "GradesExport", "read_grades", "write_grades"]

# Students whose points are held at a time.
_TOGETHER = 200

COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
    "ungraded",
    "needs_manual_grade",
)


def write_grades(gradebook: Any, path: Path, assignments: Collection[str] | None = None) -> None:
    """Write the grades of all students.

    Parameters
    ----------
    gradebook : nbgrader.api.Gradebook
        The gradebook.
    path : Path
        The file, replaced whole.
    assignments : collection of str, optional
        Only these.

    Raises
    ------
    GraderError
        If it cannot be written.
    """
    _write(path, read_grades(gradebook, assignments))


class GradesExport(ExportPlugin):  # type: ignore[misc]
    """What ``nbgrader export`` uses in this course."""

    def export(self, gradebook: Any) -> None:
        """Write the grades of the students and assignments asked for."""
        students = {str(student) for student in self.student}
        assignments = {str(assignment) for assignment in self.assignment}
        rows = (
            row
            for row in read_grades(gradebook, assignments or None)
            if not students or row["student_id"] in students
        )
        _write(Path(self.to or "grades.csv"), rows)
        if warning := excess_warning(gradebook, assignments or None):
            self.log.warning(warning.removeprefix("warning: "))


def _write(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    replace_file(path, text.getvalue())


def read_grades(
    gradebook: Any, assignments: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Read a row for each assignment and student, by the names in `COLUMNS`.

    What is empty in the file is absent from the row, but for the student's own particulars.
    """
    everyone = list(students(gradebook))
    for assignment in gradebook.assignments:
        if assignments is not None and assignment.name not in assignments:
            continue
        ledger = Ledger(gradebook, assignment.name)
        submitted = ledger.submitted()
        maximum = sum(ledger.max_score(notebook) for notebook in ledger.notebooks)
        for start in range(0, len(everyone), _TOGETHER):
            some = everyone[start : start + _TOGETHER]
            scores = ledger.scores([str(student.id) for student in some])
            for student in some:
                row = {
                    "assignment": assignment.name,
                    "duedate": ledger.duedate,
                    "student_id": student.id,
                    "last_name": student.last_name,
                    "first_name": student.first_name,
                    "email": student.email,
                    "max_score": maximum,
                }
                if student.id in submitted:
                    own = {name: scores[student.id, name] for name in ledger.notebooks}
                    yield row | {"timestamp": submitted[student.id]} | _score(own)
                else:
                    yield row | {"ungraded": " ".join(ledger.notebooks)}


def _score(notebooks: Mapping[str, NotebookScore]) -> dict[str, Any]:
    ungraded = [name for name, score in notebooks.items() if score.ungraded]
    row: dict[str, Any] = {
        "ungraded": " ".join(ungraded),
        # What failed has no executed notebook in which a person could grade anything.
        "needs_manual_grade": " ".join(
            name for name, score in notebooks.items() if score.awaiting and not score.ungraded
        ),
    }
    if not ungraded:
        raw = sum(score.score for score in notebooks.values())
        penalty = sum(score.penalty for score in notebooks.values())
        row["raw_score"] = raw
        row["late_submission_penalty"] = penalty
        row["score"] = max(0.0, raw - penalty)
    return row
