"""The one place where the course's code opens nbgrader's gradebook."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from sqlalchemy import event

from glyphlab_grader.course import Course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.ledger import Ledger
from glyphlab_grader.restoring.master import StoredCell

__all__ = ["GradebookKeeper", "open_gradebook"]

# How long SQLite waits for the formgrader to finish what it writes.
_PATIENCE_MILLISECONDS = 30_000


class GradebookKeeper:
    """The gradebook, open.

    Parameters
    ----------
    gradebook : nbgrader.api.Gradebook
        nbgrader's own object.
    """

    def __init__(self, gradebook: Any) -> None:
        self.gradebook = gradebook

    def require_assignment(self, assignment: str, notebooks: list[str]) -> None:
        """Refuse an assignment that the gradebook does not know as its folder stands."""
        try:
            known = sorted(n.name for n in self.gradebook.find_assignment(assignment).notebooks)
        except MissingEntry:
            known = []
        if known != sorted(notebooks):
            raise GraderError(
                f"the gradebook holds {', '.join(known) or 'nothing'} of {assignment}, its folder "
                f"{', '.join(notebooks)}: "
                f"run `nbgrader generate_assignment {assignment} --force` first"
            )

    def ledger(self, assignment: str) -> Ledger:
        """Open the grades of an assignment that the gradebook knows."""
        return Ledger(self.gradebook, assignment)

    def stored_cells(self, assignment: str, notebook: str) -> dict[str, StoredCell]:
        """Return the cells of the assignment by nbgrader id, hidden tests included."""
        found = self.gradebook.find_notebook(notebook, assignment)
        return {
            str(cell.name): StoredCell(str(cell.source), cell.checksum)
            for cell in found.source_cells
        }

    def remove_submission(self, assignment: str, student: str) -> None:
        """Remove a submission with all its grades; nothing happens where there is none."""
        try:
            self.gradebook.remove_submission(assignment, student)
        except MissingEntry:
            return


@contextmanager
def open_gradebook(course: Course) -> Iterator[GradebookKeeper]:
    """Open the course's gradebook.

    Parameters
    ----------
    course : Course
        The course.

    Yields
    ------
    GradebookKeeper
        The gradebook, closed at the end.

    Raises
    ------
    GraderError
        If it is an SQLite file that does not exist yet.
    """
    if not course.has_gradebook:
        raise GraderError(
            f"no gradebook at {course.shown_database}: "
            "run `nbgrader generate_assignment ASSIGNMENT --force` first"
        )
    with Gradebook(course.database, course.course_id) as gradebook:
        if gradebook.engine.dialect.name == "sqlite":
            # nbgrader has connected already, without these settings.
            gradebook.db.remove()
            gradebook.engine.dispose()
            event.listen(gradebook.engine, "connect", _settle_sqlite)
        yield GradebookKeeper(gradebook)


def _settle_sqlite(connection: Any, _: Any) -> None:
    """Let others read while we write, and wait for them where both write."""
    for setting in (f"busy_timeout={_PATIENCE_MILLISECONDS}", "journal_mode=WAL"):
        connection.execute(f"PRAGMA {setting}")
