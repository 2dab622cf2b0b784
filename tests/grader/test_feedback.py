"""What a student sees: what was tested and why it matters, and nothing of the tests themselves."""

import html
import itertools
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from browser import Browser

from glyphlab.checks import ACCEPTED, ROUNDED
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course, open_course
from glyphlab_grader.cycle.feedback import generate_feedback
from glyphlab_grader.cycle.generate import generate
from glyphlab_grader.feedback import FeedbackExporter
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.grading import Options, grade_assignment

COURSE = """
title: Tiny
book_url: https://book.example/course
publish_solutions: true
seed: null
points: 5
sections:
  roots: {title: Roots, page: book/roots, label: sec-roots}
objectives:
  root: {text: take a root, section: roots}
misconceptions:
  not-nine: {name: Halves, message: Half of nine is no root of it., objective: root}
assignments:
  tiny:
    title: Tiny
    chapter: book/roots
    exercises:
      T1: {title: One, objectives: [root], forbidden: []}
"""
# Right for four alone; remembers what it is called with, and prints it where no test looks.
SPY = """seen = []
def root(x):
    seen.append(x)
    print("called with", x)
    return x / 2"""
SECRETS = ["root(9)", "rootofnine", "root of nine", "AssertionError", "HIDDEN"]


@pytest.fixture
def page(course: Course, hand_in: Any) -> str:
    def spy(data: dict[str, Any]) -> None:
        late = {"cell_type": "code", "id": "late", "metadata": {}, "outputs": []}
        late |= {"execution_count": None, "source": "print('secretly', seen)"}
        data["cells"].append(late)
        early = dict(late, id="early", source="print('visible ' + '<script>')")
        data["cells"].insert(2, early)

    (course.root / "course.yml").write_text(COURSE)
    course = open_course(course.root)
    hand_in("ada", SPY, edit=spy)
    (outcome,) = grade_assignment(course, "tiny", Options(cell_timeout=5))
    assert outcome.score == 2.0
    assert generate_feedback(course, "tiny", ["ada", "nobody"]) == ["ada"]
    return (course.feedback("ada", "tiny") / "T1.html").read_text(encoding="utf-8")


def words(page: str) -> str:
    """The page's text, in one line."""
    bare = re.sub(r"<style.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(bare).split())


def test_feedback_helps_and_gives_nothing_away(page: str) -> None:
    text = words(page)
    assert "Feedback: One 2 of 5 points Your points" in text
    assert "Looked for: not-four ✓ Passed : 2 of 2 points" in text
    assert (
        "Looked for: Halves ✗ Not passed : 0 of 3 points Half of nine is no root of it. "
        "Read again: Roots ." in text
    )
    link = '<a href="https://book.example/course/book/roots.html#sec-roots">Roots</a>'
    assert link in page
    # The visible test is shown, the hidden one is not, nor its input that the student recorded.
    assert "assert root ( 4 ) == 2" in text
    for secret in SECRETS:
        assert secret not in page
        assert secret not in text.replace(" ", "")
    assert "visible" in text
    assert "secretly [" not in text
    assert "called with" not in text.replace('"called with"', "")
    assert "Output not shown: this cell ran after a test had." in text
    # The test of nine is hidden as a whole.
    assert "The test's code is not shown." in text


def test_the_table_names_each_part_and_adds_up(page: str) -> None:
    table = page[page.index("<table>") : page.index("</table>")]
    rows = [words(row) for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)]
    assert rows[1:] == ["not-four ✓ Passed 2 / 2", "Halves ✗ Not passed 0 / 3", "Together 2 / 5"]
    targets = re.findall(r'href="#([^"]+)"', table)
    assert targets == ["part-four", "part-nine"]
    assert all(f'id="{target}"' in page for target in targets)


def test_the_page_loads_nothing_and_runs_nothing(page: str) -> None:
    assert "default-src 'none'" in page
    assert page.index("Content-Security-Policy") < page.index("</head>")
    assert "<script" not in page
    # A link to the book is followed by whoever clicks it; nothing else names an address.
    assert not re.search(r"""<(?!a\s)[^>]*(?:src|href)=["']?(?:https?:)?//""", page)
    assert "@import" not in page


def test_headings_do_not_skip_a_level(page: str) -> None:
    levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


