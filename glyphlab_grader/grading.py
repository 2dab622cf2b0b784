"""Grades the submissions of an assignment; none can touch another."""

import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from glyphlab_grader.batches import pack, run_batch, run_log, unpack
from glyphlab_grader.course import Course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.execution import Limits
from glyphlab_grader.files import Unfit, check_files, remove
from glyphlab_grader.filing import Files, Finished
from glyphlab_grader.gradebook import GradebookKeeper, open_gradebook
from glyphlab_grader.interruption import interruptible
from glyphlab_grader.ledger import Place
from glyphlab_grader.locking import course_lock
from glyphlab_grader.names import name_problem
from glyphlab_grader.outcome import Fault, Outcome
from glyphlab_grader.pools import Pool, open_pool
from glyphlab_grader.records import fingerprint
from glyphlab_grader.runs import Run, numbered_run
from glyphlab_grader.submission import Request, Result

__all__ = ["Options", "Tell", "grade_assignment", "submitted_students"]

# What reading, restoring and writing a notebook may take beside executing it.
_SLACK_SECONDS = 60.0
# The gradebook is written when so many have come back, or the first of them so long ago.
_FILED_TOGETHER = 50
_FILED_AFTER_SECONDS = 1.0
_LOOKED_AT_TOGETHER = 200
# A task that its executor lost is tried once more, each submission by itself.
_TRIES = 2

_Item = TypeVar("_Item")
Tell = Callable[[int, int, Outcome, bool], None]
"""Takes how many are done, how many there are, the outcome, and whether it is of this run."""


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
    cluster : str or None
        ``local`` or the address of a dask scheduler; None for this machine's own workers.
    """

    students: Sequence[str] = ()
    force: bool = False
    cell_timeout: int | None = None
    memory: int | None = None
    workers: int = 1
    own: bool = False
    cluster: str | None = None


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
    tell: Tell = lambda done, total, outcome, fresh: None,
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
        Called after each submission with how many are done, how many there are, the outcome, and
        whether it was graded now; what needs no grading comes first.

    Returns
    -------
    list of Outcome
        One for each notebook of each student, by student and notebook.

    Raises
    ------
    GraderError
        If there is nothing to grade, not everything that it takes, no safe way to do it, or
        somebody else who grades this course.
    """
    course.require_assignment(assignment)
    notebooks = course.notebooks(assignment)
    students = _choose(submitted_students(course, assignment), options.students, assignment)
    places = [(student, notebook) for student in students for notebook in notebooks]
    outcomes: dict[Place, Outcome] = {}
    how = (options.students, options.force, options.cell_timeout, options.memory)
    with (
        interruptible(),
        open_gradebook(course) as gradebook,
        course_lock(course.work, f"glyphlab-grade {assignment}"),
        numbered_run(course, assignment, how) as run,
        _scratch(course) as scratch,
    ):
        gradebook.require_assignment(assignment, notebooks)
        if not run.continued:
            remove(run_log(course.logs(assignment)))
        desk = _Desk(course, assignment, options, gradebook, run, scratch)
        fresh: list[tuple[Place, str]] = []
        for outcome in desk.look(places, fresh):
            outcomes[outcome.student, outcome.notebook] = outcome
            tell(len(outcomes), len(places), outcome, False)
        if fresh:
            with open_pool(course.root, options.workers, options.cluster) as pool:
                for outcome in desk.grade(fresh, pool):
                    outcomes[outcome.student, outcome.notebook] = outcome
                    tell(len(outcomes), len(places), outcome, True)
    return [outcomes[place] for place in places]


@contextmanager
def _scratch(course: Course) -> Iterator[Path]:
    """Make a folder for what is under way, in the course's, so that all machines see it."""
    folder = course.work / "scratch"
    # What a run that was killed left; this one holds the lock.
    remove(folder)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _choose(submitted: list[str], asked: Sequence[str], assignment: str) -> list[str]:
    if not submitted:
        raise GraderError(f"nobody has submitted {assignment}: nothing to grade")
    for student in asked:
        if student not in submitted:
            raise GraderError(f"no submission of {assignment} by student {student!r}")
    return sorted(set(asked)) or submitted


@dataclass(frozen=True)
class _Job:
    """A submission that is with the executor."""

    place: Place
    key: str
    request: Request
    tries: int = 1


