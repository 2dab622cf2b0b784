"""Takes one submission from the student's file to points, without touching the gradebook.

Runs in a worker process. What goes in and comes out is plain data.
"""

import hashlib
import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import nbformat
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbgrader import utils
from nbgrader.converters import Autograde
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    Execute,
    SaveAutoGrades,
)
from traitlets.utils.importstring import import_item

from glyphlab_grader.errors import GraderError
from glyphlab_grader.execution import SandboxMissing
from glyphlab_grader.execution.preprocessor import SandboxedExecute
from glyphlab_grader.faults import execution_faults, misconceptions
from glyphlab_grader.files import replace_file
from glyphlab_grader.intake import examine
from glyphlab_grader.names import printable
from glyphlab_grader.outcome import Fault
from glyphlab_grader.restoring import Master, load_master, restore
from glyphlab_grader.restoring.master import StoredCell

__all__ = ["Request", "Result", "points_of", "process", "same_answer"]

# The first two write to the gradebook, which only one process does. The third checks metadata that
# the master's have just replaced, which were checked when they were released, and takes as long as
# the student's cells.
_NOT_HERE = (SaveAutoGrades, AssignLatePenalties, CheckCellMetadata)


@dataclass(frozen=True)
class Request:
    """A submission to grade.

    Parameters
    ----------
    root : str
        The course's folder.
    assignment, student, notebook : str
        Checked names, but the student's, which is the folder's.
    submitted, source, release : str
        Folders: what the student handed in, the instructor's notebooks, the released ones.
    stored : dict
        The gradebook's cells: nbgrader id to source and checksum.
    executed : str
        File for the executed notebook.
    log : str
        File for what nbgrader's steps have to say.
    cell_timeout : int or None
        Seconds for one cell; None for the configured ones.
    memory : int or None
        Bytes for the notebook; None for the configured ones.
    own : bool
        Whether it is an answer of our own, for a demonstration where there is no sandbox.
    """

    root: str
    assignment: str
    student: str
    notebook: str
    submitted: str
    source: str
    release: str
    stored: dict[str, tuple[str, str | None]]
    executed: str
    log: str
    cell_timeout: int | None = None
    memory: int | None = None
    own: bool = False


@dataclass(frozen=True)
class Result:
    """What came of a submission.

    Parameters
    ----------
    how : {"executed", "absent", "failed"}
        Whether there are points, nothing was handed in, or it could not be graded.
    faults : list of Fault
        All there is to tell.
    grades : dict of str to float or None
        Points of each graded cell; None where a person grades it.
    untouched : list of str
        Answers that are still the stub.
    answers : dict of str to str
        Digest of each answer that a person grades, its pictures included; for `same_answer`.
    seconds : float
        Wall time.
    """

    how: Literal["executed", "absent", "failed"]
    faults: list[Fault]
    grades: dict[str, float | None] = field(default_factory=dict)
    untouched: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def process(app: Any, request: Request) -> Result:
    """Grade one submission.

    Parameters
    ----------
    app : nbgrader.apps.NbGrader
        With the course's configuration.
    request : Request
        What to grade.

    Returns
    -------
    Result
        What came of it.

    Raises
    ------
    SandboxMissing
        If this machine cannot run students' code safely.
    """
    started = time.monotonic()
    try:
        with _logged(app.log, Path(request.log)):
            result = _process(app, request)
    except (SandboxMissing, GraderError):
        # It is the machine or the course, not the submission.
        raise
    except Exception as error:
        result = Result("failed", [Fault.broken_off(error)])
    return replace(result, seconds=round(time.monotonic() - started, 3))


