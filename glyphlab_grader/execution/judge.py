"""The judge's process: runs the master's test cells, with the student's names at hand.

Student code never enters this process. What it knows of the student's it has from `proxies`.
"""

import builtins
import contextlib
import importlib
import math
import numbers
import signal
import socket
import sys
import warnings
from fractions import Fraction
from typing import Any

import numpy as np

from glyphlab_grader.execution import randomness, testcode
from glyphlab_grader.execution.defences import Defences
from glyphlab_grader.execution.interrupting import interruptible
from glyphlab_grader.execution.limits import Limits
from glyphlab_grader.execution.proxies import Pupil, Stop
from glyphlab_grader.execution.shell import LeanShell
from glyphlab_grader.execution.student import OUTPUT_BYTES
from glyphlab_grader.execution.wire import Closed, Link

__all__ = ["live"]

#: Modules that a test may use though only student cells import them, by the names in use.
_USUAL = {
    "np": "numpy",
    "plt": "matplotlib.pyplot",
    **{name: name for name in ("numpy", "torch", "math", "glyphlab", "glyphlab_core")},
}
_BUILT_IN = frozenset(vars(builtins)) | {"get_ipython", "__name__"}


def live(limits: Limits, defences: Defences, master: int, student: int, raw: int) -> None:
    """Serve until the master goes away."""
    pupil = Pupil(Link(socket.socket(fileno=student), limits.wire_bytes), limits, defences.faults)
    Judge(socket.socket(fileno=master), pupil).serve()


class Judge:
    """The namespace of the tests, and the lines to master and student."""

    def __init__(self, master: socket.socket, pupil: Pupil) -> None:
        self._master = Link(master, OUTPUT_BYTES)
        self._pupil = pupil
        shell = LeanShell.instance()
        assert isinstance(shell, LeanShell)
        shell.keep_values = True
        self._shell = shell
        self._space: dict[str, Any] = shell.user_ns
        sys.stdout, sys.stderr = shell.connect(self._output)
        # Both as standard output: a line of standard error would cost the points of the cell.
        sys.stderr = sys.stdout
        sys.modules["__main__"] = shell.user_module
        #: What the tests see before anything of the student's.
        self._own: set[str] = set()
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].switch_backend("agg")

    def _output(self, output: dict[str, Any]) -> None:
        if output["output_type"] in ("stream", "error"):
            self._master.send({"output": output})

    def serve(self) -> None:
        """Do what the master asks."""
        with contextlib.suppress(Closed):
            while True:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                body = self._master.receive().body
                if "seed" in body:
                    randomness.seed_all(body["seed"])
                elif "locked" in body:
                    self._take_over(body["locked"])
                    self._master.send({"done": body["number"]})
                elif "test" in body:
                    told = self._run(body)
                    self._master.send({"done": body["number"], **told})

    # Cells that the student's process runs and whose definitions come from the master.

    def _take_over(self, source: str) -> None:
        """Define what a locked cell imports, defines and sets to what cannot be changed later."""
        try:
            source = self._shell.plain(source)
            defined = list(testcode.definitions(source))
            assigned = list(testcode.settled_assignments(source))
        except SyntaxError:
            return
        with interruptible():
            for names, text in defined:
                self._define(names, text)
            for names, read, text in assigned:
                if read <= self._own | _BUILT_IN:
                    self._assign(names, text)

    def _define(self, names: set[str], source: str) -> None:
        try:
            exec(compile(source, "<locked cell>", "exec"), self._space)
        except (Exception, KeyboardInterrupt):
            return
        self._own |= names

    def _assign(self, names: set[str], source: str) -> None:
        space = dict(self._space)
        try:
            exec(compile(source, "<locked cell>", "exec"), space)
        except (Exception, KeyboardInterrupt):
            return
        for name in names:
            if _settled(space[name]):
                self._space[name] = space[name]
                self._own.add(name)

    # Test cells.

    def _run(self, body: Any) -> dict[str, Any]:
        """Run a test cell, and say whether it came to its end and what its last value is."""
        self._pupil.begin(body["seconds"])
        self._shell.value = None
        error: BaseException | None = None
        try:
            with interruptible(), warnings.catch_warnings():
                source = self._shell.plain(body["test"])
                borrowed = self._borrow(source)
                result = self._shell.run(body["test"])
                error = result.error_before_exec or result.error_in_exec
                self._keep(borrowed)
                if error is None:
                    self._hand_on(body["test"], set(body["later"]))
        except (Stop, Exception, KeyboardInterrupt) as stopped:
            error = stopped
        sys.stdout.flush()
        if self._pupil.fault is not None:
            kind, message = self._pupil.fault
            return {"passed": False, "fault": kind, "message": message}
        if error is not None:
            return {"passed": False, "error": [type(error).__name__, str(error)[:2000]]}
        return {"passed": True, **_score(self._shell.value, body["points"])}

    def _borrow(self, source: str) -> dict[str, Any]:
        """Put the student's values and functions where the test looks for them."""
        wanted = testcode.names_used(source) - self._own - _BUILT_IN
        # Never the student's: an object called np whose allclose always agrees.
        for name in wanted & _USUAL.keys():
            with contextlib.suppress(ImportError):
                self._space[name] = importlib.import_module(_USUAL[name])
                self._own.add(name)
        borrowed = self._pupil.names(sorted(wanted - self._own))
        self._space.update(borrowed)
        return borrowed

    def _keep(self, borrowed: dict[str, Any]) -> None:
        """Give back what was borrowed; what the test itself bound stays, ahead of the student's."""
        for name, value in borrowed.items():
            if name in self._space and self._space[name] is value:
                del self._space[name]
            else:
                self._own.add(name)
        hidden = self._shell.user_ns_hidden
        self._own |= {name for name in self._space if name[:1] != "_" and name not in hidden}

    def _hand_on(self, source: str, later: set[str]) -> None:
        """Give the student what the visible part of the cell defined, where later cells use it."""
        transform = self._shell.plain
        visible = transform(testcode.visible_part(source))
        try:
            sources = [text for names, text in testcode.definitions(visible) if names & later]
            names = testcode.bound_names(visible) & later
            for part in testcode.hidden_parts(source):
                names -= testcode.bound_names(transform(part))
        except SyntaxError:
            # Hidden and visible lines cannot be told apart: nothing is handed on.
            return
        values = {name: self._space[name] for name in names if name in self._space}
        if sources or values:
            self._pupil.define(sources, values)


def _settled(value: Any) -> bool:
    """Say whether a value of a locked cell holds whatever the student does with the name.

    A list or a dict may be there to be filled, and None to be replaced: the student's count.
    """
    plain = (int, float, complex, str, bytes, Fraction, np.generic, np.ndarray, range)
    if isinstance(value, tuple | frozenset):
        return bool(value) and all(map(_settled, value))
    if isinstance(value, plain) or type(value).__name__ == "Tensor":
        return True
    return type(value).__module__.partition(".")[0] in ("glyphlab", "glyphlab_core")


def _score(value: Any, points: float) -> dict[str, Any]:
    """Read a partial score from the last value; what is none is left out, and said."""
    if not isinstance(value, numbers.Real | np.number) or isinstance(value, bool):
        return {}
    try:
        score = float(value)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not 0 <= score <= points:
        return {"dropped": f"the cell's last value {score:g} is not a score from 0 to {points:g}"}
    return {"score": score}
