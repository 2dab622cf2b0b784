"""One grading at a time in a course: a second one is refused, with the name of who holds it.

The lock is the kernel's (`flock` on ``_grading/grading.lock``), so that it ends with the process
that holds it, however that ends; what the file says only names the holder. On a folder that several
machines share, Linux carries the lock to the file server, where that allows it.
"""

import fcntl
import getpass
import json
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from nbconvert.exporters import NotebookExporter
from nbgrader.apps import NbGraderAPI
from nbgrader.converters.base import NbGraderException

from glyphlab_grader.errors import GraderError
from glyphlab_grader.names import printable

__all__ = ["LockedNotebookExporter", "course_lock"]

# What a holder says of itself is short.
_LONGEST = 2000


@contextmanager
def course_lock(work: Path, what: str) -> Iterator[None]:
    """Be the only one who grades in a course.

    Parameters
    ----------
    work : Path
        The course's folder for grading, which is there.
    what : str
        What is done meanwhile, for those who are refused.

    Raises
    ------
    GraderError
        If somebody else grades: who, on which machine, as which process, since when.
    """
    with (work / "grading.lock").open("a+", encoding="utf-8") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise GraderError(f"this course is being graded: {_holder(stream)}") from None
        stream.seek(0)
        stream.truncate()
        json.dump(_myself(what), stream)
        stream.flush()
        yield
        # Closing the file, here or by the kernel, ends the lock.


def _myself(what: str) -> dict[str, Any]:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        # A user without a name, as in some containers.
        user = str(os.getuid())
    return {
        "what": what,
        "user": user,
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "since": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
    }


def _holder(stream: IO[str]) -> str:
    stream.seek(0)
    try:
        told = json.loads(stream.read(_LONGEST))
        text = "{what} by {user} on {host}, process {pid}, since {since}".format_map(told)
    except (ValueError, KeyError, TypeError):
        return "by somebody who has begun this moment"
    return printable(text, 400)


class LockedNotebookExporter(NotebookExporter):
    """Plain ``nbgrader autograde`` keeps the lock too: the exporter that it is configured with.

    The command holds it until it ends. The formgrader, which lives on, holds it for each notebook.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)  # type: ignore[no-untyped-call]
        self._closing = ExitStack()
        self._own = not isinstance(getattr(self.parent, "parent", None), NbGraderAPI)
        # Before nbgrader removes what an earlier grading left.
        with self._refusing():
            self._closing.enter_context(self._lock())
        if not self._own:
            self._closing.close()

    def from_notebook_node(self, nb: Any, resources: Any = None, **options: Any) -> Any:
        """Convert a notebook, as the only one who grades."""
        if self._own:
            return self._convert(nb, resources, options)
        with self._refusing(), self._lock():
            return self._convert(nb, resources, options)

    def _convert(self, nb: Any, resources: Any, options: dict[str, Any]) -> Any:
        return super().from_notebook_node(nb, resources, **options)  # type: ignore[no-untyped-call]

    def _lock(self) -> Any:
        converter: Any = self.parent
        return course_lock(Path(converter.coursedir.root) / "_grading", "nbgrader autograde")

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except GraderError as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from None
