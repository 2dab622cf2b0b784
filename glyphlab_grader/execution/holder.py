"""The empty sandbox that bubblewrap builds for one process, and the stage for a root grader.

Bubblewrap keeps the mount logic. What it starts is ``cat``, which sits in the namespaces until its
standard input closes; the student's process and the judge's enter from outside.
"""

import contextlib
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from glyphlab_grader.execution import entering, seccomp
from glyphlab_grader.execution.defences import Defences
from glyphlab_grader.execution.limits import Limits

__all__ = ["COURSE", "NOTEBOOK", "Holder", "SandboxMissing", "View", "find_bubblewrap", "stage"]

#: Where a student finds the course's packages, and the folder that cells run in.
COURSE = "/course"
NOTEBOOK = "/tmp/notebook"
#: The user inside a sandbox.
USER = "1000"

_SYSTEM_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/localtime", "/etc/fonts")
_START_SECONDS = 20.0


class SandboxMissing(RuntimeError):
    """This machine cannot build a sandbox; the message says what to do."""


@dataclass(frozen=True)
class View:
    """What a sandbox shows of the machine beside the system, all of it read-only.

    Parameters
    ----------
    folders : tuple of str
        Shown where they are.
    hidden : tuple of str
        Folders within these that are shown empty.
    entries : tuple of str
        Files and folders shown where they are, within the hidden ones too.
    placed : tuple of (str, str)
        Folders and where they are shown.
    """

    folders: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    placed: tuple[tuple[str, str], ...] = ()


def find_bubblewrap() -> str:
    """Give bubblewrap's path, or raise `SandboxMissing` saying how to install it."""
    path = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
    if path is None:
        raise SandboxMissing(
            "bubblewrap is missing, and without it strangers' notebooks are not run: "
            "install it with `apt-get install bubblewrap` (Debian, Ubuntu) or "
            "`dnf install bubblewrap` (Fedora)"
        )
    return path


class Holder:
    """A sandbox with nothing in it, built by bubblewrap.

    Parameters
    ----------
    view : View
        What it shows.
    limits : Limits
        Its disk is bounded by these.
    defences : Defences
        What protects the machine from it.

    Raises
    ------
    SandboxMissing
        If bubblewrap is missing or cannot build it.
    """

    def __init__(self, view: View, limits: Limits, defences: Defences) -> None:
        self._open: list[int] = []
        self._children: list[int] = []
        try:
            #: The sandbox's first process, whose end is the end of all in it.
            arguments = _arguments(view, limits, defences)
            self.pid = self._start(find_bubblewrap(), arguments, defences.system_calls)
            # A student's process may be able to write to the memory of these two.
            for pid in (self.pid, *_children(self.pid)):
                entering.bound(limits, pid)
        except BaseException:
            self.end()
            raise

    def _start(self, program: str, arguments: Sequence[str], filtered: bool) -> int:
        calls = []
        if filtered and seccomp.supported():
            calls = [_memory_file(seccomp.program())]
            arguments = [*arguments, "--seccomp", str(calls[0])]
        given = _memory_file("\0".join(arguments).encode())
        errors = _memory_file(b"")
        info, info_end = os.pipe()
        inner_input, self_input = os.pipe()
        self_output, inner_output = os.pipe()
        self._open += [given, errors, info, info_end, *calls]
        self._open += [inner_input, self_input, self_output, inner_output]
        for descriptor in (given, info_end, *calls):
            os.set_inheritable(descriptor, True)
        # What bubblewrap is told is in a file: the sandbox can read its command line.
        command = ["bwrap", "--args", str(given), "--info-fd", str(info_end), "--", "cat"]
        actions = [
            (os.POSIX_SPAWN_DUP2, source, target)
            for source, target in ((inner_input, 0), (inner_output, 1), (errors, 2))
        ]
        environment = {"PATH": "/usr/bin:/bin"}
        self._children = [os.posix_spawn(program, command, environment, file_actions=actions)]
        self._close(info_end, inner_input, inner_output, given, *calls)
        deadline = time.monotonic() + _START_SECONDS
        told = _read_until(info, lambda data: data.rstrip().endswith(b"}"), deadline)
        # An echo says that the sandbox is complete. Where it could not be built, nobody listens.
        with contextlib.suppress(BrokenPipeError):
            os.write(self_input, b"\n")
        ready = _read_until(self_output, bool, deadline)
        if not ready:
            os.lseek(errors, 0, os.SEEK_SET)
            reason = os.read(errors, 2000).decode(errors="replace").strip() or "it does not answer"
            raise SandboxMissing(f"bubblewrap cannot build a sandbox on this machine: {reason}")
        self._close(info, self_output, errors)
        return int(json.loads(told)["child-pid"])

    def _close(self, *descriptors: int) -> None:
        for descriptor in descriptors:
            self._open.remove(descriptor)
            os.close(descriptor)

    def end(self) -> None:
        """Kill everything in the sandbox and take it down."""
        # The first process ends only when all others have, and bubblewrap outside waits for it.
        victims = [self.pid] if hasattr(self, "pid") else self._children
        for pid in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for child in self._children:
            os.waitpid(child, 0)
        self._children = []
        self._close(*self._open)


