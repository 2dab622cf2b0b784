"""Grading the tiny assignments with real kernels; each run costs seconds, so each tells much."""

import csv
import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
import pytest

from glyphlab_grader import batches
from glyphlab_grader.course import Course
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.grades import COLUMNS, write_grades
from glyphlab_grader.grading import Options, grade_assignment
from glyphlab_grader.outcome import Outcome
from glyphlab_grader.submission import Request, Result

RIGHT = "def root(x):\n    return math.sqrt(x)"
WRONG = "def root(x):\n    return x / 2"
KILLER = "import os\nos._exit(3)"
QUICK = Options(cell_timeout=5)


def grades(course: Course) -> dict[tuple[str, str], dict[str, str]]:
    """Export the gradebook and read it back, by assignment and student."""
    path = course.work / "grades.csv"
    with open_gradebook(course) as keeper:
        write_grades(keeper.gradebook, path)
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == COLUMNS
    return {(row["assignment"], row["student_id"]): row for row in rows}


def told(outcome: Outcome) -> list[tuple[str | None, str]]:
    return [(fault.cell, fault.kind) for fault in outcome.faults]


def test_each_kind_of_submission_has_its_outcome_and_harms_no_other(
    course: Course, hand_in: Any
) -> None:
    hand_in("a-right", RIGHT)
    hand_in("b-killer", KILLER)
    hand_in("c-endless", "while True:\n    pass")
    hand_in("d-raising", "raise RuntimeError('no\\nroot')")
    hand_in("e-wrong", WRONG)
    hand_in("f-untouched")
    hand_in("g-corrupt").write_text("{")
    hand_in("h*hostile", RIGHT)
    course.submitted("i-missing", "tiny").mkdir(parents=True)
    hand_in("z-right", RIGHT)
    seen: list[tuple[int, int]] = []
    outcomes = grade_assignment(
        course,
        "tiny",
        replace(QUICK, workers=2),
        lambda done, total, outcome, fresh: seen.append((done, total)),
    )

    found = {o.student: (o.outcome, o.score, told(o)) for o in outcomes}
    both = [("four", "test"), ("nine", "test")]
    assert found == {
        "a-right": ("graded", 5.0, []),
        "b-killer": ("faults", 0.0, [("answer", "kernel_died"), *both]),
        "c-endless": ("faults", 0.0, [("answer", "timeout"), *both]),
        "d-raising": ("faults", 0.0, [("answer", "raised"), *both]),
        "e-wrong": ("graded", 2.0, [("nine", "test")]),
        "f-untouched": ("graded", 0.0, both),
        "g-corrupt": ("failed", None, [(None, "corrupt")]),
        "h*hostile": ("failed", None, [(None, "name")]),
        "i-missing": ("absent", 0.0, [(None, "missing")]),
        "z-right": ("graded", 5.0, []),
    }
    assert seen == [(n, 10) for n in range(1, 11)]
    assert {o.max_score for o in outcomes} == {5.0}
    assert len({o.run for o in outcomes}) == 1
    messages = {o.student: [fault.message for fault in o.faults] for o in outcomes}
    assert messages["d-raising"][0] == "RuntimeError: no root"
    assert messages["e-wrong"] == [
        "0 of 3 points: not-nine: AssertionError: the root of nine",
    ]
    _check_grades(grades(course))


def _check_grades(rows: dict[tuple[str, str], dict[str, str]]) -> None:
    assert {row["max_score"] for (name, _), row in rows.items() if name == "tiny"} == {"5.0"}
    scores = {student: row["score"] for (name, student), row in rows.items() if name == "tiny"}
    assert scores == {
        "a-right": "5.0",
        "b-killer": "0.0",
        "c-endless": "0.0",
        "d-raising": "0.0",
        "e-wrong": "2.0",
        "f-untouched": "0.0",
        "g-corrupt": "",
        "i-missing": "0.0",
        "z-right": "5.0",
    }
    assert rows["tiny", "g-corrupt"]["ungraded"] == "T1"
    assert rows["tiny", "g-corrupt"]["raw_score"] == ""
    # Nobody handed in the other assignment.
    assert rows["pair", "a-right"]["score"] == ""
    assert rows["pair", "a-right"]["ungraded"] == "P1 P2"


