"""The whole bank through the grader that learners meet: it must agree with the quick run."""

import itertools
import json
import shutil
from pathlib import Path

import nbformat
import pytest

from glyphlab import course as course_file
from glyphlab_grader import cli
from glyphlab_grader.course import open_course
from glyphlab_grader.cycle.generate import generate
from glyphlab_grader.release import bank

ROOT = Path(__file__).parents[2]
ASSIGNMENTS = list(course_file.load(ROOT / "course.yml").assignments)


def deserved(source, answer):
    """The points of the tests that an answer does not fail; the quick run has shown which."""
    tests = [
        cell.metadata
        for cell in source.cells
        if cell.metadata.nbgrader.grade and not cell.metadata.nbgrader.solution
    ]
    passed = [marks for marks in tests if marks.glyphlab.misconception not in answer.fails]
    return sum(marks.nbgrader.points for marks in passed)


@pytest.mark.check_all
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_grader_agrees_with_the_quick_run(assignment, tmp_path, monkeypatch):
    """Student number k hands in the k-th answer to each exercise."""
    for name in ("nbgrader_config.py", "course.yml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    course = open_course(tmp_path)
    generate(course, assignment)

    wanted = {}
    exercises = course.notebooks(assignment)
    banks = [bank.answers(ROOT / "tests" / "answers" / assignment / e) for e in exercises]
    for number, row in enumerate(itertools.zip_longest(*banks)):
        folder = course.submitted(f"student{number:03}", assignment)
        folder.mkdir(parents=True)
        for exercise, answer in zip(exercises, row, strict=True):
            if answer is None:
                continue
            source = nbformat.read(course.source(assignment) / f"{exercise}.ipynb", as_version=4)
            given = nbformat.read(course.release(assignment) / f"{exercise}.ipynb", as_version=4)
            filled = bank.submission(source, given, answer)
            nbformat.write(filled, folder / f"{exercise}.ipynb")
            key = (f"student{number:03}", exercise)
            wanted[key] = (answer.name, deserved(source, answer))

    monkeypatch.chdir(tmp_path)
    assert cli.main([assignment, "--json", "out.json"]) == 0
    outcomes = {(o["student"], o["notebook"]): o for o in json.loads(Path("out.json").read_text())}
    graded = {key: (name, outcomes[key]["score"]) for key, (name, _) in wanted.items()}
    assert graded == wanted
