"""A course with a tiny assignment, generated once and copied for each test that needs it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from glyphlab_grader.course import Course, open_course
from glyphlab_grader.cycle.generate import generate
from glyphlab_grader.runner import workers

ROOT = Path(__file__).resolve().parents[2]
# The browser that looks at pages is the book's tests'.
sys.path.append(str(ROOT / "tests" / "book"))

SETUP = "import math"
SOLUTION = """def root(x):
    ### BEGIN SOLUTION
    return math.sqrt(x)
    ### END SOLUTION"""
FOUR = "assert root(4) == 2, 'the root of four'"
NINE = """### BEGIN HIDDEN TESTS
assert root(9) == 3, 'the root of nine'
### END HIDDEN TESTS"""
WRITTEN = """### BEGIN SOLUTION
Because.
### END SOLUTION"""


def cell(kind: str, name: str, source: str, points: float | None = None, **marks: Any) -> Any:
    """Make a cell with nbgrader's metadata."""
    made = nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
    metadata: dict[str, Any] = {
        "grade": points is not None,
        "grade_id": name,
        "locked": True,
        "schema_version": 3,
        "solution": False,
        "task": False,
    } | marks
    if points is not None:
        metadata["points"] = points
    own = {"misconception": f"not-{name}"} if metadata["grade"] and kind == "code" else {}
    return made(source, id=name, metadata={"nbgrader": metadata, "glyphlab": own})


def notebook(*, written: bool) -> Any:
    """Make the instructor's notebook: an answer, a visible and a hidden test, perhaps a text."""
    cells = [
        cell("markdown", "task", "Write `root`."),
        cell("code", "setup", SETUP),
        cell("code", "answer", SOLUTION, solution=True, locked=False),
        cell("code", "four", FOUR, 2),
        cell("code", "nine", NINE, 3),
    ]
    if written:
        cells.append(cell("markdown", "why", WRITTEN, 5, solution=True, locked=False))
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=kernel)


def make_course(root: Path) -> Course:
    """Make a course folder with the assignments tiny (T1) and pair (P1, P2 with a written part)."""
    shutil.copy(ROOT / "nbgrader_config.py", root)
    for assignment, names in {"tiny": ["T1"], "pair": ["P1", "P2"]}.items():
        folder = root / "solutions" / assignment
        folder.mkdir(parents=True)
        for name in names:
            nbformat.write(notebook(written=name == "P2"), folder / f"{name}.ipynb")
    course = open_course(root)
    for assignment in course.assignments():
        generate(course, assignment)
    return course


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("generated")
    make_course(root)
    return root


@pytest.fixture(scope="session", autouse=True)
def _warm_workers() -> Iterator[None]:
    """Keep the workers warm from one test to the next."""
    with workers():
        yield


@pytest.fixture
def course(generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    root = tmp_path / "course"
    shutil.copytree(generated, root)
    monkeypatch.chdir(root)
    return open_course(root)


@pytest.fixture
def nest() -> Iterator[Callable[[Path, int], None]]:
    """Put folders into a folder, each in the one before."""
    nested: list[Path] = []

    def put(folder: Path, depth: int) -> None:
        nested.append(folder)
        here = os.open(folder, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir("d", dir_fd=here)
            below = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(os.open("x", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=here))
        os.close(here)

    yield put
    # Python cannot remove folders as deep as these.
    subprocess.run(["rm", "-rf", *nested], check=True)


Hand = Callable[..., Path]


@pytest.fixture
def hand_in(course: Course) -> Hand:
    """Hand in a notebook: the released one with ``answer`` put in, then changed by ``edit``."""

    def hand(
        student: str,
        answer: str | None = None,
        *,
        assignment: str = "tiny",
        name: str = "T1",
        edit: Callable[[dict[str, Any]], None] = lambda notebook: None,
    ) -> Path:
        released = course.release(assignment) / f"{name}.ipynb"
        data = json.loads(released.read_text(encoding="utf-8"))
        if answer is not None:
            next(c for c in data["cells"] if c["id"] == "answer")["source"] = answer
        edit(data)
        path = course.submitted(student, assignment) / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data), encoding="utf-8")
        return path

    return hand
