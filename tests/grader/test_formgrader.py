"""The page on which an instructor grades by hand: nothing of a student's runs in it.

Each attack is shown to work with nbgrader's own settings first, in the HTML that a browser gets.
"""

import html
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import bleach
import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import InvalidNotebook, MarkdownWithMath
from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension
from traitlets.config import Config

from glyphlab_grader.bounds import MOST_MARKDOWN, OFTEN
from glyphlab_grader.course import Course

SCRIPT = "<script>attack()</script>"
HANDLER = "<img src='x' onerror='attack()'>"
LINK = "<a href='javascript:attack()'>more</a>"
REMOTE = "<img src='https://attack.example/x.png'>"
FORM = "<form action='https://attack.example'><input name='attack'></form>"
FRAME = "<iframe src='https://attack.example'></iframe>"
STYLE = "<style>.score::after { content: 'attack' }</style>"
BUTTON = "<span class='full-credit attack'>read on</span>"
FIELD = "<b id='explanation' class='score attack'>x</b>"


class Dangers(HTMLParser):
    """Collects what runs, loads or pretends, where it bears the attack's name."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        self.found += [f"{tag} {name}" for name, value in attrs if "attack" in (value or "")]

    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style") and "attack" in data:
            self.found.append(self._inside)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""


def page(config: Config, *cells: Any) -> str:
    """Show cells as the formgrader does."""
    extension = FormgradeExtension()
    merged = Config(config)
    merged.merge(extension.build_extra_config())
    place = dict.fromkeys(("assignment_id", "notebook_id", "submission_id", "student"), "x")
    place |= {"index": 0, "total": 1, "base_url": "", "notebook_path": "x"}  # type: ignore[dict-item]
    notebook = nbformat.v4.new_notebook(cells=list(cells))
    text, _ = HTMLExporter(config=merged).from_notebook_node(notebook, resources=place)
    return str(text)


def dangers(text: str) -> list[str]:
    parser = Dangers()
    parser.feed(text)
    return parser.found


def written(text: str) -> Any:
    marks = {"grade": True, "grade_id": "why", "points": 5, "solution": True, "locked": False}
    return nbformat.v4.new_markdown_cell(
        text, metadata={"nbgrader": {**marks, "schema_version": 3, "task": False}}
    )


def shown(kind: str, text: str) -> Any:
    output = nbformat.v4.new_output("display_data", {kind: text})
    return nbformat.v4.new_code_cell("1", outputs=[output])


ATTACKS = {
    **{
        f"{where}: {what}": make(text)
        for what, text in {
            "script": SCRIPT,
            "handler": HANDLER,
            "link": LINK,
            "remote picture": REMOTE,
            "form": FORM,
            "frame": FRAME,
            "style": STYLE,
            "button": BUTTON,
            "field": FIELD,
        }.items()
        for where, make in {
            "written answer": written,
            "text of the student's own": nbformat.v4.new_markdown_cell,
            "HTML output": lambda text: shown("text/html", text),
            "Markdown output": lambda text: shown("text/markdown", text),
        }.items()
    },
    "a Markdown link": written("[more](javascript:attack())"),
    "a Markdown picture": written("![x](https://attack.example/x.png)"),
    "a heading": written(f"# {SCRIPT}"),
    "a script as output": shown("application/javascript", "attack()"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_of_a_student_runs_in_the_instructor_s_browser(course: Course, attack: str) -> None:
    cell = ATTACKS[attack]
    assert dangers(page(Config(), cell)), "the attack does not work where nothing defends"
    assert dangers(page(course.app.config, cell)) == []


@pytest.mark.parametrize("make", [written, lambda text: shown("text/markdown", text)])
def test_a_picture_that_is_not_there_leaves_its_words(course: Course, make: Any) -> None:
    cell = make("See ![the *curve*](attachment:b.svg).")
    with pytest.raises(InvalidNotebook, match="missing attachment"):
        page(Config(), cell)
    assert "See the <em>curve</em>." in page(course.app.config, cell)


FLOODS = {
    "a long text": "word " * 10_000,
    "tags that nobody closes": "<div>" * 4000,
    "lists": "<ul>" * 4000,
    "tags that others close": "<b><i></b>" * 1900,
    "environments": "\\begin{a}" * 2000,
}
MAKERS: dict[str, Callable[[str], Any]] = {
    "written answer": written,
    "HTML output": lambda text: shown("text/html", text),
    "Markdown output": lambda text: shown("text/markdown", text),
}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What reaches the libraries."""
    found: list[str] = []

    def noting(proper: Callable[..., str], place: int) -> Callable[..., str]:
        def call(*arguments: Any, **options: Any) -> str:
            found.append(arguments[place])
            return proper(*arguments, **options)

        return call

    monkeypatch.setattr(bleach, "clean", noting(bleach.clean, 0))
    monkeypatch.setattr(MarkdownWithMath, "render", noting(MarkdownWithMath.render, 1))
    return found


