"""What a student sees: what was tested and why it matters, and nothing of the tests themselves."""

import re
from pathlib import Path
from typing import Any

import pytest

from glyphlab_grader.course import Course, open_course
from glyphlab_grader.cycle.feedback import generate_feedback
from glyphlab_grader.grading import Options, grade_assignment

COURSE = """
title: Tiny
publish_solutions: true
seed: null
points: 5
sections:
  roots: {title: Roots, page: book/roots, label: sec-roots}
objectives:
  root: {text: take a root, section: roots}
misconceptions:
  not-nine: {name: Halves, message: Half of nine is no root of it., objective: root}
assignments:
  tiny:
    title: Tiny
    chapter: book/roots
    exercises:
      T1: {title: One, objectives: [root], forbidden: []}
"""
# Right for four alone; remembers what it is called with, and prints it where no test looks.
SPY = """seen = []
def root(x):
    seen.append(x)
    print("called with", x)
    return x / 2"""
SECRETS = ["root(9)", "root of nine", "AssertionError", "HIDDEN"]


@pytest.fixture
def page(course: Course, hand_in: Any) -> str:
    def spy(data: dict[str, Any]) -> None:
        late = {"cell_type": "code", "id": "late", "metadata": {}, "outputs": []}
        late |= {"execution_count": None, "source": "print('secretly', seen)"}
        data["cells"].append(late)
        early = dict(late, id="early", source="print('visible ' + '<script>')")
        data["cells"].insert(2, early)

    (course.root / "course.yml").write_text(COURSE)
    course = open_course(course.root)
    hand_in("ada", SPY, edit=spy)
    (outcome,) = grade_assignment(course, "tiny", Options(cell_timeout=5))
    assert outcome.score == 2.0
    assert generate_feedback(course, "tiny", ["ada", "nobody"]) == ["ada"]
    return (course.feedback("ada", "tiny") / "T1.html").read_text(encoding="utf-8")


def test_feedback_helps_and_gives_nothing_away(page: str) -> None:
    text = re.sub(r"<style.*?</style>|<[^>]*>", "", page, flags=re.DOTALL)
    assert "Score: 2.0 / 5.0" in text
    assert "Passed: 2 of 2 points." in text
    assert "Not passed: 0 of 3 points." in text
    assert "What was looked at: Halves." in text
    assert "Half of nine is no root of it." in text
    link = '<a href="../../../../_build/book/_build/html/book/roots.html#sec-roots">Roots</a>'
    assert link in page
    # The visible test is shown, the hidden one is not, nor its input that the student recorded.
    assert "assert root(4) == 2" in text
    for secret in SECRETS:
        assert secret not in text
    assert "visible" in text
    assert "secretly [" not in text
    assert "called with" not in text.replace('print("called with"', "")
    assert "Output not shown: this cell ran after a test had." in text


def test_the_page_loads_nothing_and_runs_nothing(page: str) -> None:
    assert "default-src 'none'" in page
    assert page.index("Content-Security-Policy") < page.index("</head>")
    assert "<script" not in page
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)
    assert "@import" not in page


def test_the_stubs_that_stand_for_tests_say_so(page: str, tmp_path: Path) -> None:
    # The test of nine is hidden as a whole.
    assert "The tests are not shown." in re.sub("<[^>]*>", "", page)
