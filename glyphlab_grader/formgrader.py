"""What a student wrote, made harmless for a browser: the instructor's and the student's own.

The formgrader shows texts and outputs of students on a page of the instructor's own Jupyter server:
a script in them could do whatever the instructor can, and a link or a button could pretend to be
the formgrader's. These filters stand in place of nbconvert's in ``c.HTMLExporter.filters``, with
``c.HTMLExporter.sanitize_html`` on. Formulas become MathML, which needs no script from anywhere.
"""

import re
import secrets
from pathlib import Path
from typing import Any

import bleach
from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from glyphlab_grader.formulas import mathml
from glyphlab_grader.notebooks import PICTURES

__all__ = ["TEMPLATES", "clean_html", "markdown2html"]

TEMPLATES = str(Path(__file__).parent / "templates")
"""For ``JUPYTER_PATH``, where nbconvert looks for templates; the formgrader's own configuration
leaves no other place. It takes MathJax, and with it another host, out of the page."""

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
_PICTURES = tuple(f"data:{kind};" for kind in PICTURES)


class _Clean(str):
    """HTML that was cleaned; cleaning it again would take its formulas away."""


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
    if isinstance(element, _Clean):
        return element
    text = element.decode(errors="replace") if isinstance(element, bytes) else str(element)
    protocols = {"http", "https", "mailto", "data"}
    return str(bleach.clean(text, _TAGS, _allowed, protocols=protocols, strip=True))


@pass_context
def markdown2html(context: Any, source: str) -> str:
    """Turn a student's Markdown into HTML as nbconvert does, clean it, and draw its formulas."""
    renderer = _Renderer((context.get("cell") or {}).get("attachments", {}))
    text = clean_html(MarkdownWithMath(renderer=renderer).render(source))
    return _Clean(renderer.with_formulas(text))


class _Renderer(IPythonRenderer):
    """nbconvert's, with a sign that nobody can guess in the place of each formula."""

    def __init__(self, attachments: dict[str, dict[str, str]]) -> None:
        super().__init__(escape=False, attachments=attachments, exclude_anchor_links=True)
        self._sign = secrets.token_hex(16)
        self._formulas: list[str] = []

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Draw a picture, or give its words in place of one that was not handed in."""
        name = url.removeprefix("attachment:")
        if name != url and not self.attachments.get(name):
            # nbconvert gives the whole page up.
            return text
        return str(super().image(text, url, title))

    def inline_math(self, body: str) -> str:
        return self._keep(mathml(body))

    def block_math(self, body: str) -> str:
        return self._keep(mathml(body, display=True))

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")

    def with_formulas(self, text: str) -> str:
        """Put the formulas into the cleaned text."""
        return re.sub(rf"{self._sign}-(\d+)-", lambda found: self._formulas[int(found[1])], text)

    def _keep(self, formula: str) -> str:
        self._formulas.append(formula)
        return f"{self._sign}-{len(self._formulas) - 1}-"


def _allowed(tag: str, name: str, value: str) -> bool:
    if tag == "img" and name == "src":
        return value.startswith(_PICTURES)
    if tag == "a" and name == "href":
        return not value.lower().startswith("data:")
    return name in _ATTRIBUTES
