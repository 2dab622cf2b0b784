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
from glyphlab_grader.doctor import sandbox_problem
from glyphlab_grader.errors import GraderError
from glyphlab_grader.files import remove
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.grades import write_grades
from glyphlab_grader.grading import Options, grade_assignment
from glyphlab_grader.outcome import Outcome
from glyphlab_grader.release.bank import Answer, answers, submission
from glyphlab_grader.runner import workers
from glyphlab_grader.summary import progress_line, summary

__all__ = ["STUDENTS", "demonstrate", "surprises"]

# Long enough for honest cells on a busy machine, short enough to wait for.
CELL_TIMEOUT = 10
# Without the sandbox there is no warm process, and `import torch` takes its time in a cell.
UNPREPARED_TIMEOUT = 60


@dataclass(frozen=True)
class Pretence:
    """A student of the demonstration.

    Parameters
    ----------
    answer : str
        Which answer of the bank stands in the notebooks, ``right`` or ``wrong``; empty for the
        notebooks as they were released.
    code : str or None
        What stands in place of the first answer of the first notebook instead.
    expected : callable
        Whether the first notebook's outcome is as it should be.
    """

    answer: str
    code: str | None
    expected: Callable[[Outcome], bool]


def _passed(outcome: Outcome) -> bool:
    return outcome.outcome == "graded" and not outcome.faults


def _lost_points(outcome: Outcome) -> bool:
    return outcome.outcome == "graded" and any(f.kind == "test" for f in outcome.faults)


def _told(kind: str) -> Callable[[Outcome], bool]:
    def expected(outcome: Outcome) -> bool:
        kinds = {fault.kind for fault in outcome.faults}
        return outcome.outcome == "faults" and {kind, "test"} <= kinds

    return expected


STUDENTS = {
    "demo-right": Pretence("right", None, _passed),
    "demo-wrong": Pretence("wrong", None, _lost_points),
    "demo-untouched": Pretence("", None, lambda o: _lost_points(o) and o.score == 0),
    "demo-raising": Pretence("right", "raise RuntimeError('I give up')", _told("raised")),
    "demo-endless": Pretence("right", "while True:\n    pass", _told("timeout")),
    "demo-exiting": Pretence("right", "import os\n\nos._exit(0)", _told("kernel_died")),
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
    students = dict(STUDENTS)
    problem = sandbox_problem()
    if problem is not None:
        say(f"This machine cannot grade safely: {problem}.")
        say("Only the honest students of the demonstration take part.")
        students = {name: s for name, s in STUDENTS.items() if s.code is None}
    options = Options(
        tuple(students),
        cell_timeout=CELL_TIMEOUT if problem is None else UNPREPARED_TIMEOUT,
        workers=os.cpu_count() or 1,
        own=problem is not None,
    )
    with workers():
        wrong = [line for name in assignments for line in _cycle(course, name, options, say)]
    return _close(course, wrong, say)


def _cycle(
    course: Course, assignment: str, options: Options, say: Callable[[str], None]
) -> list[str]:
    """Take the class through an assignment; return what is not as it should be."""
    say(f"{assignment}: generate, release, submit, collect")
    _forget(course, assignment)
    generate(course, assignment)
    release(course, assignment)
    for student in options.students:
        _take_part(course, assignment, student, STUDENTS[student])
    collect(course, assignment)
    say(f"{assignment}: grade")
    outcomes = grade_assignment(
        course,
        assignment,
        options,
        lambda *news: say(f"  {progress_line(*news)}"),
    )
    say(f"{assignment}: feedback")
    release_feedback(course, assignment, generate_feedback(course, assignment, options.students))
    say(f"\n{summary(outcomes)}\n")
    return surprises(outcomes)


def surprises(outcomes: Sequence[Outcome]) -> list[str]:
    """Say which outcomes of an assignment are not what they should be."""
    first = min(outcome.notebook for outcome in outcomes)
    wrong = []
    for outcome in outcomes:
        pretence = STUDENTS[outcome.student]
        odd = pretence.code is None or outcome.notebook == first
        expected = pretence.expected if odd else _passed
        if not expected(outcome):
            what = f"{outcome.outcome}, score {outcome.score}"
            wrong.append(f"{outcome.student} {outcome.notebook}: {what}")
    return wrong


def _close(course: Course, wrong: Sequence[str], say: Callable[[str], None]) -> int:
    grades = course.work / "grades.csv"
    with open_gradebook(course) as keeper:
        write_grades(keeper.gradebook, grades)
    feedback = course.feedback("x", "x").parent.parent
    say(f"gradebook: {course.relative(course.work / 'gradebook.db')}")
    say(f"feedback:  {course.relative(feedback)}/<student>/<assignment>/<notebook>.html")
    say(f"grades:    {course.relative(grades)}")
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
    paths = sorted(fetch(course, assignment, student, home).glob("*.ipynb"))
    for path in paths:
        source = nbformat.read(course.source(assignment) / path.name, as_version=4)
        notebook = nbformat.read(path, as_version=4)
        if pretence.answer:
            answer = _answer(_bank(course, assignment) / path.stem, pretence.answer)
            notebook = submission(source, notebook, answer)
        if pretence.code is not None and path == paths[0]:
            _first_answer(notebook).source = pretence.code
        path.write_text(nbformat.writes(notebook), encoding="utf-8")
    submit(course, assignment, student, home)


def _answer(bank: Path, kind: str) -> Answer:
    """Take the first answer of a kind from the bank."""
    found = [answer for answer in answers(bank) if answer.right == (kind == "right")]
    if not found:
        raise GraderError(f"no {kind} answer in {bank}")
    return found[0]


def _first_answer(notebook: Any) -> Any:
    return next(
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
    )


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
