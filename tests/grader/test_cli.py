"""The command line: what it writes, and how it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from glyphlab_grader import batches
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.outcome import Fault
from glyphlab_grader.submission import Request, Result


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Run nothing: as if each submission had passed, but that of "eve", which broke the grader."""
    seen: list[Request] = []

    def fake(request: Request, seconds: float) -> Result:
        seen.append(request)
        if request.student == "eve":
            return Result("failed", [Fault(None, "grader", "the grading process died")])
        Path(request.executed).write_text("{}")
        return Result("executed", [], {"four": 2.0, "nine": 3.0}, seconds=0.5)

    monkeypatch.setattr(batches, "run_submission", fake)
    return seen


def refused(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    """Run the command, which must refuse, and return its one line."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("glyphlab-grade: ")
    return err.removeprefix("glyphlab-grade: ").strip()


def test_all_graded_is_0(
    run: list[Request], course: Course, hand_in: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ada")
    assert main(["tiny"]) == 0
    out = capsys.readouterr().out
    assert "[1/1] ada T1: graded, 5/5, 0.5 s" in out
    assert "1 graded, 0 graded with faults, 0 not handed in, 0 failed\n" in out
    assert out.endswith(
        "grades: _grading/grades.csv\n"
        "feedback: not written yet\n"
        "next: nbgrader generate_feedback tiny --force\n"
    )
    assert "tiny,,,ada,,,,5.0,0.0,5.0,5.0,," in (course.work / "grades.csv").read_text()


def test_some_failed_is_1_and_the_outcomes_are_written(
    run: list[Request], hand_in: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
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
        {"cell": None, "kind": "grader", "message": "the grading process died"}
    ]
    assert "the grading process died" in capsys.readouterr().out


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
        "run `nbgrader generate_assignment tiny --force` first"
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
        (["tiny", "--memory", "-1"], "--memory: a whole number of mebibytes above 0, not '-1'"),
        (["tiny", "--memory", "1"], "--memory: mebibytes, at least 64, not '1': 1 GiB is 1024"),
        (["tiny", "--workers", "0"], "--workers: a whole number of workers above 0, not '0'"),
        (["tiny", "--colour"], "unrecognized arguments: --colour"),
    ],
)
def test_mistyped_options(
    course: Course, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in refused(capsys, arguments)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere/o.json", "--json: no folder nowhere to write in"),
        ("_grading", "--json: _grading is a folder, not a file"),
        ("/proc/o.json", "--json: cannot write /proc/o.json: "),
    ],
)
def test_a_json_file_that_cannot_be_written_is_refused_before_grading(
    run: list[Request],
    course: Course,
    hand_in: Any,
    capsys: pytest.CaptureFixture[str],
    path: str,
    message: str,
) -> None:
    hand_in("ada")
    assert message in refused(capsys, ["tiny", "--json", path])
    assert not course.autograded("ada", "tiny").exists()


def test_the_table_is_printed_whatever_cannot_be_written(
    run: list[Request],
    course: Course,
    hand_in: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: object) -> None:
        raise GraderError("no space left")

    hand_in("ada")
    for name in ("glyphlab_grader.outcome.write_outcomes", "glyphlab_grader.grades.write_grades"):
        with monkeypatch.context() as broken:
            broken.setattr(name, full)
            assert main(["tiny", "--json", "o.json"]) == 2
        out, err = capsys.readouterr()
        assert "1 graded, 0 graded with faults" in out
        assert err == "glyphlab-grade: no space left\n"


def test_the_limits_reach_the_workers(run: list[Request], hand_in: Any) -> None:
    hand_in("ada")
    assert main(["tiny", "--timeout", "7", "--memory", "512", "--workers", "3"]) == 0
    assert [(r.cell_timeout, r.memory) for r in run] == [(7, 512 * 2**20)]


def test_a_machine_without_a_sandbox_does_not_grade(
    hand_in: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(request: Request, seconds: float) -> Result:
        raise GraderError("install bubblewrap")

    hand_in("ada")
    monkeypatch.setattr(batches, "run_submission", refuse)
    assert refused(capsys, ["tiny"]) == "install bubblewrap"


def test_nbgraders_own_export_leaves_ungraded_empty(
    run: list[Request], course: Course, hand_in: Any
) -> None:
    from nbgrader.apps import ExportApp

    hand_in("eve")
    assert main(["tiny"]) == 1
    app = ExportApp()
    app.initialize(["--to", "exported.csv"])
    app.start()
    assert "tiny,,,eve,,,,,,,5.0,T1," in Path("exported.csv").read_text().splitlines()
