"""Mend what the theme, and the HTML writer under it, do to a screen reader.

What axe-core finds on a page and the book did not write is put right here, in the finished files:

- a control whose accessible name leaves out its visible text loses the label, so that the text is
  the name, and icons that stand in a named button say no name of their own (WCAG 2.5.3);
- a bibliography says ``role="list"`` of an element whose children are no list items, and gives each
  entry a role that WAI-ARIA 1.2 has withdrawn: both become list and list item (WCAG 1.3.1);
- a dialog gets a name (WCAG 4.1.2), and the navigation says which page is the current one.

A colour is mended in ``book.css``. What the theme's scripts make or do while a page is read is
mended in ``accessible-theme.js``, which every page loads: `tests/book/test_keyboard.py`.
`tests/book/test_accessibility.py` looks at every page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

#: What is written, and what stands there instead.
MENDS = [
    (r'(<button class="[^"]*search-button-field[^"]*"[^>]*?) aria-label="[^"]*"', r"\1"),
    (r'<i class="(theme-switch [^"]*)" data-mode="(\w+)"\s+title="[^"]*">',
     r'<i class="\1" data-mode="\2" aria-hidden="true">'),
    (r'<summary aria-label="Toggle hidden content">', "<summary>"),
    (r'(<div class="citation"[^>]*?) role="doc-biblioentry"', r'\1 role="listitem"'),
    (r'<dialog id="pst-search-dialog">', '<dialog id="pst-search-dialog" aria-label="Search">'),
    (r'<dialog id="pst-primary-sidebar-modal">',
     '<dialog id="pst-primary-sidebar-modal" aria-label="Pages of the book">'),
    (r'<dialog id="pst-secondary-sidebar-modal">',
     '<dialog id="pst-secondary-sidebar-modal" aria-label="Contents of this page">'),
    (r'<a class="current reference internal" href="#">',
     '<a class="current reference internal" href="#" aria-current="page">'),
]  # fmt: skip
_MENDS = [(re.compile(pattern), text) for pattern, text in MENDS]


def mend(page: str) -> str:
    """Return a page with every mend made; once more changes nothing."""
    for pattern, text in _MENDS:
        page = pattern.sub(text, page)
    return page


def mend_pages(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        if (mended := mend(page)) != page:
            path.write_text(mended, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_js_file("accessible-theme.js", loading_method="defer")
    app.connect("build-finished", mend_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
