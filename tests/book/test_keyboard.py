"""By keyboard and screen reader: every stop is named and seen, and no click loses the place."""

import base64
import io
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import matplotlib.image as mpimg
import numpy as np
import pytest
from browser import Browser

MATRIX, CALIBRATION = "book/23_1_confusion_matrix.html", "book/23_2_calibration.html"
SAID = "document.querySelector('body > .visually-hidden[role=status]').textContent"

#: Where the focus is, and what of it the window shows; null when it has been there before.
STOP = """(() => {
  const stop = document.activeElement
  if (!stop || stop === document.body || stop.dataset.walked) return null
  stop.dataset.walked = true
  stop.scrollIntoView({ block: 'center' })
  const box = stop.getClientRects()[0] ?? stop.getBoundingClientRect()
  const [left, right] = [Math.max(box.left - 6, 0), Math.min(box.right + 6, innerWidth)]
  const [top, bottom] = [Math.max(box.top - 6, 0), Math.min(box.bottom + 6, innerHeight)]
  const kind = [stop, stop.parentElement].map((e) => `${e.tagName}.${e.className}`)
  return { kind: kind.join(' in '), html: stop.outerHTML.slice(0, 150),
    clip: { x: left + scrollX, y: top + scrollY, width: right - left, height: bottom - top,
      scale: 1 } }
})()"""


#: Take the focus off, even where `accessible-theme.js` holds it; Tab goes on from there.
LEAVE = "HTMLElement.prototype.blur.call(document.activeElement)"


def stops(browser: Browser) -> Iterator[dict[str, Any]]:
    """Walk a page by Tab, from its start to its end."""
    browser.evaluate(
        "document.head.insertAdjacentHTML('beforeend',"
        "'<style>.tooltip { display: none !important } * { caret-color: transparent }</style>')"
    )
    for _ in range(1000):
        browser.press("Tab")
        stop = browser.evaluate(STOP)
        if stop is None:
            return
        yield stop


def picture(browser: Browser, clip: dict[str, float]) -> np.ndarray:
    data = base64.b64decode(browser.send("Page.captureScreenshot", clip=clip)["data"])
    return np.asarray(mpimg.imread(io.BytesIO(data)))[..., :3]


def ring(browser: Browser, clip: dict[str, float]) -> float:
    """How thick a line around the stop the pixels would be that its focus changes."""
    focused = picture(browser, clip)
    browser.evaluate(LEAVE)
    changed = np.abs(focused - picture(browser, clip)).max(axis=-1) > 0.1
    return float(changed.sum() / (2 * (clip["width"] + clip["height"])))


@pytest.mark.parametrize(
    ("page", "width"),
    [
        (MATRIX, 1280),
        (MATRIX, 390),
        (CALIBRATION, 390),
        ("book/23_2_beyond_one_temperature.html", 1280),
        ("book/reference/verification.html", 1280),
        ("book/reference/errata.html", 390),
        ("book/guides/contributor.html", 390),
    ],
)
def test_every_stop_of_the_tab_key_is_named_and_seen(
    browser: Browser, address: str, page: str, width: int
) -> None:
    browser.open(f"{address}/{page}", width=width, still=True)
    browser.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true })")
    nameless, unseen, looked_at, walked = [], [], Counter(), 0
    for stop in stops(browser):
        walked += 1
        if not browser.focused()["name"]["value"].strip():
            nameless.append(stop["html"])
        looked_at[stop["kind"]] += 1
        # Twice, because what is the first of its kind may stand elsewhere than the others.
        if looked_at[stop["kind"]] <= 2 and (seen := ring(browser, stop["clip"])) < 1:
            unseen.append(f"{seen:.2f} {stop['html']}")
    assert nameless == []
    assert unseen == []
    assert 15 < walked < 1000


