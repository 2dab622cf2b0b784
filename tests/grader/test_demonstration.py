"""The whole cycle, on the tiny assignment with a bank of its own."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glyphlab_grader import demonstration
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course, open_course
from glyphlab_grader.demonstration import STUDENTS, surprises
from glyphlab_grader.execution import SandboxMissing, preprocessor
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


@pytest.fixture
def own(course: Course) -> Path:
    """The demonstration's own course folder."""
    return course.root / "_build" / "demonstration"


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# nbgrader's release of feedback leaves timestamp.txt open.
@pytest.mark.filterwarnings("ignore:.*timestamp.txt")
def test_the_class_goes_through_the_whole_cycle_twice(
    course: Course,
    bank: Path,
    own: Path,
    hand_in: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A real class, one of whose students has a name of the demonstration's.
    hand_in("demo-right", "def root(x):\n    return 0")
    before = files(course.work)
    assert main(["demonstration"]) == 0
    out = capsys.readouterr().out
    assert "3 graded, 3 graded with faults, 0 not handed in, 0 failed" in out
    assert out.endswith(
        "The demonstration is a course of its own, apart from yours: _build/demonstration\n"
        "gradebook: _build/demonstration/_grading/gradebook.db\n"
        "feedback:  _build/demonstration/_grading/feedback/<student>/<assignment>/<notebook>.html\n"
        "grades:    _build/demonstration/_grading/grades.csv\n"
    )
    _check(own, set(STUDENTS))
    rows = (own / "_grading/grades.csv").read_text().splitlines()
    found = {line.split(",")[3]: line.split(",")[9] for line in rows if line.startswith("tiny")}
    assert found == {
        "demo-right": "5.0",
        "demo-wrong": "2.0",
        "demo-untouched": "0.0",
        "demo-raising": "0.0",
        "demo-endless": "0.0",
        "demo-exiting": "0.0",
    }
    page = (own / "_grading/feedback/demo-wrong/tiny/T1.html").read_text()
    assert "<strong>2 of 5 points</strong>" in page
    # The second time for two of the class, to save time: nothing of the first is left.
    few = {name: STUDENTS[name] for name in ("demo-wrong", "demo-exiting")}
    monkeypatch.setattr(demonstration, "STUDENTS", few)
    assert main(["demonstration"]) == 0
    _check(own, set(few))
    assert files(course.work) == before


def _check(own: Path, students: set[str]) -> None:
    pages = own.glob("_grading/feedback/*/tiny/T1.html")
    assert {page.parent.parent.name for page in pages} == students
    exchange = own / "_grading/exchange/demonstration"
    assert len(list(exchange.glob("feedback/*.html"))) == len(students)
    assert len(list(exchange.glob("inbound/*"))) == len(students)


def test_the_course_s_own_gradebook_and_exchange_cannot_be_reached(
    course: Course, bank: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the real configuration names, the demonstration stays in its folder."""
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(
            "c.CourseDirectory.db_url = 'postgresql://real/gradebook'\n"
            "c.Exchange.root = '/srv/real-exchange'\n"
            "c.CourseDirectory.submitted_directory = 'elsewhere'\n"
            "c.Execute.timeout = 77\n"
        )
    made = demonstration._set_up(open_course(course.root), ["tiny"], tried=True)
    assert made.root == own
    assert made.database == f"sqlite:///{own}/_grading/gradebook.db"
    for path in (made.exchange, made.submitted("a", "b"), made.feedback("a", "b"), made.work):
        assert path.is_relative_to(own)
    assert made.course_id == "demonstration"
    # Other settings are the course's.
    assert made.app.config.Execute.timeout == 77


@pytest.mark.filterwarnings("ignore:.*timestamp.txt")
def test_without_a_sandbox_only_our_honest_answers_are_graded(
    course: Course,
    bank: Path,
    own: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> str:
        raise SandboxMissing("bubblewrap is missing")

    monkeypatch.setattr(demonstration, "sandbox_problem", lambda: "bubblewrap is missing")
    # Neither are the solutions tried.
    monkeypatch.setattr(preprocessor, "shared_grader", refuse)
    assert main(["demonstration"]) == 0
    out = capsys.readouterr().out
    assert "This machine cannot grade safely: bubblewrap is missing.\n" in out
    assert "3 graded, 0 graded with faults, 0 not handed in, 0 failed" in out
    students = {path.name for path in own.glob("_grading/submitted/*")}
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