def stage(view: View, bubblewrap: str, defences: Defences) -> list[str]:
    """Give the bubblewrap command in which a root grader's warm parent runs.

    It shows only what the sandboxes may show, with folders that an ordinary user can pass
    through even where the interpreter lies in root's home, and has no network. The process in it
    becomes an ordinary user at once.
    """
    return [
        *(bubblewrap, "--die-with-parent", "--unshare-ipc", "--unshare-uts"),
        *(["--unshare-net"] if defences.network else []),
        *("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
        # The machine's own /proc: an ordinary user may mount a new one only where it is in sight.
        *("--bind", "/proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"),
        *_system(),
        *_shown(view, defences.read_only),
    ]


def _arguments(view: View, limits: Limits, defences: Defences) -> list[str]:
    disk = str(limits.disk_bytes)
    return [
        *("--unshare-user", "--disable-userns", "--unshare-pid"),
        *(["--unshare-net"] if defences.network else []),
        *("--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *("--uid", USER, "--gid", USER, "--hostname", "notebook"),
        *("--die-with-parent", "--new-session", "--clearenv"),
        *("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", disk),
        *("--tmpfs", "/dev/shm", "--perms", "1777", "--size", disk, "--tmpfs", "/tmp"),
        *("--dir", NOTEBOOK),
        *_system(),
        *_shown(view, defences.read_only),
        # Unless they are read-only, these are as much memory as half the machine has.
        *(("--remount-ro", "/dev", "--remount-ro", "/") if defences.read_only else ()),
    ]


def _system() -> Iterable[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for link in _SYSTEM_LINKS:
        if os.path.islink(link):
            yield from ("--symlink", os.readlink(link), link)
        elif os.path.isdir(link):
            yield from ("--ro-bind", link, link)
    yield from ("--perms", "0755", "--dir", "/etc")
    for name in _SYSTEM_FILES:
        yield from ("--ro-bind-try", name, name)


def _shown(view: View, read_only: bool) -> Iterable[str]:
    bind = "--ro-bind" if read_only else "--bind"
    above = {parent for folder in view.folders for parent in Path(folder).parents}
    for folder in sorted(map(str, above - {Path("/"), Path("/tmp"), Path("/usr")})):
        # Otherwise only the owner passes through.
        yield from ("--perms", "0755", "--dir", folder)
    for folder in view.folders:
        yield from (bind, folder, folder)
    for folder in view.hidden:
        yield from ("--size", "65536", "--tmpfs", folder)
    for entry in view.entries:
        yield from ("--ro-bind", entry, entry)
    for source, target in view.placed:
        yield from ("--ro-bind", source, target)
    for folder in view.hidden:
        yield from ("--remount-ro", folder)


def _children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def _memory_file(data: bytes) -> int:
    descriptor = os.memfd_create("bubblewrap")
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _read_until(descriptor: int, complete: "object", deadline: float) -> bytes:
    """Read until `complete(data)`, the end of the pipe or the deadline; data may come in pieces."""
    data = b""
    while not complete(data):  # type: ignore[operator]
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        piece = os.read(descriptor, 65536) if ready else b""
        if not piece:
            break
        data += piece
    return data
