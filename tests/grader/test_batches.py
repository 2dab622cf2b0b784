"""What executors are handed: text, and nothing that is done twice."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from glyphlab_grader import batches
from glyphlab_grader.batches import pack, run_batch, unpack
from glyphlab_grader.outcome import Fault
from glyphlab_grader.pools import Pool
from glyphlab_grader.submission import Request, Result


@pytest.fixture
def requests(tmp_path: Path) -> list[Request]:
    (tmp_path / "scratch").mkdir()
    folder = str(tmp_path)
    first = Request(
        folder, "tiny", "s0", "T1", folder, folder, folder, {"four": ("x", None)}, "", ""
    )
    return [
        replace(
            first,
            student=f"s{number}",
            executed=str(tmp_path / "scratch" / f"{number}.ipynb"),
            log=str(tmp_path / "logs" / f"s{number}" / "T1.log"),
        )
        for number in range(3)
    ]


def test_a_batch_that_is_run_again_grades_only_what_was_not_done(
    requests: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def grade(request: Request, seconds: float) -> Result:
        ran.append(request.student)
        if ran == ["s0", "s1"]:
            raise SystemExit("the worker is lost")
        assert (request.stored, seconds) == ({"four": ["x", None]}, 9.0)
        return Result("failed", [Fault(None, "corrupt", request.student)], {"a": None}, seconds=0.5)

    monkeypatch.setattr(batches, "run_submission", grade)
    text = pack(requests, 9.0)
    with pytest.raises(SystemExit):
        run_batch(text)
    results = unpack(run_batch(text))
    assert ran == ["s0", "s1", "s1", "s2"]
    assert [result.faults[0].message for result in results] == ["s0", "s1", "s2"]
    assert results[0] == Result("failed", [Fault(None, "corrupt", "s0")], {"a": None}, seconds=0.5)


def test_what_nobody_waits_for_is_not_graded(
    requests: list[Request], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def grade(request: Request, seconds: float) -> Result:
        raise AssertionError("graded")

    monkeypatch.setattr(batches, "run_submission", grade)
    (tmp_path / "scratch").rmdir()
    assert json.loads(run_batch(pack(requests, 9.0))) == []


def test_a_task_holds_more_the_larger_the_class_and_leaves_nobody_idle() -> None:
    pool = Pool(None, slots=2, largest_batch=20)  # type: ignore[arg-type]
    assert [pool.batch(n) for n in (0, 1, 15, 32, 100, 10_000)] == [1, 1, 1, 2, 6, 20]
