"""A class of two hundred, with real sandboxes: killed twice on the way, and no larger than small.

`python -m benchmarks.killed` does the same with two thousand.
"""

import shutil
from pathlib import Path

import pytest

pytestmark = pytest.mark.check_all


def test_two_hundred_killed_twice_have_the_scores_of_an_undisturbed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from benchmarks.killed import KILLED_AT, grade, make_class, scores
    from benchmarks.made_class import KINDS

    kind, size = KINDS["numpy"], 200
    few, calm, disturbed = (tmp_path / name for name in ("few", "calm", "disturbed"))
    make_class(few, kind, 10)
    make_class(calm, kind, size)
    shutil.copytree(calm, disturbed)
    small = grade(few, kind, 2)
    run = grade(calm, kind, 2)
    parts = [grade(disturbed, kind, 2, int(share * size)) for share in KILLED_AT]
    rest = grade(disturbed, kind, 2)

    assert (small.graded, run.graded) == (10, size)
    # Each part did something; together hardly more than the class: what was under way when killed.
    assert all(part.graded for part in [*parts, rest])
    assert sum(part.graded for part in parts) + rest.graded <= size + 4
    wanted = scores(calm, kind)
    assert len(wanted) == size
    assert not any(score.ungraded for score in wanted.values())
    assert len({score.score for score in wanted.values()}) > 1
    assert scores(disturbed, kind) == wanted
    # Outcomes are kept for the closing table; nothing else grows with the class.
    assert run.peak < small.peak + 16 * 2**20