@pytest.mark.parametrize("where", MAKERS)
@pytest.mark.parametrize("what", FLOODS)
def test_what_takes_too_long_to_read_is_shown_as_it_was_written(
    course: Course, read: list[str], what: str, where: str
) -> None:
    flood = FLOODS[what] * (5 if where == "HTML output" else 1)
    text = page(course.app.config, MAKERS[where](f"{flood}end"))
    assert not any(flood in part for part in read)
    assert "end</pre>" in text
    if where != "HTML output":
        assert f"<pre>{html.escape(flood)}end</pre>" in text


def test_many_texts_take_no_longer_than_a_few(course: Course, read: list[str]) -> None:
    text = page(course.app.config, *[written("qwertz " * 2500) for _ in range(60)])
    assert sum(map(len, read)) < 3 * MOST_MARKDOWN
    assert text.count("qwertz ") >= 60 * 2499


def test_a_picture_is_shown_a_few_times(course: Course, read: list[str]) -> None:
    picture = "iVBOR" * 20_000
    pasted = written("![x](attachment:a.png) " * 300)
    pasted["attachments"] = {"a.png": {"image/png": picture}}
    named = written(f"[a]: data:image/png;base64,{picture}\n\n" + "![x][a] " * 300)
    text = page(course.app.config, pasted, named)
    assert text.count(picture) == 2 * OFTEN
    assert not any(picture in part for part in read)


def test_long_honest_answers_are_shown_as_ever(course: Course) -> None:
    picture = "iVBOR" * 100_000
    rows = f"<tr><th>0</th>{'<td>      0.123456</td>' * 25}</tr>" * 60
    text = page(
        course.app.config,
        written(f"A plot:\n\n![x](data:image/png;base64,{picture})\n\n" + "*word* " * 1000),
        shown("text/html", f"<div><table><tbody>{rows}</tbody></table></div>"),
        nbformat.v4.new_code_cell("x = f(1)\n" * 400),
    )
    assert f'src="data:image/png;base64,{picture}"' in text
    assert text.count("<em>word</em>") == 1000
    assert text.count("<td>") == 60 * 25
    assert "&lt;span" not in text


def test_a_flood_of_colours_loses_them(course: Course) -> None:
    def printed(text: str) -> str:
        output = nbformat.v4.new_output("stream", name="stdout", text=text)
        cell = nbformat.v4.new_code_cell("1", outputs=[output])
        return page(course.app.config, cell).partition("output_stdout")[2]

    assert printed("\x1b[31mred").count('class="ansi-red-fg"') == 1
    flood = printed("\x1b[31m\x1b[42mx<" * 5000)
    assert "x&lt;" * 5000 in flood
    assert "ansi-red-fg" not in flood


def test_what_an_instructor_reads_is_still_there(course: Course) -> None:
    picture = {"pasted.png": {"image/png": "iVBORw0KGgo="}}
    answer = written("## Why\n\nAs **P < R**, $P<R$:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`x`")
    pasted = written("![x](attachment:pasted.png)")
    pasted["attachments"] = picture
    table = (
        "<table><thead><tr><th>class</th></tr></thead><tbody><tr><td>0</td></tr></tbody></table>"
    )
    text = page(course.app.config, answer, pasted, shown("text/html", table))
    for part in (
        "<h2>Why",
        "<strong>P &lt; R</strong>",
        "<mi>P</mi><mo>&lt;</mo><mi>R</mi>",
        "<td>2</td>",
        "<code>x</code>",
        'src="data:image/png;base64,iVBORw0KGgo="',
        "<th>class</th>",
    ):
        assert part in text, part
    assert not re.search(r"&lt;(p|h2|table|strong|math)&gt;", text)
    # The page asks no other host for anything.
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", text)
