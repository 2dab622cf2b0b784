"""A test that was lost for another reason names no misconception, wherever it is told."""

import html
import json
import re
from typing import Any, get_args

import nbformat
import pytest

from glyphlab.checks import NOTHING, ROUNDED
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course, open_course
from glyphlab_grader.cycle.feedback import generate_feedback
from glyphlab_grader.cycle.generate import generate
from glyphlab_grader.execution.library import WITHHELD as WITHHELD_FUNCTION
from glyphlab_grader.execution.outcome import FAULT_ERRORS, TEST_BROKEN_OFF, FaultKind
from glyphlab_grader.faults import NOT_RUN, TIMEOUT_ERROR
from glyphlab_grader.grading import Options, grade_assignment
from glyphlab_grader.losses import MISSING, STAND_IN, STOPPED, UNSET

WITHHELD = "Output not shown: this cell ran after a test had."
HALVES = "def root(x):\n    return x / 2"


@pytest.fixture
def late(course: Course) -> Course:
    """The course with a test before the answer, whose output is withheld then."""
    source = course.source("tiny") / "T1.ipynb"
    notebook = nbformat.read(source, as_version=4)
    cells = {cell.id: cell for cell in notebook.cells}
    cells["four"].source = "assert math.sqrt(4) == 2"
    cells[
        "nine"
    ].source = "from glyphlab import checks\n\nchecks.close(root(10), 10 ** 0.5, 'the root of ten')"
    notebook.cells = [cells[name] for name in ("task", "setup", "four", "answer", "nine")]
    nbformat.write(notebook, source)
    course = open_course(course.root)
    generate(course, "tiny")
    return course


def feedback(course: Course, student: str) -> str:
    """The text of a student's page, in one line."""
    generate_feedback(course, "tiny", [student])
    page = (course.feedback(student, "tiny") / "T1.html").read_text(encoding="utf-8")
    bare = re.sub(r"<style.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(bare).split())


def test_every_error_that_stops_a_test_is_told() -> None:
    assert set(FAULT_ERRORS) == set(get_args(FaultKind)) - {"score"}
    assert {*FAULT_ERRORS.values(), TEST_BROKEN_OFF, NOT_RUN, "MemoryError"} == set(STOPPED)
    assert TIMEOUT_ERROR in STOPPED


@pytest.mark.parametrize(
    ("answer", "told", "ended"),
    [
        ("raise ValueError('se' + 'cret')", UNSET, "It raised an exception."),
        ("while True: pass", UNSET, "It was stopped because it took too long."),
        ("import os; os._exit(0)", STOPPED["DeadKernelError"], "The process with your code ended"),
        ("def root(x):\n    raise SystemExit('se' + 'cret')", STOPPED["StudentProcessError"], ""),
        ("def root(x):\n    return bytes(2 ** 62)", STOPPED["MemoryError"], ""),
        ("def square(x):\n    return x", MISSING, ""),
        ("def root(x):\n    return round(x ** 0.5, 3)", ROUNDED, ""),
        ("def root(x):\n    print(x ** 0.5)", NOTHING, ""),
        (f"def root(x):\n    raise RuntimeError('root {WITHHELD_FUNCTION}')", STAND_IN, ""),
    ],
)
def test_another_reason_takes_the_misconception_s_place(
    late: Course, hand_in: Any, answer: str, told: str, ended: str
) -> None:
    hand_in("ada", answer)
    (outcome,) = grade_assignment(late, "tiny", Options(cell_timeout=2))
    assert outcome.score == 2.0
    assert [f.kind for f in outcome.faults if "not-nine" in f.message] == []
    text = feedback(late, "ada")
    assert f"0 of 3 points {told}" in text
    # The cell says in fixed words how it ended, and nothing else.
    assert (f"{WITHHELD} {ended}" in text) == bool(ended)
    assert "secret" not in text


def test_a_cell_that_was_added_tells_nothing_of_what_came_before(
    late: Course, hand_in: Any
) -> None:
    added = {"cell_type": "code", "id": "added", "metadata": {}, "outputs": []}
    added |= {"execution_count": None, "source": "if root: raise ValueError"}
    hand_in("ada", HALVES, edit=lambda data: data["cells"].append(added))
    grade_assignment(late, "tiny", Options(cell_timeout=5))
    text = feedback(late, "ada")
    assert WITHHELD in text
    assert "It raised an exception" not in text


def test_the_report_counts_only_who_had_the_misconception(late: Course, hand_in: Any) -> None:
    hand_in("ada", "def root(x):\n    return math.sqrt(x)")
    hand_in("bob", HALVES)
    hand_in("cy", "raise ValueError")
    hand_in("dan", "def root(x):\n    return round(x ** 0.5, 3)")
    grade_assignment(late, "tiny", Options(cell_timeout=5))
    assert main(["report", "tiny"]) == 0
    report = json.loads((late.work / "reports" / "tiny.json").read_text())
    (row,) = report["misconceptions"]
    assert (row["misconception"], row["students"], row["looked"]) == ("not-nine", ["bob"], 2)
