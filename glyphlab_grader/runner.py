"""Has submissions graded by worker processes that are kept from one to the next.

`run_submission` takes and gives plain data, so that any `concurrent.futures.Executor` can call it.
A worker that dies or hangs is replaced, and takes down no submission but the one it had.
"""

import json
import os
import selectors
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import IO, Any

import psutil  # type: ignore[import-untyped]

from glyphlab_grader.errors import GraderError
from glyphlab_grader.names import printable
from glyphlab_grader.outcome import Fault
from glyphlab_grader.submission import Request, Result

__all__ = ["Worker", "abandon", "run_submission", "workers"]

_WARM_SECONDS = 240.0
_idle: "list[Worker]" = []
_alive: "set[Worker]" = set()
_blocks = 0
_lock = threading.Lock()


def run_submission(request: Request, seconds: float) -> Result:
    """Grade one submission in a worker that is idle, or else a new one.

    Parameters
    ----------
    request : Request
        What to grade.
    seconds : float
        How long it may take altogether; the sandbox's own limits end a notebook earlier.

    Returns
    -------
    Result
        What came of it, a worker that died included.

    Raises
    ------
    GraderError
        If this machine cannot grade.
    """
    with _lock:
        worker = _idle.pop() if _idle else None
    if worker is None or not worker.alive:
        worker = Worker(request.root)
    started = time.monotonic()
    try:
        answer = worker.ask(asdict(request), seconds)
    except TimeoutError:
        worker.end()
        fault = Fault(None, "timeout", f"grading the notebook took more than {seconds:g} s")
    except EOFError:
        fault = Fault(None, "grader", f"the grading process died: {worker.last_words()}")
        worker.end()
    else:
        with _lock:
            _idle.append(worker)
        if "refused" in answer:
            raise GraderError(str(answer["refused"]))
        return Result(**(answer | {"faults": [Fault(**fault) for fault in answer["faults"]]}))
    return Result("failed", [fault], seconds=round(time.monotonic() - started, 3))


@contextmanager
def workers() -> Iterator[None]:
    """Keep workers from one submission to the next, and end them with the outermost block."""
    global _blocks
    with _lock:
        _blocks += 1
    try:
        yield
    finally:
        with _lock:
            _blocks -= 1
            while _idle and not _blocks:
                _idle.pop().end()


def abandon() -> None:
    """Kill all workers, those included that others wait for: these are told that theirs died."""
    with _lock:
        for worker in list(_alive):
            worker.kill()


class Worker:
    """A worker process, warm.

    Parameters
    ----------
    folder : str
        Where it starts: the course's folder.

    Raises
    ------
    GraderError
        If it does not start.
    """

    def __init__(self, folder: str) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by end)
        self._pending = b""
        # -P: the present folder must not shadow a module of the grader.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "glyphlab_grader.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=folder,
            start_new_session=True,
        )
        with _lock:
            _alive.add(self)
        try:
            self._answer(time.monotonic() + _WARM_SECONDS)
        except (EOFError, TimeoutError):
            words = self.last_words()
            self.end()
            raise GraderError(f"the grading process does not start: {words}") from None

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None and not self._errors.closed

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a request and wait for its answer.

        Raises
        ------
        EOFError
            If the process dies.
        TimeoutError
            If it takes longer than `seconds`.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise EOFError from None
        return self._answer(time.monotonic() + seconds)

    def last_words(self) -> str:
        """Return the last line that it wrote to standard error."""
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 4000))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return printable(lines[-1]) if lines else "it said nothing"

    def kill(self) -> None:
        """Kill the process and all that it started, without waiting."""
        # Kernels and sandboxes lead sessions of their own: signals to the worker miss them.
        try:
            family = psutil.Process(self._process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            family = []
        for process in [*family, self._process]:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue

    def end(self) -> None:
        """End the process and all that it started; again does nothing."""
        if self._errors.closed:
            return
        _alive.discard(self)
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue

    def _answer(self, deadline: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._pending:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise TimeoutError
                chunk = os.read(self._process.stdout.fileno(), 1 << 16)
                if not chunk:
                    raise EOFError
                self._pending += chunk
        line, self._pending = self._pending.split(b"\n", 1)
        answer: dict[str, Any] = json.loads(line)
        return answer
