"""What `make bench` writes says where we are behind."""

from pathlib import Path

import pytest


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from benchmarks import measure, report

    return measure, report


def task(measure):
    return measure.Task(
        title="Work",
        base_name="a sum",
        base=lambda: sum(range(20_000)),
        ways=[
            measure.Way("GlyphLab", lambda: sum(range(60_000))),
            measure.Way("once", lambda: [0] * 1_000_000, rounds=1, traced=False),
        ],
        error=lambda result: 0.0 if isinstance(result, int) else 1.0,
        error_name="error",
        ratio=4,
        megabytes=8,
        accuracy=1e-9,
    )


def test_each_way_is_measured(bench):
    measure, _ = bench
    ours, once = measure.measure(task(measure))
    assert (ours.name, once.name) == ("GlyphLab", "once")
    assert ours.ratio > 0
    assert ours.megabytes is not None
    assert once.megabytes is None
    assert (ours.error, once.error) == (0, 1)


@pytest.mark.parametrize(
    ("ours", "peer", "said"),
    [
        ((3.0, 1.0, 0.0), 5.0, ["Everything wanted is met."]),
        (
            (3.0, 1.0, 0.0),
            2.0,
            ["Everything wanted is met.", "Faster than ours** (3): Work: peer (2)"],
        ),
        ((4.5, 1.0, 0.0), 5.0, ["Behind what is wanted**: Work: time 4.5 in place of at most 4."]),
        ((3.0, 9.0, 0.0), 5.0, ["megabytes 9 in place of at most 8"]),
        ((3.0, 1.0, 1e-7), 5.0, ["error 1e-7 in place of at most 1e-9"]),
    ],
)
def test_the_verdict(bench, ours, peer, said):
    measure, report = bench
    rows = [
        measure.Row("GlyphLab", ours[0], 1.0, ours[1], ours[2]),
        measure.Row("peer", peer, 1.0, None, 0.0),
    ]
    verdict = report.verdict([(task(measure), rows)])
    for text in said:
        assert text in verdict
    assert ("Behind" in verdict) != ("Everything" in verdict)


def test_the_table_and_the_figure_show_every_row(bench):
    measure, report = bench
    rows = [measure.Row("GlyphLab", 3.0, 1.0, 0.5, 0.0), measure.Row("peer", 50.0, 2.0, None, 1e-5)]
    tables = [(task(measure), rows)] * 2
    table = report.table(*tables[0])
    assert "| GlyphLab | 3 | 1 | 0.5 | 0 |" in table
    assert "| peer | 50 | 2 | – | 1e-5 |" in table
    assert "GlyphLab 3, peer 50" in report.figure(tables)
    panels = report.draw(tables).axes
    assert [len(ax.get_yticks()) for ax in panels] == [2, 2]
