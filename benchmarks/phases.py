"""Where our time goes: one class graded in this very process, with a clock on each step.

The steps are timed from outside, by wrapping the functions that do them; the grader knows nothing
of it. One submission at a time, so that what is measured is work and not waiting for a core. A step
within another counts for itself alone.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

import nbformat

from benchmarks.made_class import Kind
from glyphlab_grader import batches, filing, grading, records, submission
from glyphlab_grader.course import open_course
from glyphlab_grader.execution import grader, inmate, session
from glyphlab_grader.execution.preprocessor import end_shared_grader
from glyphlab_grader.ledger import Ledger
from glyphlab_grader.pools import Pool

__all__ = ["phases"]

_WARMING = 4
# What is timed, in the order of the table: label, and (owner, name of the function).
_STEPS: list[tuple[str, list[tuple[Any, str]]]] = [
    ("looking whether it was graded before", [(records, "fingerprint"), (grading, "fingerprint")]),
    ("taking back what an earlier run said", [(filing.Files, "withdraw")]),
    (
        "reading, restoring from the master",
        [(submission, "load_master"), (submission, "examine"), (submission, "restore")],
    ),
    ("building sandboxes, forking processes", [(inmate.Inmate, "__init__")]),
    ("the student's cells", [(session.Session, "run_cell")]),
    ("locked cells, in the judge", [(session.Session, "take_over")]),
    ("test cells", [(session.Session, "run_test")]),
    ("taking sandboxes down", [(inmate.Inmate, "close")]),
    ("the rest of running it", [(grader.Grader, "run")]),
    ("writing the executed notebook", [(nbformat, "writes"), (submission, "replace_file")]),
    ("the rest of a worker's part", [(submission, "process")]),
    (
        "writing the gradebook",
        [(Ledger, "give"), (Ledger, "scores"), (Ledger, "transaction"), (Ledger, "late")],
    ),
    ("filing notebook and outcome", [(filing.Files, "settle")]),
]
_REST = "everything else"


class _Clock:
    """Seconds by label; the innermost label counts."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._stack = [_REST]
        self._since = time.perf_counter()

    def _charge(self) -> None:
        now = time.perf_counter()
        self.seconds[self._stack[-1]] += now - self._since
        self._since = now

    def clear(self) -> None:
        """Begin anew."""
        self._charge()
        self.seconds.clear()

    def stop(self) -> None:
        """Count up to now."""
        self._charge()

    def timed(self, label: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function so that its time counts for `label`."""

        @wraps(function)
        def wrapper(*arguments: Any, **named: Any) -> Any:
            self._charge()
            self._stack.append(label)
            try:
                return function(*arguments, **named)
            finally:
                self._charge()
                self._stack.pop()

        return wrapper


class _Here(Executor):
    """Runs a task when it is handed over, in this process."""

    def submit(self, fn: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*arguments, **named))
        except BaseException as error:
            future.set_exception(error)
        return future


def phases(root: Path, kind: Kind, size: int) -> list[tuple[str, float]]:
    """Grade a part of a class once more, and give each step's seconds for one submission.

    Parameters
    ----------
    root : Path
        A course whose class is handed in.
    kind : Kind
        The version of the assignment.
    size : int
        How many submissions to grade.
    """
    course = open_course(root)
    clock = _Clock()
    everyone = grading.submitted_students(course, kind.name)
    with ExitStack() as stack:
        for label, places in _STEPS:
            for owner, name in places:
                if isinstance(original := getattr(owner, name), type):
                    raise TypeError(f"{owner}.{name} is no function")
                stack.enter_context(patch.object(owner, name, clock.timed(label, original)))
        process = submission.process
        run = lambda request, seconds: process(course.app, request)  # noqa: E731
        stack.enter_context(patch.object(batches, "run_submission", run))
        stack.enter_context(patch.object(grading, "open_pool", _pool))
        stack.callback(end_shared_grader)
        # The parents, caches of modules and of the database are warm before the clock counts.
        for some in everyone[:_WARMING], everyone[_WARMING : _WARMING + size]:
            clock.clear()
            grading.grade_assignment(course, kind.name, grading.Options(some, force=True))
        clock.stop()
    labels = [*(label for label, _ in _STEPS), _REST]
    return [(label, clock.seconds[label] / len(some)) for label in labels]


@contextmanager
def _pool(*_: Any) -> Iterator[Pool]:
    yield Pool(_Here(), slots=1, largest_batch=1)