def test_a_failed_regrade_shows_no_old_score(course: Course, hand_in: Any) -> None:
    hand_in("ada", RIGHT)
    (first,) = grade_assignment(course, "tiny", QUICK)
    assert first.score == 5.0
    feedback = course.feedback("ada", "tiny") / "T1.html"
    feedback.parent.mkdir(parents=True)
    feedback.write_text("5 of 5")

    hand_in("ada").write_text("{")
    (second,) = grade_assignment(course, "tiny", QUICK)
    assert (second.outcome, second.score) == ("failed", None)
    assert second.run != first.run
    assert grades(course)["tiny", "ada"]["score"] == ""
    assert not feedback.exists()
    assert not (course.autograded("ada", "tiny") / "T1.ipynb").exists()


def test_a_failed_notebook_is_closed_with_0_by_moving_it_away(
    course: Course, hand_in: Any, tmp_path: Path
) -> None:
    hand_in("ada", assignment="pair", name="P1")
    broken = hand_in("ada", assignment="pair", name="P2")
    broken.write_text("{")
    assert [o.outcome for o in grade_assignment(course, "pair", Options())] == ["graded", "failed"]
    row = grades(course)["pair", "ada"]
    # Nobody can grade by hand what has no executed notebook.
    assert (row["ungraded"], row["needs_manual_grade"], row["score"]) == ("P2", "", "")
    broken.rename(tmp_path / "P2.ipynb")
    outcomes = grade_assignment(course, "pair", Options(("ada",)))
    assert [(o.outcome, o.score) for o in outcomes] == [("graded", 0.0), ("absent", 0.0)]
    row = grades(course)["pair", "ada"]
    assert (row["ungraded"], row["needs_manual_grade"], row["score"]) == ("", "", "0.0")


