"""Small notebooks, and one warm grader for all tests of a worker process."""

from collections.abc import Callable, Iterator
from typing import Any

import nbformat.v4 as v4
import pytest

from glyphlab_grader.execution import Execution, Grader, Limits

QUICK = Limits(cell_seconds=5, interrupt_seconds=2)


def answer(source: str) -> Any:
    """A cell that the student writes."""
    return _cell(source, grade=False, solution=True, locked=False)


def check(source: str, points: float = 2.0) -> Any:
    """A test cell of the master."""
    return _cell(source, grade=True, solution=False, locked=True, points=points)


def given(source: str) -> Any:
    """A locked cell of the master that carries no points."""
    return _cell(source, grade=False, solution=False, locked=True)


def free(source: str) -> Any:
    """A cell that the student added."""
    return v4.new_code_cell(source)


def _cell(source: str, **details: Any) -> Any:
    cell = v4.new_code_cell(source)
    cell.metadata["nbgrader"] = {"grade_id": cell.id, "schema_version": 3, **details}
    return cell


class Result:
    """An execution, with what tests ask of it."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.cells = execution.notebook.cells
        self.kinds = [fault.kind for fault in execution.faults]

    @property
    def scores(self) -> list[float]:
        """What nbgrader gives each test cell."""
        from nbgrader.utils import determine_grade

        return [
            determine_grade(cell)[0]
            for cell in self.cells
            if cell.metadata.get("nbgrader", {}).get("grade")
        ]

    def text(self, index: int) -> str:
        """Everything that a cell put out."""
        parts = []
        for output in self.cells[index].outputs:
            parts.append(output.get("text", ""))
            parts.append(output.get("data", {}).get("text/plain", ""))
            parts += [
                output.get("ename", ""),
                output.get("evalue", ""),
                *output.get("traceback", []),
            ]
        return "\n".join(parts)

    def errors(self, index: int) -> list[str]:
        """The names of a cell's errors."""
        outputs = self.cells[index].outputs
        return [output.ename for output in outputs if output.output_type == "error"]


Run = Callable[..., Result]


@pytest.fixture(scope="session")
def warm_grader() -> Iterator[Grader]:
    with Grader(preload=("numpy", "matplotlib.pyplot", "torch")) as grader:
        yield grader


@pytest.fixture
def run(warm_grader: Grader) -> Run:
    """Execute cells."""

    def run(*cells: Any, limits: Limits = QUICK, **options: Any) -> Result:
        notebook = v4.new_notebook(cells=list(cells))
        return Result(warm_grader.run(notebook, limits, **options))

    return run


@pytest.fixture
def cells() -> Any:
    """The four ways to make a cell, for tests in other folders."""

    class Makers:
        pass

    makers = Makers()
    makers.answer, makers.check, makers.given, makers.free = answer, check, given, free  # type: ignore[attr-defined]
    return makers
