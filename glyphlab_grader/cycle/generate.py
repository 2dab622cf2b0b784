"""Generating: instructor's notebooks to released ones, and the tests into the gradebook."""

from functools import partial

from glyphlab_grader.course import Course
from glyphlab_grader.cycle.steps import run_step

__all__ = ["generate"]


def generate(course: Course, assignment: str) -> None:
    """Do what ``nbgrader generate_assignment ASSIGNMENT --force`` does.

    Raises
    ------
    GraderError
        If nbgrader cannot.
    """
    course.require_assignment(assignment)
    run_step(
        f"generate {assignment}",
        partial(course.api.generate_assignment, assignment, force=True, create=True),
    )
