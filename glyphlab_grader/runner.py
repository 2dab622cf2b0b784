"""Runs one submission in a process of its own, and says how that ended.

`run_submission` takes and gives plain data and touches nothing of the caller, so that any
`concurrent.futures.Executor` can call it. Whatever a student's code does, only its own process
ends.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import psutil  # type: ignore[import-untyped]

__all__ = ["Ending", "Request", "run_submission"]


@dataclass(frozen=True)
class Request:
    """A submission to run.

    Parameters
    ----------
    root : str
        The course's folder.
    assignment, student, notebook : str
        Checked names.
    log : str
        File for everything that is printed on the way.
    cell_timeout : int or None
        Seconds for one cell; None for the configured ones.
    notebook_timeout : float
        Seconds for the whole notebook.
    """

    root: str
    assignment: str
    student: str
    notebook: str
    log: str
    cell_timeout: int | None
    notebook_timeout: float


@dataclass(frozen=True)
class Ending:
    """How running a submission ended.

    Parameters
    ----------
    how : {"converted", "timeout", "kernel_died", "invalid", "grader"}
        ``converted``: nbgrader executed it and wrote its grades. ``timeout``: the cell could not be
        stopped or the whole notebook took too long. ``kernel_died``: the student's process ended.
        ``invalid``: nbgrader refused the notebook. ``grader``: anything else.
    message : str
        One line.
    cell : str or None
        The cell that was running.
    seconds : float
        Wall time.
    """

    how: Literal["converted", "timeout", "kernel_died", "invalid", "grader"]
    message: str
    cell: str | None
    seconds: float


def run_submission(request: Request) -> Ending:
    """Execute and grade one submission with nbgrader, in a process of its own.

    Parameters
    ----------
    request : Request
        What to run.

    Returns
    -------
    Ending
        How it ended; this function does not raise for anything that a submission does.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="glyphlab-grade-") as folder:
        exchange = Path(folder)
        late = _run_worker(request, exchange)
        seconds = round(time.monotonic() - started, 3)
        cell = _read(exchange / "cell")
        report = _read(exchange / "report")
    if late:
        limit = f"{request.notebook_timeout:g} s"
        return Ending("timeout", f"the notebook took more than {limit}", cell, seconds)
    if report is None:
        return Ending("grader", "the grading process ended without a word", cell, seconds)
    how, message = json.loads(report)
    return Ending(how, message, None if how == "converted" else cell, seconds)


def _run_worker(request: Request, exchange: Path) -> bool:
    """Run the worker to its end or to the notebook's deadline; say whether it was the latter."""
    log = Path(request.log)
    log.parent.mkdir(parents=True, exist_ok=True)
    # -P: the present folder must not shadow a module of the grader.
    command = [sys.executable, "-P", "-m", "glyphlab_grader.worker", str(exchange)]
    with log.open("wb") as output:
        worker = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=request.root,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
        try:
            worker.communicate(json.dumps(asdict(request)).encode(), request.notebook_timeout)
        except subprocess.TimeoutExpired:
            return True
        finally:
            _end(worker)
    return False


def _end(worker: "subprocess.Popen[bytes]") -> None:
    """End a worker that still runs, and the kernels that it started."""
    if worker.poll() is not None:
        return
    # Kernels lead sessions of their own, so that signals to the worker do not reach them.
    try:
        family = [psutil.Process(worker.pid)]
        family += family[0].children(recursive=True)
    except psutil.NoSuchProcess:
        family = []
    for process in family:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    worker.wait()


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
