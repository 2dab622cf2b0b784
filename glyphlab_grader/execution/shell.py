"""A lean IPython shell: cells, magics, displays and plots, without a kernel's sockets and threads.

It is made once in the warm parent; a forked child says where outputs go.
"""

import io
import time
from collections.abc import Callable
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

__all__ = ["LeanShell", "Sink", "Stream", "make_shell"]

#: Takes one output: a dict with "output_type" and the fields that a notebook gives that type.
Sink = Callable[[dict[str, Any]], None]

_BUFFERED = 8192
_SECONDS = 0.2


class Stream(io.TextIOBase):
    """Standard output or error of a cell; passes text on in larger pieces."""

    def __init__(self, name: str, sink: Sink) -> None:
        self.name = name
        self._sink = sink
        self._pieces: list[str] = []
        self._length = 0
        self._flushed = time.monotonic()

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, text: str) -> int:
        """Take text."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        for start in range(0, len(text), _BUFFERED):
            piece = text[start : start + _BUFFERED]
            self._pieces.append(piece)
            self._length += len(piece)
            if self._length >= _BUFFERED or time.monotonic() - self._flushed > _SECONDS:
                self.flush()
        return len(text)

    def flush(self) -> None:
        """Pass on what was written."""
        self._flushed = time.monotonic()
        if self._pieces:
            text, self._pieces, self._length = "".join(self._pieces), [], 0
            self._sink({"output_type": "stream", "name": self.name, "text": text})


class _Hook(DisplayHook):
    """Sends the value of a cell's last expression."""

    shell: "LeanShell"

    def __call__(self, result: Any = None) -> None:
        if self.shell.keep_values:
            quiet: bool = self.quiet()  # type: ignore[no-untyped-call]
            self.shell.value = None if quiet else result
        else:
            super().__call__(result)  # type: ignore[no-untyped-call]

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        self.shell.send(
            {
                "output_type": "execute_result",
                "execution_count": self.prompt_count,
                "data": dict(format_dict),
                "metadata": dict(md_dict or {}),
            }
        )

    def finish_displayhook(self) -> None:
        pass


class _Publisher(DisplayPublisher):
    """Sends what `display` shows."""

    def publish(self, data: Any, metadata: Any = None, *more: Any, **named: Any) -> None:
        self.shell.send(
            {"output_type": "display_data", "data": dict(data), "metadata": dict(metadata or {})}
        )

    def clear_output(self, wait: bool = False) -> None:
        self.shell.send({"output_type": "clear"})


class LeanShell(InteractiveShell):
    """The shell of a student's process and of the judge's."""

    displayhook_class = _Hook
    display_pub_class = _Publisher

    #: Keep the last expression's value in `value` instead of showing it.
    keep_values = False
    value: Any = None
    _sink: Sink | None = None
    _streams: "tuple[Stream, ...]" = ()

    def connect(self, sink: Sink) -> tuple[Stream, Stream]:
        """Say where outputs go, and get the streams for standard output and error."""
        self._sink = sink
        streams = Stream("stdout", sink), Stream("stderr", sink)
        self._streams = streams
        return streams

    def run(self, source: str) -> Any:
        """Run a cell and give IPython's account of it."""
        return self.run_cell(source, store_history=True)  # type: ignore[no-untyped-call]

    def plain(self, source: str) -> str:
        """Turn magics into Python."""
        return str(self.transform_cell(source))  # type: ignore[no-untyped-call]

    def send(self, output: dict[str, Any]) -> None:
        """Pass an output on, after the text that was written before it."""
        for stream in self._streams:
            stream.flush()
        if self._sink is not None:
            self._sink(output)

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        text = stb if isinstance(stb, list) else [str(stb)]
        name = getattr(etype, "__name__", str(etype))
        self.send(
            {
                "output_type": "error",
                "ename": name,
                "evalue": _safe_str(evalue),
                "traceback": [str(line) for line in text],
            }
        )

    def enable_gui(self, gui: Any = None) -> None:
        """Have no window system."""


def make_shell() -> LeanShell:
    """Make the one shell of this process, with plots shown in the notebook."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.banner1 = ""
    config.InteractiveShell.enable_tip = False
    shell = LeanShell.instance(config=config)
    assert isinstance(shell, LeanShell)
    return shell


def _safe_str(value: Any) -> str:
    try:
        return str(value)
    except Exception:
        return "<its message cannot be shown>"
