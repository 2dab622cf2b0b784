"""A class of twenty: five honest styles, ten misconceptions, five attacks. Every score is right.

What each student deserves is reckoned from what the bank's answers say of themselves and from the
points in the instructor's notebooks, not by anything that grades.
"""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from glyphlab_grader.cli import main
from glyphlab_grader.course import Course, open_course
from glyphlab_grader.cycle.generate import generate
from glyphlab_grader.release import bank

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT, EXERCISE = "ch23_1", "F3"

HONEST = ("loops", "einsum", "fractions", "torch_tensors", "helper_cells")
MISTAKEN = (
    *("rows_for_columns", "f1_first", "arithmetic_mean", "three_classes", "drops_undefined"),
    *("count_formula", "zero_by_default", "value_error_for_zero", "harmonic_of_macros"),
    "negative_any_error",
)
EQUAL = """class Equal(float):
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    def __sub__(self, other):
        return Equal(0)
    __rsub__ = __sub__
    __hash__ = None
    __array_priority__ = 1e9
def precision_recall_from_confusion(C, zero_division="omit"):
    return Equal(), Equal(), Equal()"""
PATCHED = """import builtins, sys
import numpy, numpy.testing
import glyphlab.checks
for module in (glyphlab.checks, numpy.testing, numpy):
    for name in ("close", "raises", "assert_allclose", "assert_array_equal", "allclose", "isnan"):
        if hasattr(module, name):
            setattr(module, name, lambda *args, **options: True)
builtins.AssertionError = type("AssertionError", (Warning,), {})
sys.excepthook = sys.settrace = lambda *args: None
get_ipython().events.register("post_run_cell", lambda result: print(100.0))
get_ipython().ast_transformers.append(type("Off", (), {"visit": lambda self, node: node})())
def precision_recall_from_confusion(C, zero_division="omit"):
    return None"""
ATTACKS: dict[str, tuple[str, set[str]]] = {
    # What stands in the first answer, and what its outcome has to tell.
    "exits": ("import os\n\nos._exit(0)", {"kernel_died"}),
    "endless": ("while True:\n    try:\n        while True: pass\n    except: pass", {"timeout"}),
    "equal": (EQUAL, set()),
    "patched": (PATCHED, set()),
}


def points(source: Any, fails: frozenset[str] = frozenset()) -> float:
    """Add up the tests that an answer with these misconceptions does not fail."""
    tests = [
        cell.metadata
        for cell in source.cells
        if cell.metadata.nbgrader.grade and not cell.metadata.nbgrader.solution
    ]
    return float(
        sum(marks.nbgrader.points for marks in tests if marks.glyphlab.misconception not in fails)
    )


def written(source: Any) -> float:
    """Add up the parts that a person reads."""
    marks = [cell.metadata.nbgrader for cell in source.cells]
    return float(sum(m.points for m in marks if m.grade and m.solution))


