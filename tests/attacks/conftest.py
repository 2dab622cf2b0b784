"""A grader as shipped, and graders without defences, against which attacks succeed first."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import nbformat
import nbformat.v4 as v4
import pytest

from glyphlab_grader.execution import Grader
from glyphlab_grader.execution.defences import Defences
from glyphlab_grader.execution.holder import find_bubblewrap

from ..grader.execution.conftest import QUICK, Result, Run

PRELOAD = ("numpy", "matplotlib.pyplot")


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course folder with things that no student may read."""
    folder = tmp_path_factory.mktemp("course")
    # Readable for everybody: not the modes of files but the sandbox protects them.
    for path in (folder, *folder.parents):
        if path != Path("/tmp") and path.stat().st_uid == os.getuid():
            path.chmod(path.stat().st_mode | 0o055)
    for name in ("gradebook.db", "solutions/ch23_1/F3.ipynb", "submitted/other/ch23_1/F3.ipynb"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("TOP SECRET")
    return folder


def _runner(grader: Grader) -> Run:
    def run(*cells, limits=QUICK, **options):
        return Result(grader.run(v4.new_notebook(cells=list(cells)), limits, **options))

    return run


@pytest.fixture(scope="session")
def guarded() -> Iterator[Run]:
    """Run cells as the grader does."""
    with Grader(PRELOAD) as grader:
        yield _runner(grader)


@pytest.fixture(scope="session")
def bare(course: Path) -> Iterator[Run]:
    """Run cells with no defence: one process, the machine's network, files and variables."""
    defences = Defences(
        judge=False,
        network=False,
        system_calls=False,
        library=False,
        environment={"GRADER_TOKEN": "TOP SECRET"},
        shown=(str(course),),
    )
    with Grader(PRELOAD, defences=defences) as grader:
        yield _runner(grader)


@pytest.fixture(scope="session")
def trusting() -> Iterator[Run]:
    """Run cells with a judge to which an end, a lateness or rubbish is one more exception."""
    with Grader(PRELOAD, defences=Defences(faults=False)) as grader:
        yield _runner(grader)


@pytest.fixture(scope="session")
def capable() -> Iterator[Run]:
    """Run cells in a sandbox whose processes have capabilities and may make any system call."""
    with Grader(PRELOAD, defences=Defences(privileges=False, system_calls=False)) as grader:
        yield _runner(grader)


@pytest.fixture(scope="session")
def open_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course folder that everybody may write to, as far as the modes of files go."""
    folder = tmp_path_factory.mktemp("open")
    for path in (folder, *folder.parents):
        if path != Path("/tmp") and path.stat().st_uid == os.getuid():
            path.chmod(path.stat().st_mode | 0o055)
    folder.chmod(0o777)
    return folder


@pytest.fixture(scope="session")
def writable(open_course: Path) -> Iterator[Run]:
    """Run cells in a sandbox that shows a course, with nothing in it read-only."""
    with Grader(PRELOAD, defences=Defences(read_only=False, shown=(str(open_course),))) as grader:
        yield _runner(grader)


@pytest.fixture(scope="session")
def showing(open_course: Path) -> Iterator[Run]:
    """Run cells in a sandbox that shows a course and is otherwise as shipped."""
    with Grader(PRELOAD, defences=Defences(shown=(str(open_course),))) as grader:
        yield _runner(grader)


class Stock(Result):
    """What came of a notebook under stock nbgrader, and of what ran beside it."""

    def __init__(self, told: dict) -> None:
        notebook = nbformat.from_dict(told["notebook"])
        super().__init__(SimpleNamespace(notebook=notebook, faults=[]))
        self.bystander_ended: bool = told["ended"]
        self.running: list[str] = told["running"]


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Stock]:
    """Run cells under stock nbgrader, in an outer sandbox that nothing leaves."""
    home = str(tmp_path_factory.mktemp("outer"))
    outer = [
        *(find_bubblewrap(), "--die-with-parent", "--unshare-pid", "--unshare-net"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", home, home),
        *("--setenv", "HOME", home, "--setenv", "TMPDIR", home, "--chdir", home),
    ]
    program = [sys.executable, "-c", Path(__file__).with_name("in_outer_sandbox.py").read_text()]

    def run(*cells):
        notebook = nbformat.writes(v4.new_notebook(cells=list(cells)))
        done = subprocess.run([*outer, *program], input=notebook, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return Stock(json.loads(done.stdout))

    return run
