"""The grades of one assignment in nbgrader's gradebook, read and written for many students at once.

nbgrader's own objects take tens of milliseconds a submission, and longer the larger the class. Here
each step is a handful of statements on nbgrader's tables, whatever the number of submissions.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    GradeCell,
    Notebook,
    SolutionCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)
from sqlalchemy import bindparam, case, func, insert, select, update

__all__ = ["CellScore", "Ledger", "Marks", "NotebookScore", "Place", "students"]

Place = tuple[str, str]
"""A student and a notebook."""

# Students that one statement asks for; databases bound the number of parameters.
_TOGETHER = 200


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
    outdated : bool
        Whether its points were given by hand before the answer or its tests changed.
    """

    score: float | None
    max_score: float
    automatic: bool
    settled: bool
    outdated: bool = False


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
    penalty : float
        Points taken off for being late.
    """

    score: float
    max_score: float
    cells: dict[str, CellScore]
    penalty: float = 0.0

    @property
    def ungraded(self) -> bool:
        """Whether tests that grade a part of the notebook have given it nothing yet."""
        return any(cell.automatic and not cell.settled for cell in self.cells.values())

    @property
    def awaiting(self) -> float:
        """Points of the parts that a person grades and has not yet."""
        parts = [cell for cell in self.cells.values() if not cell.automatic and not cell.settled]
        return sum(cell.max_score for cell in parts)

    @property
    def outdated(self) -> float:
        """Points of the parts that a person has to look at again."""
        return sum(cell.max_score for cell in self.cells.values() if cell.outdated)


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


@dataclass(frozen=True)
class _Sheet:
    """What the gradebook knows of a notebook of the assignment."""

    id: str
    maxima: dict[str, float]
    by_hand: frozenset[str]
    graded: dict[str, str]
    commented: dict[str, str]


class Ledger:
    """The grades of one assignment.

    Parameters
    ----------
    gradebook : nbgrader.api.Gradebook
        nbgrader's own object, open.
    assignment : str
        An assignment that it knows.
    """

    def __init__(self, gradebook: Any, assignment: str) -> None:
        self._db = gradebook.db
        row = self._db.execute(
            select(Assignment.id, Assignment.duedate).where(Assignment.name == assignment)
        ).one()
        self._assignment, self.duedate = str(row.id), row.duedate
        self._sheets = {
            str(name): self._sheet(identity)
            for identity, name in self._db.execute(
                select(Notebook.id, Notebook.name)
                .where(Notebook.assignment_id == self._assignment)
                .order_by(Notebook.name)
            ).all()
        }
        self._db.commit()

    @property
    def notebooks(self) -> list[str]:
        """Names of the assignment's notebooks."""
        return list(self._sheets)

    def max_score(self, notebook: str) -> float:
        """Return the points of a notebook."""
        return sum(self._sheets[notebook].maxima.values())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make what is written inside stand as one, or not at all."""
        try:
            yield
        except BaseException:
            self._db.rollback()
            raise
        self._db.commit()

    def withdraw(self, places: Sequence[Place]) -> None:
        """Take back what tests gave notebooks, so that no old score passes for a new one.

        Points given by hand stay, with the request to look at them again. A submission that the
        gradebook does not know yet is entered, so that it is seen there to be ungraded.
        """
        self._give_all(places, None)

    def give_nothing(self, places: Sequence[Place]) -> None:
        """Give 0 to notebooks that were not handed in, as nbgrader does."""
        self._give_all(places, 0.0)

    def _give_all(self, places: Sequence[Place], score: float | None) -> None:
        if places:
            table = Grade.__table__
            self._db.connection().execute(
                update(table)
                .where(table.c.notebook_id.in_(list(self._entered(places).values())))
                .values(
                    auto_score=score,
                    needs_manual_grade=case(
                        (table.c.manual_score.is_(None), score is None),
                        else_=table.c.needs_manual_grade,
                    ),
                )
            )

    def give(self, marks: Mapping[Place, Marks]) -> dict[Place, str]:
        """Enter what tests gave notebooks, as nbgrader does.

        Returns
        -------
        dict of Place to str
            What is wrong with marks that are not for exactly the notebook's graded cells; nothing
            is entered for these.
        """
        if not marks:
            return {}
        numbers = self._entered(list(marks))
        rows = self._db.execute(
            select(
                Grade.id,
                Grade.notebook_id,
                Grade.manual_score,
                Grade.needs_manual_grade,
                BaseCell.name,
            )
            .join(BaseCell, BaseCell.id == Grade.cell_id)
            .where(Grade.notebook_id.in_(list(numbers.values())))
        ).all()
        found: dict[str, list[Any]] = {}
        for row in rows:
            found.setdefault(row.notebook_id, []).append(row)
        wrong, given = {}, []
        for place, entry in marks.items():
            grades = found.get(numbers[place], [])
            if {row.name for row in grades} != set(entry.grades):
                wrong[place] = f"marks for {sorted(entry.grades)}, not for the notebook's cells"
                continue
            given += [_given(row, entry) for row in grades]
        if given:
            self._db.connection().execute(
                update(Grade.__table__)
                .where(Grade.__table__.c.id == bindparam("row"))
                .values(auto_score=bindparam("score"), needs_manual_grade=bindparam("look")),
                given,
            )
        right = {place: entry for place, entry in marks.items() if place not in wrong}
        self._comment(right, numbers)
        self._note_times(right)
        return wrong

    def late(self, students: Sequence[str]) -> set[str]:
        """Name the students whose submission came after the due date or carries a penalty."""
        rows = self._db.execute(
            select(
                SubmittedAssignment.student_id,
                SubmittedAssignment.timestamp,
                SubmittedAssignment.extension,
                func.sum(SubmittedNotebook.late_submission_penalty),
            )
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .where(SubmittedAssignment.assignment_id == self._assignment)
            .where(SubmittedAssignment.student_id.in_(students))
            .group_by(SubmittedAssignment.id)
        ).all()
        found = set()
        for student, timestamp, extension, penalty in rows:
            due = (
                self.duedate
                if extension is None or self.duedate is None
                else (self.duedate + extension)
            )
            after = timestamp is not None and due is not None and timestamp > due
            if after or penalty:
                found.add(str(student))
        self._db.commit()
        return found

    def scores(self, students: Sequence[str]) -> dict[Place, NotebookScore]:
        """Read the points of all notebooks of some students; who submitted nothing is left out."""
        found: dict[Place, NotebookScore] = {}
        for start in range(0, len(students), _TOGETHER):
            found |= self._scores(students[start : start + _TOGETHER])
        self._db.commit()
        return found

    def submitted(self) -> dict[str, datetime | None]:
        """Return who has submitted, and when, where that is known."""
        rows = self._db.execute(
            select(SubmittedAssignment.student_id, SubmittedAssignment.timestamp).where(
                SubmittedAssignment.assignment_id == self._assignment
            )
        ).all()
        self._db.commit()
        return {str(student): timestamp for student, timestamp in rows}

    def _scores(self, students: Sequence[str]) -> dict[Place, NotebookScore]:
        names = {sheet.id: name for name, sheet in self._sheets.items()}
        rows = self._db.execute(
            select(
                SubmittedAssignment.student_id,
                SubmittedNotebook.notebook_id,
                SubmittedNotebook.late_submission_penalty,
                BaseCell.name,
                Grade.auto_score,
                Grade.manual_score,
                Grade.extra_credit,
                Grade.needs_manual_grade,
            )
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .join(Grade, Grade.notebook_id == SubmittedNotebook.id, isouter=True)
            .join(BaseCell, BaseCell.id == Grade.cell_id, isouter=True)
            .where(SubmittedAssignment.assignment_id == self._assignment)
            .where(SubmittedAssignment.student_id.in_(students))
        ).all()
        cells: dict[Place, dict[str, CellScore]] = {}
        sums: dict[Place, float] = {}
        penalties: dict[Place, float] = {}
        for student, notebook, penalty, cell, auto, manual, extra, look in rows:
            place = (str(student), names[notebook])
            penalties[place] = float(penalty or 0.0)
            known = cells.setdefault(place, {})
            sums.setdefault(place, 0.0)
            if cell is None:
                continue
            sheet = self._sheets[place[1]]
            given = auto if manual is None else manual
            known[str(cell)] = CellScore(
                score=None if auto is None else float(auto),
                max_score=sheet.maxima[cell],
                automatic=cell not in sheet.by_hand,
                settled=given is not None,
                outdated=bool(look) and manual is not None,
            )
            # As in nbgrader: extra credit counts only beside points.
            sums[place] += 0.0 if given is None else float(given) + float(extra or 0.0)
        return {
            place: NotebookScore(sums[place], self.max_score(place[1]), known, penalties[place])
            for place, known in cells.items()
        }

    def _sheet(self, notebook: str) -> _Sheet:
        graded, commented, maxima, by_hand = {}, {}, {}, set()
        for kind, identity, name, points in self._cells(notebook):
            if kind != "solution":
                graded[name], maxima[name] = identity, float(points)
            if kind != "grade":
                commented[name] = identity
                by_hand.add(name)
        return _Sheet(notebook, maxima, frozenset(by_hand), graded, commented)

    def _cells(self, notebook: str) -> list[tuple[str, str, str, float]]:
        found = []
        for kind, table in (("grade", GradeCell), ("solution", SolutionCell), ("task", TaskCell)):
            own, base = table.__table__, BaseCell.__table__
            points = own.c.get("max_score", base.c.id)
            rows = self._db.execute(
                select(base.c.id, base.c.name, points)
                .join(own, own.c.id == base.c.id)
                .where(base.c.notebook_id == notebook)
            ).all()
            found += [(kind, str(row[0]), str(row[1]), row[2]) for row in rows]
        return found

    def _entered(self, places: Sequence[Place]) -> dict[Place, str]:
        """Return the gradebook's numbers of submitted notebooks, entered where it has none."""
        students = sorted({student for student, _ in places})
        known = self._submissions(students)
        absent = [student for student in students if student not in known]
        if absent:
            known |= self._enter(absent)
        names = {sheet.id: name for name, sheet in self._sheets.items()}
        owners = {number: student for student, number in known.items()}
        numbers = {
            (owners[owner], names[notebook]): number
            for (owner, notebook), number in self._notebooks(owners).items()
        }
        missing = [place for place in places if place not in numbers]
        numbers |= self._enter_notebooks({place: known[place[0]] for place in missing})
        return {place: numbers[place] for place in places}

    def _enter(self, students: Sequence[str]) -> dict[str, str]:
        """Enter submissions, and the students themselves where they are not known either."""
        known = self._db.scalars(select(Student.id).where(Student.id.in_(students))).all()
        strangers = [{"id": student} for student in students if student not in set(known)]
        self._insert(Student, strangers)
        rows = [{"assignment_id": self._assignment, "student_id": student} for student in students]
        self._insert(SubmittedAssignment, rows)
        numbers = self._submissions(students)
        self._enter_notebooks(
            {(student, name): numbers[student] for student in students for name in self._sheets}
        )
        return numbers

    def _enter_notebooks(self, places: Mapping[Place, str]) -> dict[Place, str]:
        """Enter notebooks with their graded and commented cells."""
        if not places:
            return {}
        rows = [
            {"assignment_id": number, "notebook_id": self._sheets[name].id}
            for (_, name), number in places.items()
        ]
        self._insert(SubmittedNotebook, rows)
        by_ids = self._notebooks(set(places.values()))
        numbers = {
            place: by_ids[number, self._sheets[place[1]].id] for place, number in places.items()
        }
        for table, column in ((Grade, "graded"), (Comment, "commented")):
            cells = [
                {"notebook_id": number, "cell_id": cell}
                for (_, name), number in numbers.items()
                for cell in getattr(self._sheets[name], column).values()
            ]
            self._insert(table, cells)
        return numbers

    def _submissions(self, students: Sequence[str]) -> dict[str, str]:
        """Read the gradebook's numbers of submissions, by student."""
        rows = self._db.execute(
            select(SubmittedAssignment.student_id, SubmittedAssignment.id)
            .where(SubmittedAssignment.assignment_id == self._assignment)
            .where(SubmittedAssignment.student_id.in_(students))
        ).all()
        return dict(rows)

    def _notebooks(self, submissions: Iterable[str]) -> dict[tuple[str, str], str]:
        """Read the gradebook's numbers of submitted notebooks, by those of submission and sheet."""
        rows = self._db.execute(
            select(
                SubmittedNotebook.assignment_id, SubmittedNotebook.notebook_id, SubmittedNotebook.id
            ).where(SubmittedNotebook.assignment_id.in_(list(submissions)))
        ).all()
        return {(owner, sheet): str(number) for owner, sheet, number in rows}

    def _insert(self, table: Any, rows: list[dict[str, Any]]) -> None:
        if rows:
            self._db.connection().execute(insert(table.__table__), rows)

    def _comment(self, marks: Mapping[Place, Marks], numbers: Mapping[Place, str]) -> None:
        """Note which answers are still the stub."""
        rows = [
            {
                "notebook": numbers[place],
                "cell": cell,
                "text": "No response." if name in entry.untouched else None,
            }
            for place, entry in marks.items()
            for name, cell in self._sheets[place[1]].commented.items()
        ]
        if rows:
            table = Comment.__table__
            self._db.connection().execute(
                update(table)
                .where(table.c.notebook_id == bindparam("notebook"))
                .where(table.c.cell_id == bindparam("cell"))
                .values(auto_comment=bindparam("text")),
                rows,
            )

    def _note_times(self, marks: Mapping[Place, Marks]) -> None:
        rows = [
            {"student": student, "time": entry.timestamp}
            for (student, _), entry in marks.items()
            if entry.timestamp is not None
        ]
        if rows:
            table = SubmittedAssignment.__table__
            self._db.connection().execute(
                update(table)
                .where(table.c.assignment_id == self._assignment)
                .where(table.c.student_id == bindparam("student"))
                .values(timestamp=bindparam("time")),
                rows,
            )


def _given(row: Any, entry: Marks) -> dict[str, Any]:
    score = entry.grades[row.name]
    if row.manual_score is None:
        look = score is None
    else:  # once asked for, it is asked for until somebody has looked
        look = row.needs_manual_grade or row.name not in entry.unchanged
    return {"row": row.id, "score": score, "look": look}


def students(gradebook: Any) -> Iterable[Any]:
    """Read all students: id, last_name, first_name, email, in nbgrader's order."""
    found: Iterable[Any] = gradebook.db.execute(
        select(Student.id, Student.last_name, Student.first_name, Student.email).order_by(
            Student.last_name, Student.first_name, Student.id
        )
    ).all()
    return found
