"""The class report: its numbers from a class whose answers are known, and its page."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from glyphlab_grader import batches
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course
from glyphlab_grader.outcome import Fault
from glyphlab_grader.report.items import analyse_items, distribution
from glyphlab_grader.submission import Request, Result

# Points of the tests "four" (2) and "nine" (3), and what was told, by student.
CLASS: dict[str, tuple[float, float, list[Fault]]] = {
    "ada": (2.0, 3.0, []),
    "bob": (2.0, 0.0, [Fault("nine", "deleted", "put back")]),
    "<b>eve</b> & co": (0.0, 0.0, []),
    "joe": (0.0, 0.0, []),
    "kim": (2.0, 3.0, []),
    "lee": (2.0, 0.0, [Fault("answer", "timeout", "too long")]),
    "tim": (0.0, 3.0, [Fault(None, "renamed", "handed in as 'tim smith.ipynb'")]),
}


@pytest.fixture
def graded(course: Course, hand_in: Any, monkeypatch: pytest.MonkeyPatch) -> Course:
    def instead(request: Request, seconds: float) -> Result:
        if request.student == "zoe":
            return Result(
                "failed", [Fault(None, "corrupt", "not a notebook of zoe's")], seconds=9.5
            )
        four, nine, faults = CLASS[request.student]
        Path(request.executed).write_text("{}")
        return Result("executed", faults, {"four": four, "nine": nine}, seconds=four + 0.25)

    monkeypatch.setattr(batches, "run_submission", instead)
    for student in [name for name in CLASS if name.isalpha()] + ["zoe"]:
        hand_in(student)
    assert main(["tiny"]) == 1
    return course


def read(course: Course) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((course.work / "reports" / "tiny.json").read_text())
    return found


def test_the_numbers(graded: Course) -> None:
    assert main(["report", "tiny"]) == 0
    report = read(graded)
    # ada 5, bob 2, joe 0, kim 5, lee 2, max 3.
    assert report["students"] == 7
    assert report["outcomes"] == {"graded": 3, "faults": 3, "absent": 0, "failed": 1}
    total = report["total"]
    assert (total["count"], total["mean"], total["median"]) == (6, 17 / 6, 2.5)
    assert [b["count"] for b in total["bins"]] == [1, 0, 0, 0, 2, 0, 1, 0, 0, 2]
    four, nine = report["tests"]
    assert (four["test"], four["passed"], four["graded"]) == ("four", 4, 6)
    assert (nine["test"], nine["passed"], nine["pass_rate"]) == ("nine", 3, 0.5)
    assert (nine["mean_share"], nine["misconception"]) == (0.5, "not-nine")
    # Of six, 2 pass both, 1 none, 2 only "four", 1 only "nine": phi = (2·1 − 2·1)/… = 0.
    assert four["discrimination"] == pytest.approx(0, abs=1e-12)
    # Not joe, who got nothing, nor lee, who ran out of time.
    assert report["misconceptions"] == [
        {
            "misconception": f"not-{test}",
            "title": f"not-{test}",
            "met": 1,
            "looked": 4,
            "share": 0.25,
            "students": [student],
        }
        for test, student in (("four", "tim"), ("nine", "bob"))
    ]
    assert {row["kind"]: row["students"] for row in report["repairs"]} == {
        "deleted": ["bob"],
        "renamed": ["tim"],
    }
    assert report["slow"][0] == {"student": "zoe", "notebook": "T1", "seconds": 9.5}
    assert report["failed"] == [
        {
            "student": "zoe",
            "notebook": "T1",
            "kind": "corrupt",
            "message": "not a notebook of zoe's",
        }
    ]
    assert {row["student"] for row in report["changes"]} == {*filter(str.isalpha, CLASS), "zoe"}
    assert all(row["before"] is None for row in report["changes"])


def test_points_that_wait_for_a_person_are_told_with_the_mean(
    course: Course, hand_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def instead(request: Request, seconds: float) -> Result:
        Path(request.executed).write_text("{}")
        grades: dict[str, float | None] = {"four": 2.0, "nine": 3.0}
        written = {"why": None} if request.notebook == "P2" else {}
        return Result("executed", [], grades | written)

    monkeypatch.setattr(batches, "run_submission", instead)
    for student in ("ada", "bob"):
        for name in ("P1", "P2"):
            hand_in(student, assignment="pair", name=name)
    assert main(["pair"]) == 0
    assert main(["report", "pair"]) == 0
    total = json.loads((course.work / "reports" / "pair.json").read_text())["total"]
    assert (total["awaiting"], total["awaiting_points"], total["mean"]) == (2, 5.0, 10.0)
    told = "2 of 2 still have parts that a person grades, up to 5 points each; these count 0"
    assert told in (course.work / "reports" / "pair.html").read_text()


def test_what_the_last_run_changed(graded: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    path = graded.submitted("bob", "tiny") / "T1.ipynb"
    path.write_text(path.read_text() + "\n")
    monkeypatch.setitem(CLASS, "bob", (2.0, 3.0, []))
    assert main(["tiny"]) == 1
    assert main(["report", "tiny"]) == 0
    # zoe failed again, as before; the others were not graded again.
    assert read(graded)["changes"] == [
        {
            "student": "bob",
            "notebook": "T1",
            "before": {"outcome": "faults", "score": 2.0},
            "now": {"outcome": "graded", "score": 5.0},
        }
    ]


def test_pseudonyms_name_nobody_and_stay_the_same(graded: Course) -> None:
    assert main(["report", "tiny", "--pseudonyms"]) == 0
    first = read(graded)
    texts = [(graded.work / "reports" / f"tiny.{kind}").read_text() for kind in ("json", "html")]
    for text in texts:
        for student in [*filter(str.isalpha, CLASS), "zoe", "smith"]:
            assert not re.search(rf"\b{student}\b", text), student
    (who,) = first["misconceptions"][0]["students"]
    assert re.fullmatch(r"P-[0-9a-f]{10}", who)
    assert main(["report", "tiny", "--pseudonyms"]) == 0
    assert read(graded)["misconceptions"] == first["misconceptions"]
    assert (graded.work / "pseudonyms.key").stat().st_mode & 0o777 == 0o600


class Page(HTMLParser):
    """Collects what a page would load or run, and whether its tables have headings."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_stands_alone_and_shows_names_as_they_are(graded: Course, hand_in: Any) -> None:
    # A name that a folder can have and the grader refuses.
    graded.submitted("<b>eve<", "tiny").mkdir(parents=True)
    assert main(["report", "tiny"]) == 0
    text = (graded.work / "reports" / "tiny.html").read_text()
    page = Page(text)
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "b"}
    assert not any({"src", "href", "onclick"} & set(attrs) for _, attrs in page.tags)
    assert "url(" not in text
    assert "@import" not in text
    assert "&lt;b&gt;eve&lt;" in text
    assert ("html", {"lang": "en"}) in page.tags
    scopes = [attrs.get("scope") for tag, attrs in page.tags if tag == "th"]
    assert scopes
    assert set(scopes) == {"col", "row"}
    regions = [attrs for _, attrs in page.tags if attrs.get("role") == "region"]
    assert all(attrs["aria-label"] and attrs["tabindex"] == "0" for attrs in regions)


