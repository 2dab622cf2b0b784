"""The warm parent: imports the large packages once, then forks a process for each notebook.

Runs `main` with the arguments USER STUDENT_FD JUDGE_FD MODULE …, in one thread and a clean
environment, and never holds a notebook, a test or a reference function. A second parent, for
judges, is forked from it and imports the course's packages on top: they never exist in the memory
that a student's process is forked from. Copying memory is most of what a fork costs, so modules
that only some notebooks need are in a heavier pair of parents, forked when the first of these
comes.

Its master sends single messages (JSON, with descriptors) and gets one answer to each:

``{"op": "start", "view": ..., "limits": ..., "defences": ...}`` with descriptors for the master's
    link, the link between student and judge, raw output, and the status. Answer ``{"id": n}``.
``{"op": "end", "id": n}``
    takes the sandbox down with everything in it.
``{"op": "heavier", "modules": [...]}`` with descriptors for the two masters of a pair of parents
    that has these modules too. Each says on its own line when it is warm.

The status socket tells, first ``{"pid": n}`` with a pid descriptor, then ``{"status": n}``.
"""

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from glyphlab_grader.execution import entering
from glyphlab_grader.execution.defences import Defences
from glyphlab_grader.execution.holder import NOTEBOOK, Holder, View
from glyphlab_grader.execution.limits import Limits

__all__ = ["ENVIRONMENT", "HEAVIER", "LONGEST_MESSAGE", "PRELOADED", "check_threads", "main"]

#: What the parent and every process forked from it have in their environment.
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "TMPDIR": "/tmp",
    "USER": "student",
    "LOGNAME": "student",
    "LANG": "C.UTF-8",
    "MPLCONFIGDIR": "/tmp/matplotlib",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "NBGRADER_EXECUTION": "autograde",
    # A second thread in the parent would leave a forked child hanging.
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    # The order of sets is the same in every run.
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
}
#: Imported before the first notebook comes, where installed.
PRELOADED = ("numpy", "numpy.random", "importlib.metadata", "matplotlib.pyplot")
#: Imported before the first notebook with torch comes; dynamo is what an optimiser loads.
HEAVIER = ("torch", "torch._dynamo")
#: Bytes of one message between the master and the parent.
LONGEST_MESSAGE = 1 << 16

_JUDGE_MODULES = (
    *("glyphlab_grader.execution.judge", "glyphlab_core"),
    *(f"glyphlab.{name}" for name in ("checks", "expected", "dataset")),
)


class Parent:
    """Serves the requests of its master until that one goes away."""

    def __init__(self, master: socket.socket, role: str) -> None:
        self._master = master
        self._role = role
        self._holders: dict[int, Holder] = {}
        self._forked: set[int] = set()
        self._count = 0

    def serve(self) -> None:
        """Answer requests."""
        while True:
            message, descriptors, _, _ = socket.recv_fds(self._master, LONGEST_MESSAGE, 8)
            for descriptor in descriptors:
                # They arrive inheritable, and bubblewrap must not get them.
                os.set_inheritable(descriptor, False)
            if not message:
                break
            try:
                answer = self._answer(json.loads(message), descriptors)
            except Exception as error:
                answer = {"error": str(error), "kind": type(error).__name__}
            finally:
                for descriptor in descriptors:
                    os.close(descriptor)
            self._master.send(json.dumps(answer).encode())
        for holder in self._holders.values():
            holder.end()

    def _answer(self, request: Any, descriptors: list[int]) -> dict[str, Any]:
        if request["op"] == "start":
            return self._start(request, descriptors)
        if request["op"] == "heavier":
            if not os.fork():
                self._master.close()
                _be_two(request["modules"], *descriptors)
            return {}
        holder = self._holders.pop(request["id"])
        holder.end()
        self._reap()
        return {}

    def _start(self, request: Any, descriptors: list[int]) -> dict[str, Any]:
        limits, defences = Limits(**request["limits"]), Defences(**request["defences"])
        holder = Holder(View(**request["view"]), limits, defences)
        self._count += 1
        self._holders[self._count] = holder
        child = os.fork()
        if not child:
            _wait_for_inmate(self._role, holder.pid, limits, defences, descriptors)
        self._forked.add(child)
        return {"id": self._count, "first": holder.pid}

    def _reap(self) -> None:
        for child in list(self._forked):
            if os.waitpid(child, os.WNOHANG)[0]:
                self._forked.discard(child)


def _wait_for_inmate(
    role: str, pid: int, limits: Limits, defences: Defences, descriptors: list[int]
) -> NoReturn:
    """Enter the sandbox, fork the process that lives in it, and tell the status how that ends."""
    code = 1
    try:
        *used, told = descriptors
        entering.close_all_but(descriptors)
        status = socket.socket(fileno=told)
        entering.enter_namespaces(pid, defences.network)
        # Only a child of this process is in the sandbox's process namespace.
        inmate = os.fork()
        if not inmate:
            _live(role, limits, defences, used)
        entering.close_all_but([told])
        handle = os.pidfd_open(inmate)
        socket.send_fds(status, [json.dumps({"pid": inmate}).encode()], [handle])
        os.close(handle)
        ended = os.waitpid(inmate, 0)[1]
        status.send(json.dumps({"status": os.waitstatus_to_exitcode(ended)}).encode())
        code = 0
    except BaseException as error:
        with contextlib.suppress(BaseException):
            message = f"{type(error).__name__}: {error}"
            socket.socket(fileno=descriptors[-1]).send(json.dumps({"error": message}).encode())
    finally:
        os._exit(code)


def _live(role: str, limits: Limits, defences: Defences, descriptors: list[int]) -> NoReturn:
    """Be the student's process, or the judge's, to the end."""
    try:
        # Away from the terminal and the signals of the grader.
        os.setsid()
        entering.close_all_but(descriptors)
        os.chdir(NOTEBOOK)
        entering.bound(limits)
        entering.give_up_privileges(defences)
        module = importlib.import_module(f"glyphlab_grader.execution.{role}")
        module.live(limits, defences, *descriptors)
    finally:
        os._exit(0)


def _warm(modules: Sequence[str]) -> None:
    for name in modules:
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)


def check_threads() -> None:
    """Refuse to go on with more than one thread: what they hold stays locked in a fork."""
    if len(os.listdir("/proc/self/task")) != 1:
        raise SystemExit("the warm parent has more than one thread")


def _be_two(modules: Sequence[str], student_end: int, judge_end: int) -> NoReturn:
    """Import, fork the judges' parent, and serve as a parent each."""
    code = 1
    try:
        for end in student_end, judge_end:
            # They came through an exec, or as a copy; no bubblewrap may get them.
            os.set_inheritable(end, False)
        _warm(modules)
        judges = os.fork()
        role, own, other = ("student", student_end, judge_end)
        if not judges:
            role, own, other = ("judge", judge_end, student_end)
            _warm(_JUDGE_MODULES)
        os.close(other)
        check_threads()
        # What is here now stays: not touching it keeps it shared with the forks.
        gc.collect()
        gc.freeze()
        master = socket.socket(fileno=own)
        master.send(b"{}")
        Parent(master, role).serve()
        with contextlib.suppress(ChildProcessError):
            # Their masters go away at the same time.
            while True:
                os.wait()
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(code)


def main() -> None:
    """Become the student's parent and fork the judges'."""
    user, student_end, judge_end, *modules = sys.argv[1:]
    if os.getuid() == 0:
        entering.become(int(user))
    # Inherited, it would make every wait for a child fail.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from glyphlab_grader.execution import student

    student.prepare()
    _be_two(modules, int(student_end), int(judge_end))
