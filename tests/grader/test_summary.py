"""The table that closes a run: counts, what waits for a person, nothing that a stranger formats."""

from glyphlab_grader.outcome import Fault, Outcome
from glyphlab_grader.summary import summary

TEST = Fault("four", "test", "0 of 2 points")
RAISED = Fault("answer", "raised", "ValueError: no")
CORRUPT = Fault(None, "corrupt", "T1.ipynb is empty")
MISSING = Fault(None, "missing", "T2.ipynb was not handed in and gets 0 points")


def made(student: str, score: float, faults: list[Fault], awaiting: float = 0.0) -> Outcome:
    return Outcome.graded(student, "T1", score, 10.0, faults, "r", 1.0, awaiting)


def test_each_outcome_is_counted_under_its_own_name() -> None:
    outcomes = [
        made("ada", 10, []),
        made("bob", 3, [RAISED, TEST]),
        made("cy", 0, [MISSING]),
        Outcome.failed("dan", "T1", 10.0, [CORRUPT], "r", 1.0),
    ]
    lines = summary(outcomes).splitlines()
    assert lines[-1] == "1 graded, 1 graded with faults, 1 not handed in, 1 failed"
    assert "answer: ValueError: no; 1 test lost points" in lines[3]
    assert lines[4].split("  ")[0] == "cy"
    assert "not handed in" in lines[4]
    assert "-/10" in lines[5]


def test_what_says_most_of_the_notebook_is_told_first() -> None:
    link = Fault(None, "link", "T9.ipynb is a symbolic link")
    own = Fault(None, "link", "T1.ipynb is a symbolic link")
    outcomes = [
        made("ada", 3, [link, RAISED, TEST]),
        made("bob", 0, [link, MISSING]),
        made("cy", 0, [own, MISSING]),
        Outcome.failed("dan", "T1", 10.0, [link, RAISED, CORRUPT], "r", 1.0),
    ]
    lines = summary(outcomes).splitlines()
    assert "answer: ValueError: no (and 1 more); 1 test lost points" in lines[2]
    assert "T2.ipynb was not handed in and gets 0 points (and 1 more)" in lines[3]
    assert "T1.ipynb is a symbolic link (and 1 more)" in lines[4]
    assert "T1.ipynb is empty (and 2 more)" in lines[5]


def test_points_that_await_a_person_are_told_each_and_together() -> None:
    text = summary([made("ada", 5, [], 5.0), made("bob", 3, [TEST], 2.5), made("cy", 10, [])])
    lines = text.splitlines()
    assert lines[2].endswith("5 points await a person")
    assert lines[3].endswith("1 test lost points; 2.5 points await a person")
    assert lines[-1] == "7.5 points await a person, in 2 notebooks: 0 until then"
    assert "await" not in summary([made("cy", 10, [])])
    (last,) = summary([made("ada", 9, [], 1.0)]).splitlines()[-1:]
    assert last == "1 point awaits a person, in 1 notebook: 0 until then"


def test_points_given_before_an_answer_changed_are_told_each_and_together() -> None:
    changed = Outcome.graded("ada", "T1", 9.0, 10.0, [], "r", 1.0, 0.0, 5.0)
    lines = summary([changed, made("bob", 9, [])]).splitlines()
    assert lines[2].endswith("5 points graded by hand before a change")
    assert lines[3].endswith("9/10")
    assert lines[-1].startswith("5 points graded by hand before a change: they count until")
