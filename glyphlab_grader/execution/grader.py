"""Runs notebooks that nobody vouches for, from a warm parent, each in sandboxes of its own."""

import contextlib
import copy
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from glyphlab_grader.execution.defences import Defences
from glyphlab_grader.execution.holder import find_bubblewrap, stage
from glyphlab_grader.execution.inmate import Inmate, Warm
from glyphlab_grader.execution.library import Editions
from glyphlab_grader.execution.limits import Limits
from glyphlab_grader.execution.outcome import (
    FAULT_ERRORS,
    TEST_BROKEN_OFF,
    Execution,
    Fault,
)
from glyphlab_grader.execution.outputs import error_output
from glyphlab_grader.execution.parent import ENVIRONMENT, HEAVIER, PRELOADED
from glyphlab_grader.execution.scratch import scratch_folder
from glyphlab_grader.execution.session import Ran, Session
from glyphlab_grader.execution.student import OUTPUT_BYTES
from glyphlab_grader.execution.views import judge_view, packing, stage_view, student_view
from glyphlab_grader.names import printable

__all__ = ["Grader"]

#: An ordinary user that nobody is, as which a root grader's sandboxes are built.
NOBODY = 64017
_PROGRAM = "from glyphlab_grader.execution.parent import main; main()"
_WARM_SECONDS = 120.0
OnCell = Callable[[Any, int], None]
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
#: What in the source of a notebook says that it needs the heavier modules.
_HEAVY = re.compile(r"torch|glyphlab\.network")
_MOST_NAMES = 10_000


class _Parents(NamedTuple):
    """The lines to a warm parent of students and to one of judges."""

    student: Warm
    judge: Warm


class _Ends:
    """Sockets to a pair of parents; leaving it closes the ends that were given to them."""

    def __init__(self) -> None:
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(2)]
        self.own = [own for own, _ in pairs]
        self._others = [other for _, other in pairs]
        self.given = tuple(other.fileno() for other in self._others)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for other in self._others:
            other.close()


