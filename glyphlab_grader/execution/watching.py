"""Memory, processor time and files of everything in a sandbox, read from outside."""

import os
from collections.abc import Iterator

__all__ = ["Watch"]

#: The folders of a sandbox that can be written, each a file system of its own.
_WRITABLE = ("tmp", "dev/shm")
_TICKS = os.sysconf("SC_CLK_TCK")


class Watch:
    """Reads what a sandbox's processes use.

    Parameters
    ----------
    inmate : int
        The process that entered the sandbox.
    first : int
        The sandbox's own first process, which orphans fall to.
    """

    def __init__(self, inmate: int, first: int) -> None:
        # From the one that waits for it: a child can be made its parent's sibling.
        self._roots = _parent(inmate), first
        #: What a process holds that has done nothing: it shares this with the warm parent.
        self._shared = _resident(inmate)

    def cpu_seconds(self) -> float:
        """Give the processor time so far, of children that ended too."""
        return sum(map(_cpu, self._processes()))

    def memory_bytes(self) -> int:
        """Give the memory held beyond what is shared with the warm parent."""
        return sum(map(self._own, self._processes()))

    def exact_memory_bytes(self) -> int:
        """Give the same with pages that processes share counted once; takes longer."""
        # A process can close its maps to other users, but not the sum that _own reads.
        return sum(_proportional(pid) or self._own(pid) for pid in self._processes())

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


def _cpu(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS


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
