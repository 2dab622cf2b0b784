"""A run that is broken off at any point leaves a gradebook that the next run completes."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import psutil
import pytest

import glyphlab_grader
from glyphlab_grader import batches
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course, open_course
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.grading import Options, grade_assignment
from glyphlab_grader.outcome import Fault, Outcome
from glyphlab_grader.records import Records
from glyphlab_grader.submission import Request, Result

RIGHT = "def root(x):\n    return math.sqrt(x)"
WRONG = "def root(x):\n    return x / 2"
ENDLESS = "while True:\n    pass"
OURS = str(Path(glyphlab_grader.__file__).parent)
Grades = dict[str, tuple[str, float | None]]

POINTS = {RIGHT: {"four": 2.0, "nine": 3.0}, WRONG: {"four": 2.0, "nine": 0.0}}


def instead(request: Request, seconds: float) -> Result:
    """Grade by looking at the answer, without running it."""
    path = Path(request.submitted) / "T1.ipynb"
    if not path.exists():
        return Result("absent", [Fault(None, "missing", "not handed in")])
    try:
        cells = json.loads(path.read_text())["cells"]
    except ValueError:
        return Result("failed", [Fault(None, "corrupt", "not a notebook")])
    answer = next(c["source"] for c in cells if c["id"] == "answer")
    Path(request.executed).write_text(json.dumps({"cells": cells}))
    return Result("executed", [], POINTS[answer])


def points(course: Course) -> Grades:
    """What the gradebook says, None for ungraded."""
    with open_gradebook(course) as keeper:
        ledger = keeper.ledger("tiny")
        found = ledger.scores(sorted(ledger.submitted()))
    return {
        student: ("ungraded" if score.ungraded else "graded", score.score)
        for (student, _), score in found.items()
    }


def kept(course: Course) -> dict[str, Outcome]:
    records = Records(course, "tiny")
    found = {
        path.parent.name: records.latest(path.parent.name, "T1")[0]
        for path in records.folder.glob("*/T1.json")
    }
    return {student: outcome for student, outcome in found.items() if outcome is not None}


class Killer:
    """Ends the process at the n-th line of ours, as a kill would: nothing is tidied up."""

    def __init__(self, line: int) -> None:
        self.left = line
        self.seen = 0

    def trace(self, frame: FrameType, event: str, argument: object) -> Any:
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        if event == "line":
            self.seen += 1
            if self.seen == self.left:
                os._exit(9)
        return self.trace


def run_until(course_root: Path, line: int) -> int:
    """Grade in a fork that dies at a line; return how many lines it went, or 0 if it died."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            os.chdir(course_root)
            killer = Killer(line)
            course = open_course(course_root)
            sys.settrace(killer.trace)
            grade_assignment(course, "tiny", Options(workers=2))
            sys.settrace(None)
            os.write(writing, str(killer.seen).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as stream:
        told = stream.read()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code == (9 if not told else 0)
    return int(told or 0)


@pytest.fixture
def instead_of_sandboxes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "run_submission", instead)


@pytest.mark.usefixtures("instead_of_sandboxes")
def test_killed_at_any_line_the_next_run_completes_it(
    course: Course, hand_in: Any, tmp_path: Path
) -> None:
    """From a state with old scores, which must not pass for new ones at any time."""
    for student in ("ada", "bob", "eve", "joe", "kim"):
        hand_in(student, WRONG)
    grade_assignment(course, "tiny", Options())
    assert set(points(course).values()) == {("graded", 2.0)}
    hand_in("ada", RIGHT)
    hand_in("bob").write_text("{")
    (course.submitted("eve", "tiny") / "T1.ipynb").unlink()
    hand_in("new", RIGHT)
    undisturbed = tmp_path / "undisturbed"
    shutil.copytree(course.root, undisturbed)
    lines = run_until(undisturbed, -1)
    wanted = {
        "ada": ("graded", 5.0),
        "bob": ("ungraded", 0.0),
        "eve": ("graded", 0.0),
        "joe": ("graded", 2.0),
        "kim": ("graded", 2.0),
        "new": ("graded", 5.0),
    }
    assert points(open_course(undisturbed)) == wanted

    chance = random.Random(7)
    for line in sorted(chance.sample(range(1, lines), 15)):
        copy = tmp_path / f"killed-{line}"
        shutil.copytree(course.root, copy)
        assert run_until(copy, line) == 0
        broken = open_course(copy)
        between = points(broken)
        for student, outcome in kept(broken).items():
            # No outcome without its points: it would keep the next run from grading.
            if outcome.score is not None:
                assert between[student] == ("graded", outcome.score), (line, student)
        again = random.Random(line).randrange(1, lines)
        run_until(copy, again)
        run_until(copy, -1)
        assert points(broken) == wanted, line
        assert {s: o.score for s, o in kept(broken).items()} == {
            student: None if how == "ungraded" else score
            for student, (how, score) in wanted.items()
        }, line
        assert not (broken.work / "scratch").exists()
        shutil.rmtree(copy)


