"""A process in a sandbox, as the grader holds it: its line, its raw output, its end."""

import contextlib
import json
import os
import select
import signal
import socket
import time
from typing import Any

from glyphlab_grader.execution.holder import SandboxMissing
from glyphlab_grader.execution.wire import Frame, Link

__all__ = ["Inmate", "Warm", "wait_for"]

_READ = 1 << 16
_START_SECONDS = 30.0


class Warm:
    """The line to a warm parent."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def wait_until_warm(self, seconds: float) -> None:
        """Wait for the parent's first word; raises `ConnectionError` if it ends instead."""
        self._end.settimeout(seconds)
        if not self._end.recv(1 << 16):
            raise ConnectionError("the warm parent ended while it started")
        self._end.settimeout(_START_SECONDS)

    def ask(self, request: dict[str, Any], descriptors: "tuple[int, ...]" = ()) -> dict[str, Any]:
        """Send a request and give the answer."""
        socket.send_fds(self._end, [json.dumps(request).encode()], descriptors)
        answer = self._end.recv(1 << 16)
        if not answer:
            raise ConnectionError("the warm parent ended")
        told: dict[str, Any] = json.loads(answer)
        return told

    def close(self) -> None:
        """Let the parent end, and with it everything that it started."""
        self._end.close()


class Inmate:
    """A process in its sandbox.

    Parameters
    ----------
    warm : Warm
        The parent that forks it.
    how : dict
        View, limits and defences, for the holder and the process.
    peer : socket.socket
        The other process's line, which this one gets; closed here.
    size : int
        Bytes of one frame that is taken from it.
    """

    def __init__(self, warm: Warm, how: dict[str, Any], peer: socket.socket, size: int) -> None:
        self._warm = warm
        own, other = socket.socketpair()
        self._status, told = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.raw, raw_end = os.pipe()
        os.set_blocking(self.raw, False)
        self.raw_open = True
        self.link = Link(own, size)
        self._handle = -1
        self._id: int | None = None
        #: The wait status once it has ended: an exit code, or minus a signal.
        self.status: int | None = None
        self.gone = False
        given = other.fileno(), peer.fileno(), raw_end, told.fileno()
        try:
            answer = warm.ask({"op": "start", **how}, given)
            if "error" in answer:
                problem = SandboxMissing if answer["kind"] == "SandboxMissing" else RuntimeError
                raise problem(answer["error"])
            self._id = answer["id"]
            self.first = int(answer["first"])
            self._await_pid(told)
        except BaseException:
            self.close()
            raise
        finally:
            for end in (other, peer, told):
                end.close()
            os.close(raw_end)

    def _await_pid(self, told_end: socket.socket) -> None:
        # Its own end: the other side alone now says when it is gone.
        told_end.close()
        self._status.settimeout(_START_SECONDS)
        message, handles, _, _ = socket.recv_fds(self._status, _READ, 1)
        told = json.loads(message) if message else {"error": "nothing was said"}
        if "pid" not in told:
            raise SandboxMissing(f"a process cannot enter its sandbox: {told['error']}")
        self.pid = int(told["pid"])
        self._handle = handles[0]
        os.set_inheritable(self._handle, False)

    def signal(self, number: int) -> None:
        """Send the process a signal."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, number)

    def read(self) -> list[Frame]:
        """Read what has arrived; raises `Closed` and `Rubbish`."""
        self.link.read()
        return self.taken()

    def taken(self) -> list[Frame]:
        """Give the frames that have been read already."""
        frames = []
        while (frame := self.link.take()) is not None:
            frames.append(frame)
        return frames

    def read_raw(self) -> bytes:
        """Read what was written past Python, without waiting for it."""
        try:
            data = os.read(self.raw, _READ)
        except BlockingIOError:
            return b""
        self.raw_open = self.raw_open and bool(data)
        return data

    def how_it_ended(self) -> str:
        """Say in words how the process ended, waiting a moment for it."""
        if self.status is None:
            self._status.settimeout(0.5)
            with contextlib.suppress(OSError, ValueError):
                self.status = int(json.loads(self._status.recv(_READ))["status"])
        if self.status is None:
            return "closed its line to the grader"
        if self.status < 0:
            return f"was ended by {signal.Signals(-self.status).name}"
        return f"ended with exit status {self.status}"

    def end(self) -> None:
        """Take the sandbox down with everything in it."""
        if self._id is not None:
            self._warm.ask({"op": "end", "id": self._id})
            self._id = None
        self.gone = True

    def close(self) -> None:
        """End it, and close what belongs to it."""
        try:
            self.end()
        finally:
            self.link.close()
            self._status.close()
            os.close(self.raw)
            if self._handle >= 0:
                os.close(self._handle)


def wait_for(inmates: list[Inmate], until: float) -> list[tuple[Inmate, bool]]:
    """Wait for something to read; gives whose it is, and whether it is on the line or raw."""
    poll = select.poll()
    sources: dict[int, tuple[Inmate, bool]] = {}
    for inmate in inmates:
        sources[inmate.link.fileno()] = inmate, True
        if inmate.raw_open:
            sources[inmate.raw] = inmate, False
    for descriptor in sources:
        poll.register(descriptor, select.POLLIN)
    left = max(0.0, until - time.monotonic())
    return [sources[descriptor] for descriptor, _ in poll.poll(1000 * left)]
