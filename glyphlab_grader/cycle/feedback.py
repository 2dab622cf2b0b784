"""Feedback: graded notebooks as pages, and the pages back to the students."""

from collections.abc import Iterable
from functools import partial

from nbgrader.utils import capture_log, notebook_hash

from glyphlab_grader.course import Course
from glyphlab_grader.cycle.steps import exchange_action, narrowed, run_step
from glyphlab_grader.errors import GraderError
from glyphlab_grader.files import remove

__all__ = ["generate_feedback", "release_feedback", "withdraw_feedback"]


def generate_feedback(course: Course, assignment: str, students: Iterable[str]) -> list[str]:
    """Write feedback for each student who has an executed notebook; one failure ends no other's.

    Parameters
    ----------
    course : Course
        The course.
    assignment : str
        The assignment.
    students : iterable of str
        Whose; those without an executed notebook are left out.

    Returns
    -------
    list of str
        The students who have feedback now.

    Raises
    ------
    GraderError
        At the end, if nbgrader could not write that of some; the message names each.
    """
    written, problems = [], []
    for student in students:
        if any(course.autograded(student, assignment).glob("*.ipynb")):
            step = partial(course.api.generate_feedback, assignment, student, force=True)
            try:
                run_step(f"feedback of {assignment} for {student}", step)
                written.append(student)
            except GraderError as error:
                problems.append(str(error))
    if problems:
        raise GraderError("; ".join(problems))
    return written


def release_feedback(course: Course, assignment: str, students: Iterable[str]) -> list[str]:
    """Put feedback where students fetch it.

    Parameters
    ----------
    course : Course
        The course.
    assignment : str
        The assignment.
    students : iterable of str
        Whose.

    Returns
    -------
    list of str
        The students to whom it was released. Those left out did not submit through nbgrader's
        exchange, which is what gives a submission the time and the secret by which it is found.

    Raises
    ------
    GraderError
        If nbgrader cannot release it.
    """
    released = []
    for student in students:
        folder = course.feedback(student, assignment)
        if all((folder / name).is_file() for name in ("timestamp.txt", "submission_secret.txt")):
            with narrowed(course, assignment_id=assignment, student_id=student):
                action = exchange_action(course, "ReleaseFeedback")
                what = f"release of feedback of {assignment} to {student}"
                run_step(what, partial(capture_log, action))
            released.append(student)
    return released


def withdraw_feedback(course: Course, assignment: str, student: str, notebook: str) -> None:
    """Take back the feedback on the present submission of a notebook, released or not.

    Feedback on an earlier submission of the same student stays where the student finds it.
    """
    remove(course.feedback(student, assignment) / f"{notebook}.html")
    secret = course.submitted(student, assignment) / "submission_secret.txt"
    # The student can have put anything there; nbgrader's own secrets have 128 characters.
    if secret.is_file() and not secret.is_symlink() and 0 < secret.stat().st_size <= 1000:
        text = secret.read_text(encoding="utf-8", errors="replace")
        name = notebook_hash(secret=text, notebook_id=notebook)
        remove(course.exchange / course.course_id / "feedback" / f"{name}.html")