def _process(app: Any, request: Request) -> Result:
    name = f"{request.notebook}.ipynb"
    release = Path(request.release)
    stored = {cell: StoredCell(*values) for cell, values in request.stored.items()}
    master = load_master(release / name, stored)
    others = [path.stem for path in release.glob("*.ipynb")]
    intake = examine(Path(request.submitted), request.notebook, master.names, others)
    if intake.absent:
        return Result("absent", intake.faults)
    if intake.notebook is None:
        return Result("failed", intake.faults)
    data, repairs = restore(intake.notebook, master)
    told = [*intake.faults, *repairs]
    try:
        notebook, sandbox = _execute(app, request, nbformat.from_dict(data))
    except (DeadKernelError, CellTimeoutError) as error:
        # Only without the sandbox, which answers for both itself.
        kind = "timeout" if isinstance(error, CellTimeoutError) else "kernel_died"
        return Result("failed", [*told, Fault(None, kind, printable(str(error)))])
    replace_file(Path(request.executed), nbformat.writes(notebook) + "\n")
    grades = _grades(notebook)
    named = misconceptions(Path(request.source) / name)
    faults = execution_faults(notebook, grades, named, sandbox)
    return Result(
        "executed",
        [*told, *faults],
        grades,
        _untouched(notebook),
        _answer_digests(notebook, master),
    )


def _execute(app: Any, request: Request, notebook: Any) -> tuple[Any, list[Any]]:
    """Apply nbgrader's configured steps but those that write to the gradebook."""
    resources: dict[str, Any] = {
        "nbgrader": {
            "student": request.student,
            "assignment": request.assignment,
            "notebook": request.notebook,
            "db_url": app.coursedir.db_url,
        },
        "metadata": {"path": None},
    }
    with _overridden(app, request):
        for named in Autograde(coursedir=app.coursedir, parent=app).autograde_preprocessors:
            step = import_item(named) if isinstance(named, str) else named
            if request.own and issubclass(step, SandboxedExecute):
                step = Execute
            if not issubclass(step, _NOT_HERE):
                preprocessor = step(parent=app)
                if preprocessor.enabled:
                    notebook, resources = preprocessor.preprocess(notebook, resources)
    execution = resources.get("execution")
    return notebook, [] if execution is None else list(execution.faults)


@contextmanager
def _overridden(app: Any, request: Request) -> Iterator[None]:
    """Put the command line's limits over the configured ones."""
    before = app.config.copy()
    if request.cell_timeout is not None:
        app.config.Execute.timeout = request.cell_timeout
    if request.memory is not None:
        limits = dict(app.config.SandboxedExecute.get("limits", {}))
        app.config.SandboxedExecute.limits = limits | {"memory_bytes": request.memory}
    try:
        yield
    finally:
        app.config = before


def _grades(notebook: Any) -> dict[str, float | None]:
    return {
        cell.metadata.nbgrader.grade_id: points_of(cell)
        for cell in notebook.cells
        if utils.is_grade(cell)
    }


def points_of(cell: Any) -> float | None:
    """Read the points that an executed graded cell gives; None where a person grades it."""
    try:
        points, _ = utils.determine_grade(cell)
    except ValueError:
        # More than the cell's points; nbgrader gives up on that.
        return 0.0
    return None if points is None else float(points)


def _untouched(notebook: Any) -> list[str]:
    return [
        cell.metadata.nbgrader.grade_id
        for cell in notebook.cells
        if utils.is_solution(cell)
        and cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
    ]


def _answer_digests(notebook: Any, master: Master) -> dict[str, str]:
    """Digest what a person grades, so that a changed answer can be told from the same one."""
    by_hand = {cell.name for cell in master.cells if cell.answer}
    return {
        cell.metadata.nbgrader.grade_id: _digest(cell)
        for cell in notebook.cells
        if utils.is_grade(cell) and cell.metadata.nbgrader.grade_id in by_hand
    }


def _digest(cell: Any) -> str:
    """Digest a text, and the pictures pasted into it after a colon; see `same_answer`."""
    pictures = json.dumps(cell.get("attachments", {}), sort_keys=True)
    return ":".join(hashlib.sha256(part.encode()).hexdigest() for part in (cell.source, pictures))


def same_answer(before: str | None, now: str) -> bool:
    """Tell by their digests whether two answers are the same.

    Outcomes were kept with the text's digest alone once; it says all that is known of these.
    """
    return before is not None and before in (now, now.partition(":")[0])


@contextmanager
def _logged(log: logging.Logger, path: Path) -> Iterator[None]:
    """Write what is logged meanwhile into the submission's own file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w", encoding="utf-8", errors="replace")
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    log.addHandler(handler)
    try:
        yield
    except Exception:
        log.exception("grading broke off")
        raise
    finally:
        log.removeHandler(handler)
        handler.close()
