"""A course's seed changes what is hidden and nothing that learners get."""

import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from glyphlab_grader.course import open_course
from glyphlab_grader.cycle import generate as cycle
from glyphlab_grader.release import bank, generate, trial
from glyphlab_grader.release.leaks import HIDDEN
from glyphlab_grader.release.variants import draw

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(ROOT.glob("solutions/*/*.ipynb"))
DRAWN = [path for path in NOTEBOOKS if "the course's seed" in path.read_text(encoding="utf-8")]


def name(path):
    return f"{path.parent.name}/{path.stem}"


def read(path):
    return nbformat.read(path, as_version=4)


def outside(cell):
    return re.sub(rf"{HIDDEN[0]}.*?{HIDDEN[1]}", "", cell.source, flags=re.DOTALL)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_every_draw_is_hidden_and_can_be_set(path):
    notebook = read(path)
    for before, after in zip(notebook.cells, draw(notebook, 7).cells, strict=True):
        assert outside(before) == outside(after)
        assert "default_rng(0)" not in after.source if "course's seed" in before.source else True
    assert draw(notebook, None) == notebook
    assert draw(notebook, 7) == draw(notebook, 7)
    assert (draw(notebook, 7) != draw(notebook, 8)) == (path in DRAWN)


def test_every_exercise_that_asks_for_a_function_draws():
    asking = {
        path
        for path in NOTEBOOKS
        for cell in read(path).cells
        if cell.metadata.nbgrader.solution and re.search(r"^def \w+\(.*\n    \"", cell.source, re.M)
    }
    assert sorted(asking) == DRAWN
    for path in DRAWN:
        drawing = [c.id for c in read(path).cells if "the course's seed" in c.source]
        assert len(drawing) >= 6, path


def test_the_release_is_the_same_and_the_kept_tests_are_not(tmp_path):
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    text = (ROOT / "course.yml").read_text(encoding="utf-8")
    assert text.count("\nseed: null\n") == 1
    (tmp_path / "course.yml").write_text(text.replace("\nseed: null\n", "\nseed: 7\n"))
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    stored = {
        path.name: path.read_text(encoding="utf-8")
        for path in (ROOT / "exercises/ch23_1").iterdir()
    }
    assert generate.generate(tmp_path, "ch23_1") == stored

    course = open_course(tmp_path)
    cycle.generate(course, "ch23_1")
    with Gradebook(course.database, course.course_id) as gradebook:
        kept = gradebook.find_source_cell("axes", "F3", "ch23_1").source
    drawn = next(
        c for c in draw(read(ROOT / "solutions/ch23_1/F3.ipynb"), 7).cells if c.id == "axes"
    )
    assert kept == drawn.source
    assert "default_rng(0)" not in kept


@pytest.mark.check_all
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("path", DRAWN, ids=name)
def test_the_bank_proves_every_variant(path, seed):
    notebook = draw(read(path), seed)
    assert trial.run(notebook).failed == frozenset()
    for answer in bank.answers(ROOT / "tests" / "answers" / name(path)):
        assert trial.run(bank.fill(notebook, answer)).failed == answer.fails, answer.name