class Grader:
    """Runs notebooks: students' cells in one sandboxed process, test cells in another.

    A context manager; entering it starts the warm parent, which takes some seconds, and each
    notebook after that a fraction of one. One at a time: use one grader in each worker process.

    Parameters
    ----------
    preload : sequence of str
        Modules that are imported once, before the first notebook.
    heavier : sequence of str
        Modules that are imported once, before the first notebook that speaks of torch. Another
        notebook that needs them after all imports them itself.
    defences : Defences
        For the attack tests, which leave some out to show what they are for.

    Raises
    ------
    SandboxMissing
        On entering, or at the first notebook, where this machine cannot build a sandbox.

    Examples
    --------
    >>> with Grader() as grader:  # doctest: +SKIP
    ...     execution = grader.run(notebook, Limits(cell_seconds=10))
    """

    def __init__(
        self,
        preload: Sequence[str] = PRELOADED,
        heavier: Sequence[str] = HEAVIER,
        *,
        defences: Defences | None = None,
    ) -> None:
        self._preload = tuple(preload)
        self._heavier = tuple(name for name in heavier if name not in preload)
        self._defences = defences or Defences()
        self._closing = contextlib.ExitStack()
        self._light: _Parents | None = None
        self._heavy: _Parents | None = None
        self._packed: dict[Path, Path] = {}

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as closing:
            # The sandboxes' user passes through.
            folder = closing.enter_context(scratch_folder("glyphlab-editions-"))
            self._editions = Editions(folder)
            self._light = self._start_parents(folder, closing)
            self._judge_view = asdict(judge_view())
            self._closing = closing.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._light = self._heavy = None
        self._closing.close()

    def _start_parents(self, editions: Path, closing: contextlib.ExitStack) -> "_Parents":
        bubblewrap = find_bubblewrap()
        with _Ends() as ends:
            program = ["-s", "-P", "-c", _PROGRAM, str(NOBODY), *map(str, ends.given)]
            command = [sys.executable, *program, *self._preload]
            if os.getuid() == 0:
                self._packed = packing(editions)
                view = stage_view(editions, self._defences.shown, self._packed)
                command = [*stage(view, bubblewrap, self._defences), "--", *command]
            self._said = closing.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (by closing)
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=self._said,
                cwd="/",
                env=ENVIRONMENT | (self._defences.environment or {}),
                pass_fds=ends.given,
                start_new_session=True,
            )
        #: The process that the warm parent, or for root its stage, runs in.
        self.pid = process.pid
        closing.callback(_wait, process)
        try:
            return self._warmed(ends, closing)
        except RuntimeError:
            process.kill()
            process.wait()
            raise

    def _warmed(self, ends: "_Ends", closing: contextlib.ExitStack) -> "_Parents":
        """Wait for a pair of parents to be warm."""
        student, judge = map(Warm, ends.own)
        for parent in student, judge:
            closing.callback(parent.close)
        try:
            for parent in student, judge:
                parent.wait_until_warm(_WARM_SECONDS)
        except OSError as problem:
            self._said.seek(0)
            said = self._said.read().decode(errors="replace").strip()[-2000:]
            raise RuntimeError(
                f"the grader's warm parent did not start: {said or problem}"
            ) from None
        return _Parents(student, judge)

    def _parents(self, notebook: Any) -> "_Parents":
        """Choose the parents for a notebook, and start them if it is the first that needs them."""
        if self._light is None:
            raise RuntimeError("use the grader in a with statement")
        code = (cell.source for cell in notebook.cells if cell.cell_type == "code")
        if not self._heavier or not any(map(_HEAVY.search, code)):
            return self._light
        if self._heavy is None:
            with _Ends() as ends:
                request = {"op": "heavier", "modules": self._heavier}
                self._light.student.ask(request, ends.given)
            self._heavy = self._warmed(ends, self._closing)
        return self._heavy

    def run(
        self,
        notebook: Any,
        limits: Limits | None = None,
        forbidden: Sequence[str] = (),
        seed: int = 0,
        on_cell: OnCell | None = None,
    ) -> Execution:
        """Execute a notebook.

        Cells that carry points and are no answers are test cells, and must come from the master.

        Parameters
        ----------
        notebook : NotebookNode
            Of nbformat 4; it is not changed.
        limits : Limits, optional
            What it may use.
        forbidden : sequence of str
            Names of `glyphlab_core` that the student's process has stand-ins for.
        seed : int
            For the global random generators of both processes.
        on_cell : callable, optional
            Called with each code cell and its index before it is run.

        Returns
        -------
        Execution
            The executed copy, and the faults.

        Raises
        ------
        SandboxMissing
            If this machine cannot build a sandbox.
        RuntimeError
            If the grader itself fails; nothing is said of the notebook then.
        """
        parents = self._parents(notebook)
        limits = limits or Limits()
        started = time.monotonic()
        edition = self._editions.without(forbidden) if self._defences.library else None
        view = asdict(student_view(edition, self._defences.shown, self._packed))
        with contextlib.ExitStack() as closing:
            to_judge, to_student = socket.socketpair()
            closing.callback(to_student.close)
            how = {"limits": asdict(limits), "defences": asdict(self._defences)}
            student = Inmate(
                parents.student, how | {"view": view}, to_judge, limits.cell_output_bytes
            )
            closing.callback(student.close)
            how["view"] = self._judge_view
            judge = Inmate(parents.judge, how, to_student, OUTPUT_BYTES)
            closing.callback(judge.close)
            session = Session(student, judge, limits, self._defences.network)
            session.seed(seed)
            run = _Run(session, notebook, on_cell, self._defences.judge)
            run.all_cells()
        seconds = time.monotonic() - started
        return Execution(run.notebook, run.faults, frozenset(run.after_tests), seconds)


