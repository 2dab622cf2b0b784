"""Files what came of submissions: gradebook, executed notebook, outcome kept for the next run."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import parse_utc

from glyphlab_grader.course import Course
from glyphlab_grader.cycle.feedback import withdraw_feedback
from glyphlab_grader.errors import GraderError
from glyphlab_grader.files import remove, walk
from glyphlab_grader.ledger import Ledger, Marks, Place
from glyphlab_grader.names import name_problem
from glyphlab_grader.outcome import Fault, Outcome
from glyphlab_grader.records import Records
from glyphlab_grader.submission import Result, same_answer

__all__ = ["Files", "Finished"]

# nbgrader's own timestamps have some thirty characters.
_LONGEST_TIMESTAMP = 100


@dataclass(frozen=True)
class Finished:
    """A submission that came back.

    Parameters
    ----------
    place : Place
        Whose, and which notebook.
    key : str
        The digest under which its outcome is kept.
    result : Result
        What came of it.
    executed : Path
        Where the executed notebook lies, if there is one.
    """

    place: Place
    key: str
    result: Result
    executed: Path


class Files:
    """The one writer of a run, many submissions at a time.

    The gradebook comes first, then the executed notebook, then the outcome. So a run that is
    killed anywhere leaves no outcome without its points, and the next one grades what has none.

    Parameters
    ----------
    course : Course
        The course.
    assignment : str
        The assignment.
    ledger : Ledger
        The assignment's grades, open for the whole run.
    run : str
        The run's id.
    """

    def __init__(self, course: Course, assignment: str, ledger: Ledger, run: str) -> None:
        self.course = course
        self.assignment = assignment
        self.ledger = ledger
        self.run = run
        self.records = Records(course, assignment)

    def kept(self, keys: Mapping[Place, str], this_run: bool = False) -> dict[Place, Outcome]:
        """Return the outcomes that still hold: nothing changed and their results are still there.

        Parameters
        ----------
        keys : mapping of Place to str
            The present digests.
        this_run : bool
            Whether only what this run itself graded counts, before it was broken off.
        """
        found = {}
        for place, key in keys.items():
            outcome = self.records.find(*place, key) if key else None
            if outcome is None or outcome.outcome == "failed":
                continue
            if this_run and outcome.run != self.run:
                continue
            if outcome.outcome == "absent" or self._executed(*place).is_file():
                found[place] = outcome
        scores = self.ledger.scores(sorted({student for student, _ in found}))
        return {
            place: outcome.with_scores(now.score, now.max_score, now.awaiting, now.outdated)
            for place, outcome in found.items()
            if (now := scores.get(place)) is not None and not now.ungraded
        }

    def withdraw(self, places: Sequence[Place]) -> dict[Place, Fault]:
        """Take back all that an earlier run said of submissions, points by hand excepted.

        Returns
        -------
        dict of Place to Fault
            Where that was not possible, and why.
        """
        known = [place for place in places if not name_problem(place[0])]
        problems = {}
        for place in known:
            try:
                self.records.forget(*place)
                remove(self._executed(*place))
                withdraw_feedback(self.course, self.assignment, *place)
            except (OSError, GraderError) as error:
                problems[place] = Fault.broken_off(error)
        with self.ledger.transaction():
            self.ledger.withdraw(known)
        return problems

    def settle(self, finished: Sequence[Finished]) -> list[Outcome]:
        """Enter results, in one transaction, and say what the outcomes are."""
        items = {item.place: item for item in finished}
        problems: dict[Place, Fault] = {}
        marks: dict[Place, Marks] = {}
        copied: set[str] = set()
        for place, item in items.items():
            if item.result.how == "executed":
                try:
                    if place[0] not in copied:
                        self._copy_files(place[0])
                        copied.add(place[0])
                    marks[place] = self._marks(item)
                except (OSError, ValueError) as error:
                    problems[place] = Fault.broken_off(error)
        absent = [place for place, item in items.items() if item.result.how == "absent"]
        with self.ledger.transaction():
            wrong = self.ledger.give(marks)
            self.ledger.give_nothing(absent)
        problems |= {place: Fault.broken_off(ValueError(text)) for place, text in wrong.items()}
        for place in self._penalised([place for place in marks if place not in problems]):
            try:
                self._penalise(*place)
            except (OSError, ValueError) as error:
                problems[place] = Fault.broken_off(error)
        outcomes = self._conclude(items, problems)
        return [outcomes[place] for place in items]

    def failed(
        self, place: Place, faults: Sequence[Fault], seconds: float, withdrawn: bool = False
    ) -> Outcome:
        """Leave a submission without a score, and say why."""
        if not withdrawn:
            self.withdraw([place])
        maximum = self.ledger.max_score(place[1])
        outcome = Outcome.failed(*place, maximum, faults, self.run, seconds)
        if not name_problem(place[0]):
            try:
                self.records.keep_failed(outcome)
            except (OSError, GraderError):
                # Where nothing can be written the outcome at hand has to do.
                return outcome
        return outcome

    def _conclude(
        self, items: Mapping[Place, Finished], problems: dict[Place, Fault]
    ) -> dict[Place, Outcome]:
        """Keep the executed notebooks and the outcomes of what is in the gradebook."""
        # A database takes no name that is not UTF-8.
        names = {student for student, _ in items if not name_problem(student)}
        scores = self.ledger.scores(sorted(names))
        outcomes = {}
        for place, item in items.items():
            result = item.result
            try:
                if place not in problems and result.how == "executed":
                    shutil.move(item.executed, self._executed(*place))
                if place not in problems and result.how != "failed":
                    now = scores[place]
                    outcome = Outcome.graded(
                        *place,
                        now.score,
                        now.max_score,
                        result.faults,
                        self.run,
                        result.seconds,
                        now.awaiting,
                        now.outdated,
                    )
                    self.records.keep(outcome, item.key, result.answers)
                    outcomes[place] = outcome
                    continue
            except (OSError, ValueError, GraderError) as error:
                problems[place] = Fault.broken_off(error)
            told = [*result.faults, *([problems[place]] if place in problems else [])]
            outcomes[place] = self.failed(place, told, result.seconds)
        return outcomes

    def _marks(self, item: Finished) -> Marks:
        result = item.result
        before = self.records.answers(*item.place)
        same = [name for name, now in result.answers.items() if same_answer(before.get(name), now)]
        return Marks(result.grades, result.untouched, same, self._timestamp(item.place[0]))

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
            for path in sorted(walk(folder)):
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

    def _penalised(self, places: Sequence[Place]) -> list[Place]:
        """Choose those whose penalty, or its absence, has to be decided."""
        late = self.ledger.late(sorted({student for student, _ in places}))
        return [place for place in places if place[0] in late]

    def _penalise(self, student: str, notebook: str) -> None:
        """Take points off a late submission, with nbgrader's step and the configured plugin."""
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
