"""A class of our own answers that goes through the whole cycle, from generating to feedback.

``glyphlab-grade demonstration``, or ``python -m glyphlab_grader.demonstration``. The class is made
afresh each time; nobody else's submissions, grades or feedback are touched.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from glyphlab_grader.course import Course, open_course
from glyphlab_grader.cycle.exchange import collect, fetch, release, submit
from glyphlab_grader.cycle.feedback import generate_feedback, release_feedback, withdraw_feedback
from glyphlab_grader.cycle.generate import generate
from glyphlab_grader.errors import GraderError
from glyphlab_grader.files import remove
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.grades import write_grades
from glyphlab_grader.grading import Options, grade_assignment
from glyphlab_grader.outcome import Outcome
from glyphlab_grader.release.bank import Answer, answers, submission
from glyphlab_grader.summary import progress_line, summary

__all__ = ["STUDENTS", "demonstrate", "surprises"]

# Long enough for `import torch` on a busy machine, short enough to wait for.
CELL_TIMEOUT = 20


@dataclass(frozen=True)
class Pretence:
    """A student of the demonstration.

    Parameters
    ----------
    kind : str
        ``right`` or ``wrong``: an answer of the bank; ``untouched``: the notebook as released;
        anything else: ``code`` in place of the first answer.
    code : str or None
        What stands there instead.
    expected : callable
        Whether an outcome is as it should be.
    """

    kind: str
    code: str | None
    expected: Callable[[Outcome], bool]


def _partly(outcome: Outcome) -> bool:
    return outcome.score is not None and outcome.score < (outcome.max_score or 0)


STUDENTS = {
    "demo-right": Pretence(
        "right", None, lambda o: o.outcome == "graded" and o.score == o.max_score
    ),
    "demo-wrong": Pretence("wrong", None, lambda o: o.outcome == "graded" and _partly(o)),
    "demo-untouched": Pretence("untouched", None, lambda o: o.outcome == "graded" and o.score == 0),
    "demo-raising": Pretence(
        "raising",
        "raise RuntimeError('I give up')",
        lambda o: o.outcome == "faults" and _partly(o),
    ),
    "demo-endless": Pretence(
        "endless", "while True:\n    pass", lambda o: o.outcome == "faults" and _partly(o)
    ),
    "demo-exiting": Pretence(
        "exiting",
        "import os\n\nos._exit(0)",
        lambda o: o.outcome == "faults" and _partly(o),
    ),
}
"""The class."""


def demonstrate(root: Path, say: Callable[[str], None] = print) -> int:
    """Take the class through every step for every assignment that has a bank of answers.

    Parameters
    ----------
    root : Path
        The course's folder.
    say : callable
        Takes the lines to print.

    Returns
    -------
    int
        0 if each outcome is what it should be, 1 otherwise.

    Raises
    ------
    GraderError
        If a step cannot be done.
    """
    course = open_course(root)
    assignments = [name for name in course.assignments() if _bank(course, name).is_dir()]
    if not assignments:
        raise GraderError(f"no answers in {course.relative(_bank(course, 'x').parent)}")
    outcomes: list[Outcome] = []
    for assignment in assignments:
        say(f"{assignment}: generate, release, submit, collect")
        _forget(course, assignment)
        generate(course, assignment)
        release(course, assignment)
        for student, pretence in STUDENTS.items():
            _take_part(course, assignment, student, pretence)
        collect(course, assignment)
        say(f"{assignment}: grade")
        graded = grade_assignment(
            course,
            assignment,
            Options(tuple(STUDENTS), cell_timeout=CELL_TIMEOUT, workers=os.cpu_count() or 1),
            lambda *news: say(f"  {progress_line(*news)}"),
        )
        say(f"{assignment}: feedback")
        release_feedback(course, assignment, generate_feedback(course, assignment, STUDENTS))
        say(f"\n{summary(graded)}\n")
        outcomes += graded
    return _close(course, outcomes, say)


def surprises(outcomes: Sequence[Outcome]) -> list[str]:
    """Say which outcomes are not what they should be."""
    return [
        f"{outcome.student} {outcome.notebook}: {outcome.outcome}, score {outcome.score}"
        for outcome in outcomes
        if not STUDENTS[outcome.student].expected(outcome)
    ]


def _close(course: Course, outcomes: Sequence[Outcome], say: Callable[[str], None]) -> int:
    grades = course.work / "grades.csv"
    with open_gradebook(course) as keeper:
        write_grades(keeper.gradebook, grades)
    feedback = course.feedback("x", "x").parent.parent
    say(f"gradebook: {course.relative(course.work / 'gradebook.db')}")
    say(f"feedback:  {course.relative(feedback)}/<student>/<assignment>/<notebook>.html")
    say(f"grades:    {course.relative(grades)}")
    wrong = surprises(outcomes)
    for line in wrong:
        say(f"not as it should be: {line}")
    return int(bool(wrong))


def _forget(course: Course, assignment: str) -> None:
    """Remove what an earlier demonstration left of an assignment."""
    for student in STUDENTS:
        for notebook in course.notebooks(assignment):
            withdraw_feedback(course, assignment, student, notebook)
        for folder in (
            course.submitted(student, assignment),
            course.autograded(student, assignment),
            course.feedback(student, assignment),
            course.work / "logs" / assignment / student,
            course.work / "outcomes" / assignment / student,
            _home(course, student) / assignment,
        ):
            remove(folder)
        inbound = Path(course.exchange) / course.course_id / "inbound"
        for handed_in in inbound.glob(f"{student}+{assignment}+*"):
            remove(handed_in)
    if course.has_gradebook:
        with open_gradebook(course) as keeper:
            for student in STUDENTS:
                keeper.remove_submission(assignment, student)


def _take_part(course: Course, assignment: str, student: str, pretence: Pretence) -> None:
    """Fetch an assignment, answer its notebooks and hand them in."""
    home = _home(course, student)
    for path in sorted(fetch(course, assignment, student, home).glob("*.ipynb")):
        source = nbformat.read(course.source(assignment) / path.name, as_version=4)
        released = nbformat.read(path, as_version=4)
        bank = _bank(course, assignment) / path.stem
        answered = _answer(source, released, bank, pretence)
        path.write_text(nbformat.writes(answered), encoding="utf-8")
    submit(course, assignment, student, home)


def _answer(source: Any, released: Any, bank: Path, pretence: Pretence) -> Any:
    """Fill a released notebook as this student would."""
    if pretence.kind == "untouched":
        return released
    if pretence.code is not None:
        first = next(
            cell.metadata.nbgrader.grade_id
            for cell in released.cells
            if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
        )
        cells = {first: pretence.code}
        own = Answer(bank / pretence.kind, pretence.kind, False, frozenset(), cells, {})
        return submission(source, released, own)
    right = pretence.kind == "right"
    found = [answer for answer in answers(bank) if answer.right == right]
    if not found:
        raise GraderError(f"no {pretence.kind} answer in {bank}")
    return submission(source, released, found[0])


def _bank(course: Course, assignment: str) -> Path:
    return course.root / "tests" / "answers" / assignment


def _home(course: Course, student: str) -> Path:
    return course.work / "demonstration" / student


def main() -> int:
    """Run the demonstration in the present folder."""
    try:
        return demonstrate(Path.cwd())
    except GraderError as error:
        print(f"demonstration: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
