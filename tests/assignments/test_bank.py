"""The bank of answers proves the tests: right answers pass, each wrong one fails where it says."""

import functools
from pathlib import Path

import nbformat
import pytest

from glyphlab_grader.release import bank, trial

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(ROOT.glob("solutions/*/*.ipynb"))
EXERCISES = [f"{path.parent.name}/{path.stem}" for path in NOTEBOOKS]

#: How many answers there are at least: right, wrong. Where functions are asked for, eight wrong
#: ones for each.
SIZES = {
    "ch23_1/F3": (10, 20),
    "ch23_1/F4": (4, 8),
    "ch23_1/F5": (4, 24),
    "ch23_2/F2": (4, 8),
    "ch23_2/F3": (10, 20),
    "ch23_2/F4": (4, 8),
    "ch23_2/F5": (4, 16),
}


@functools.cache
def solution(exercise):
    return nbformat.read(ROOT / "solutions" / f"{exercise}.ipynb", as_version=4)


@functools.cache
def answers(exercise):
    return {a.name: a for a in bank.answers(ROOT / "tests" / "answers" / exercise)}


@functools.cache
def outcome(exercise, name):
    return trial.run(bank.fill(solution(exercise), answers(exercise)[name]))


def names(kind):
    return [(e, name) for e in EXERCISES for name in answers(e) if name.startswith(kind)]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_instructors_answer_gets_every_point(exercise):
    result = trial.run(solution(exercise))
    assert result.errors == {}
    assert result.failed == frozenset()
    assert result.results


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_untouched_notebook_runs_and_gets_nothing(exercise):
    released = nbformat.read(ROOT / "exercises" / f"{exercise}.ipynb", as_version=4)
    stubs = {c.id: c.source for c in released.cells if c.metadata.nbgrader.solution}
    untouched = bank.Answer(Path("stub"), "untouched", False, frozenset(), stubs, {})
    result = trial.run(bank.fill(solution(exercise), untouched))
    assert result.errors == {}
    told_otherwise = {
        f"{exercise} {r.cell}: {r.message}"
        for r in result.results
        if not r.message.startswith("AssertionError")
    }
    assert told_otherwise == set()
    assert result.score == 0
    assert len(result.failed) == len(result.results)


@pytest.mark.parametrize(("exercise", "name"), names("right"))
def test_a_right_answer_gets_every_point(exercise, name):
    faults = {r.cell: r.message for r in outcome(exercise, name).results if r.message}
    assert faults == {}


@pytest.mark.parametrize(("exercise", "name"), names("wrong"))
def test_a_wrong_answer_fails_the_tests_it_names_and_no_other(exercise, name):
    assert outcome(exercise, name).failed == answers(exercise)[name].fails


@pytest.mark.parametrize("exercise", EXERCISES)
def test_no_test_can_be_spared(exercise):
    """For each test some answer would have every point without it."""
    alone = {
        next(iter(failed))
        for name in answers(exercise)
        if len(failed := outcome(exercise, name).failed) == 1
    }
    graded = {r.misconception for r in trial.run(solution(exercise)).results}
    assert graded - alone == set()


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_bank_is_large_enough(exercise):
    right, wrong = SIZES.get(exercise, (4, 5))
    kinds = [name.split("/")[0] for name in answers(exercise)]
    assert kinds.count("right") >= right
    assert kinds.count("wrong") >= wrong


def test_every_folder_of_answers_has_its_exercise():
    folders = {str(p.relative_to(ROOT / "tests/answers")) for p in ROOT.glob("tests/answers/*/*")}
    assert folders == set(EXERCISES)


def test_the_table_shows_every_test_caught():
    rows = [line.strip("|").split("|") for line in bank.table(ROOT).splitlines()[2:]]
    graded = sum(len(trial.run(solution(exercise)).results) for exercise in EXERCISES)
    assert len(rows) == graded
    assert {row[0].strip() for row in rows} == set(EXERCISES)
    assert all(int(row[6]) >= int(row[7]) >= 1 for row in rows)
    assert sum(int(row[1] or 0) for row in rows if row[1].strip()) == len(names("right"))
    assert sum(int(row[2] or 0) for row in rows if row[2].strip()) == len(names("wrong"))


