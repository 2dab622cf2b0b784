"""How much of a stranger's text is made into a page; what is more is shown as it was written.

The libraries that read Markdown and HTML take time with the square of what they read: of tags that
nobody closes, of environments that have no end, of colours. A notebook of a megabyte took hours.
"""

import html
import re
from collections import Counter

__all__ = [
    "LONGEST_MARKDOWN",
    "MOST_MARKDOWN",
    "OFTEN",
    "PICTURE",
    "as_written",
    "is_too_colourful",
    "is_too_much",
    "words",
]

LONGEST_MARKDOWN, LONGEST_HTML = 20_000, 200_000
"""Characters; a table of numbers has many. Pictures in the text are not counted."""
MOST_MARKDOWN = 500_000
"""Characters of all Markdown on a page."""
OFTEN = 3
"""How often a text shows the same picture."""
MOST_WORK = 100_000
"""For each tag, the tags around it: a table of 10,000 numbers, or 450 tags that nobody closes."""
MOST_ENVIRONMENTS = 200
MOST_ESCAPES = 1000
"""Changes of colour in a text of a terminal."""

PICTURE = re.compile(r"(data:image/[a-z]{1,20};base64,)([a-zA-Z0-9+/=]+)")
"""A picture that stands in the text itself: what it is, and it."""

_ANY_TAG = re.compile(r"<[^<>]*>")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})")
_EMPTY = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


def is_too_much(text: str, longest: int = LONGEST_HTML) -> bool:
    """Say whether text takes too long to be read as HTML, or with less for `longest` as Markdown.

    Examples
    --------
    >>> is_too_much("<td>5</td>" * 1000)
    False
    >>> is_too_much("<td>5" * 1000)
    True
    """
    return (
        len(PICTURE.sub("", text)) > longest
        or text.count("\\begin") > MOST_ENVIRONMENTS
        or _work(text) > MOST_WORK
    )


def is_too_colourful(text: str) -> bool:
    """Say whether a terminal's text changes its colour too often."""
    return text.count("\x1b") > MOST_ESCAPES


def as_written(text: str) -> str:
    """Show text without reading it."""
    return f"<pre>{html.escape(text)}</pre>"


def words(text: str) -> str:
    """Show HTML without its tags, without reading it: a long table, or code with its colours."""
    return as_written(html.unescape(_ANY_TAG.sub("", text)))


def _work(text: str) -> int:
    """Add up for each tag how many are open; one that closes another's name closes nothing."""
    open_now: Counter[str] = Counter()
    depth, work = 0, text.count("<")
    for found in _TAG.finditer(text):
        name = found[2].lower()
        if found[1] and open_now[name]:
            open_now[name] -= 1
            depth -= 1
        elif not found[1] and name not in _EMPTY:
            open_now[name] += 1
            depth += 1
        work += depth
    return work