def test_formulas_are_read_and_no_stops(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{MATRIX}")
    formulas = browser.evaluate("document.querySelectorAll('mjx-container').length")
    assert formulas > 100
    read = browser.evaluate("document.querySelectorAll('mjx-container > mjx-assistive-mml').length")
    assert read == formulas
    assert browser.evaluate("document.querySelectorAll('mjx-container[tabindex]').length") == 0


def activate(browser: Browser, selector: str) -> None:
    """Put the focus on a visible element and press Enter."""
    at = json.dumps(selector)
    browser.evaluate(
        f"document.querySelectorAll('[data-pressed]').forEach((e) => delete e.dataset.pressed);"
        f"(() => {{ const found = [...document.querySelectorAll({at})]"
        f".find((e) => e.checkVisibility()); found.dataset.pressed = true; found.focus() }})()"
    )
    browser.press("Enter")
    browser.evaluate("new Promise(done => setTimeout(done, 100))")


HELD = "'pressed' in document.activeElement.dataset"


@pytest.mark.parametrize("button", [".theme-switch-button", ".primary-toggle"])
def test_a_button_of_the_theme_keeps_the_focus(browser: Browser, address: str, button: str) -> None:
    browser.open(f"{address}/{MATRIX}")
    activate(browser, button)
    assert browser.evaluate(HELD)


def test_the_button_says_whether_the_sidebar_is_shown(browser: Browser, address: str) -> None:
    state = (
        "[document.querySelector('.primary-toggle').ariaExpanded,"
        " document.querySelector('#pst-primary-sidebar a').checkVisibility("
        "{ visibilityProperty: true })]"
    )
    browser.open(f"{address}/{MATRIX}", still=True)
    assert browser.evaluate(state) == ["true", True]
    for said, shown in (("false", False), ("true", True)):
        activate(browser, ".primary-toggle")
        browser.evaluate("new Promise(done => setTimeout(done, 400))")
        assert browser.evaluate(state) == [said, shown]
    browser.open(f"{address}/{MATRIX}", width=390)  # there it opens a dialog
    assert browser.evaluate(state)[0] is None


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page", [MATRIX, CALIBRATION, "book/reference/verification.html"])
def test_a_box_is_a_named_stop_where_it_scrolls_and_only_there(
    browser: Browser, address: str, page: str, width: int
) -> None:
    browser.open(f"{address}/{page}", width=width)
    boxes = """[...document.querySelectorAll('pre, .cell_output > .output, .table-scroll,'
        + ' .pst-scrollable-table-container')].filter((e) => e.checkVisibility()).map((e) => ({
        html: e.outerHTML.slice(0, 150),
        scrolls: e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight,
        stop: e.tabIndex === 0, named: e.role === 'region' && !!e.ariaLabel }))"""

    def check() -> None:
        found = browser.evaluate(boxes)
        assert [box for box in found if not box["scrolls"] == box["stop"] == box["named"]] == []
        assert any(not box["stop"] for box in found)
        assert width > 390 or any(box["stop"] for box in found)

    check()
    browser.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true })")
    browser.evaluate("new Promise(done => setTimeout(done, 500))")
    check()


@pytest.mark.parametrize("button", [".primary-toggle", ".secondary-toggle", ".search-button"])
def test_a_dialog_returns_the_focus(browser: Browser, address: str, button: str) -> None:
    browser.open(f"{address}/{MATRIX}", width=390)
    activate(browser, button)
    dialog = "document.querySelector('dialog[open]')"
    assert browser.evaluate(f"{dialog}.getAttribute('aria-label').length") > 4
    browser.press("Escape")
    browser.evaluate("new Promise(done => setTimeout(done, 100))")
    assert not browser.evaluate(f"!!{dialog}")
    assert browser.evaluate(HELD)


