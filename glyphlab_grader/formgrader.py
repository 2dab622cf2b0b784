"""What a student wrote, made harmless for a browser: the instructor's and the student's own.

The formgrader shows texts and outputs of students on a page of the instructor's own Jupyter server:
a script in them could do whatever the instructor can, and a link or a button could pretend to be
the formgrader's. These filters stand in place of nbconvert's in ``c.HTMLExporter.filters``, with
``c.HTMLExporter.sanitize_html`` on. Formulas become MathML, which needs no script from anywhere.
"""

import re
import secrets
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bleach
from jinja2 import pass_context
from nbconvert.filters import ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from glyphlab_grader.bounds import (
    LONGEST_MARKDOWN,
    MOST_MARKDOWN,
    OFTEN,
    PICTURE,
    as_written,
    is_too_colourful,
    is_too_much,
    words,
)
from glyphlab_grader.formulas import mathml
from glyphlab_grader.notebooks import PICTURES

__all__ = ["TEMPLATES", "ansi2html", "clean_html", "markdown2html"]

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
# Where a page's resources count the Markdown on it.
_READ = "glyphlab_markdown"
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
    if is_too_much(text):
        return _Clean(words(text))
    protocols = {"http", "https", "mailto", "data"}
    return str(bleach.clean(text, _TAGS, _allowed, protocols=protocols, strip=True))


@pass_context
def markdown2html(context: Any, source: str) -> str:
    """Turn a student's Markdown into HTML as nbconvert does, clean it, and draw its formulas."""
    renderer = _Renderer((context.get("cell") or {}).get("attachments", {}))
    short = PICTURE.sub(lambda found: found[1] + renderer.keep(found[2]), source)
    read = context.get("resources", {})
    read[_READ] = read.get(_READ, 0) + len(short)
    if is_too_much(short, LONGEST_MARKDOWN) or read[_READ] > MOST_MARKDOWN:
        return _Clean(as_written(source))
    made = MarkdownWithMath(renderer=renderer).render(short)
    if is_too_much(made):
        return _Clean(as_written(source))
    return _Clean(renderer.with_kept(clean_html(made)))


def ansi2html(text: str) -> str:
    """Turn a terminal's colours into HTML as nbconvert does, unless there are too many."""
    convert: Callable[[str], str] = ansi.ansi2html
    bare: Callable[[str], str] = ansi.strip_ansi
    return convert(bare(text) if is_too_colourful(text) else text)


class _Renderer(IPythonRenderer):
    """nbconvert's, with a sign that nobody can guess in the place of each formula and picture."""

    def __init__(self, attachments: dict[str, dict[str, str]]) -> None:
        super().__init__(escape=False, attachments=attachments, exclude_anchor_links=True)
        self._sign = secrets.token_hex(16)
        self._kept: list[str] = []
        self._attached: dict[str, str] = {}

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Draw a picture, or give its words in place of one that was not handed in."""
        name = url.removeprefix("attachment:")
        if name != url and not self.attachments.get(name):
            # nbconvert gives the whole page up.
            return text
        return str(super().image(text, url, title))

    def _embed_image_or_attachment(self, src: str) -> str:
        """Name a picture that was pasted, and keep it out of what has to be read."""
        if not src.startswith("attachment:"):
            return src
        if src not in self._attached:
            url = "".join(super()._embed_image_or_attachment(src).split())
            self._attached[src] = PICTURE.sub(lambda found: found[1] + self.keep(found[2]), url)
        return self._attached[src]

    def inline_math(self, body: str) -> str:
        return self.keep(mathml(body))

    def block_math(self, body: str) -> str:
        return self.keep(mathml(body, display=True))

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")

    def with_kept(self, text: str) -> str:
        """Put what was kept into the cleaned text, each but a few times."""
        often: Counter[int] = Counter()

        def put(found: re.Match[str]) -> str:
            number = int(found[1])
            often[number] += 1
            return self._kept[number] if often[number] <= OFTEN else ""

        return re.sub(rf"{self._sign}-(\d+)-", put, text)

    def keep(self, part: str) -> str:
        """Keep a part of the text that needs no cleaning; return the sign for it."""
        self._kept.append(part)
        return f"{self._sign}-{len(self._kept) - 1}-"


def _allowed(tag: str, name: str, value: str) -> bool:
    if tag == "img" and name == "src":
        return value.startswith(_PICTURES)
    if tag == "a" and name == "href":
        return not value.lower().startswith("data:")
    return name in _ATTRIBUTES
