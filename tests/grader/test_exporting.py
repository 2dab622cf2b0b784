"""Grades that Canvas and Moodle read back as they were, by the rules of their own importers."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from glyphlab_grader import batches
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.outcome import Fault
from glyphlab_grader.submission import Request, Result

# Of "tiny": 2 and 3 points. "bob" failed; "eve" handed in nothing of it.
SCORES = {"ada": (2.0, 3.0), "joe": (0.0, 0.0), "kim": (2.0, 1.1 + 2.2 - 0.2)}


@pytest.fixture
def graded(course: Course, hand_in: Any, monkeypatch: pytest.MonkeyPatch) -> Course:
    def instead(request: Request, seconds: float) -> Result:
        if request.student == "bob":
            return Result("failed", [Fault(None, "corrupt", "no")])
        Path(request.executed).write_text("{}")
        four, nine = SCORES.get(request.student, (2.0, 3.0))
        grades: dict[str, float | None] = {"four": four, "nine": nine}
        if request.notebook == "P2":
            grades["why"] = None
        return Result("executed", [], grades)

    monkeypatch.setattr(batches, "run_submission", instead)
    for student in [*SCORES, "bob"]:
        hand_in(student)
    for name in ("P1", "P2"):
        hand_in("eve", assignment="pair", name=name)
    assert main(["tiny"]) == 1
    assert main(["pair"]) == 0
    with open_gradebook(course) as keeper:
        known = {"first_name": 'Ada, the "first"', "last_name": "Lovelace", "email": "a@b.org"}
        keeper.gradebook.update_or_create_student("ada", **known)
    return course


def table(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def as_canvas_reads(path: Path) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Read scores by login and assignment, and the points, as Canvas's gradebook importer does."""
    header, *rows = table(path)
    assert len(header) > 4
    assert "Student" in header[0]
    assert "ID" in header[1]
    assert re.search(r"SIS\s+User\s+ID", header[2])
    assert re.search(r"SIS\s+Login\s+ID", header[3])
    assert "Section" in header[4]
    points: dict[str, str] = {}
    scores: dict[str, dict[str, str]] = {}
    for row in rows:
        cells = dict(zip(header[5:], row[5:], strict=True))
        if "Points Possible" in row[0]:
            points = cells
        else:
            assert row[1] == row[2] == "", "the login alone says who it is"
            scores[row[3]] = {name: cell for name, cell in cells.items() if cell.strip()}
    return scores, points


def as_moodle_reads(path: Path, identity: str) -> dict[str, dict[str, float]]:
    """Read grades by user, as Moodle's importer does once the columns are mapped."""
    header, *rows = table(path)
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        grades = {name: cells[name].strip() for name in header[4:]}
        # Empty or "-" is no grade; anything that is no number ends the import.
        scores[cells[identity]] = {
            name: float(cell) for name, cell in grades.items() if cell not in ("", "-")
        }
    return scores


WANTED = {"ada": 5.0, "joe": 0.0, "kim": 5.1}


def test_canvas_reads_back_the_scores(graded: Course, capsys: pytest.CaptureFixture[str]) -> None:
    column = "Lab, the first (4711)"
    assert main(["export", "--format", "canvas", "--assignment", f"tiny={column}"]) == 0
    assert "grades: _grading/grades-canvas.csv" in capsys.readouterr().out
    scores, points = as_canvas_reads(graded.work / "grades-canvas.csv")
    assert points == {column: "5.0"}
    assert set(scores) == {*SCORES, "bob", "eve"}
    found = {who: float(cells[column]) for who, cells in scores.items() if cells}
    assert found == WANTED, "and bob and eve have none, not 0"
    names = {row[3]: row[0] for row in table(graded.work / "grades-canvas.csv")[2:]}
    assert (names["ada"], names["joe"]) == ('Lovelace, Ada, the "first"', "joe")


def test_moodle_reads_back_the_scores(graded: Course) -> None:
    assert main(["export", "--format", "moodle"]) == 0
    scores = as_moodle_reads(graded.work / "grades-moodle.csv", "username")
    assert {who: found["tiny"] for who, found in scores.items() if "tiny" in found} == WANTED
    assert set(scores) == {*SCORES, "bob", "eve"}
    by_mail = as_moodle_reads(graded.work / "grades-moodle.csv", "email")
    assert by_mail["a@b.org"] == {"tiny": 5.0}


def test_a_score_that_will_rise_is_left_out_unless_asked_for(
    graded: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "--format", "moodle"]) == 0
    assert "left empty, because a part awaits a person: 1" in capsys.readouterr().out
    path = graded.work / "grades-moodle.csv"
    assert as_moodle_reads(path, "username")["eve"] == {}
    assert main(["export", "--format", "moodle", "--partial"]) == 0
    assert as_moodle_reads(path, "username")["eve"] == {"pair": 10.0}


def test_one_csv_of_everything(graded: Course, tmp_path: Path) -> None:
    usual = graded.work / "grades.csv"
    before = usual.read_text()
    usual.unlink()
    assert main(["export"]) == 0
    assert main(["export", "--to", str(tmp_path / "some.csv"), "--assignment", "tiny"]) == 0
    assert usual.read_text().count("\n") == before.count("\n") == 11
    lines = usual.read_text().splitlines()
    some = (tmp_path / "some.csv").read_text().splitlines()
    assert some == [line for line in lines if not line.startswith("pair")]


def test_more_points_than_there_are_do_not_go_out_in_silence(
    graded: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export"]) == 0
    assert "warning" not in capsys.readouterr().out
    with open_gradebook(graded) as keeper:
        grade = keeper.gradebook.find_grade("why", "P2", "pair", "eve")
        grade.manual_score, grade.needs_manual_grade = 99.0, False
        keeper.gradebook.db.commit()
    line = "warning: more points by hand than there are: eve pair/P2 why (99 of 5)\n"
    for arguments in (["export"], ["export", "--format", "canvas"], ["pair"]):
        assert main(arguments) == 0
        assert line in capsys.readouterr().out
    for arguments in (["export", "--assignment", "tiny"], ["tiny"]):
        main(arguments)
        assert "warning" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "blackboard"], "invalid choice: 'blackboard'"),
        (["--assignment", "ch99"], "--assignment: the gradebook has no 'ch99'"),
        (["--to", "nowhere/g.csv"], "cannot write nowhere/g.csv"),
        (["tiny"], "unrecognized arguments: tiny"),
    ],
)
def test_refused(
    course: Course, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["export", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error
