"""Grades the instructor's own notebooks as a student's are graded, before a release is made.

A solution that does not get every point of its tests would fail every student who has it right: a
test may be wrong, or may not work where the student's code is in another process.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader import utils
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import ClearSolutions
from traitlets.utils.importstring import import_item

from glyphlab_grader.errors import GraderError
from glyphlab_grader.execution import SandboxMissing
from glyphlab_grader.execution.preprocessor import SandboxedExecute
from glyphlab_grader.names import printable
from glyphlab_grader.submission import points_of

__all__ = ["CannotTry", "ReleaseExporter", "require_full_marks"]


class CannotTry(GraderError):
    """This machine cannot run notebooks in the sandbox; nothing is said of the solutions."""


def require_full_marks(converter: Any, assignment: str, notebooks: Iterable[Path]) -> None:
    """Refuse solutions that lose points.

    Parameters
    ----------
    converter : nbgrader.converters.GenerateAssignment
        With the course's configuration.
    assignment : str
        Their assignment.
    notebooks : iterable of Path
        The instructor's notebooks.

    Raises
    ------
    CannotTry
        If there is no sandbox here.
    GraderError
        If a test cell gives less than its points: the notebook, the cell and why.
    """
    lost = [line for path in notebooks for line in _lost(converter, assignment, path)]
    if lost:
        raise GraderError(f"{assignment} is not released: {'; '.join(lost)}")


class ReleaseExporter(NotebookExporter):
    """What ``nbgrader generate_assignment`` writes with: refuses before it has touched a file.

    nbgrader makes its exporter first of all. Its hook and its steps come when the old release has
    been removed already.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)  # type: ignore[no-untyped-call]
        if isinstance(self.parent, GenerateAssignment):
            for folder, notebooks in self.parent.assignments.items():
                try:
                    name = Path(folder).name
                    require_full_marks(self.parent, name, sorted(map(Path, notebooks)))
                except GraderError as error:
                    self.log.error("%s", error)
                    raise NbGraderException(str(error)) from None


def _lost(converter: Any, assignment: str, path: Path) -> Iterator[str]:
    """Name the test cells of a notebook that gave less than their points."""
    place = {"assignment": assignment, "notebook": path.stem, "student": "."}
    resources = {"nbgrader": place, "metadata": {"path": str(path.parent)}}
    try:
        notebook = nbformat.read(path, as_version=4)
        for step in _steps_before_cutting(converter):
            notebook, resources = step.preprocess(notebook, resources)
        step = SandboxedExecute(parent=converter)
        notebook, _ = step.preprocess(notebook, resources)
    except (SandboxMissing, RuntimeError, OSError) as error:
        # The same as `glyphlab-grade doctor` says.
        problem = " ".join(str(error).split())
        raise CannotTry(
            f"{assignment} is not released: its solutions cannot be graded here: {problem}"
        ) from None
    except Exception as error:
        what = printable(f"{type(error).__name__}: {error}")
        raise GraderError(f"{assignment} is not released: {path.stem}: {what}") from error
    for cell in notebook.cells:
        if utils.is_grade(cell) and not utils.is_solution(cell):
            marks = cell.metadata.nbgrader
            points = points_of(cell) or 0.0
            if points < marks.points:
                told = f"{points:g} of {marks.points:g} points{_reason(cell)}"
                yield f"the solution of {path.stem}, cell {marks.grade_id}: {told}"


def _steps_before_cutting(converter: Any) -> Iterator[Any]:
    """Give the configured steps up to the one that cuts the solutions out."""
    for named in converter.preprocessors:
        step = import_item(named) if isinstance(named, str) else named
        if issubclass(step, ClearSolutions):
            return
        made = step(parent=converter)
        if made.enabled:
            yield made


def _reason(cell: Any) -> str:
    errors = [output for output in cell.outputs if output.output_type == "error"]
    if not errors:
        return ""
    return ": " + printable(" ".join(f"{errors[0].ename}: {errors[0].evalue}".split()))
