"""Feedback is released to all who can find it, whoever else handed in otherwise."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.utils import capture_log

from glyphlab_grader.course import Course
from glyphlab_grader.cycle.exchange import collect, fetch, release, submit
from glyphlab_grader.cycle.feedback import generate_feedback
from glyphlab_grader.cycle.steps import exchange_action, narrowed
from glyphlab_grader.grading import Options, grade_assignment

# nbgrader leaves it to the interpreter to close a file that it has read.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

STUDENTS = ["ada", "bob", "cy", "dan"]


@pytest.fixture
def mixed(course: Course, hand_in: Any, tmp_path: Path) -> Course:
    """Ada and dan hand in through the exchange; bob's and cy's work was put in by hand."""
    release(course, "tiny")
    for student in ("ada", "dan"):
        home = tmp_path / student
        fetch(course, "tiny", student, home)
        submit(course, "tiny", student, home)
        shutil.rmtree(home)
    collect(course, "tiny")
    hand_in("bob")
    (hand_in("cy").parent / "timestamp.txt").write_text("2026-11-01 12:00:00 UTC")
    grade_assignment(course, "tiny", Options(cell_timeout=5))
    assert generate_feedback(course, "tiny", STUDENTS) == STUDENTS
    return course


def released(course: Course) -> int:
    return len(list((course.exchange / course.course_id / "feedback").glob("*.html")))


def test_what_was_put_in_by_hand_stops_nobody(
    mixed: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    # nbgrader's own breaks off.
    with monkeypatch.context() as stock, narrowed(mixed, assignment_id="tiny", student_id="*"):
        stock.setattr(mixed.app.exchange, "release_feedback", ExchangeReleaseFeedback)
        action = exchange_action(mixed, "ReleaseFeedback")
        with pytest.raises(FileNotFoundError):
            action.start()
    shutil.rmtree(mixed.exchange / mixed.course_id / "feedback")

    done = subprocess.run(
        [Path(sys.executable).with_name("nbgrader"), "release_feedback", "tiny"],
        cwd=mixed.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert released(mixed) == 2
    assert "Traceback" not in done.stderr
    warned = [line.split("] ", 1)[1] for line in done.stderr.splitlines() if "WARNING" in line]
    assert warned[:2] == [
        "bob: feedback not released, for want of timestamp.txt",
        "cy: feedback not released, for want of submission_secret.txt",
    ]
    assert warned[2].endswith("/_grading/feedback/STUDENT/tiny: bob, cy")
    assert len(warned) == 3


def test_one_student_is_released_alone(mixed: Course) -> None:
    for student, pages in (("bob", 0), ("dan", 1)):
        with narrowed(mixed, assignment_id="tiny", student_id=student):
            result = capture_log(exchange_action(mixed, "ReleaseFeedback"))
        assert result["success"], result["error"]
        assert released(mixed) == pages


def test_a_class_without_an_exchange_is_told_whom_to_hand_back_to(
    course: Course, hand_in: Any
) -> None:
    hand_in("bob")
    grade_assignment(course, "tiny", Options(cell_timeout=5))
    generate_feedback(course, "tiny", ["bob"])
    assert not course.exchange.exists()
    with narrowed(course, assignment_id="tiny", student_id="*"):
        result = capture_log(exchange_action(course, "ReleaseFeedback"))
    assert result["success"], result["error"]
    assert "hand back yourself what is in" in result["log"]
