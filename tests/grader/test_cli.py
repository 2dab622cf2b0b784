"""The command line: what it writes, and how it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from glyphlab_grader import grading
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.runner import Ending, Request


@pytest.fixture
def run(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run nothing: as if each submission had passed, but that of "eve", who killed her kernel."""

    def fake(request: Request) -> Ending:
        if request.student == "eve":
            return Ending("kernel_died", "the process that ran the cell ended", "answer", 0.5)
        with open_gradebook(course) as keeper:
            for name, points in (("four", 2.0), ("nine", 3.0)):
                keys = (name, request.notebook, request.assignment, request.student)
                keeper.gradebook.find_grade(*keys).auto_score = points
            keeper.gradebook.db.commit()
        folder = course.autograded(request.student, request.assignment)
        folder.mkdir(parents=True, exist_ok=True)
        released = course.release(request.assignment) / f"{request.notebook}.ipynb"
        (folder / released.name).write_text(released.read_text())
        return Ending("converted", "", None, 0.5)

    monkeypatch.setattr(grading, "run_submission", fake)


def refused(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    """Run the command, which must refuse, and return its one line."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("glyphlab-grade: ")
    return err.removeprefix("glyphlab-grade: ").strip()


def test_all_graded_is_0(
    run: None, course: Course, hand_in: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ada")
    assert main(["tiny"]) == 0
    out = capsys.readouterr().out
    assert "[1/1] ada T1: graded, 5/5, 0.5 s" in out
    assert "1 graded, 0 graded with faults, 0 failed" in out
    assert out.endswith("grades: _grading/grades.csv\n")
    assert "tiny,,,ada,,,,5.0,0.0,5.0,5.0,," in (course.work / "grades.csv").read_text()


def test_some_failed_is_1_and_the_outcomes_are_written(
    run: None, hand_in: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ada")
    hand_in("eve")
    assert main(["tiny", "--json", str(tmp_path / "o.json")]) == 1
    data = json.loads((tmp_path / "o.json").read_text())
    assert [(item["student"], item["outcome"], item["score"]) for item in data] == [
        ("ada", "graded", 5.0),
        ("eve", "failed", None),
    ]
    assert data[1]["max_score"] == 5.0
    assert data[1]["faults"] == [
        {
            "cell": "answer",
            "kind": "kernel_died",
            "message": "the process that ran the cell ended",
        }
    ]
    assert "answer: the process that ran the cell ended" in capsys.readouterr().out


def test_an_unknown_assignment(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, ["ch99"]) == "no assignment 'ch99' in solutions: there are pair, tiny"


@pytest.mark.parametrize("name", ["..", "../tiny", "tiny/../tiny", "*", "", "/etc"])
def test_a_path_is_no_assignment(
    course: Course, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert f"no assignment {name!r}" in refused(capsys, [name])


def test_nobody_submitted(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, ["tiny"]) == "nobody has submitted tiny: nothing to grade"


def test_a_student_who_did_not_submit(
    course: Course, hand_in: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ada")
    line = refused(capsys, ["tiny", "--student", "bob"])
    assert line == "no submission of tiny by student 'bob'"


def test_no_course_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "run this in the course's folder" in refused(capsys, ["tiny"])
    assert list(tmp_path.iterdir()) == []


def test_an_assignment_that_was_not_generated(
    course: Course, hand_in: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ada")
    first = course.source("tiny") / "T1.ipynb"
    first.with_name("T2.ipynb").write_bytes(first.read_bytes())
    assert refused(capsys, ["tiny"]) == (
        "the gradebook holds T1 of tiny, its folder T1, T2: "
        "run `nbgrader generate_assignment tiny` first"
    )
    (course.work / "gradebook.db").unlink()
    assert "no gradebook at sqlite:///" in refused(capsys, ["tiny"])
    assert not (course.work / "gradebook.db").exists()


def test_a_broken_gradebook(
    course: Course, hand_in: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ada")
    (course.work / "gradebook.db").write_bytes(b"not a database" * 100)
    assert refused(capsys, ["tiny"]).startswith("the gradebook: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: ASSIGNMENT"),
        (["tiny", "--timeout", "0"], "--timeout: a whole number of seconds above 0, not '0'"),
        (["tiny", "--timeout", "soon"], "not 'soon'"),
        (["tiny", "--colour"], "unrecognized arguments: --colour"),
    ],
)
def test_mistyped_options(
    course: Course, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in refused(capsys, arguments)


def test_a_json_file_without_a_folder_is_refused_before_grading(
    run: None, course: Course, hand_in: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ada")
    assert "--json: no folder nowhere" in refused(capsys, ["tiny", "--json", "nowhere/o.json"])
    assert not course.autograded("ada", "tiny").exists()


def test_the_timeout_reaches_the_runner(
    course: Course, hand_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in("ada")
    seen: list[Request] = []

    def spy(request: Request) -> Ending:
        seen.append(request)
        return Ending("grader", "not run", None, 0.0)

    monkeypatch.setattr(grading, "run_submission", spy)
    assert main(["tiny", "--timeout", "7"]) == 1
    assert [request.cell_timeout for request in seen] == [7]


def test_nbgraders_own_export_leaves_ungraded_empty(
    run: None, course: Course, hand_in: Any
) -> None:
    from nbgrader.apps import ExportApp

    hand_in("eve")
    assert main(["tiny"]) == 1
    app = ExportApp()
    app.initialize(["--to", "exported.csv"])
    app.start()
    assert "tiny,,,eve,,,,,,,5.0,T1," in Path("exported.csv").read_text().splitlines()
