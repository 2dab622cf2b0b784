"""The whole cycle, on the tiny assignment with a bank of its own."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from glyphlab_grader import demonstration
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course
from glyphlab_grader.demonstration import STUDENTS, surprises
from glyphlab_grader.outcome import Fault, Outcome

RIGHT = """# Takes the root.

# %% answer
def root(x):
    return math.sqrt(x)
"""
WRONG = """# Halves.
# fails: not-nine

# %% answer
def root(x):
    return x / 2
"""


@pytest.fixture
def bank(course: Course, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(demonstration, "CELL_TIMEOUT", 5)
    folder = course.root / "tests" / "answers" / "tiny" / "T1"
    for kind, text in {"right": RIGHT, "wrong": WRONG}.items():
        (folder / kind).mkdir(parents=True)
        (folder / kind / "only.py").write_text(text)
    return folder


# nbgrader's release of feedback leaves timestamp.txt open.
@pytest.mark.filterwarnings("ignore:.*timestamp.txt")
def test_the_class_goes_through_the_whole_cycle_twice(
    course: Course,
    bank: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main(["demonstration"]) == 0
    out = capsys.readouterr().out
    assert "3 graded, 3 graded with faults, 0 not handed in, 0 failed" in out
    assert out.endswith(
        "gradebook: _grading/gradebook.db\n"
        "feedback:  _grading/feedback/<student>/<assignment>/<notebook>.html\n"
        "grades:    _grading/grades.csv\n"
    )
    for students in (STUDENTS, {name: STUDENTS[name] for name in ("demo-wrong", "demo-exiting")}):
        # The second time for two of the class, to save time.
        monkeypatch.setattr(demonstration, "STUDENTS", students)
        if students is not STUDENTS:
            assert main(["demonstration"]) == 0
        pages = course.work.glob("feedback/*/tiny/T1.html")
        assert {page.parent.parent.name for page in pages} == set(STUDENTS)
        assert len(list(course.exchange.glob("glyphlab/feedback/*.html"))) == len(STUDENTS)
        assert len(list(course.exchange.glob("glyphlab/inbound/*"))) == len(STUDENTS)
    rows = (course.work / "grades.csv").read_text().splitlines()
    found = {line.split(",")[3]: line.split(",")[9] for line in rows if line.startswith("tiny")}
    assert found == {
        "demo-right": "5.0",
        "demo-wrong": "2.0",
        "demo-untouched": "0.0",
        "demo-raising": "0.0",
        "demo-endless": "0.0",
        "demo-exiting": "0.0",
    }
    page = (course.feedback("demo-wrong", "tiny") / "T1.html").read_text()
    assert re.search(r"Score:\s*2\.0\s*/\s*5\.0", page)


@pytest.mark.filterwarnings("ignore:.*timestamp.txt")
def test_without_a_sandbox_only_our_honest_answers_are_graded(
    course: Course,
    bank: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(demonstration, "sandbox_problem", lambda: "bubblewrap is missing")
    assert main(["demonstration"]) == 0
    out = capsys.readouterr().out
    assert "This machine cannot grade safely: bubblewrap is missing.\n" in out
    assert "3 graded, 0 graded with faults, 0 not handed in, 0 failed" in out
    students = {path.name for path in course.work.glob("submitted/*")}
    assert students == {"demo-right", "demo-wrong", "demo-untouched"}


def test_without_a_bank_there_is_nothing_to_show(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demonstration"]) == 2
    assert capsys.readouterr().err == "glyphlab-grade: no answers in tests/answers\n"


def outcome(student: str, *faults: str, notebook: str = "T1", score: float = 2.0) -> Outcome:
    told = [Fault("answer", kind, "") for kind in faults]
    return Outcome.graded(student, notebook, score, 5.0, told, "r", 1.0)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (outcome("demo-right"), outcome("demo-right", "test")),
        (outcome("demo-wrong", "test"), outcome("demo-wrong")),
        (outcome("demo-untouched", "test", score=0.0), outcome("demo-untouched", "test")),
        (outcome("demo-raising", "raised", "test"), outcome("demo-raising", "test")),
        (outcome("demo-endless", "timeout", "test"), outcome("demo-endless")),
        (outcome("demo-exiting", "kernel_died", "test"), outcome("demo-exiting", "kernel_died")),
    ],
)
def test_an_outcome_that_should_not_be_is_told(good: Outcome, bad: Outcome) -> None:
    assert surprises([good]) == []
    (line,) = surprises([bad])
    assert line == f"{bad.student} T1: {bad.outcome}, score {bad.score}"


def test_only_the_first_notebook_is_odd() -> None:
    first = outcome("demo-raising", "raised", "test")
    assert surprises([first, outcome("demo-raising", notebook="T2")]) == []
    assert len(surprises([first, replace(first, notebook="T2")])) == 1
