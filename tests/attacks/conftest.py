"""A grader as shipped, and graders without defences, against which attacks succeed first."""

import os
from collections.abc import Iterator
from pathlib import Path

import nbformat.v4 as v4
import pytest

from glyphlab_grader.execution import Grader
from glyphlab_grader.execution.defences import Defences

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
