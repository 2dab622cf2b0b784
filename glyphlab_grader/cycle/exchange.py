"""What passes between instructor and students: release, fetch, submit, collect."""

from functools import partial
from pathlib import Path

from nbgrader.utils import capture_log

from glyphlab_grader.course import Course
from glyphlab_grader.cycle.steps import exchange_action, narrowed, run_step
from glyphlab_grader.errors import GraderError
from glyphlab_grader.names import name_problem

__all__ = ["collect", "fetch", "release", "submit"]


def release(course: Course, assignment: str) -> None:
    """Put the released notebooks where students fetch them (``nbgrader release_assignment``)."""
    with narrowed(course, assignment_id=assignment):
        action = exchange_action(course, "ReleaseAssignment")
        action.force = True
        run_step(f"release {assignment}", partial(capture_log, action))


def fetch(course: Course, assignment: str, student: str, home: Path) -> Path:
    """Fetch an assignment into a student's folder (``nbgrader fetch_assignment``).

    Returns
    -------
    Path
        The folder with the student's copy.
    """
    home.mkdir(parents=True, exist_ok=True)
    with narrowed(course, assignment_id=assignment, student_id=_checked(student)):
        action = exchange_action(course, "FetchAssignment", assignment_dir=str(home))
        run_step(f"fetch {assignment} for {student}", partial(capture_log, action))
    return home / assignment


def submit(course: Course, assignment: str, student: str, home: Path) -> None:
    """Hand in what lies in a student's folder (``nbgrader submit``)."""
    with narrowed(course, assignment_id=assignment, student_id=_checked(student)):
        action = exchange_action(course, "Submit", assignment_dir=str(home))
        run_step(f"submit {assignment} for {student}", partial(capture_log, action))


def collect(course: Course, assignment: str) -> None:
    """Collect what students handed in, newer submissions included (``nbgrader collect``)."""
    with narrowed(course, assignment_id=assignment, student_id="*"):
        action = exchange_action(course, "Collect")
        action.update = True
        run_step(f"collect {assignment}", partial(capture_log, action))


def _checked(student: str) -> str:
    if problem := name_problem(student):
        raise GraderError(f"student id {student!r} {problem}")
    return student