def test_nothing_graded_yet(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "tiny"]) == 2
    assert "nothing to report: run `glyphlab-grade tiny` first" in capsys.readouterr().err
    assert main(["report", "ch99"]) == 2
    assert main(["report"]) == 2
    assert not list((course.work / "reports").glob("*"))


def test_discrimination_by_hand() -> None:
    """Five students, three items; the second against the rest: (3, 5, 0, 2, 3)."""
    rows = [(3, 2, 0), (3, 2, 2), (0, 0, 0), (0, 2, 2), (3, 0, 0)]
    scores = [dict(zip("abc", map(float, row), strict=True)) for row in rows]
    found = {row["test"]: row for row in analyse_items({"a": 3.0, "b": 2.0, "c": 2.0}, scores)}
    # Means 6/5 and 13/5; sums of products 4.4, of squares 4.8 and 13.2.
    assert found["b"]["discrimination"] == pytest.approx(4.4 / (4.8 * 13.2) ** 0.5, rel=1e-12)
    assert (found["a"]["passed"], found["a"]["pass_rate"]) == (3, 0.6)
    assert found["c"]["mean_share"] == pytest.approx(0.4)


@pytest.mark.parametrize("scores", [[], [{"a": 1.0, "b": 1.0}], [{"a": 1.0, "b": 0.0}] * 3])
def test_no_discrimination_where_nothing_varies(scores: list[dict[str, float]]) -> None:
    assert [row["discrimination"] for row in analyse_items({"a": 1.0, "b": 1.0}, scores)] == [
        None,
        None,
    ]


def test_scores_on_edges_and_beyond() -> None:
    found = distribution([0.0, 0.1, 0.3, 0.6, 0.7, 1.0, 1.2, -0.5], 1.0)
    assert [b["count"] for b in found["bins"]] == [2, 1, 0, 1, 0, 0, 1, 1, 0, 2]
