"""Running one of nbgrader's steps so that its failure is one clear line."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from glyphlab_grader.course import Course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.names import printable

__all__ = ["exchange_action", "narrowed", "run_step"]


def run_step(what: str, step: Callable[[], dict[str, Any]]) -> None:
    """Run a step of `nbgrader.apps.NbGraderAPI` and raise if it failed.

    Parameters
    ----------
    what : str
        The step, for the message.
    step : callable
        Calls the API; gives nbgrader's dict of ``success``, ``error`` and ``log``.

    Raises
    ------
    GraderError
        If it failed: with nbgrader's last logged error, or the exception's last line.
    """
    result = step()
    if result["success"]:
        return
    raise GraderError(f"{what}: {printable(_reason(result))}")


def _reason(result: dict[str, Any]) -> str:
    """Find in nbgrader's log the line that says most: an exception, or else an error's message."""
    entries = re.split(r"^\[(\w+)\] ", result.get("log", ""), flags=re.MULTILINE)[1:]
    errors = [
        text.strip().splitlines()
        for level, text in zip(entries[::2], entries[1::2], strict=True)
        if level in ("ERROR", "CRITICAL") and text.strip()
    ]
    traced = [lines for lines in errors if lines[0].startswith("Traceback")]
    found = (
        traced or errors or [result.get("error", "").strip().splitlines() or ["no reason given"]]
    )
    return found[-1][-1].strip()


@contextmanager
def narrowed(course: Course, **values: str) -> Iterator[Any]:
    """Narrow nbgrader's course directory to an assignment or student for a while.

    Parameters
    ----------
    course : Course
        The course.
    **values : str
        ``assignment_id``, ``student_id``.

    Yields
    ------
    nbgrader.coursedir.CourseDirectory
        The course's own object.
    """
    before = {name: getattr(course.directory, name) for name in values}
    for name, value in values.items():
        setattr(course.directory, name, value)
    try:
        yield course.directory
    finally:
        for name, value in before.items():
            setattr(course.directory, name, value)


def exchange_action(course: Course, name: str, **options: str) -> Any:
    """Make one of nbgrader's exchange actions, ready to start.

    Parameters
    ----------
    course : Course
        The course; narrow it first.
    name : str
        ``ReleaseAssignment``, ``FetchAssignment``, ``Submit``, ``Collect``, ``ReleaseFeedback``.
    **options : str
        Options of the action.

    Returns
    -------
    nbgrader.exchange.abc.Exchange
        The action.
    """
    api = course.api
    return getattr(api.exchange, name)(
        coursedir=api.coursedir, authenticator=api.authenticator, parent=api, **options
    )
