"""The bank of answers through the sandbox: the same tests pass and fail as where it was written."""

import functools
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.utils import determine_grade, is_grade, is_solution

from glyphlab.course import load
from glyphlab_grader.execution import Execution, Grader
from glyphlab_grader.release import bank

ROOT = Path(__file__).parents[3]
COURSE = load(ROOT / "course.yml")
EXERCISES = [
    f"{name}/{notebook}"
    for name, assignment in COURSE.assignments.items()
    for notebook in assignment.exercises
]


@functools.cache
def solution(exercise: str) -> Any:
    return nbformat.read(ROOT / "solutions" / f"{exercise}.ipynb", as_version=4)


@functools.cache
def answers(exercise: str) -> dict[str, bank.Answer]:
    return {answer.name: answer for answer in bank.answers(ROOT / "tests" / "answers" / exercise)}


@functools.cache
def forbidden(exercise: str) -> tuple[str, ...]:
    assignment, _, notebook = exercise.partition("/")
    return tuple(COURSE.assignments[assignment].exercises[notebook].forbidden)


def failed(execution: Execution) -> set[str]:
    """The misconceptions whose tests did not get all of their points."""
    tests = [c for c in execution.notebook.cells if is_grade(c) and not is_solution(c)]
    graded = {c.metadata.glyphlab.misconception: determine_grade(c) for c in tests}
    return {name for name, (score, most) in graded.items() if score != most}


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_instructors_answer_gets_every_point(warm_grader: Grader, exercise: str):
    execution = warm_grader.run(solution(exercise), forbidden=forbidden(exercise))
    assert failed(execution) == set()
    assert execution.faults == []


SOME = [
    (exercise, name)
    for exercise in EXERCISES
    for kind in ("right", "wrong")
    for name in sorted(n for n in answers(exercise) if n.startswith(kind))[::8][:2]
]
ALL = [(exercise, name) for exercise in EXERCISES for name in answers(exercise)]


def check(grader: Grader, exercise: str, name: str) -> None:
    notebook = bank.fill(solution(exercise), answers(exercise)[name])
    execution = grader.run(notebook, forbidden=forbidden(exercise))
    assert failed(execution) == answers(exercise)[name].fails
    # The student's process ends well even where the answer is wrong.
    assert {fault.kind for fault in execution.faults} <= {"unfit"}


@pytest.mark.parametrize(("exercise", "name"), SOME)
def test_answers_are_graded_as_the_bank_says(warm_grader: Grader, exercise: str, name: str):
    check(warm_grader, exercise, name)


@pytest.mark.check_all
@pytest.mark.parametrize(("exercise", "name"), ALL)
def test_every_answer_is_graded_as_the_bank_says(warm_grader: Grader, exercise: str, name: str):
    check(warm_grader, exercise, name)
