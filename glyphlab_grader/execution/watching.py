"""Memory, processor time and files of everything in a sandbox, read from outside."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Watch"]

#: The folders of a sandbox that can be written, each a file system of its own.
_WRITABLE = ("tmp", "dev/shm")
_TICKS = os.sysconf("SC_CLK_TCK")
#: What a socket can hold unread at most; the kernel doubles what is asked for. Some are for free:
#: an honest notebook has a few, and nothing in them.
_SOCKET_BYTES = 2 * int(Path("/proc/sys/net/core/wmem_max").read_text(encoding="ascii"))

_FREE_SOCKETS = 32


class _Times(NamedTuple):
    """Processor time of a process and of the children that it waited for, in seconds."""

    pid: int
    start: int
    own: float
    waited_for: float


class Watch:
    """Reads what a sandbox's processes use.

    Parameters
    ----------
    inmate : int
        The process that entered the sandbox.
    first : int
        The sandbox's own first process, which orphans fall to.
    own_network : bool
        Whether the sandbox has a network of its own, whose sockets are the student's.
    """

    def __init__(self, inmate: int, first: int, own_network: bool = True) -> None:
        # From the one that waits for it: a child can be made its parent's sibling.
        self._roots = _parent(inmate), first
        self._own_network = own_network
        #: What a process holds that has done nothing: it shares this with the warm parent.
        self._shared = _resident(inmate)
        #: By number and start, what each process had used when it was last seen.
        self._used: dict[tuple[int, int], float] = {}

    def cpu_seconds(self) -> float:
        """Give the processor time so far, of processes that ended too.

        A process that waits for its children has their time; one that ignores how they end has
        not, and theirs is what was last seen of it.
        """
        found = [times for times in map(_times, self._processes()) if times is not None]
        now = {(times.pid, times.start): times.own for times in found}
        self._used |= now
        ended = sum(own for process, own in self._used.items() if process not in now)
        return sum(now.values()) + max(ended, sum(times.waited_for for times in found))

    def memory_bytes(self) -> int:
        """Give the memory held beyond what is shared with the warm parent."""
        return sum(map(self._own, self._processes())) + self._in_sockets()

    def exact_memory_bytes(self) -> int:
        """Give the same with pages that processes share counted once; takes longer."""
        # A process can close its maps to other users, but not the sum that _own reads.
        own = sum(_proportional(pid) or self._own(pid) for pid in self._processes())
        return own + self._in_sockets()

    def _in_sockets(self) -> int:
        """Give the most that the sockets, open ones and ones on their way, can hold unread."""
        if not self._own_network:
            return 0
        return max(0, _sockets(self._roots[1]) - _FREE_SOCKETS) * _SOCKET_BYTES

    def files(self) -> int:
        """Give the number of files and folders that the fuller of the writable folders holds."""
        root = f"/proc/{self._roots[1]}/root"
        return max(_files(f"{root}/{name}") for name in _WRITABLE)

    def _own(self, pid: int) -> int:
        return max(0, _resident(pid) - self._shared)

    def _processes(self) -> Iterator[int]:
        waiting = list(self._roots)
        while waiting:
            pid = waiting.pop()
            yield pid
            waiting += _children(pid)


def _parent(pid: int) -> int:
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found


def _times(pid: int) -> _Times | None:
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = [*map(int, file.read().rpartition(")")[2].split()[1:])]
    except OSError:
        return None
    own, waited_for = sum(fields[10:12]) / _TICKS, sum(fields[12:14]) / _TICKS
    return _Times(pid, fields[18], own, waited_for)


def _sockets(pid: int) -> int:
    """Count the sockets of a process's network."""
    try:
        with open(f"/proc/{pid}/net/sockstat") as file:
            return int(file.readline().split()[-1])
    except (OSError, ValueError, IndexError):
        return 0


def _files(folder: str) -> int:
    try:
        status = os.statvfs(folder)
    except OSError:
        return 0
    return status.f_files - status.f_ffree


def _resident(pid: int) -> int:
    return _lines(f"/proc/{pid}/status", ("RssAnon:", "RssShmem:"))


def _proportional(pid: int) -> int:
    return _lines(f"/proc/{pid}/smaps_rollup", ("Pss_Anon:", "Pss_Shmem:"))


def _lines(path: str, keys: tuple[str, ...]) -> int:
    """Add up the kibibytes of the lines that begin with `keys`."""
    try:
        with open(path) as file:
            found = [line.split()[1] for line in file if line.startswith(keys)]
    except OSError:
        return 0
    return 1024 * sum(map(int, found))
