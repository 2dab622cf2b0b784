"""No page asks another host for anything: scanned in the files, and watched in a browser."""

import html.parser
import re
from pathlib import Path

import pytest
from book_builds import pages_of_the_book
from browser import Browser, serving

LOADING = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "object": ("data",),
    "embed": ("src",),
}
#: Links that a browser does not load.
NOT_LOADED = {"next", "prev", "index", "search", "canonical", "author", "copyright"}
ELSEWHERE = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
PAGES = [f"{name}.html" for name in pages_of_the_book()]
CHAPTERS = [page for page in PAGES if page.startswith("book/23_")]


class Loads(html.parser.HTMLParser):
    """Collects what a page loads, and counts its formulas."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.formulas = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.formulas += "math" in attributes.get("class", "").split()
        if tag == "link" and set(attributes.get("rel", "").split()) <= NOT_LOADED:
            return
        self.found += [attributes[name] for name in LOADING.get(tag, ()) if name in attributes]
        self.found += re.findall(r"url\(([^)]*)\)", attributes.get("style", ""))


def test_the_scan_sees_another_host() -> None:
    text = '<script src="https://example.org/a.js"></script><img src="//example.org/b">'
    assert [bool(ELSEWHERE.match(url)) for url in Loads(text).found] == [True, True]


def test_no_page_names_a_file_of_another_host(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) >= 5
    outside = {
        f"{page.relative_to(site)}: {url}"
        for page in pages
        for url in Loads(page.read_text(encoding="utf-8")).found
        if ELSEWHERE.match(url)
    }
    assert not outside


def test_no_stylesheet_names_a_file_of_another_host(site: Path) -> None:
    sheets = sorted(site.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        text = sheet.read_text(encoding="utf-8")
        urls = re.findall(r"url\(['\"]?([^)'\"]*)|@import\s+['\"]([^'\"]*)", text)
        outside = [url for pair in urls for url in pair if ELSEWHERE.match(url)]
        assert not outside, (sheet.name, outside)


def test_the_browser_sees_what_goes_wrong(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '<link rel="icon" href="data:,"><img src="http://example.org/a.png"><img src="absent.png">'
        "<script>absent()</script>"
    )
    with serving(tmp_path) as served:
        view = browser.open(f"{served}/page.html")
    assert "http://example.org/a.png" in view.requested
    assert f"{served}/absent.png" in view.failed
    assert "net::ERR_NAME_NOT_RESOLVED" in view.failed
    assert view.errors


def test_the_pages_opened_are_all_there_are(site: Path) -> None:
    built = [path.relative_to(site).as_posix() for path in site.glob("book/**/*.html")]
    assert sorted(built) == sorted(PAGES)
    assert len(CHAPTERS) >= 2


@pytest.mark.parametrize("page", [*PAGES, "search.html?q=prevalence", "genindex.html"])
def test_a_page_needs_no_other_host(browser: Browser, address: str, page: str) -> None:
    view = browser.open(f"{address}/{page}")
    assert len(view.requested) > 5
    outside = [url for url in view.requested if not url.startswith((address, "data:"))]
    assert outside == []
    assert view.failed == []
    assert view.errors == []


@pytest.mark.parametrize("page", PAGES)
def test_every_formula_is_drawn(browser: Browser, address: str, site: Path, page: str) -> None:
    browser.open(f"{address}/{page}")
    formulas = Loads((site / page).read_text(encoding="utf-8")).formulas
    assert browser.evaluate("document.querySelectorAll('mjx-container > svg').length") == formulas
    assert browser.evaluate("document.querySelectorAll('[data-mml-node=merror]').length") == 0
    assert formulas > 100 or page not in CHAPTERS


#: Formulas whose picture leaves its box, or is drawn over its number.
CUT_FORMULAS = """
[...document.querySelectorAll('div.math')].filter(box => {
  const picture = box.querySelector('mjx-container > svg')?.getBoundingClientRect()
  const number = box.querySelector('.eqno')?.getBoundingClientRect()
  if (!picture || !picture.width) return false
  const over = number && picture.right > number.left && picture.bottom > number.top
  return picture.right > box.getBoundingClientRect().right + 1 || over
}).map(box => box.id)
"""
OPEN_ALL = "document.querySelectorAll('details').forEach(fold => { fold.open = true })"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page", CHAPTERS)
def test_no_formula_is_cut_off(browser: Browser, address: str, page: str, width: int) -> None:
    browser.open(f"{address}/{page}", width=width)
    browser.evaluate(f"{OPEN_ALL}; new Promise(done => setTimeout(done, 300))")
    assert browser.evaluate(CUT_FORMULAS) == []


@pytest.mark.parametrize("width", [390, 320])
@pytest.mark.parametrize("page", [*PAGES, "genindex.html", "prf-prf.html"])
def test_a_narrow_window_does_not_scroll_sideways(
    browser: Browser, address: str, page: str, width: int
) -> None:
    browser.open(f"{address}/{page}", width=width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_formula_in_the_text_fits_a_narrow_phone(
    browser: Browser, address: str, page: str
) -> None:
    browser.open(f"{address}/{page}", width=320)
    browser.evaluate(f"{OPEN_ALL}; new Promise(done => setTimeout(done, 300))")
    cut = """[...document.querySelectorAll('span.math mjx-container > svg')].filter((picture) => {
        const box = picture.closest('td, th') || picture.getBoundingClientRect().width === 0
        return !box && picture.getBoundingClientRect().right > document.documentElement.clientWidth
    }).map((picture) => picture.closest('p, li, div').textContent.slice(0, 80))"""
    assert browser.evaluate(cut) == []


def test_the_search_works(browser: Browser, address: str) -> None:
    browser.open(f"{address}/search.html?q=prevalence")
    found = browser.evaluate("document.querySelector('#search-results').innerHTML")
    assert "23_1_confusion_matrix.html" in found
