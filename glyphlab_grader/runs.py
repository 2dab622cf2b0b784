"""Which run of ``glyphlab-grade`` this is: a new one, or one that was broken off and goes on."""

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from glyphlab_grader.course import Course
from glyphlab_grader.files import replace_file

__all__ = ["Run", "last_run", "numbered_run"]


@dataclass(frozen=True)
class Run:
    """A run.

    Parameters
    ----------
    id : str
        Begins with the time in UTC; later runs come later in order.
    continued : bool
        Whether an earlier process began it and did not come to its end.
    """

    id: str
    continued: bool


@contextmanager
def numbered_run(course: Course, assignment: str, how: Iterable[object]) -> Iterator[Run]:
    """Begin a run, or continue the last one if it was broken off and did the same.

    Parameters
    ----------
    course : Course
        The course.
    assignment : str
        The assignment.
    how : iterable
        What the run is to do; a run with another `how` is a new one.

    Yields
    ------
    Run
        The run. It is over when the block ends without an exception.
    """
    path = _path(course, assignment)
    digest = hashlib.sha256(repr(list(how)).encode()).hexdigest()
    last = _read(path)
    continued = last.get("finished") == "no" and last.get("how") == digest
    made = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
    run = Run(last["run"] if continued else made, continued)
    path.parent.mkdir(parents=True, exist_ok=True)
    entry = {"run": run.id, "how": digest, "finished": "no"}
    replace_file(path, json.dumps(entry) + "\n")
    yield run
    replace_file(path, json.dumps(entry | {"finished": "yes"}) + "\n")


def last_run(course: Course, assignment: str) -> str | None:
    """Return the id of the last run of an assignment, or nothing."""
    return _read(_path(course, assignment)).get("run")


def _path(course: Course, assignment: str) -> Path:
    return course.work / "runs" / f"{assignment}.json"


def _read(path: Path) -> dict[str, str]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {name: str(data[name]) for name in ("run", "how", "finished")}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return {}