class Class:
    """Twenty students in a course of their own."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.expected: dict[tuple[str, str], float] = {}
        names = course.notebooks(ASSIGNMENT)
        self.sources = {name: self._read(course.source(ASSIGNMENT), name) for name in names}
        self.released = {name: self._read(course.release(ASSIGNMENT), name) for name in names}

    def _read(self, folder: Path, name: str) -> Any:
        return nbformat.read(folder / f"{name}.ipynb", as_version=4)

    def answer(self, kind: str, name: str) -> bank.Answer:
        folder = ROOT / "tests" / "answers" / ASSIGNMENT / EXERCISE
        return bank.read(folder / kind / f"{name}.py")

    def hand_in(
        self,
        student: str,
        answer: bank.Answer,
        deserved: float,
        edit: Callable[[Any], None] = lambda notebook: None,
    ) -> None:
        """Hand in an answer to the exercise, and right ones to the others."""
        folder = self.course.submitted(student, ASSIGNMENT)
        folder.mkdir(parents=True)
        for name, source in self.sources.items():
            own = answer if name == EXERCISE else bank.Answer(
                Path("right"), "right", True, frozenset(), {}, {}
            )  # fmt: skip
            notebook = bank.submission(source, self.released[name], own)
            if name == EXERCISE:
                edit(notebook)
            nbformat.write(notebook, folder / f"{name}.ipynb")
            self.expected[student, name] = deserved if name == EXERCISE else points(source)


def take_the_tests_out(notebook: Any) -> None:
    """Delete hidden and visible tests but one, which is to give a thousand points untested."""
    tests = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade")]
    kept = tests[0]
    kept.source = "1000.0"
    kept.metadata.nbgrader.points = 1000
    kept.metadata.tags = ["skip-execution"]
    notebook.cells = [c for c in notebook.cells if c is kept or c not in tests]


@pytest.fixture
def twenty(tmp_path: Path) -> Class:
    for name in ("nbgrader_config.py", "course.yml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "solutions" / ASSIGNMENT, tmp_path / "solutions" / ASSIGNMENT)
    course = open_course(tmp_path)
    generate(course, ASSIGNMENT)
    made = Class(course)
    source = made.sources[EXERCISE]
    for name in HONEST:
        made.hand_in(f"honest-{name}", made.answer("right", name), points(source))
    for name in MISTAKEN:
        answer = made.answer("wrong", name)
        assert answer.fails
        made.hand_in(f"mistaken-{name}", answer, points(source, answer.fails))
    stubs = {c.id: c.source for c in made.released[EXERCISE].cells if c.metadata.nbgrader.solution}
    first = next(iter(stubs))
    for name, (code, _) in ATTACKS.items():
        cells = stubs | {first: code}
        attack = bank.Answer(Path(name), name, False, frozenset(), cells, {})
        made.hand_in(f"attack-{name}", attack, 0.0)
    wrong = made.answer("wrong", "rows_for_columns")
    made.hand_in("attack-tests-out", wrong, points(source, wrong.fails), take_the_tests_out)
    assert len({student for student, _ in made.expected}) == 20
    return made


@pytest.mark.check_all
def test_every_score_is_right(twenty: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(twenty.course.root)
    assert main([ASSIGNMENT, "--timeout", "10", "--json", "outcomes.json"]) == 0
    outcomes = {
        (o["student"], o["notebook"]): o for o in json.loads(Path("outcomes.json").read_text())
    }
    assert {place: o["score"] for place, o in outcomes.items()} == twenty.expected
    assert {name: outcomes["honest-loops", name]["awaiting"] for name in twenty.sources} == {
        name: written(source) for name, source in twenty.sources.items()
    }

    told = {
        student: {fault["kind"] for fault in outcome["faults"]} - {"test"}
        for (student, name), outcome in outcomes.items()
        if name == EXERCISE
    }
    for name in HONEST:
        assert told[f"honest-{name}"] == set()
    for name in MISTAKEN:
        assert told[f"mistaken-{name}"] == set()
    for name, (_, kinds) in ATTACKS.items():
        assert kinds <= told[f"attack-{name}"]
    assert {"deleted", "retagged", "altered"} <= told["attack-tests-out"]

    # The names of the failed tests are the misconceptions that the bank names; where the form of a
    # value is at fault, that is told instead.
    for name in MISTAKEN:
        lost = {
            fault["message"].split(": ")[1]
            for fault in outcomes[f"mistaken-{name}", EXERCISE]["faults"]
        }
        fails = twenty.answer("wrong", name).fails
        assert lost == fails or (name == "drops_undefined" and lost - {"AssertionError"} < fails)

    with Path("_grading/grades.csv").open() as table:
        rows = {row["student_id"]: row for row in csv.DictReader(table)}
    for student, row in rows.items():
        own = [score for (who, _), score in twenty.expected.items() if who == student]
        assert float(row["score"]) == sum(own)
        assert row["ungraded"] == ""
    assert len(rows) == 20
