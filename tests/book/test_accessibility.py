"""axe-core finds nothing on any page, light or dark, folded or opened."""

from pathlib import Path
from typing import Any

import pytest
from accessible_theme import MENDS, mend
from book_builds import pages_of_the_book
from browser import Browser, serving

AXE = (Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
#: The book's pages and those that Sphinx makes.
PAGES = [f"{name}.html" for name in pages_of_the_book()]
PAGES += ["genindex.html", "py-modindex.html", "prf-prf.html", "search.html?q=prevalence"]
OPEN_ALL = """
document.querySelectorAll('details').forEach(fold => { fold.open = true });
document.querySelectorAll('.toggle-hidden').forEach(fold => fold.classList.remove('toggle-hidden'));
"""
RUN = f"""
axe.run(document, {{runOnly: {TAGS}, resultTypes: ['violations']}}).then(found =>
  found.violations.flatMap(rule =>
    rule.nodes.map(node => [rule.id, node.target.join(' '), node.failureSummary])))
"""


def violations(browser: Browser, url: str, *, dark: bool = False, width: int = 1280) -> Any:
    """What axe-core finds on a page, with everything unfolded."""
    browser.open(url, dark=dark, width=width, still=True)
    browser.evaluate(f"{AXE}; 0")
    browser.evaluate(f"{OPEN_ALL}; new Promise(done => setTimeout(done, 300))")
    return browser.evaluate(RUN)


def test_axe_sees_what_is_wrong(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '<html lang="en"><title>Bad</title><link rel="icon" href="data:,"><main><h1>Bad</h1>'
        '<img src="data:,"><p style="color: #999">Pale</p><button></button></main></html>'
    )
    with serving(tmp_path) as served:
        found = {rule for rule, _, _ in violations(browser, f"{served}/page.html")}
    assert found == {"image-alt", "color-contrast", "button-name"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_no_violation(browser: Browser, address: str, page: str, scheme: str) -> None:
    assert violations(browser, f"{address}/{page}", dark=scheme == "dark") == []
    seen = browser.evaluate("document.documentElement.dataset.theme")
    assert seen == scheme


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("book/23_")])
def test_a_chapter_has_no_violation_on_a_phone(browser: Browser, address: str, page: str) -> None:
    assert violations(browser, f"{address}/{page}", width=390) == []


def test_every_mend_is_still_needed(site: Path) -> None:
    """A mend without a trace on any page mends something that the theme no longer writes."""
    pages = [path.read_text(encoding="utf-8") for path in site.rglob("*.html")]
    assert all(mend(page) == page for page in pages)
    traces = ("search-button-field", ' aria-hidden="true">', "<summary>", 'role="listitem"')
    traces += ('search-dialog" aria-label', 'primary-sidebar-modal" aria-label')
    traces += ('secondary-sidebar-modal" aria-label', 'aria-current="page"')
    assert len(traces) == len(MENDS)
    for trace in traces:
        assert any(trace in page for page in pages), trace