class _Run:
    """Takes a session through the cells of a notebook."""

    def __init__(
        self, session: Session, notebook: Any, on_cell: OnCell | None, judged: bool
    ) -> None:
        self._session = session
        self._judged = judged
        self._on_cell = on_cell
        self.notebook = copy.deepcopy(notebook)
        self.faults: list[Fault] = []
        self.after_tests: set[int] = set()
        self._tested = False

    def all_cells(self) -> None:
        """Run them in their order."""
        code = [(i, cell) for i, cell in enumerate(self.notebook.cells) if cell.cell_type == "code"]
        for _, cell in code:
            # A test counts as passed only once it has run to its end.
            cell.outputs = [_node(error_output("NotRunError", "this cell was not run"))]
            cell.execution_count = None
        for count, (index, cell) in enumerate(code, start=1):
            cell.execution_count = count
            if self._on_cell is not None:
                self._on_cell(cell, index)
            if _is_test(cell) and self._judged:
                self._tested = True
                self._test(index, cell)
            elif cell.source.strip():
                self._plain(index, cell)
            else:
                cell.outputs = []

    def _plain(self, index: int, cell: Any) -> None:
        ran = self._session.run_cell(cell.source)
        if _details(cell).get("locked") and not _details(cell).get("solution"):
            self._session.take_over(cell.source)
        if self._tested:
            self.after_tests.add(index)
        self._note(index, cell, ran)
        cell.outputs = [_node(output) for output in ran.outputs.kept]

    def _test(self, index: int, cell: Any) -> None:
        points = float(_details(cell).get("points") or 0)
        ran = self._session.run_test(cell.source, points, self._names_after(index))
        self._note(index, cell, ran)
        cell.outputs = [_node(output) for output in _test_outputs(ran, cell.execution_count)]

    def _names_after(self, index: int) -> list[str]:
        """List the words in later cells of the student's, which may need what a test defined."""
        words: set[str] = set()
        for cell in self.notebook.cells[index + 1 :]:
            if cell.cell_type == "code" and not _is_test(cell):
                words.update(_IDENTIFIER.findall(cell.source))
        return sorted(words)[:_MOST_NAMES]

    def _note(self, index: int, cell: Any, ran: Ran) -> None:
        label = _details(cell).get("grade_id") or f"cell {index + 1}"
        if ran.fault is not None:
            kind, message = ran.fault
            self.faults.append(Fault(label, kind, printable(message, 500)))
        elif ran.outputs.cut:
            self.faults.append(Fault(label, "output", "the cell's output was cut"))
        if "dropped" in ran.told:
            self.faults.append(Fault(label, "score", ran.told["dropped"]))


def _test_outputs(ran: Ran, count: int) -> list[dict[str, Any]]:
    """Give a test cell outputs that nbgrader reads as what happened, and as nothing else."""
    told = ran.told
    if ran.fault is not None:
        # What was shown before is dropped: it could be read as a score.
        return [error_output(FAULT_ERRORS[ran.fault[0]], ran.fault[1])]
    shown = [output for output in ran.outputs.kept if output["output_type"] == "stream"]
    if told.get("passed") is not True:
        errors = [output for output in ran.outputs.kept if output["output_type"] == "error"]
        name, message = told.get("error", [TEST_BROKEN_OFF, "the test did not come to its end"])
        return [*shown, *(errors or [error_output(name, message)])]
    if "score" in told:
        value = {"text/plain": repr(float(told["score"]))}
        result = {"output_type": "execute_result", "execution_count": count}
        shown.append({**result, "data": value, "metadata": {}})
    return shown


def _is_test(cell: Any) -> bool:
    details = _details(cell)
    return cell.cell_type == "code" and bool(details.get("grade")) and not details.get("solution")


def _details(cell: Any) -> dict[str, Any]:
    found = cell.metadata.get("nbgrader")
    return found if isinstance(found, dict) else {}


def _node(output: dict[str, Any]) -> Any:
    from nbformat.notebooknode import from_dict

    return from_dict(output)


def _wait(process: "subprocess.Popen[bytes]") -> None:
    """Wait for the parent, whose lines are closed by now, and end it if it lingers."""
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
