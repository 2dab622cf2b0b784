"""Reads what there is to report of an assignment, as plain data."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, get_args

from glyphlab.course import load as load_course
from glyphlab_grader.course import Course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.faults import ENDINGS, misconceptions
from glyphlab_grader.grading import submitted_students
from glyphlab_grader.ledger import Ledger, NotebookScore, Place
from glyphlab_grader.names import name_problem, printable
from glyphlab_grader.notebooks import cell_id, read_notebook
from glyphlab_grader.outcome import FAULT_KINDS, Outcome, Status
from glyphlab_grader.records import Records
from glyphlab_grader.report.items import analyse_items, distribution
from glyphlab_grader.runs import last_run

__all__ = ["gather"]

_SLOWEST = 10
# What had to be put right in a submission, rather than what went wrong while it ran.
_REPAIRS = (
    "deleted",
    "duplicated",
    "retagged",
    "retyped",
    "altered",
    "reordered",
    "renamed",
    "kernel",
    "link",
)

Name = Callable[[str], str]


def gather(
    course: Course, ledger: Ledger, assignment: str, pseudonym: Name | None = None
) -> dict[str, Any]:
    """Gather the report of an assignment.

    Parameters
    ----------
    course : Course
        The course.
    ledger : Ledger
        The assignment's grades.
    assignment : str
        The assignment.
    pseudonym : callable, optional
        Gives what stands for a student. Messages, which can hold names, are left out then.

    Returns
    -------
    dict
        What `json.dumps` takes; ``glyphlab-grade report --json`` writes it.

    Raises
    ------
    GraderError
        If nothing has been graded yet.
    """
    return _Class(course, ledger, assignment, pseudonym).report()


class _Class:
    def __init__(
        self, course: Course, ledger: Ledger, assignment: str, pseudonym: Name | None
    ) -> None:
        self.course, self.ledger, self.assignment = course, ledger, assignment
        self.hidden = pseudonym is not None
        self.name: Name = pseudonym or (lambda student: printable(student, 60))
        everyone = set(submitted_students(course, assignment)) | set(ledger.submitted())
        self.students = sorted(everyone)
        proper = [student for student in self.students if name_problem(student) is None]
        self.scores = ledger.scores(proper)
        records = Records(course, assignment)
        latest = {
            (student, notebook): records.latest(student, notebook)
            for student in proper
            for notebook in ledger.notebooks
        }
        self.outcomes = {p: now for p, (now, _) in latest.items() if now is not None}
        self.before = {p: old for p, (_, old) in latest.items() if old is not None}
        if not self.outcomes:
            raise GraderError(f"nothing to report: run `glyphlab-grade {assignment}` first")

    def report(self) -> dict[str, Any]:
        tests = [row for notebook in self.ledger.notebooks for row in self._tests(notebook)]
        return {
            "assignment": self.assignment,
            "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
            "run": last_run(self.course, self.assignment),
            "pseudonyms": self.hidden,
            "students": len(self.students),
            "outcomes": _counts(self.outcomes.values()),
            "total": self._total(),
            "notebooks": [self._notebook(name) for name in self.ledger.notebooks],
            "tests": tests,
            "misconceptions": self._misconceptions(tests),
            "repairs": self._repairs(),
            "slow": self._slow(),
            "failed": self._failed(),
            "changes": self._changes(),
        }

    def _graded(self, notebook: str) -> dict[str, NotebookScore]:
        """Return the scores of those who handed a notebook in and have all their points."""
        return {
            student: score
            for (student, name), score in self.scores.items()
            if name == notebook and not score.ungraded and self._handed_in((student, name))
        }

    def _handed_in(self, place: Place) -> bool:
        outcome = self.outcomes.get(place)
        return outcome is not None and outcome.outcome in ("graded", "faults")

    def _total(self) -> dict[str, Any]:
        names = self.ledger.notebooks
        sums, waiting = [], []
        for student in self.students:
            own = [self.scores.get((student, name)) for name in names]
            found = [score for score in own if score is not None and not score.ungraded]
            if len(found) == len(names):
                sums.append(sum(s.score for s in found) - sum(s.penalty for s in found))
                waiting.append(sum(score.awaiting for score in found))
        maximum = sum(self.ledger.max_score(name) for name in names)
        return {
            "max_score": maximum,
            "awaiting": sum(points > 0 for points in waiting),
            "awaiting_points": max(waiting, default=0.0),
            **distribution(sums, maximum),
        }

    def _notebook(self, notebook: str) -> dict[str, Any]:
        graded = self._graded(notebook)
        own = _counts(o for (_, name), o in self.outcomes.items() if name == notebook)
        maximum = self.ledger.max_score(notebook)
        return {
            "notebook": notebook,
            "max_score": maximum,
            "outcomes": own,
            "awaiting": sum(1 for score in graded.values() if score.awaiting),
            **distribution([score.score for score in graded.values()], maximum),
        }

    def _tests(self, notebook: str) -> list[dict[str, Any]]:
        source = self.course.source(self.assignment) / f"{notebook}.ipynb"
        named = misconceptions(source)
        graded = self._graded(notebook)
        automatic = {
            name: cell.max_score
            for score in graded.values()
            for name, cell in score.cells.items()
            if cell.automatic
        }
        order = [cell_id(cell) for cell in read_notebook(source)["cells"]]
        points = {name: automatic[name] for name in order if name in automatic}
        scores = [
            {name: score.cells[name].score or 0.0 for name in points} for score in graded.values()
        ]
        return [
            {"notebook": notebook, **row, "misconception": named.get(row["test"])}
            for row in analyse_items(points, scores)
        ]

    def _misconceptions(self, tests: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Count whom a misconception cost points, where the test could find it."""
        titles = self._titles()
        met: dict[str, set[str]] = {}
        looked: dict[str, set[str]] = {}
        for row in tests:
            if row["misconception"] is None:
                continue
            for student, score in self._graded(row["notebook"]).items():
                place = student, row["notebook"]
                if not self._tells(place, score) or self._otherwise(place, row):
                    continue
                looked.setdefault(row["misconception"], set()).add(student)
                if (score.cells[row["test"]].score or 0.0) < row["points"]:
                    met.setdefault(row["misconception"], set()).add(student)
        rows = [
            {
                "misconception": name,
                "title": titles.get(name, name),
                "met": len(found),
                "looked": len(looked[name]),
                "share": len(found) / len(looked[name]),
                "students": sorted(self.name(student) for student in found),
            }
            for name, found in met.items()
        ]
        return sorted(rows, key=lambda row: (-row["met"], row["misconception"]))

    def _otherwise(self, place: Place, row: Mapping[str, Any]) -> bool:
        """Say whether a test was lost for another reason: its fault names no misconception then."""
        told = (f for f in self.outcomes[place].faults if (f.cell, f.kind) == (row["test"], "test"))
        return any(row["misconception"] not in fault.message.split(": ") for fault in told)

    def _tells(self, place: Place, score: NotebookScore) -> bool:
        """Say whether lost points tell of a misconception: something worked, and nothing broke."""
        broken = any(f.kind in ENDINGS for f in self.outcomes[place].faults)
        return not broken and any((cell.score or 0.0) > 0 for cell in score.cells.values())

    def _titles(self) -> dict[str, str]:
        file = self.course.root / "course.yml"
        if not file.is_file():
            return {}
        return {name: told.name for name, told in load_course(file).misconceptions.items()}

    def _repairs(self) -> list[dict[str, Any]]:
        found: dict[str, set[str]] = {}
        for (student, _), outcome in self.outcomes.items():
            for fault in outcome.faults:
                if fault.kind in _REPAIRS:
                    found.setdefault(fault.kind, set()).add(student)
        return [
            {
                "kind": kind,
                "meaning": FAULT_KINDS[kind],
                "students": sorted(self.name(student) for student in found[kind]),
            }
            for kind in _REPAIRS
            if kind in found
        ]

    def _slow(self) -> list[dict[str, Any]]:
        slow = sorted(self.outcomes.items(), key=lambda item: (-item[1].seconds, item[0]))
        return [
            {"student": self.name(s), "notebook": n, "seconds": outcome.seconds}
            for (s, n), outcome in slow[:_SLOWEST]
        ]

    def _failed(self) -> list[dict[str, Any]]:
        rows = []
        for (student, notebook), outcome in sorted(self.outcomes.items()):
            if outcome.outcome == "failed":
                told = outcome.faults[-1] if outcome.faults else None
                kind = None if told is None else told.kind
                message = None if told is None or self.hidden else told.message
                rows.append(
                    {
                        "student": self.name(student),
                        "notebook": notebook,
                        "kind": kind,
                        "message": message,
                    }
                )
        unusable = [student for student in self.students if name_problem(student)]
        rows += [
            {"student": self.name(s), "notebook": None, "kind": "name", "message": None}
            for s in unusable
        ]
        return rows

    def _changes(self) -> list[dict[str, Any]]:
        """List what the last run changed."""
        run = last_run(self.course, self.assignment)
        rows = []
        for place, now in sorted(self.outcomes.items()):
            old = self.before.get(place)
            if now.run != run or (old is not None and _said(old) == _said(now)):
                continue
            rows.append(
                {
                    "student": self.name(place[0]),
                    "notebook": place[1],
                    "before": None if old is None else _said(old),
                    "now": _said(now),
                }
            )
        return rows


def _counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    counts = Counter(outcome.outcome for outcome in outcomes)
    return {status: counts[status] for status in get_args(Status)}


def _said(outcome: Outcome) -> dict[str, Any]:
    return {"outcome": outcome.outcome, "score": outcome.score}
