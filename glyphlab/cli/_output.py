"""What the subcommands share: errors, plots to files, JSON, tables of text."""

import dataclasses
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from glyphlab.dataset import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Result = dict[str, Any]

# Without a date, and with a fixed salt for SVG's ids, the same result gives the same bytes.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


class CommandError(Exception):
    """A fault told in one line.

    Parameters
    ----------
    message : str
        What is wrong, and what would be right.
    status : int
        The exit status: 2 for bad input, 1 where a check failed.
    """

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


def one_line(message: object) -> str:
    """Return the message without line breaks."""
    return " ".join(str(message).split())


class PlotTarget:
    """A file to draw to, checked before anything is computed and written whole or not at all."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        suffixes = ", ".join(_METADATA)
        if self.path.suffix.lower() not in _METADATA:
            raise CommandError(
                f"--plot {path}: the suffix {self.path.suffix!r} is unknown; use one of {suffixes}"
            )
        folder = self.path.parent
        if not folder.is_dir():
            raise CommandError(f"--plot {path}: there is no folder {folder}; make it first")
        if self.path.exists() and not self.path.is_file():
            raise CommandError(f"--plot {path}: this is not a regular file; name another")
        if not os.access(folder, os.W_OK):
            raise CommandError(f"--plot {path}: the folder {folder} is not writable; name another")

    def save(self, figure: "Figure") -> None:
        """Write the figure."""
        from matplotlib import rc_context

        suffix = self.path.suffix.lower()
        content = io.BytesIO()
        with rc_context({"svg.hashsalt": "glyphlab"}):
            figure.savefig(content, format=suffix[1:], dpi=150, metadata=_METADATA[suffix])
        try:
            write_bytes(self.path, content.getvalue())
        except OSError as error:
            raise CommandError(f"--plot {self.path}: {error.strerror or error}") from error


def as_json(result: Result) -> str:
    """Return the result as JSON: NaN becomes null, an array a list, a dataclass an object."""
    return json.dumps(_plain(result), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def number(value: float, decimals: int = 4) -> str:
    """Return the value with fixed decimals, a hyphen for NaN."""
    return "-" if math.isnan(value) else f"{value:.{decimals}f}"


def interval(bounds: Sequence[float], decimals: int = 4) -> str:
    """Return an interval as ``[lower, upper]``, a hyphen where there is none."""
    low, high = (number(b, decimals) for b in bounds)
    return "-" if "-" in (low, high) else f"[{low}, {high}]"


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as lines, the first column to the left, the others to the right."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