def test_reading_goes_on_where_a_drawer_led(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{CALIBRATION}", width=390)
    activate(browser, ".secondary-toggle")
    browser.evaluate(
        "document.querySelector('dialog[open] a[href=\"#decision-threshold-and-cost\"]').focus()"
    )
    browser.press("Enter")
    browser.evaluate("new Promise(done => setTimeout(done, 300))")
    assert not browser.evaluate("!!document.querySelector('dialog[open]')")
    browser.press("Tab")
    section = "document.getElementById('decision-threshold-and-cost')"
    assert browser.evaluate(f"{section}.contains(document.activeElement)")


def tap(browser: Browser, selector: str) -> None:
    """Click an element where it is drawn."""
    x, y = browser.evaluate(
        f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
        " e.scrollIntoView({ block: 'center' }); const b = e.getClientRects()[0];"
        " return [b.x + b.width / 2, b.y + b.height / 2] })()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        browser.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    browser.evaluate("new Promise(done => setTimeout(done, 300))")


@pytest.mark.parametrize(
    ("button", "link", "heading"),
    [
        (".secondary-toggle", "a[href='#decision-threshold-and-cost']", "Decision threshold"),
        (".primary-toggle", "a[href='#']", "23.2"),
    ],
)
def test_a_drawer_closes_when_a_place_of_this_page_is_tapped(
    browser: Browser, address: str, button: str, link: str, heading: str
) -> None:
    browser.open(f"{address}/{CALIBRATION}", width=390, still=True)
    activate(browser, button)
    tap(browser, f"dialog[open] {link}")
    assert not browser.evaluate("!!document.querySelector('dialog[open]')")
    on = browser.evaluate("document.activeElement.textContent.trim()")
    assert len(on) < 80
    assert heading in on
    assert 0 <= browser.evaluate("document.activeElement.getBoundingClientRect().top") < 150


def test_a_tap_on_a_solution_s_title_opens_it(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{CALIBRATION}", width=390, still=True)
    title = ".solution.toggle-hidden > .admonition-title"
    folded = browser.evaluate(f"document.querySelectorAll('{title}').length")
    tap(browser, f"{title} a")
    assert browser.evaluate(f"document.querySelectorAll('{title}').length") == folded - 1
    assert browser.evaluate("location.hash") == ""
    opened = ".solution.toggle:not(.toggle-hidden) > .admonition-title"
    name = browser.evaluate(f"document.querySelector('{opened}').ariaLabel")
    assert name.startswith("Solution to Exercise (F")
    assert "Click" not in name
    tap(browser, f"{opened} a")  # now it leads to the exercise and folds nothing
    assert browser.evaluate(f"document.querySelectorAll('{title}').length") == folded - 1
    assert browser.evaluate("location.hash") != ""


def test_definitions_and_exercises_are_headings(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{MATRIX}")
    found = browser.evaluate(
        "[...document.querySelectorAll('.admonition-title[role=heading]')].map((e) =>"
        " [e.textContent.trim(), Number(e.ariaLevel), Number(e.closest('section')"
        ".querySelector(':scope > :is(h1, h2, h3, h4, h5, h6)').tagName[1])])"
    )
    titles = " ".join(title for title, _, _ in found)
    for word in ("Definition 1", "Proposition 1", "Exercise (F1", "Solution to Exercise (F1"):
        assert word in titles
    assert all(level == above + 1 for _, level, above in found)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page", [MATRIX, "search.html?q=prevalence"])
def test_the_skip_link_leads_to_the_text(
    browser: Browser, address: str, page: str, width: int
) -> None:
    browser.open(f"{address}/{page}", width=width)
    browser.evaluate("document.querySelector('.skip-link a').focus()")
    browser.press("Enter")
    browser.press("Tab")
    text = "#main-content :is(article section, .bd-search-container)"
    assert browser.evaluate(f"!!document.activeElement.closest('{text}')")


def test_the_colour_mode_is_said(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{MATRIX}")
    said = []
    for _ in range(3):
        activate(browser, ".theme-switch-button")
        said.append(browser.evaluate(SAID))
        assert browser.focused()["name"]["value"] == said[-1]
    assert sorted(said) == ["Color mode: auto", "Color mode: dark", "Color mode: light"]


def test_a_copy_is_said_and_keeps_the_focus(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{MATRIX}")
    activate(browser, ".copybtn")
    assert browser.evaluate(HELD)
    assert browser.evaluate(SAID) == "Copied!"


def test_a_button_says_which_solution_it_opens(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{CALIBRATION}")
    names = "[...document.querySelectorAll('.toggle-button')].map((b) => b.ariaLabel)"
    closed = browser.evaluate(names)
    assert len(set(closed)) == len(closed) >= 5
    assert (
        "Click to show: Solution to Exercise (F2: a tie, and the limit of low temperature)"
        in closed
    )
    for name in closed:
        assert name.startswith("Click to show: ")
        assert len(name) > 22
    activate(browser, ".toggle-button")
    assert browser.evaluate(names)[0] == closed[0].replace("show", "hide")


def test_the_current_page_is_marked(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{CALIBRATION}")
    current = "[...document.querySelectorAll('#pst-primary-sidebar [aria-current=page]')]"
    assert browser.evaluate(f"{current}.map((a) => a.href.replace(/#$/, ''))") == [
        f"{address}/{CALIBRATION}"
    ]


def test_the_search_says_what_it_found(browser: Browser, address: str) -> None:
    browser.open(f"{address}/search.html?q=prevalence")
    assert "found" in browser.evaluate(
        "document.querySelector('.search-summary[role=status]').textContent"
    )


def test_who_asked_for_less_motion_gets_none(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{MATRIX}")
    moving = """[...document.querySelectorAll('*')].filter((e) => {
        const style = getComputedStyle(e), { transitionDuration, transitionProperty } = style
        return style.animationName !== 'none' || style.scrollBehavior !== 'auto'
            || (transitionProperty !== 'none' && !/^(0s(, )?)*$/.test(transitionDuration))
    }).length"""
    assert browser.evaluate(moving) > 0
    browser.open(f"{address}/{MATRIX}", still=True)
    assert browser.evaluate(moving) == 0
