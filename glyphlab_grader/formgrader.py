"""What a student wrote, made harmless for the instructor's browser.

The formgrader shows texts and outputs of students on a page of the instructor's own Jupyter server:
a script in them could do whatever the instructor can, and a link or a button could pretend to be
the formgrader's. These filters stand in place of nbconvert's in ``c.HTMLExporter.filters``, with
``c.HTMLExporter.sanitize_html`` on.
"""

from typing import Any

import bleach
from jinja2 import pass_context
from nbconvert.exporters import HTMLExporter

__all__ = ["clean_html", "markdown2html"]

_TAGS = frozenset(
    {
        *("a", "abbr", "b", "code", "del", "em", "i", "kbd", "s", "samp", "span", "strong"),
        *("sub", "sup", "u", "br", "hr", "img", "p", "pre", "div", "blockquote"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "dl", "dt", "dd", "li", "ol", "ul"),
        *("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "details", "summary"),
    }
)
_ATTRIBUTES = frozenset({"align", "alt", "colspan", "height", "rowspan", "title", "width"})
# A picture from elsewhere would tell its host that the instructor is reading.
_PICTURES = ("data:image/png;", "data:image/jpeg;", "data:image/gif;")

_exporter: Any = HTMLExporter(exclude_anchor_links=True)  # type: ignore[no-untyped-call]


def clean_html(element: object) -> str:
    """Return HTML without scripts, styles, ids, classes, forms, and pictures from elsewhere.

    Parameters
    ----------
    element : str or bytes
        HTML of a stranger.

    Returns
    -------
    str
        HTML; tags that are not allowed are left out, their text stays.

    Examples
    --------
    >>> clean_html("<p id='score' onclick='x()'>5 <b>of</b> 5</p>")
    '<p>5 <b>of</b> 5</p>'
    """
    text = element.decode(errors="replace") if isinstance(element, bytes) else str(element)
    protocols = {"http", "https", "mailto", "data"}
    return str(bleach.clean(text, _TAGS, _allowed, protocols=protocols, strip=True))


@pass_context
def markdown2html(context: Any, source: str) -> str:
    """Turn a student's Markdown into HTML as nbconvert does, and clean it."""
    return clean_html(_exporter.markdown2html(context, source))


def _allowed(tag: str, name: str, value: str) -> bool:
    if tag == "img" and name == "src":
        return value.startswith(_PICTURES)
    if tag == "a" and name == "href":
        return not value.lower().startswith("data:")
    return name in _ATTRIBUTES
