"""Grades the submissions of an assignment; none can touch another."""

import secrets
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from glyphlab_grader.course import Course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.execution import Limits
from glyphlab_grader.filing import Files
from glyphlab_grader.gradebook import GradebookKeeper, open_gradebook
from glyphlab_grader.names import name_problem, printable
from glyphlab_grader.outcome import Fault, Outcome
from glyphlab_grader.records import fingerprint
from glyphlab_grader.runner import run_submission, workers
from glyphlab_grader.submission import Request, Result

__all__ = ["Options", "grade_assignment", "submitted_students"]

# What reading, restoring and writing a notebook may take beside executing it.
_SLACK_SECONDS = 60.0
_Place = tuple[str, str]


@dataclass(frozen=True)
class Options:
    """How to grade.

    Parameters
    ----------
    students : sequence of str
        Only these; all who submitted where it is empty.
    force : bool
        Grade again what has not changed, too.
    cell_timeout : int or None
        Seconds for one cell; None for ``c.Execute.timeout``.
    memory : int or None
        Bytes for one notebook; None for the configured ones.
    workers : int
        How many submissions are graded at a time.
    own : bool
        Whether all submissions are answers of our own: they are run as nbgrader runs them, without
        the sandbox. Only the demonstration sets it, where a machine has no sandbox.
    """

    students: Sequence[str] = ()
    force: bool = False
    cell_timeout: int | None = None
    memory: int | None = None
    workers: int = 1
    own: bool = False


def submitted_students(course: Course, assignment: str) -> list[str]:
    """List the students who handed in anything for an assignment, whatever their names are."""
    everyone = course.submitted("student", assignment).parent.parent
    if not everyone.is_dir():
        return []
    return sorted(path.name for path in everyone.iterdir() if (path / assignment).is_dir())


def grade_assignment(
    course: Course,
    assignment: str,
    options: Options,
    tell: Callable[[int, int, Outcome], None] = lambda done, total, outcome: None,
) -> list[Outcome]:
    """Grade an assignment.

    Parameters
    ----------
    course : Course
        The course.
    assignment : str
        The assignment.
    options : Options
        Whom, and how.
    tell : callable
        Called after each submission with how many are done, how many there are, and the outcome.

    Returns
    -------
    list of Outcome
        One for each notebook of each student, by student and notebook.

    Raises
    ------
    GraderError
        If there is nothing to grade, not everything that it takes, or no safe way to do it.
    """
    course.require_assignment(assignment)
    notebooks = course.notebooks(assignment)
    students = _choose(submitted_students(course, assignment), options.students, assignment)
    places = [(student, notebook) for student in students for notebook in notebooks]
    outcomes: dict[_Place, Outcome] = {}
    with (
        open_gradebook(course) as gradebook,
        tempfile.TemporaryDirectory(prefix="glyphlab-grade-") as scratch,
        workers(),
        ThreadPoolExecutor(options.workers) as executor,
    ):
        gradebook.require_assignment(assignment, notebooks)
        desk = _Desk(course, assignment, options, gradebook, Path(scratch))
        for outcome in desk.grade(places, executor):
            outcomes[outcome.student, outcome.notebook] = outcome
            tell(len(outcomes), len(places), outcome)
    return [outcomes[place] for place in places]


def _choose(submitted: list[str], asked: Sequence[str], assignment: str) -> list[str]:
    if not submitted:
        raise GraderError(f"nobody has submitted {assignment}: nothing to grade")
    for student in asked:
        if student not in submitted:
            raise GraderError(f"no submission of {assignment} by student {student!r}")
    return sorted(set(asked)) or submitted


class _Desk:
    """Hands submissions out to an executor and files what comes back."""

    def __init__(
        self,
        course: Course,
        assignment: str,
        options: Options,
        gradebook: GradebookKeeper,
        scratch: Path,
    ) -> None:
        self.course = course
        self.assignment = assignment
        self.options = options
        self.scratch = scratch
        self.files = Files(
            course,
            assignment,
            gradebook,
            f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}",
        )
        self.stored = {
            notebook: gradebook.stored_cells(assignment, notebook)
            for notebook in course.notebooks(assignment)
        }
        limits = dict(course.app.config.SandboxedExecute.get("limits", {}))
        self.seconds = Limits(**limits).notebook_seconds + _SLACK_SECONDS

    def grade(self, places: Sequence[_Place], executor: Executor) -> Iterator[Outcome]:
        """Give an outcome for each place, in the order in which they are ready."""
        running: dict[Future[Result], tuple[_Place, str, Request]] = {}
        for place in places:
            try:
                key = self._key(*place)
                kept = None if self.options.force or not key else self.files.kept(*place, key)
                if kept is not None:
                    yield kept
                    continue
                self.files.withdraw(*place)
            except OSError as error:
                yield self.files.failed(*place, [_broken(error)], 0.0)
                continue
            request = self._request(*place)
            future = executor.submit(run_submission, request, self.seconds)
            running[future] = place, key, request
            # No more than the workers can take soon: a large class must not pile up here.
            while len(running) >= 2 * self.options.workers:
                yield from self._file(running)
        while running:
            yield from self._file(running)

    def _file(
        self, running: dict[Future[Result], tuple[_Place, str, Request]]
    ) -> Iterator[Outcome]:
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            place, key, request = running.pop(future)
            result = future.result()
            executed = Path(request.executed)
            try:
                yield self.files.settle(*place, key, result, executed)
            except (OSError, ValueError) as error:
                yield self.files.failed(*place, [*result.faults, _broken(error)], result.seconds)
            executed.unlink(missing_ok=True)

    def _key(self, student: str, notebook: str) -> str:
        """Digest what the score depends on; empty where the student's name forbids to look."""
        if name_problem(student):
            return ""
        config = self.course.app.config
        settings = [
            self.options.cell_timeout,
            self.options.memory,
            self.options.own,
            config.Execute,
            config.SandboxedExecute,
            config.Autograde,
        ]
        folder = self.course.submitted(student, self.assignment)
        return fingerprint(folder, notebook, self.stored[notebook], settings)

    def _request(self, student: str, notebook: str) -> Request:
        # A name that cannot be used must not become a path either.
        safe = "refused" if name_problem(student) else student
        return Request(
            root=str(self.course.root),
            assignment=self.assignment,
            student=student,
            notebook=notebook,
            submitted=str(self.course.submitted(student, self.assignment)),
            source=str(self.course.source(self.assignment)),
            release=str(self.course.release(self.assignment)),
            stored={
                name: (cell.source, cell.checksum) for name, cell in self.stored[notebook].items()
            },
            executed=str(self.scratch / f"{secrets.token_hex(8)}.ipynb"),
            log=str(self.course.log(safe, self.assignment, notebook)),
            cell_timeout=self.options.cell_timeout,
            memory=self.options.memory,
            own=self.options.own,
        )


def _broken(error: Exception) -> Fault:
    return Fault(None, "grader", printable(f"{type(error).__name__}: {error}"))
