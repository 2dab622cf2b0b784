"""Being asked to end: SIGTERM and a closed terminal are the same as Ctrl-C."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["interruptible"]


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for each signal that asks the process to end.

    Only the main thread of a process may take signals; elsewhere nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {name: signal.signal(name, _raise) for name in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _raise(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
