"""How a forked process becomes one of a holder's sandbox: namespaces, limits, no privileges.

Everything runs in a process with one thread that was just forked from the warm parent.
"""

import ctypes
import os
import resource
import signal
from collections.abc import Iterable

from glyphlab_grader.execution import seccomp
from glyphlab_grader.execution.defences import Defences
from glyphlab_grader.execution.limits import Limits

__all__ = ["become", "bound", "close_all_but", "enter_namespaces", "give_up_privileges"]

# Mounts, processes, inter-process communication, host name, users: entering them in one call keeps
# the right to enter them all.
_NAMESPACES = 0x00020000 | 0x20000000 | 0x08000000 | 0x04000000 | 0x10000000
_NETWORK = 0x40000000
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def enter_namespaces(pid: int, network: bool) -> None:
    """Enter the namespaces of process `pid`, that of its network where it has its own."""
    descriptor = os.pidfd_open(pid)
    try:
        _call("setns", descriptor, _NAMESPACES | (_NETWORK if network else 0))
    finally:
        os.close(descriptor)


def close_all_but(kept: Iterable[int]) -> None:
    """Close every descriptor except `kept`; standard input, output and error lead to nothing."""
    wanted = sorted(kept)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        if standard not in wanted:
            os.dup2(nothing, standard)
    edges = [2, *(descriptor for descriptor in wanted if descriptor > 2)]
    for low, high in zip(edges, [*edges[1:], 1 << 20], strict=True):
        os.closerange(low + 1, high)


def bound(limits: Limits, pid: int = 0) -> None:
    """Set the limits of a process (0: this one), which its children inherit and cannot raise."""
    with open(f"/proc/{pid or 'self'}/statm") as file:
        pages = int(file.read().split()[0])
    present = pages * resource.getpagesize()
    cpu = int(limits.notebook_cpu_seconds) + 1
    for kind, most in (
        (resource.RLIMIT_AS, present + limits.memory_bytes),
        # The sandbox's own first processes count too.
        (resource.RLIMIT_NPROC, limits.processes + 4),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, 1024),
    ):
        hard = resource.prlimit(pid, kind)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.prlimit(pid, kind, (value, value))
    if not pid:
        # A write that is too large is an OSError for the writer, not the end of the process.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def give_up_privileges(defences: Defences) -> None:
    """Drop all capabilities for good, filter system calls, and die with the process that waits."""
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if defences.privileges:
        _drop_capabilities()
    _call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if defences.system_calls and seccomp.supported():
        seccomp.install()


def _drop_capabilities() -> None:
    with open("/proc/sys/kernel/cap_last_cap") as last:
        for capability in range(int(last.read()) + 1):
            _call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _call("capset", header, (ctypes.c_uint32 * 6)())


def become(user: int) -> None:
    """Turn root into an ordinary user for good, as which the sandboxes are built."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    # Otherwise the files of /proc/self belong to root.
    _call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
