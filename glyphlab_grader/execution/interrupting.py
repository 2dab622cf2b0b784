"""When the master may interrupt a process: while it runs cells, never while it talks."""

import contextlib
import signal
from collections.abc import Iterator

__all__ = ["interruptible"]


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let the master interrupt what runs here."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
