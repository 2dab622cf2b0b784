"""Two gradings of one course at a time: the second is refused, and told by whom."""

import getpass
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from glyphlab_grader.cli import main
from glyphlab_grader.course import Course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.locking import course_lock
from glyphlab_grader.names import printable

HOLD = """
import sys, time
from pathlib import Path
from glyphlab_grader.locking import course_lock
with course_lock(Path(sys.argv[1]), "glyphlab-grade tiny"):
    print("held", flush=True)
    time.sleep(600)
"""


@contextmanager
def held_by_another(work: Path) -> Iterator[subprocess.Popen[str]]:
    """Hold the lock in another process."""
    command = [sys.executable, "-c", HOLD, str(work)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "held\n"
            yield other
        finally:
            other.kill()


def test_the_second_is_refused_with_the_holder_s_name(
    course: Course, hand_in: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ada")
    with held_by_another(course.work) as other:
        assert main(["tiny"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    who = f"by {getpass.getuser()} on {socket.gethostname()}, process {other.pid}, since 20"
    assert f"this course is being graded: glyphlab-grade tiny {who}" in err
    assert not course.autograded("ada", "tiny").exists()


def test_the_lock_ends_with_its_holder_however_it_ends(tmp_path: Path) -> None:
    with held_by_another(tmp_path) as other:
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        with course_lock(tmp_path, "this test"):
            pass


def test_the_lock_is_for_one_course_alone(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    # Not a second time in the same process either.
    refused = pytest.raises(GraderError, match=f"being graded: a by .* process {os.getpid()},")
    with course_lock(tmp_path / "one", "a"), course_lock(tmp_path / "other", "b"), refused:
        course_lock(tmp_path / "one", "c").__enter__()
    with course_lock(tmp_path / "one", "d"):
        pass


@pytest.mark.parametrize("text", ["", "{", "[]", '{"user": 3}', "\x1b[2J" * 500])
def test_what_the_file_says_is_not_trusted(tmp_path: Path, text: str) -> None:
    with course_lock(tmp_path, "a"):
        (tmp_path / "grading.lock").write_text(text)
        with pytest.raises(GraderError) as caught:
            course_lock(tmp_path, "b").__enter__()
    assert printable(str(caught.value), 500) == str(caught.value)


def test_plain_nbgrader_keeps_the_lock_too(course: Course, hand_in: Any) -> None:
    hand_in("ada", "def root(x):\n    return math.sqrt(x)")
    command = [sys.executable, "-m", "nbgrader", "autograde", "tiny", "--force"]
    first = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
    executed = course.autograded("ada", "tiny") / "T1.ipynb"
    assert first.returncode == 0
    before = executed.read_bytes()
    with held_by_another(course.work) as other:
        second = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
    assert second.returncode == 1
    assert f"process {other.pid}" in second.stderr
    assert executed.read_bytes() == before


@pytest.mark.filterwarnings("default::sqlalchemy.exc.SAWarning")
def test_the_formgrader_s_autograde_holds_it_only_meanwhile(course: Course, hand_in: Any) -> None:
    hand_in("ada", "def root(x):\n    return math.sqrt(x)")
    assert course.api.autograde("tiny", "ada")["success"]
    with held_by_another(course.work) as other:
        result = course.api.autograde("tiny", "ada", force=True)
    assert not result["success"]
    assert f"process {other.pid}" in result["log"]
    assert (course.autograded("ada", "tiny") / "T1.ipynb").is_file()
