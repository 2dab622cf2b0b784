"""The process that `runner` starts for one submission: nbgrader's autograde, for one notebook.

Called as ``python -m glyphlab_grader.worker FOLDER`` with the request as JSON on standard input. It
leaves two files in FOLDER: ``cell``, the cell that is being executed, and ``report``, how it ended.
"""

import json
import logging
import sys
from pathlib import Path
from typing import Any

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbgrader.apps import NbGrader
from nbgrader.converters import Autograde
from nbgrader.nbgraderformat import ValidationError

from glyphlab_grader.files import replace_file
from glyphlab_grader.names import printable
from glyphlab_grader.runner import Request


class OneSubmission(Autograde):  # type: ignore[misc]
    """nbgrader's autograde that remembers what went wrong instead of only logging it."""

    error: Exception | None = None

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Sanitise and execute one notebook, as nbgrader does."""
        try:
            super().convert_single_notebook(notebook_filename)
        except Exception as error:
            self.error = error
            raise


def cell_label(cell: Any, index: int) -> str:
    """Name a cell: its nbgrader id, or its place counted from 1."""
    name = cell.metadata.get("nbgrader", {}).get("grade_id")
    return str(name) if name else f"cell {index + 1}"


def main() -> None:
    """Grade the submission that standard input names."""
    folder = Path(sys.argv[1])
    request = Request(**json.load(sys.stdin))
    app = NbGrader(log_level=logging.INFO)
    app.initialize([], root=request.root)
    _configure(app, request, folder)
    converter = OneSubmission(coursedir=app.coursedir, parent=app)
    converter.force = True
    try:
        converter.start()
    except BaseException as failure:
        report = _explain(converter.error or failure)
    else:
        report = ("converted", "")
    replace_file(folder / "report", json.dumps(report))


def _configure(app: Any, request: Request, folder: Path) -> None:
    """Narrow nbgrader to one notebook, and have it tell which cell it executes."""
    app.coursedir.assignment_id = request.assignment
    app.coursedir.student_id = request.student
    app.coursedir.notebook_id = request.notebook

    def tell(cell: Any, cell_index: int) -> None:
        if cell.cell_type == "code":
            replace_file(folder / "cell", cell_label(cell, cell_index))

    app.config.Execute.on_cell_start = tell
    if request.cell_timeout is not None:
        app.config.Execute.timeout = request.cell_timeout


def _explain(error: BaseException) -> tuple[str, str]:
    """Sort what stopped nbgrader into the endings that `runner.Ending` knows."""
    if isinstance(error, DeadKernelError):
        return "kernel_died", "the process that ran the cell ended"
    if isinstance(error, CellTimeoutError):
        return "timeout", "the cell ran out of time and could not be interrupted"
    if isinstance(error, ValidationError):
        return "invalid", "nbgrader refuses the notebook's cell metadata"
    return "grader", printable(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