@pytest.mark.usefixtures("instead_of_sandboxes")
def test_a_forced_run_goes_on_where_it_was_broken_off(
    course: Course, hand_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    students = ["ada", "bob", "eve", "joe", "kim"]
    for student in students:
        hand_in(student, RIGHT)
    before = grade_assignment(course, "tiny", Options())
    ran: list[str] = []

    def break_off(request: Request, seconds: float) -> Result:
        if request.student == "joe" and "joe" not in ran:
            ran.append("joe")
            raise KeyboardInterrupt
        ran.append(request.student)
        return instead(request, seconds)

    monkeypatch.setattr(batches, "run_submission", break_off)
    with pytest.raises(KeyboardInterrupt):
        grade_assignment(course, "tiny", Options(force=True))
    first = list(ran)
    after = grade_assignment(course, "tiny", Options(force=True))
    # "kim" may have been under way.
    assert set(ran[len(first) :]) | {"kim"} == {"joe", "kim"}
    assert len({o.run for o in after}) == 1
    assert {o.run for o in before}.isdisjoint(o.run for o in after)
    # Finished, it is over: the next forced run does everything again.
    ran[:] = ["joe"]
    third = grade_assignment(course, "tiny", Options(force=True))
    assert sorted(ran[1:]) == students
    assert {o.run for o in third}.isdisjoint(o.run for o in after)


def start(course: Course) -> subprocess.Popen[str]:
    """Grade with real workers and sandboxes, in a process that can be killed."""
    command = [sys.executable, "-m", "glyphlab_grader.cli", "tiny", "--workers", "2"]
    return subprocess.Popen(
        command, cwd=course.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(process: subprocess.Popen[str], pattern: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if re.search(pattern, line):
            return
    raise AssertionError(f"no line like {pattern}: {process.stderr and process.stderr.read()}")


def family(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def assert_gone(processes: list[psutil.Process]) -> None:
    """Wait for processes to end; where nobody reaps orphans, they stay zombies."""
    for _ in range(300):
        alive = [p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
        if not alive:
            return
        time.sleep(0.05)
    raise AssertionError(f"still there: {alive}")


@pytest.mark.parametrize(
    "how",
    [
        signal.SIGKILL,
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.check_all),
    ],
)
def test_nothing_outlives_a_run_and_the_next_one_finishes_it(
    course: Course, hand_in: Any, capsys: pytest.CaptureFixture[str], how: signal.Signals
) -> None:
    hand_in("ada", RIGHT)
    hand_in("bob", ENDLESS)
    hand_in("eve", ENDLESS)
    with start(course) as process:
        wait_for(process, r"ada T1: graded, 5/5")
        time.sleep(0.5)
        started = family(process)
        assert len(started) >= 4, "two workers, each with its sandboxes"
        process.send_signal(how)
        _, error = process.communicate(timeout=20)
    assert_gone(started)
    if how == signal.SIGKILL:
        assert process.returncode == -how
    else:
        assert process.returncode == 2
        assert error == "glyphlab-grade: interrupted; what is graded stays graded\n"
        assert not (course.work / "scratch").exists()
    hand_in("bob", RIGHT)
    hand_in("eve", WRONG)
    assert main(["tiny"]) == 0
    out = capsys.readouterr().out
    assert "3 graded, 0 graded with faults" in out
    assert {student: score for student, (_, score) in points(course).items()} == {
        "ada": 5.0,
        "bob": 5.0,
        "eve": 2.0,
    }
    for student in ("ada", "bob", "eve"):
        assert course.log(student, "tiny", "T1").is_file()