TEXT = r"""# A task

See [Roots](../../book/roots.md#sec-roots), [the notebook](T2.ipynb) and
[elsewhere](https://example.org/).

With $x \ge 0$:

$$\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}$$

<script>attack()</script>

A picture ![of mine](https://attack.example/x.png) and
$\text{<script>attack()</script>}$ $\href{javascript:attack()}{x}$
"""


SHOWN = r"""from IPython.display import Math, display
display(Math(r"\kappa \le 1"))"""


def feedback_page(course: Course, hand_in: Any, book: str | None = None) -> str:
    """The page on a notebook whose student added TEXT, with a part that a person reads."""

    def edit(data: dict[str, Any]) -> None:
        why = next(cell for cell in data["cells"] if cell["id"] == "why")
        why["source"] = "As $P < R$."
        added = {"cell_type": "markdown", "id": "added", "metadata": {}, "source": TEXT}
        shown = {"cell_type": "code", "id": "shown", "source": SHOWN, "outputs": []}
        data["cells"][:0] = [added, shown | {"metadata": {}, "execution_count": None}]

    if book is not None:
        with (course.root / "nbgrader_config.py").open("a") as config:
            config.write(f"c.TellLearner.book = {book!r}\n")
        course = open_course(course.root)
    hand_in("ada", "def root(x):\n    return x / 2", assignment="pair", name="P2", edit=edit)
    grade_assignment(course, "pair", Options(cell_timeout=5))
    generate_feedback(course, "pair", ["ada"])
    return (course.feedback("ada", "pair") / "P2.html").read_text(encoding="utf-8")


def test_formulas_are_drawn_and_links_lead_somewhere(course: Course, hand_in: Any) -> None:
    page = feedback_page(course, hand_in, "https://book.example/")
    assert "<mi>x</mi><mo>≥</mo><mn>0</mn>" in page
    assert page.count("<mtd>") == 4
    assert "<mi>P</mi><mo>&lt;</mo><mi>R</mi>" in page
    # An output that is a formula, too.
    assert "<mi>κ</mi><mo>≤</mo>" in page
    assert "$" not in words(page)
    assert '<a href="https://book.example/book/roots.html#sec-roots">Roots</a>' in page
    assert '<a href="https://example.org/">elsewhere</a>' in page
    # A notebook that does not lie beside the page is named, not linked.
    assert "the notebook" in page
    assert "T2.ipynb" not in page
    assert not re.search(r"<script|javascript:|attack\.example", page)
    assert "<h3>A task</h3>" in page


LENGTH = """class Length:
    def __float__(self):
        return 3 ** 0.5
def root(x):
    return 2 if x == 4 else Length()"""


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("def root(x):\n    return round(x ** 0.5, 3)", ROUNDED),
        (LENGTH, ACCEPTED),
        ("def root(x):\n    return x / 2", "Half of nine is no root of it."),
    ],
)
def test_the_form_of_an_answer_is_not_told_as_a_misconception(
    course: Course, hand_in: Any, answer: str, told: str
) -> None:
    (course.root / "course.yml").write_text(COURSE)
    source = course.source("tiny") / "T1.ipynb"
    notebook = nbformat.read(source, as_version=4)
    nine = next(cell for cell in notebook.cells if cell.id == "nine")
    nine.source = """from glyphlab import checks

### BEGIN HIDDEN TESTS
checks.close(root(3), 3 ** 0.5, "the root of three")
### END HIDDEN TESTS"""
    nbformat.write(notebook, source)
    course = open_course(course.root)
    generate(course, "tiny")
    hand_in("ada", answer)
    (outcome,) = grade_assignment(course, "tiny", Options(cell_timeout=5))
    assert outcome.score == 2.0
    generate_feedback(course, "tiny", ["ada"])
    text = words((course.feedback("ada", "tiny") / "T1.html").read_text(encoding="utf-8"))
    messages = {ROUNDED, ACCEPTED, "Half of nine is no root of it."}
    assert {message for message in messages if message in text} == {told}


def test_without_the_book_s_address_nothing_is_linked_in_vain(course: Course, hand_in: Any) -> None:
    page = feedback_page(course, hand_in, "")
    assert "See Roots, the notebook and" in words(page)
    assert re.findall(r'href="([^#][^"]*)"', page) == ["https://example.org/"]


