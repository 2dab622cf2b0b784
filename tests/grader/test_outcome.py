import json
from pathlib import Path

import pytest

from glyphlab_grader.errors import GraderError
from glyphlab_grader.outcome import FAULT_KINDS, Fault, Outcome, write_outcomes

TEST = Fault("four", "test", "0 of 2 points")
RAISED = Fault("answer", "raised", "ValueError: no")
KEYS = ["student", "notebook", "outcome", "score", "max_score", "faults", "run", "seconds",
        "awaiting", "outdated"]  # fmt: skip


def test_a_failed_test_is_no_fault_of_the_run() -> None:
    assert Outcome.graded("ada", "F3", 3.0, 5.0, [TEST], "r", 1.0).outcome == "graded"


def test_a_notebook_that_was_not_handed_in_is_neither_graded_nor_failed() -> None:
    missing = Fault(None, "missing", "not handed in")
    outcome = Outcome.graded("ada", "F3", 0.0, 5.0, [missing], "r", 1.0)
    assert (outcome.outcome, outcome.score) == ("absent", 0.0)


@pytest.mark.parametrize("kind", sorted(set(FAULT_KINDS) - {"test", "missing"}))
def test_anything_else_is(kind: str) -> None:
    faults = [TEST, Fault(None, kind, "something")]
    assert Outcome.graded("ada", "F3", 3.0, 5.0, faults, "r", 1.0).outcome == "faults"


def test_failed_has_no_score_and_graded_has_one() -> None:
    assert Outcome.failed("ada", "F3", 5.0, [RAISED], "r", 1.0).score is None
    with pytest.raises(ValueError, match="failed submission cannot have the score 0"):
        Outcome("ada", "F3", "failed", 0.0, 5.0, (), "r", 1.0)
    with pytest.raises(ValueError, match="graded submission cannot have the score None"):
        Outcome("ada", "F3", "graded", None, 5.0, (), "r", 1.0)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"kind must be one of test, raised.*got 'odd'"):
        Fault(None, "odd", "?")


def test_the_file_is_a_list_of_the_promised_objects(tmp_path: Path) -> None:
    outcomes = [
        Outcome.graded("ada", "F3", 3.0, 5.0, [TEST, RAISED], "r", 1.5),
        Outcome.failed("bob", "F3", None, [RAISED], "r", 0.0),
    ]
    path = tmp_path / "outcomes.json"
    path.write_text("old")
    write_outcomes(path, outcomes)
    data = json.loads(path.read_text())
    assert [list(item) for item in data] == [KEYS, KEYS]
    assert data[0]["faults"][0] == {"cell": "four", "kind": "test", "message": "0 of 2 points"}
    assert data[1]["score"] is None
    assert [Outcome.from_json(item) for item in data] == outcomes
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none" / "outcomes.json"
    with pytest.raises(GraderError, match=rf"cannot write {path}: No such file"):
        write_outcomes(path, [])
