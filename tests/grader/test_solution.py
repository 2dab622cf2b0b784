"""A release is refused where the instructor's own answer would lose a point."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from glyphlab_grader.course import Course
from glyphlab_grader.cycle.generate import generate
from glyphlab_grader.errors import GraderError
from glyphlab_grader.execution import SandboxMissing, preprocessor
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.release import trial
from glyphlab_grader.release.__main__ import main
from glyphlab_grader.release.canonical import canonical

LOST = (
    "tiny is not released: the solution of T1, cell nine: 0 of 3 points: "
    "AssertionError: the root of nine"
)
# Right in one process; where the student's code is in another, it cannot be an instance.
CLASS_OF_THE_TEST = """class Four(int):
    pass
assert type(root(Four(4))) is float
seen = []
class Spy:
    def __float__(self):
        seen.append(1)
        return 4.0
assert root(Spy()) == 2.0 and seen"""


@pytest.fixture
def release(course: Course) -> Path:
    """An old release in canonical form, of a solution that is right."""
    path = source(course)
    path.write_text(canonical(path.read_text()))
    assert main(["tiny"]) == 0
    return course.release("tiny") / "T1.ipynb"


def source(course: Course) -> Path:
    return course.source("tiny") / "T1.ipynb"


def change(course: Course, name: str, old: str, new: str) -> None:
    notebook = nbformat.read(source(course), as_version=4)
    cell = next(cell for cell in notebook.cells if cell.id == name)
    assert old in cell.source
    cell.source = cell.source.replace(old, new)
    nbformat.write(notebook, source(course))


def state(course: Course, release: Path) -> object:
    """What a refused release must leave as it was."""
    with open_gradebook(course) as keeper:
        cells = keeper.stored_cells("tiny", "T1")
    files = {path: path.read_bytes() for path in release.parent.rglob("*")}
    return files, cells, release.stat().st_mtime_ns


def test_a_solution_that_loses_a_point_is_not_released(
    course: Course, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = state(course, release)
    change(course, "answer", "math.sqrt(x)", "x / 2")
    # A change that learners would see.
    change(course, "task", "Write", "Please write")
    assert main(["tiny"]) == 2
    assert capsys.readouterr().err == LOST + "\n"
    assert state(course, release) == before
    # The same through nbgrader, as in the formgrader.
    with pytest.raises(GraderError) as refusal:
        generate(course, "tiny")
    assert str(refusal.value) == f"generate tiny: {LOST}"
    assert state(course, release) == before

    change(course, "answer", "x / 2", "math.sqrt(x)")
    assert main(["tiny"]) == 0
    assert "Please write" in release.read_text()


def test_plain_nbgrader_refuses_in_one_line(course: Course, release: Path) -> None:
    before = state(course, release)
    change(course, "nine", "== 3", "== 4")
    done = subprocess.run(
        [Path(sys.executable).with_name("nbgrader"), "generate_assignment", "tiny", "--force"],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count(LOST) == 1
    assert "Traceback" not in done.stderr
    assert state(course, release) == before


def test_a_test_that_only_works_in_one_process_is_found(
    course: Course, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(course, "four", "assert root(4) == 2, 'the root of four'", CLASS_OF_THE_TEST)
    assert trial.run(nbformat.read(source(course), as_version=4)).score == 5.0
    assert main(["tiny"]) == 2
    assert "the solution of T1, cell four: 0 of 2 points" in capsys.readouterr().err


def test_it_is_graded_with_the_limits_of_the_course(
    course: Course, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write("c.Execute.timeout = 1\n")
    change(course, "answer", "return math", "while x == 4: pass\n    return math")
    assert main(["tiny"]) == 2
    assert "cell four: 0 of 2 points: CellTimeoutError" in capsys.readouterr().err


def refuse() -> None:
    raise SandboxMissing("bubblewrap is missing: apt-get install bubblewrap")


def test_a_machine_without_a_sandbox_refuses(
    course: Course,
    release: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = state(course, release)
    change(course, "task", "Write", "Please write")
    monkeypatch.setattr(preprocessor, "shared_grader", refuse)
    line = (
        "tiny is not released: its solutions cannot be graded here: "
        "bubblewrap is missing: apt-get install bubblewrap\n"
    )
    capsys.readouterr()
    assert main(["tiny"]) == 2
    assert capsys.readouterr() == ("", line)
    # `make course` goes on with what can be done.
    assert main(["tiny", "--if-safe"]) == 0
    assert capsys.readouterr() == ("", line)
    assert state(course, release) == before
    # The one line of the configuration that switches the sandbox off.
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write("from glyphlab_grader.execution import preprocessor\n")
        config.write("preprocessor.run_without_sandbox()\n")
    monkeypatch.setattr(preprocessor, "_sandboxed", True)
    assert main(["tiny"]) == 0
    assert "Please write" in release.read_text()
    change(course, "answer", "math.sqrt(x)", "x / 2")
    assert main(["tiny"]) == 2
    assert capsys.readouterr().err.startswith(LOST)