# ------------------------------------------------------------------ the tools themselves


def write(tmp_path, kind, text):
    path = tmp_path / kind / "answer.py"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("right", "# %% function\npass\n", "does not say what the answer is"),
        ("wrong", "# a note\n# %% function\npass\n", "has a line '# fails: …'"),
        ("right", "# a note\n# fails: x\n# %% function\npass\n", "has a line '# fails: …'"),
        ("right", "# a note\n# %% f\npass\n# %% f\npass\n", "two sections '# %% f'"),
        ("right", "# a note\n# with: nothing\n", "with: there is no nothing.py"),
    ],
)
def test_an_answer_that_is_not_in_form_is_refused(tmp_path, kind, text, message):
    with pytest.raises(ValueError, match=message):
        bank.read(write(tmp_path, kind, text))


def test_an_answer_is_read_by_its_sections(tmp_path):
    text = "# first\n# second\n# fails: a b\n# fails: c\n\n# %% f\nx = 1\n\n# %% + f\ny = 2\n"
    answer = bank.read(write(tmp_path, "wrong", text))
    assert answer.note == "first second"
    assert answer.fails == {"a", "b", "c"}
    assert answer.cells == {"f": "x = 1"}
    assert answer.added == {"f": ("y = 2",)}


def test_an_answer_takes_in_sections_that_it_shares(tmp_path):
    (tmp_path / "shared").mkdir()
    shared = tmp_path / "shared" / "base.py"
    shared.write_text("# what it is\n\n# %% f\nx = 0\n\n# %% g\nz = 3\n\n# %% + f\ny = 2\n")
    answer = bank.read(write(tmp_path, "right", "# a note\n# with: base\n\n# %% f\nx = 1\n"))
    assert answer.note == "a note"
    assert answer.cells == {"f": "x = 1", "g": "z = 3"}
    assert answer.added == {"f": ("y = 2",)}


def test_an_answer_for_a_cell_that_is_none_is_refused():
    answer = bank.Answer(Path("x"), "note", True, frozenset(), {"axes": "pass"}, {})
    with pytest.raises(ValueError, match="'axes' is not an answer cell"):
        bank.fill(solution("ch23_1/F3"), answer)


def test_what_is_handed_in_keeps_the_released_tests():
    exercise = "ch23_1/F3"
    released = nbformat.read(ROOT / "exercises" / f"{exercise}.ipynb", as_version=4)
    handed_in = bank.submission(
        solution(exercise), released, answers(exercise)["right/helper_cells"]
    )
    code = "\n".join(cell.source for cell in handed_in.cells if cell.cell_type == "code")
    assert "HIDDEN" not in code
    assert "YOUR CODE HERE" not in code
    assert [c.id for c in handed_in.cells if c.id.startswith("added")]


def graded(source):
    cell = nbformat.v4.new_code_cell(source, id="test")
    cell.metadata = nbformat.from_dict(
        {
            "nbgrader": {"grade": True, "solution": False, "points": 2, "grade_id": "test"},
            "glyphlab": {"misconception": "m"},
        }
    )
    return nbformat.v4.new_notebook(cells=[cell])


@pytest.mark.parametrize(
    ("source", "score"),
    [
        ("pass", 2),
        ("print('a word')", 2),
        ("assert False, 'no'", 0),
        ("raise SystemExit", 0),
        ("this is no Python", 0),
        ("import sys; print('x', file=sys.stderr)", 0),
        ("import warnings; warnings.warn('x')", 0),
        ("from glyphlab import checks\nwith checks.quiet():\n    import warnings, sys\n"
         "    warnings.warn('x'); print(1, file=sys.stderr)", 2),
    ],
)  # fmt: skip
def test_a_test_cell_scores_as_under_nbgrader(source, score):
    assert trial.run(graded(source)).score == score
