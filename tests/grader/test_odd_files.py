"""Pipes, sockets and devices that are handed in: nothing waits for them, copies them or aborts."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glyphlab_grader import notebooks, preprocessors
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.grading import Options, grade_assignment
from glyphlab_grader.ledger import Ledger, NotebookScore

QUICK = Options(cell_timeout=5)
RIGHT = "def root(x):\n    return math.sqrt(x)"


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        # The path may be longer than an address of a socket.
        here = os.getcwd()
        os.chdir(path.parent)
        try:
            bound.bind(path.name)
        finally:
            os.chdir(here)


def _device(path: Path) -> None:
    """One that can be read without end, as /dev/zero."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("this user makes no devices")


ODD: dict[str, Callable[[Path], None]] = {"pipe": os.mkfifo, "socket": _socket, "device": _device}


def scores(course: Course) -> dict[tuple[str, str], NotebookScore]:
    with open_gradebook(course) as keeper:
        return Ledger(keeper.gradebook, "tiny").scores(["ada", "bob"])


@pytest.mark.parametrize("odd", ODD)
def test_it_is_no_notebook(tmp_path: Path, odd: str) -> None:
    path = tmp_path / "T1.ipynb"
    ODD[odd](path)
    with pytest.raises(ValueError, match="is not a regular file"):
        notebooks.read_notebook(path)


@pytest.mark.parametrize("odd", ODD)
def test_a_class_is_graded_around_it(course: Course, hand_in: Any, odd: str) -> None:
    hand_in("bob", RIGHT)
    instead = hand_in("ada")
    instead.unlink()
    ODD[odd](instead)
    ODD[odd](hand_in("carl", RIGHT).with_name("data"))
    outcomes = grade_assignment(course, "tiny", QUICK)
    assert {(o.student, o.outcome, o.score) for o in outcomes} == {
        ("ada", "failed", None),
        ("bob", "graded", 5.0),
        ("carl", "graded", 5.0),
    }
    assert not (course.autograded("carl", "tiny") / "data").exists()


@pytest.mark.parametrize("depth", [60, 1500])
def test_a_class_is_graded_around_folders_in_folders(
    course: Course, hand_in: Any, nest: Callable[[Path, int], None], depth: int
) -> None:
    nest(hand_in("ada", RIGHT).parent, depth)
    hand_in("bob", RIGHT)
    outcomes = {o.student: o for o in grade_assignment(course, "tiny", QUICK)}
    assert outcomes["bob"].score == 5.0
    (fault,) = outcomes["ada"].faults
    assert (fault.kind, fault.message) == ("files", "folders are nested more than 50 deep")


def test_a_class_is_graded_around_a_flood(course: Course, hand_in: Any) -> None:
    """Files that take no room where they lie, and all that there is when they are copied."""
    for name in ("a", "b", "c"):
        with hand_in("ada", RIGHT).with_name(name).open("wb") as stream:
            stream.truncate(40 * 10**6)
    hand_in("bob", RIGHT)
    outcomes = {o.student: o for o in grade_assignment(course, "tiny", QUICK)}
    assert outcomes["bob"].score == 5.0
    assert [fault.kind for fault in outcomes["ada"].faults] == ["files"]
    assert not (course.autograded("ada", "tiny") / "a").exists()


def test_a_class_is_graded_around_a_name_that_is_no_text(
    course: Course, hand_in: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("bob", RIGHT)
    hand_in("ada", RIGHT).parent.parent.rename(course.work / "submitted" / os.fsdecode(b"bad\xff"))
    assert main(["tiny"]) == 1
    assert main(["report", "tiny"]) == 0
    told = capsys.readouterr().out
    assert "contains '\\udcff'" in told
    (outcome,) = [o for o in grade_assignment(course, "tiny", QUICK) if o.score is not None]
    assert (outcome.student, outcome.score) == ("bob", 5.0)


@pytest.mark.parametrize("odd", ["pipe", "socket"])
@pytest.mark.parametrize("defended", [False, True])
@pytest.mark.filterwarnings("default::sqlalchemy.exc.SAWarning")
def test_plain_nbgrader_grades_what_lies_beside_it(
    course: Course, hand_in: Any, monkeypatch: pytest.MonkeyPatch, odd: str, defended: bool
) -> None:
    """A device without end would fill the disk where nothing defends."""
    if not defended:
        monkeypatch.setattr(preprocessors, "remove_links", lambda notebooks, **other: None)
    ODD[odd](hand_in("ada", RIGHT).with_name("data"))
    assert course.api.autograde("tiny", "ada")["success"] is defended
    if defended:
        assert scores(course)["ada", "T1"].score == 5.0


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.filterwarnings("default::sqlalchemy.exc.SAWarning")
def test_plain_nbgrader_gives_nothing_for_it(course: Course, hand_in: Any, odd: str) -> None:
    path = hand_in("ada", RIGHT)
    path.unlink()
    ODD[odd](path)
    course.api.autograde("tiny", "ada")
    assert not scores(course)["ada", "T1"].score
