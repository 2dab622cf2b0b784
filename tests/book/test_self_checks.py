"""Self-checks: what is chosen is answered at once, by mouse and by keyboard."""

import html.parser
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from book_builds import pages_of_the_book
from browser import Browser

CHAPTERS = [f"{name}.html" for name in pages_of_the_book() if name.startswith("book/23_")]

STATE = """() => [...document.querySelectorAll('.self-check')].map((check) => ({
    question: check.querySelector('.admonition-title').textContent,
    options: check.querySelectorAll('[role=radiogroup] label input').length,
}))"""


class Options(html.parser.HTMLParser):
    """The options' verdicts, question by question, as the site has them before any script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.verdicts: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        names = (attributes.get("class") or "").split()
        if "self-check" in names:
            self.verdicts.append([])
        if "check-option" in names:
            self.verdicts[-1].append(attributes["data-verdict"] or "")


def visible(browser: Browser, check: int) -> list[str]:
    found: list[str] = browser.evaluate(
        f"[...document.querySelectorAll('.self-check')[{check}].querySelectorAll('.check-reason')]"
        ".filter((r) => r.getClientRects().length).map((r) => r.textContent.trim())"
    )
    return found


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_option_has_its_own_answer(
    browser: Browser, address: str, site: Path, page: str
) -> None:
    verdicts = Options((site / page).read_text(encoding="utf-8")).verdicts
    view = browser.open(f"{address}/{page}")
    assert view.errors == []
    checks: list[dict[str, Any]] = browser.evaluate(f"({STATE})()")
    assert len(checks) >= 3
    for i, check in enumerate(checks):
        assert check["options"] >= 3, check["question"]
        assert visible(browser, i) == []
        answers = []
        for j in range(check["options"]):
            browser.evaluate(
                f"document.querySelectorAll('.self-check')[{i}].querySelectorAll('input')[{j}]"
                ".click(); new Promise(done => setTimeout(done))"
            )
            (answer,) = visible(browser, i)
            verdict = verdicts[i][j]
            assert answer.startswith({"right": "Right. ", "wrong": "Not so. "}[verdict])
            assert len(answer) > 30
            answers.append((verdict, answer))
        assert len(set(answers)) == len(answers)
        assert [verdict for verdict, _ in answers].count("right") == 1
        assert len(answers) == len(verdicts[i])
    assert len(checks) == len(verdicts)


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_choice_by_keyboard(browser: Browser, address: str, page: str) -> None:
    browser.open(f"{address}/{page}")
    browser.evaluate("document.querySelector('.self-check input').focus()")
    browser.press("ArrowDown")
    assert browser.evaluate("document.querySelectorAll('.self-check input')[1].checked")
    assert visible(browser, 0) == []  # passed by, perhaps
    browser.press(" ")
    (meant,) = visible(browser, 0)
    browser.press("ArrowUp")
    assert visible(browser, 0) == []
    browser.evaluate("new Promise(done => setTimeout(done, 3000))")
    (rested_on,) = visible(browser, 0)
    assert rested_on != meant
    role = "document.querySelector('.self-check .check-answer').getAttribute('role')"
    assert browser.evaluate(role) == "status"
    name = (
        "document.getElementById(document.querySelector('.self-check [role=radiogroup]')"
        ".getAttribute('aria-labelledby')).textContent.length"
    )
    assert browser.evaluate(name) > 10


def _plain(text: str) -> str:
    """Without spaces, and without the italics that are letters of their own."""
    return "".join(unicodedata.normalize("NFKC", text).split())


@pytest.mark.parametrize("page", CHAPTERS)
def test_an_option_is_named_with_its_formulas(browser: Browser, address: str, page: str) -> None:
    browser.open(f"{address}/{page}")
    options = browser.evaluate(
        "[...document.querySelectorAll('.self-check label')].map((label) =>"
        " [...label.querySelectorAll('mjx-assistive-mml')].map((one) => one.textContent))"
    )
    for i, formulas in enumerate(options):
        browser.evaluate(f"document.querySelectorAll('.self-check label input')[{i}].focus()")
        name = _plain(browser.focused()["name"]["value"])
        for formula in formulas:
            assert _plain(formula) in name, (page, name)


def test_paper_shows_every_reason(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{CHAPTERS[0]}")
    browser.send("Emulation.setEmulatedMedia", media="print")
    shown = len(visible(browser, 0))
    browser.send("Emulation.setEmulatedMedia", media="")
    assert shown >= 3


def test_the_right_option_is_not_always_the_same_one(site: Path) -> None:
    places = {
        verdicts.index("right")
        for page in CHAPTERS
        for verdicts in Options((site / page).read_text(encoding="utf-8")).verdicts
    }
    assert len(places) >= 3
