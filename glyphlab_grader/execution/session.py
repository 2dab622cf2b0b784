"""One notebook's two processes: runs cells in them, and holds every bound from outside."""

import signal
import time
from typing import Any, NamedTuple

from glyphlab_grader.execution.inmate import Inmate, wait_for
from glyphlab_grader.execution.limits import Limits
from glyphlab_grader.execution.outcome import FAULT_ERRORS, FaultKind
from glyphlab_grader.execution.outputs import Outputs
from glyphlab_grader.execution.watching import Watch
from glyphlab_grader.execution.wire import Closed, Late, Rubbish

__all__ = ["Ran", "Session"]

#: How often memory and processor time are looked at.
_TICK_SECONDS = 0.05
#: How much longer than a test cell the judge may take to say that time is up.
_SLACK_SECONDS = 1.0


class Ran(NamedTuple):
    """How running a cell ended: its outputs, what the process said, and a fault."""

    outputs: Outputs
    told: dict[str, Any]
    fault: tuple[FaultKind, str] | None


class _Halt(Exception):
    """A limit was met, or a process is gone."""

    def __init__(self, kind: FaultKind, message: str) -> None:
        super().__init__(message)
        self.fault: tuple[FaultKind, str] = kind, message


class Session:
    """A student's process and a judge's, and what they have used.

    Parameters
    ----------
    student, judge : Inmate
        Started, idle.
    limits : Limits
        What the notebook may use.
    own_network : bool
        Whether the student's sandbox has a network of its own.
    """

    def __init__(
        self, student: Inmate, judge: Inmate, limits: Limits, own_network: bool = True
    ) -> None:
        self._student = student
        self._judge = judge
        self._limits = limits
        self._watch = Watch(student.pid, student.first, own_network)
        self._ends = time.monotonic() + limits.notebook_seconds
        self._output_left = limits.notebook_output_bytes
        self._number = 0
        self._cpu_at_start = 0.0
        self._next_tick = 0.0
        self._why_gone = ""

    def seed(self, seed: int) -> None:
        """Seed the global random generators of both processes."""
        for inmate in (self._student, self._judge):
            inmate.link.send({"seed": seed}, deadline=time.monotonic() + _SLACK_SECONDS)

    def run_cell(self, source: str) -> Ran:
        """Run a cell in the student's process."""
        outputs = self._outputs()
        deadline = time.monotonic() + self._time_left()
        if self._student.gone:
            outputs.error("NotRunError", f"this cell was not run: {self._why_gone}")
            return Ran(outputs, {}, None)
        try:
            # What the student's process says of its own cell is believed of nobody.
            self._ask(self._student, {"run": source}, deadline, outputs)
            return Ran(outputs, {}, None)
        except _Halt as halt:
            # The interrupt's own traceback tells where the cell was.
            self._quieten(Outputs(self._limits.cell_output_bytes) if outputs.flooded else outputs)
            outputs.error(FAULT_ERRORS[halt.fault[0]], halt.fault[1])
            return Ran(outputs, {}, halt.fault)
        finally:
            self._output_left -= min(outputs.size, self._output_left)

    def take_over(self, source: str) -> None:
        """Have the judge take what a locked cell defines."""
        if not self._judge.gone:
            self._ask_judge({"locked": source}, time.monotonic() + self._time_left())

    def run_test(self, source: str, points: float, later: list[str]) -> Ran:
        """Run a test cell in the judge."""
        seconds = self._time_left()
        if self._student.gone:
            return Ran(self._outputs(), {"passed": False}, (self._gone_kind, self._why_gone))
        if self._judge.gone:
            return Ran(self._outputs(), {"passed": False}, ("dead", "the judge ended"))
        body = {"test": source, "points": points, "later": later, "seconds": seconds}
        ran = self._ask_judge(body, time.monotonic() + seconds + _SLACK_SECONDS)
        fault = ran.fault
        if fault is None and "fault" in ran.told:
            fault = ran.told["fault"], ran.told["message"]
        if fault is not None:
            self._quieten(Outputs(self._limits.cell_output_bytes))
        if fault is not None and fault[0] == "dead" and self._student.gone:
            # Why it was ended says more than that it does not answer.
            fault = self._gone_kind, self._why_gone
        return Ran(ran.outputs, ran.told, fault)

    # Asking a process and waiting for its answer.

    def _ask_judge(self, body: dict[str, Any], deadline: float) -> Ran:
        outputs = Outputs(self._limits.cell_output_bytes)
        try:
            return Ran(outputs, self._ask(self._judge, body, deadline, outputs), None)
        except _Halt as halt:
            self._judge.signal(signal.SIGINT)
            try:
                until = time.monotonic() + self._limits.interrupt_seconds
                # Its last words are nobody's, but no flood that would count against the student.
                rest = Outputs(self._limits.cell_output_bytes)
                self._await(self._judge, "done", until, rest)
            except _Halt:
                self._judge.end()
            return Ran(outputs, {"passed": False}, halt.fault)

    def _ask(
        self, asked: Inmate, body: dict[str, Any], deadline: float, outputs: Outputs
    ) -> dict[str, Any]:
        self._number += 1
        self._cpu_at_start = self._watch.cpu_seconds() if self._number > 1 else 0.0
        try:
            asked.link.send({**body, "number": self._number}, deadline=deadline)
        except Late:
            raise _Halt("timeout", "the process did not take its next cell") from None
        except Closed:
            raise self._dead(asked) from None
        return self._await(asked, "done", deadline, outputs)

    def _await(self, asked: Inmate, key: str, deadline: float, outputs: Outputs) -> dict[str, Any]:
        """Wait until the process says that it is done with the last request."""
        elsewhere = Outputs(self._limits.cell_output_bytes)
        while True:
            present = [inmate for inmate in (self._student, self._judge) if not inmate.gone]
            until = min(deadline, time.monotonic() + _TICK_SECONDS)
            for inmate, on_line in wait_for(present, until):
                into = outputs if inmate is asked else elsewhere
                if not on_line:
                    into.add_text(inmate.read_raw().decode(errors="replace"))
                    continue
                for told in self._read(inmate, into, asked):
                    if inmate is asked and told.get(key) == self._number:
                        into.add_text(inmate.read_raw().decode(errors="replace"))
                        return dict(told)
            self._check(asked, deadline, outputs, elsewhere)

    def _read(self, inmate: Inmate, into: Outputs, asked: Inmate) -> list[Any]:
        """Read what a process sent: outputs are kept, the rest is given."""
        if inmate.gone:
            return []
        try:
            bodies = [frame.body for frame in inmate.read()]
        except Closed:
            halt = self._dead(inmate)
        except Rubbish as problem:
            halt = self._end(inmate, "rubbish", f"the process sent rubbish: {problem}")
        else:
            told = [body for body in bodies if isinstance(body, dict)]
            for body in told:
                if "output" in body:
                    into.add(body["output"])
            return told
        if inmate is asked:
            raise halt
        return []

    def _check(self, asked: Inmate, deadline: float, *outputs: Outputs) -> None:
        """Hold the bounds; raises what was met."""
        now = time.monotonic()
        if now >= deadline:
            late = self._notebook_late() if now >= self._ends else self._cell_late()
            raise _Halt("timeout", late)
        if now < self._next_tick:
            return
        self._next_tick = now + _TICK_SECONDS
        if self._student.gone:
            return
        halt = self._over_memory() or self._over_files() or self._over_cpu()
        if halt is not None:
            if asked is not self._student:
                self._end(self._student, *halt.fault)
                return
            raise halt
        if any(one.flooded for one in outputs):
            limit = f"{self._limits.cell_output_bytes} bytes"
            halt = _Halt("output", f"the cell wrote far more than the {limit} that are kept")
            if asked is self._student:
                raise halt
            self._end(self._student, *halt.fault)

    def _over_memory(self) -> _Halt | None:
        most = self._limits.memory_bytes
        if self._watch.memory_bytes() <= most or self._watch.exact_memory_bytes() <= most:
            return None
        why = f"the notebook's processes held more than {most} bytes of memory"
        self._end(self._student, "memory", why)
        return _Halt("memory", why)

    def _over_files(self) -> _Halt | None:
        most = self._limits.files
        if self._watch.files() <= most:
            return None
        return self._end(self._student, "disk", f"the notebook made more than {most} files")

    def _over_cpu(self) -> _Halt | None:
        used, limits = self._watch.cpu_seconds(), self._limits
        if used > limits.notebook_cpu_seconds:
            why = f"the cells used more than {limits.notebook_cpu_seconds:g} s of processor time"
            return self._end(self._student, "cpu", why)
        if used - self._cpu_at_start > limits.cell_cpu_seconds:
            why = f"the cell used more than {limits.cell_cpu_seconds:g} s of processor time"
            return _Halt("cpu", why)
        return None

    # Ending.

    def _quieten(self, outputs: Outputs) -> None:
        """Interrupt the student's process, and end it if it does not answer soon after."""
        if self._student.gone:
            return
        self._student.signal(signal.SIGINT)
        until = time.monotonic() + self._limits.interrupt_seconds
        self._number += 1
        try:
            self._student.link.send({"ping": self._number}, deadline=until)
            self._await(self._student, "pong", until, outputs)
        except Closed:
            self._dead(self._student)
        except (_Halt, Late):
            if not self._student.gone:
                self._end(self._student, "timeout", "the process did not stop when interrupted")

    def _dead(self, inmate: Inmate) -> _Halt:
        return self._end(inmate, "dead", f"the process {inmate.how_it_ended()}")

    def _end(self, inmate: Inmate, kind: FaultKind, message: str) -> _Halt:
        if not inmate.gone:
            inmate.end()
            if inmate is self._student:
                self._gone_kind, self._why_gone = kind, message
        return _Halt(kind, message)

    # Words and numbers.

    def _outputs(self) -> Outputs:
        return Outputs(min(self._limits.cell_output_bytes, self._output_left))

    def _time_left(self) -> float:
        """Give the seconds that a cell may take; where there are none, the student's ends."""
        left = self._ends - time.monotonic()
        if left <= 0:
            self._end(self._student, "timeout", self._notebook_late())
        return min(left, self._limits.cell_seconds)

    def _cell_late(self) -> str:
        return f"the cell ran longer than {self._limits.cell_seconds:g} s"

    def _notebook_late(self) -> str:
        return f"the notebook ran longer than {self._limits.notebook_seconds:g} s"
