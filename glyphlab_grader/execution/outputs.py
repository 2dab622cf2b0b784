"""Outputs of a student's cell as they arrive: checked, bounded, in a notebook's form."""

from typing import Any

__all__ = ["Outputs"]

_MIME_TYPES = frozenset(
    (
        *("text/plain", "text/html", "text/markdown", "text/latex"),
        *("image/png", "image/jpeg", "image/svg+xml"),
    )
)
#: A cell that sends so many times what is kept is stopped.
FLOOD = 16


class Outputs:
    """The outputs of one cell.

    Parameters
    ----------
    most : int
        Bytes that are kept.
    """

    def __init__(self, most: int) -> None:
        self.kept: list[dict[str, Any]] = []
        self.size = 0
        self.arrived = 0
        self.cut = False
        self._most = most

    @property
    def flooded(self) -> bool:
        """Whether the cell must be stopped."""
        return self.arrived > FLOOD * self._most

    def add_text(self, text: str, name: str = "stdout") -> None:
        """Take text that was written."""
        text = _text(text)
        self.arrived += len(text)
        if self.size + len(text) > self._most:
            text = text[: max(0, self._most - self.size)]
            self.cut = True
        self.size += len(text)
        last = self.kept[-1] if self.kept else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["text"] += text
        elif text:
            self.kept.append({"output_type": "stream", "name": name, "text": text})

    def add(self, output: Any) -> None:
        """Take an output that a process sent; what has not the form of one is dropped."""
        if not isinstance(output, dict):
            return
        kind = output.get("output_type")
        if kind == "stream":
            if isinstance(output.get("text"), str):
                name = "stderr" if output.get("name") == "stderr" else "stdout"
                self.add_text(output["text"], name)
        elif kind == "clear":
            self.kept.clear()
        elif kind == "error":
            self._keep(_error(output))
        elif kind in ("display_data", "execute_result"):
            self._keep(_display(kind, output))

    def _keep(self, output: dict[str, Any]) -> None:
        size = len(repr(output))
        self.arrived += size
        if self.size + size > self._most:
            self.cut = True
            return
        self.size += size
        self.kept.append(output)

    def error(self, name: str, message: str) -> None:
        """Add an error of the grader's own, whatever was kept."""
        self.kept.append(error_output(name, message))


def error_output(name: str, message: str) -> dict[str, Any]:
    """Make the output of an error that no traceback belongs to."""
    return {
        "output_type": "error",
        "ename": name,
        "evalue": message,
        "traceback": [f"{name}: {message}"],
    }


def _error(output: dict[str, Any]) -> dict[str, Any]:
    lines = output.get("traceback")
    return {
        "output_type": "error",
        "ename": _text(output.get("ename"))[:200],
        "evalue": _text(output.get("evalue")),
        "traceback": [_text(line) for line in lines] if isinstance(lines, list) else [],
    }


def _display(kind: str, output: dict[str, Any]) -> dict[str, Any]:
    data = output.get("data")
    shown = [(key, _text(value)) for key, value in data.items()] if isinstance(data, dict) else []
    cleaned: dict[str, Any] = {
        "output_type": kind,
        "data": {key: value for key, value in shown if key in _MIME_TYPES and value},
        "metadata": {},
    }
    if kind == "execute_result":
        count = output.get("execution_count")
        cleaned["execution_count"] = count if type(count) is int else None
    return cleaned


def _text(value: Any) -> str:
    """Give text that can be written as UTF-8; whatever else a process sent is none."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