def test_what_did_not_change_is_not_graded_again(
    course: Course, hand_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in("ada", RIGHT)
    hand_in("bob").write_text("{")
    course.submitted("eve", "tiny").mkdir(parents=True)
    first = grade_assignment(course, "tiny", QUICK)
    ran: list[str] = []

    def spy(request: Request, seconds: float) -> Result:
        ran.append(request.student)
        return Result("failed", [])

    monkeypatch.setattr(batches, "run_submission", spy)
    second = grade_assignment(course, "tiny", QUICK)
    # Only what failed is tried again; the others keep their outcome and the run that gave it.
    assert ran == ["bob"]
    assert [second[0], second[2]] == [first[0], first[2]]

    grade_assignment(course, "tiny", replace(QUICK, students=["ada"], cell_timeout=6))
    assert ran == ["bob", "ada"], "another limit may give another score"


def test_force_grades_again_and_a_student_can_be_singled_out(course: Course, hand_in: Any) -> None:
    hand_in("ada", RIGHT)
    hand_in("bob", RIGHT)
    (first,) = grade_assignment(course, "tiny", replace(QUICK, students=["ada"]))
    (second,) = grade_assignment(course, "tiny", replace(QUICK, students=["ada"], force=True))
    assert (first.student, first.score) == (second.student, second.score) == ("ada", 5.0)
    assert first.run != second.run
    assert ("tiny", "bob") not in grades(course)


def test_several_notebooks_stand_for_themselves(course: Course, hand_in: Any) -> None:
    hand_in("ada", assignment="pair", name="P1").write_text("{")
    hand_in("ada", RIGHT, assignment="pair", name="P2")
    hand_in("bob", RIGHT, assignment="pair", name="P1")
    outcomes = grade_assignment(course, "pair", QUICK)
    assert [(o.student, o.notebook, o.outcome, o.score) for o in outcomes] == [
        ("ada", "P1", "failed", None),
        ("ada", "P2", "graded", 5.0),
        ("bob", "P1", "graded", 5.0),
        ("bob", "P2", "absent", 0.0),
    ]
    rows = grades(course)
    assert rows["pair", "ada"]["ungraded"] == "P1"
    assert rows["pair", "ada"]["score"] == ""
    assert rows["pair", "bob"]["score"] == "5.0"
    assert rows["pair", "bob"]["ungraded"] == ""


def test_points_given_by_hand_survive_a_regrade(course: Course, hand_in: Any) -> None:
    def write(data: dict[str, Any], text: str = "Since.") -> None:
        next(c for c in data["cells"] if c["id"] == "why")["source"] = text

    hand_in("ada", RIGHT, assignment="pair", name="P1")
    hand_in("ada", RIGHT, assignment="pair", name="P2", edit=write)
    first = grade_assignment(course, "pair", QUICK)
    assert [(o.score, o.awaiting) for o in first] == [(5.0, 0.0), (5.0, 5.0)]
    assert grades(course)["pair", "ada"]["needs_manual_grade"] == "P2"
    with open_gradebook(course) as keeper:
        grade = keeper.gradebook.find_grade("why", "P2", "pair", "ada")
        grade.manual_score = 4.0
        grade.needs_manual_grade = False
        keeper.gradebook.db.commit()
    kept = grade_assignment(course, "pair", QUICK)
    assert [(o.score, o.awaiting) for o in kept] == [(5.0, 0.0), (9.0, 0.0)]
    assert grades(course)["pair", "ada"]["needs_manual_grade"] == ""
    again = grade_assignment(course, "pair", replace(QUICK, force=True))
    assert [(o.score, o.outdated) for o in again] == [(5.0, 0.0), (9.0, 0.0)]
    # The answer is still the one that was graded by hand: nothing to look at.
    assert not needs_a_look(course)

    hand_in("ada", RIGHT, assignment="pair", name="P2", edit=lambda data: write(data, "Well."))
    changed = grade_assignment(course, "pair", QUICK)
    assert [(o.score, o.outdated) for o in changed] == [(5.0, 0.0), (9.0, 5.0)]
    assert needs_a_look(course)
    # It is told until somebody has looked.
    assert [o.outdated for o in grade_assignment(course, "pair", QUICK)] == [0.0, 5.0]
    for _ in range(2):
        again = grade_assignment(course, "pair", replace(QUICK, force=True))
        assert [(o.score, o.outdated) for o in again] == [(5.0, 0.0), (9.0, 5.0)]


def test_a_picture_put_in_the_place_of_another_is_looked_at(course: Course, hand_in: Any) -> None:
    def paste(picture: str) -> None:
        def write(data: dict[str, Any]) -> None:
            why = next(c for c in data["cells"] if c["id"] == "why")
            why["source"] = "![proof](attachment:a.png)"
            why["attachments"] = {"a.png": {"image/png": picture}}

        hand_in("ada", RIGHT, assignment="pair", name="P2", edit=write)

    def grade(**options: Any) -> float:
        outcomes = grade_assignment(course, "pair", replace(QUICK, **options))
        return next(o.outdated for o in outcomes if o.notebook == "P2")

    paste("AAAA")
    grade()
    with open_gradebook(course) as keeper:
        given = keeper.gradebook.find_grade("why", "P2", "pair", "ada")
        given.manual_score, given.needs_manual_grade = 4.0, False
        keeper.gradebook.db.commit()
    # As it was kept before pictures were digested.
    path = course.work / "outcomes" / "pair" / "ada" / "P2.json"
    record = json.loads(path.read_text())
    record["answers"] = {name: digest[:64] for name, digest in record["answers"].items()}
    path.write_text(json.dumps(record))
    assert grade(force=True) == 0.0
    assert grade(force=True) == 0.0
    paste("BBBB")
    assert grade() == 5.0


def needs_a_look(course: Course) -> bool:
    with open_gradebook(course) as keeper:
        return bool(keeper.gradebook.find_grade("why", "P2", "pair", "ada").needs_manual_grade)


def test_what_was_taken_apart_is_restored_and_graded(course: Course, hand_in: Any) -> None:
    def drop(data: dict[str, Any]) -> None:
        data["cells"] = [c for c in data["cells"] if c["id"] != "nine"]

    def double(data: dict[str, Any]) -> None:
        data["cells"].insert(0, data["cells"][3])

    def skip(data: dict[str, Any]) -> None:
        for name in ("four", "nine"):
            found = next(c for c in data["cells"] if c["id"] == name)
            found["metadata"]["tags"] = ["skip-execution"]

    hand_in("deleted", WRONG, edit=drop)
    hand_in("doubled", RIGHT, edit=double)
    hand_in("renamed", RIGHT).rename(course.submitted("renamed", "tiny") / "mine.ipynb")
    hand_in("skipped", WRONG, edit=skip)
    outcomes = grade_assignment(course, "tiny", QUICK)
    assert {o.student: (o.outcome, o.score, told(o)) for o in outcomes} == {
        "deleted": ("faults", 2.0, [("nine", "deleted"), ("nine", "test")]),
        "doubled": ("faults", 5.0, [("four", "duplicated"), ("four", "reordered")]),
        "renamed": ("faults", 5.0, [(None, "renamed")]),
        "skipped": (
            "faults",
            2.0,
            [("four", "retagged"), ("nine", "retagged"), ("nine", "test")],
        ),
    }


def test_plain_nbgrader_grades_the_same(
    course: Course, hand_in: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def double(data: dict[str, Any]) -> None:
        data["cells"].insert(0, data["cells"][3])

    hand_in("doubled", RIGHT, edit=double)
    hand_in("killer", KILLER)
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (hand_in("wrong", WRONG).parent / "data.txt").symlink_to(secret)
    command = [sys.executable, "-m", "nbgrader", "autograde", "tiny"]
    subprocess.run(command, check=True, cwd=course.root)
    scores = {
        student: row["score"] for (name, student), row in grades(course).items() if name == "tiny"
    }
    assert scores == {"doubled": "5.0", "killer": "0.0", "wrong": "2.0"}
    assert not (course.autograded("wrong", "tiny") / "data.txt").exists()
    assert secret.read_text() == "secret"


def test_a_submission_knows_its_time_and_late_ones_are_penalised(
    course: Course, hand_in: Any
) -> None:
    with open_gradebook(course) as keeper:
        assignment = keeper.gradebook.find_assignment("tiny")
        assignment.duedate = datetime(2026, 11, 1)
        keeper.gradebook.db.commit()
    for student, text in {
        "early": "2026-10-31 12:00:00 UTC",
        "late": "2026-11-02 12:00:00 UTC",
        "vague": "soon",
        "strange": "9" * 5000,
    }.items():
        (hand_in(student, RIGHT).parent / "timestamp.txt").write_text(text)
    # The penalty that nbgrader's own plugin can give: all points.
    course.app.config.LateSubmissionPlugin.penalty_method = "zero"
    grade_assignment(course, "tiny", QUICK)
    found = {
        student: (row["timestamp"], row["score"])
        for (name, student), row in grades(course).items()
        if name == "tiny"
    }
    assert found == {
        "early": ("2026-10-31 12:00:00", "5.0"),
        "late": ("2026-11-02 12:00:00", "0.0"),
        "strange": ("", "5.0"),
        "vague": ("", "5.0"),
    }


def test_a_link_beside_the_notebook_leaks_nothing(
    course: Course, hand_in: Any, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    folder = hand_in("ada", RIGHT).parent
    (folder / "data.txt").symlink_to(secret)
    (outcome,) = grade_assignment(course, "tiny", QUICK)
    assert (outcome.outcome, outcome.score, told(outcome)) == ("faults", 5.0, [(None, "link")])
    assert not (course.autograded("ada", "tiny") / "data.txt").exists()
    assert secret.read_text() == "secret"


def test_the_executed_notebook_is_kept_for_the_formgrader(course: Course, hand_in: Any) -> None:
    hand_in("ada", RIGHT)
    grade_assignment(course, "tiny", QUICK)
    executed = nbformat.read(course.autograded("ada", "tiny") / "T1.ipynb", as_version=4)
    assert "root(9)" in next(cell for cell in executed.cells if cell.id == "nine").source


def test_odd_and_hostile_files_gain_nothing_and_harm_nobody(course: Course, hand_in: Any) -> None:
    def put(student: str, old: str, new: str) -> None:
        path = hand_in(student, RIGHT)
        path.write_text(path.read_text().replace(old, new, 1))

    def claim_nothing(data: dict[str, Any]) -> None:
        for found in data["cells"]:
            found["metadata"] = {"nbgrader": {"grade_id": ["four"]}}

    put("bigint", '"nbformat": 4', '"x": ' + "9" * 5000 + ', "nbformat": 4')
    put("nan", '"nbformat": 4', '"x": NaN, "nbformat": 4')
    hand_in("deep").write_text("[" * 200_000)
    hand_in("equal", "class E:\n    def __eq__(self, o): return True\ndef root(x): return E()")
    hand_in("hook", "get_ipython().events.register('pre_run_cell', lambda *a: print(5))")
    hand_in("claims", RIGHT, edit=claim_nothing)
    hand_in("surrogate", f"x = '\ud800'\n{RIGHT}")
    hand_in("snoop", f"assert not __import__('os').path.exists({str(course.root)!r})\n{RIGHT}")
    pipe = course.submitted("pipe", "tiny") / "T1.ipynb"
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    folder = course.submitted("elsewhere", "tiny")
    folder.parent.mkdir(parents=True)
    folder.symlink_to(course.submitted("nan", "tiny"))
    outcomes = {o.student: o for o in grade_assignment(course, "tiny", QUICK)}
    assert {student: (o.outcome, o.score) for student, o in outcomes.items()} == {
        "bigint": ("failed", None),
        "claims": ("faults", 5.0),
        "deep": ("failed", None),
        "elsewhere": ("failed", None),
        "equal": ("graded", 0.0),
        "hook": ("graded", 0.0),
        "nan": ("graded", 5.0),
        "pipe": ("failed", None),
        "snoop": ("graded", 5.0),
        "surrogate": ("graded", 5.0),
    }
