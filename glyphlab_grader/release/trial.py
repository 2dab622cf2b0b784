"""A quick run of a filled notebook in this process: no kernel, no sandbox, our own answers only.

It follows stock nbgrader's rule for a test cell: no error and nothing on stderr is full marks. The
bank's answers go through the real grader too; both must agree.
"""

import ast
import contextlib
import io
import os
import sys
import tempfile
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

__all__ = ["Result", "Trial", "run"]


@dataclass(frozen=True)
class Result:
    """One graded test cell after a run.

    Parameters
    ----------
    cell : str
        Its name.
    misconception : str
        The misconception it stands for.
    points : float
        What it is worth.
    message : str or None
        Why it failed; None if it passed.
    """

    cell: str
    misconception: str
    points: float
    message: str | None


@dataclass(frozen=True)
class Trial:
    """What came of a run.

    Parameters
    ----------
    results : tuple of Result
        The graded test cells, in the notebook's order.
    errors : dict of str to str
        What went wrong in cells that are not graded, by the cell's name.
    """

    results: tuple[Result, ...]
    errors: dict[str, str]

    @property
    def score(self) -> float:
        """The points of the tests that passed."""
        return sum(r.points for r in self.results if r.message is None)

    @property
    def maximum(self) -> float:
        """The points of all tests."""
        return sum(r.points for r in self.results)

    @property
    def failed(self) -> frozenset[str]:
        """The misconceptions whose tests failed."""
        return frozenset(r.misconception for r in self.results if r.message is not None)


def run(notebook: Any) -> Trial:
    """Run a notebook's code cells in order, in one namespace, in a folder of their own.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The instructor's notebook, filled by `bank.fill` or as it is.

    Returns
    -------
    Trial
        The outcome of each graded test cell.
    """
    results = []
    errors = {}
    with _fresh_world() as namespace:
        for cell in notebook.cells:
            if cell.cell_type != "code":
                continue
            message = _run_cell(cell, namespace)
            marks = cell.metadata.get("nbgrader", {})
            if marks.get("grade") and not marks.get("solution"):
                misconception = cell.metadata.glyphlab.misconception
                results.append(Result(cell.id, misconception, float(marks.points), message))
            elif message is not None:
                errors[cell.id] = message
    return Trial(tuple(results), errors)


def _run_cell(cell: Any, namespace: dict[str, Any]) -> str | None:
    """Execute one cell; return what a kernel would have shown as a fault."""
    stderr = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(stderr):
        try:
            tree = ast.parse(cell.source, filename=cell.id)
            exec(compile(tree, cell.id, "exec"), namespace)
        except (Exception, SystemExit) as error:
            return f"{type(error).__name__}: {error}"
    return f"on stderr: {stderr.getvalue()}" if stderr.getvalue() else None


@contextlib.contextmanager
def _fresh_world() -> Iterator[dict[str, Any]]:
    """Give a ``__main__`` of its own, and undo afterwards what an answer may have changed."""
    import numpy as np

    before = os.getcwd()
    main = types.ModuleType("__main__")
    kept = sys.modules["__main__"]
    with (
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(),
        np.errstate(),
    ):
        # As in a kernel, a warning is text on standard error.
        warnings.simplefilter("always")
        warnings.showwarning = _show_warning
        sys.modules["__main__"] = main
        os.chdir(Path(folder))
        try:
            yield main.__dict__
        finally:
            os.chdir(before)
            sys.modules["__main__"] = kept


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))
