"""The course as nbgrader is configured for it: its folders, its gradebook, its API."""

import contextlib
import logging
from pathlib import Path
from typing import Any

from nbgrader.apps import NbGrader, NbGraderAPI
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from glyphlab_grader.errors import GraderError
from glyphlab_grader.names import name_problem

__all__ = ["CONFIG_FILE", "Course", "open_course"]

CONFIG_FILE = "nbgrader_config.py"


class Course:
    """A course folder with its nbgrader configuration read.

    Parameters
    ----------
    root : Path
        The folder that holds ``nbgrader_config.py``.
    database : str or None
        The gradebook's URL; None for the configured one.

    Raises
    ------
    GraderError
        If `database` is no URL of a database.

    Attributes
    ----------
    app : nbgrader.apps.NbGrader
        Carries the configuration; parent of every nbgrader object made for this course.
    directory : nbgrader.coursedir.CourseDirectory
        nbgrader's own idea of the folders.
    """

    def __init__(self, root: Path, database: str | None = None) -> None:
        self.root = root
        self.app: Any = NbGrader(log_level=logging.ERROR)
        # Jupyter reads the present folder's configuration first, whichever root is named.
        with contextlib.chdir(root):
            self.app.initialize([], root=str(root))
        self.directory: Any = self.app.coursedir
        _keep_quiet(self.app.log)
        self.app.start()
        self._api: Any = None
        if database is not None:
            # nbgrader's own steps read it from the one or from the other.
            self.directory.db_url = self.app.config.CourseDirectory.db_url = database
            self._require_driver()

    def _require_driver(self) -> None:
        try:
            make_url(self.database).get_dialect().import_dbapi()
        except ImportError as error:
            raise GraderError(
                f"--db: no driver for this database ({error}): pip install '.[postgres]'"
            ) from None
        except SQLAlchemyError:
            # What was typed may hold a password.
            raise GraderError("--db: not the URL of a database that SQLAlchemy knows") from None

    @property
    def api(self) -> Any:
        """nbgrader's high-level API, made when it is first asked for."""
        if self._api is None:
            self._api = NbGraderAPI(
                self.directory, self.app.authenticator, self.app.exchange, parent=self.app
            )
        return self._api

    @property
    def database(self) -> str:
        """The gradebook's URL."""
        return str(self.directory.db_url)

    @property
    def shown_database(self) -> str:
        """The gradebook's URL without its password."""
        return make_url(self.database).render_as_string(hide_password=True)

    @property
    def course_id(self) -> str:
        """The course's name in nbgrader's exchange."""
        return str(self.directory.course_id)

    @property
    def has_gradebook(self) -> bool:
        """Whether the gradebook is there; nbgrader would make an empty one by looking."""
        url = make_url(self.database)
        return url.get_backend_name() != "sqlite" or Path(url.database or "").is_file()

    @property
    def exchange(self) -> Path:
        """The folder through which notebooks and feedback pass between instructor and students."""
        return Path(self.api.exchange_root)

    @property
    def work(self) -> Path:
        """The folder in which everything about grading lies."""
        return self.root / "_grading"

    def source(self, assignment: str) -> Path:
        """Return the folder of the instructor's notebooks."""
        return self._folder(self.directory.source_directory, ".", assignment)

    def release(self, assignment: str) -> Path:
        """Return the folder of the released notebooks."""
        return self._folder(self.directory.release_directory, ".", assignment)

    def submitted(self, student: str, assignment: str) -> Path:
        """Return the folder of what a student handed in."""
        return self._folder(self.directory.submitted_directory, student, assignment)

    def autograded(self, student: str, assignment: str) -> Path:
        """Return the folder of a student's executed notebooks."""
        return self._folder(self.directory.autograded_directory, student, assignment)

    def feedback(self, student: str, assignment: str) -> Path:
        """Return the folder of a student's feedback."""
        return self._folder(self.directory.feedback_directory, student, assignment)

    def log(self, student: str, assignment: str, notebook: str) -> Path:
        """Return the file that says what happened while a submission was graded."""
        return self.logs(assignment) / student / f"{notebook}.log"

    def logs(self, assignment: str) -> Path:
        """Return the folder of an assignment's logs."""
        return self.work / "logs" / assignment

    def _folder(self, step: str, student: str, assignment: str) -> Path:
        return Path(self.directory.format_path(step, student, assignment))

    def assignments(self) -> list[str]:
        """List the assignments that have notebooks of the instructor."""
        parent = self.source("x").parent
        found = {path.parent.name for path in parent.glob("*/*.ipynb")}
        return sorted(name for name in found if name_problem(name) is None)

    def notebooks(self, assignment: str) -> list[str]:
        """List the notebooks of an assignment, without ``.ipynb``."""
        return sorted(path.stem for path in self.source(assignment).glob("*.ipynb"))

    def require_assignment(self, assignment: str) -> None:
        """Refuse an assignment that the instructor has no notebooks for."""
        known = self.assignments()
        if assignment not in known:
            listed = f"there are {', '.join(known)}" if known else "there is none"
            folder = self.relative(self.source("x").parent)
            raise GraderError(f"no assignment {assignment!r} in {folder}: {listed}")

    def relative(self, path: Path) -> str:
        """Write a path as seen from the course's folder."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)


def open_course(root: Path, database: str | None = None) -> Course:
    """Read a course folder's nbgrader configuration.

    Parameters
    ----------
    root : Path
        The folder that holds ``nbgrader_config.py``.
    database : str or None
        The gradebook's URL; None for the configured one.

    Returns
    -------
    Course
        The course.

    Raises
    ------
    GraderError
        If the folder has no such file, or `database` is no URL of a database.
    """
    root = root.resolve()
    if not (root / CONFIG_FILE).is_file():
        raise GraderError(f"no {CONFIG_FILE} in {root}: run this in the course's folder")
    course = Course(root, database)
    # A configuration that does not name the root would mean the present folder.
    if Path(course.directory.root).resolve() != root:
        raise GraderError(f"{CONFIG_FILE} names another course folder: {course.directory.root}")
    return course


def _keep_quiet(log: logging.Logger) -> None:
    """Let nbgrader's messages reach those who ask for them, not the terminal."""
    log.handlers.clear()
    log.propagate = False
    log.setLevel(logging.INFO)
    log.addHandler(logging.NullHandler())