class _Desk:
    """Hands submissions out to an executor and files what comes back."""

    def __init__(
        self,
        course: Course,
        assignment: str,
        options: Options,
        gradebook: GradebookKeeper,
        run: Run,
        scratch: Path,
    ) -> None:
        self.course = course
        self.assignment = assignment
        self.options = options
        self.scratch = scratch
        self.continued = run.continued
        self.files = Files(course, assignment, gradebook.ledger(assignment), run.id)
        self.stored = {
            notebook: gradebook.stored_cells(assignment, notebook)
            for notebook in course.notebooks(assignment)
        }
        # What nbgrader's objects held is copied; they would only be kept alive.
        gradebook.gradebook.db.expunge_all()
        limits = dict(course.app.config.SandboxedExecute.get("limits", {}))
        self.seconds = Limits(**limits).notebook_seconds + _SLACK_SECONDS
        self.running: dict[Future[str], list[_Job]] = {}
        self.back: list[Finished] = []
        self.first_back = 0.0

    def look(self, places: Sequence[Place], fresh: list[tuple[Place, str]]) -> Iterator[Outcome]:
        """Give the outcomes that still hold, and put the other places into `fresh`."""
        for some in _chunks(places, _LOOKED_AT_TOGETHER):
            keys: dict[Place, str] = {}
            for place in some:
                try:
                    keys[place] = self._key(*place)
                except Unfit as error:
                    yield self.files.failed(place, [Fault(None, "files", str(error))], 0.0)
                except OSError as error:
                    yield self.files.failed(place, [Fault.broken_off(error)], 0.0)
            kept: dict[Place, Outcome] = {}
            if not self.options.force or self.continued:
                kept = self.files.kept(keys, this_run=self.options.force)
            yield from kept.values()
            fresh += [(place, key) for place, key in keys.items() if place not in kept]

    def grade(self, fresh: Sequence[tuple[Place, str]], pool: Pool) -> Iterator[Outcome]:
        """Grade and file; give the outcomes in the order in which they are ready."""
        try:
            for some in _chunks(fresh, pool.batch(len(fresh))):
                problems = self.files.withdraw([place for place, _ in some])
                for place, fault in problems.items():
                    yield self.files.failed(place, [fault], 0.0, withdrawn=True)
                jobs = [_Job(p, key, self._request(*p)) for p, key in some if p not in problems]
                self._hand_out(jobs, pool)
                # No more than is taken soon: a large class must not pile up here.
                while len(self.running) >= 2 * pool.slots:
                    yield from self._collect(pool)
            while self.running:
                yield from self._collect(pool)
            yield from self._file()
        except KeyboardInterrupt:
            # What came back before stays.
            self._file()
            raise

    def _hand_out(self, jobs: list[_Job], pool: Pool) -> None:
        if jobs:
            text = pack([job.request for job in jobs], self.seconds)
            self.running[pool.executor.submit(run_batch, text)] = jobs

    def _collect(self, pool: Pool) -> list[Outcome]:
        """Wait for something to come back, and file when there is enough or it has waited."""
        left = None
        if self.back:
            left = max(0.0, self.first_back + _FILED_AFTER_SECONDS - time.monotonic())
        done, _ = wait(self.running, left, FIRST_COMPLETED)
        if done and not self.back:
            self.first_back = time.monotonic()
        for future in done:
            jobs = self.running.pop(future)
            try:
                results = unpack(future.result())
            except Exception as error:
                if not _lost(error):
                    raise
                self._try_again(jobs, pool, error)
                continue
            self.back += [
                Finished(job.place, job.key, result, Path(job.request.executed))
                for job, result in zip(jobs, results, strict=True)
            ]
        waited = time.monotonic() - self.first_back >= _FILED_AFTER_SECONDS
        if self.back and (waited or len(self.back) >= _FILED_TOGETHER):
            return self._file()
        return []

    def _try_again(self, jobs: list[_Job], pool: Pool, error: Exception) -> None:
        """Hand out again what the executor lost, one by one: one of them may be the cause."""
        for job in jobs:
            if job.tries < _TRIES:
                self._hand_out([replace(job, tries=job.tries + 1)], pool)
            else:
                result = Result("failed", [Fault.broken_off(error)])
                self.back.append(Finished(job.place, job.key, result, Path(job.request.executed)))

    def _file(self) -> list[Outcome]:
        if not self.back:
            return []
        finished, self.back = self.back, []
        outcomes = self.files.settle(finished)
        for item in finished:
            for path in (item.executed, item.executed.with_suffix(".json")):
                path.unlink(missing_ok=True)
        return outcomes

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
        check_files(folder, 1000 * int(self.course.directory.max_dir_size))
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


def _chunks(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk


def _lost(error: Exception) -> bool:
    """Say whether an executor gave a task up because those who had it died."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"