def test_what_a_person_has_to_read_is_told(course: Course, hand_in: Any) -> None:
    text = words(feedback_page(course, hand_in))
    assert "2 of 10 points , and 5 more can come when a person has read the written part" in text
    assert "… Waits for a person : 0 of 5 points" in text
    with open_gradebook(course) as keeper:
        grade = keeper.gradebook.find_grade("why", "P2", "pair", "ada")
        grade.manual_score, grade.needs_manual_grade = 3.5, False
        comment = keeper.gradebook.find_comment("why", "P2", "pair", "ada")
        comment.manual_comment = "Say *which* is smaller. <script>attack()</script>"
        notebook = keeper.gradebook.find_submission_notebook("P2", "pair", "ada")
        notebook.late_submission_penalty = 1.5
        keeper.gradebook.db.commit()
    generate_feedback(course, "pair", ["ada"])
    page = (course.feedback("ada", "pair") / "P2.html").read_text(encoding="utf-8")
    text = words(page)
    assert "4 of 10 points Your points" in text
    assert "◐ Read by a person : 3.5 of 5 points" in text
    assert "Handed in late −1.5 Together 4 / 10" in text
    assert "Comment Say which is smaller." in text
    assert "more can come" not in text
    assert "<script" not in page


def test_a_written_part_that_was_left_as_it_was_was_read_by_nobody(
    course: Course, hand_in: Any
) -> None:
    hand_in("ada", "def root(x):\n    return x / 2", assignment="pair", name="P2")
    grade_assignment(course, "pair", Options(cell_timeout=5))
    generate_feedback(course, "pair", ["ada"])
    text = words((course.feedback("ada", "pair") / "P2.html").read_text(encoding="utf-8"))
    assert "– Left as it was : 0 of 5 points" in text
    assert "Read by a person" not in text


def test_nothing_is_logged_that_an_instructor_must_wonder_about(
    course: Course, hand_in: Any, caplog: pytest.LogCaptureFixture
) -> None:
    feedback_page(course, hand_in)
    caplog.clear()
    generate_feedback(course, "pair", ["ada"])
    told = [record.getMessage() for record in caplog.records if record.levelname != "INFO"]
    # That an older page is replaced is what was asked for.
    assert [line for line in told if not line.startswith("Removing existing assignment")] == []


def test_the_command_writes_it_where_asked(
    course: Course, hand_in: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ada")
    hand_in("bob").write_text("{")
    assert main(["tiny", "--feedback"]) == 1
    assert capsys.readouterr().out.endswith(
        "feedback: _grading/feedback/STUDENT/tiny/\nnext: nbgrader release_feedback tiny\n"
    )
    pages = sorted(path.parent.parent.name for path in course.work.glob("feedback/*/*/*.html"))
    assert pages == ["ada"]


def test_one_page_that_cannot_be_written_takes_nobody_else_s(
    course: Course,
    hand_in: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for student in ("ada", "bob", "carl"):
        hand_in(student)
    proper = FeedbackExporter.from_filename

    def from_filename(exporter: Any, filename: str, *args: Any, **options: Any) -> Any:
        if "/bob/" in filename:
            raise ValueError("no page")
        return proper(exporter, filename, *args, **options)

    monkeypatch.setattr(FeedbackExporter, "from_filename", from_filename)
    assert main(["tiny", "--feedback"]) == 1
    assert "feedback of tiny for bob: ValueError: no page" in capsys.readouterr().err
    pages = sorted(path.parent.parent.name for path in course.work.glob("feedback/*/*/*.html"))
    assert pages == ["ada", "carl"]


def test_the_browser_asks_for_nothing_and_has_room(
    course: Course, hand_in: Any, tmp_path: Path
) -> None:
    feedback_page(course, hand_in)
    address = (course.feedback("ada", "pair") / "P2.html").as_uri()
    with Browser() as browser:
        for width in (1280, 390):
            for dark in (False, True):
                view = browser.open(address, width=width, dark=dark)
                assert view.requested == [address]
                assert view.errors == []
                assert not browser.evaluate("document.documentElement.scrollWidth > innerWidth")
                assert browser.evaluate(FAINT) == []
        assert browser.evaluate("document.querySelectorAll('math').length") >= 3
        drawn = "[...document.querySelectorAll('math')].every(m => m.getBoundingClientRect().width)"
        assert browser.evaluate(drawn)


# Texts whose contrast with what is behind them is below WCAG's 4.5.
FAINT = """(() => {
  const channel = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const e of document.body.querySelectorAll("*")) {
    if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) faint.push(e.outerHTML.slice(0, 80));
  }
  return faint;
})()"""
