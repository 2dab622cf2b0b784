"""Formulas drawn by the browser itself: TeX to MathML, so that a page needs no script for them."""

import html
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element

__all__ = ["LONGEST_FORMULA", "mathml"]

LONGEST_FORMULA = 2000
"""Characters of the longest formula that is drawn."""

# What MathML Core knows of what the library makes; a stranger's formula can ask for links, say.
_TAGS = frozenset(
    {
        *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle"),
        *("msub", "msup", "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd"),
        *("mpadded", "mphantom", "menclose"),
    }
)
_ATTRIBUTES = frozenset(
    {
        *("display", "displaystyle", "mathvariant", "stretchy", "fence", "form", "lspace"),
        *("rspace", "minsize", "maxsize", "movablelimits", "accent", "accentunder", "width"),
        *("linethickness", "columnalign", "rowspacing", "columnspacing", "columnlines"),
    }
)


def mathml(tex: str, *, display: bool = False) -> str:
    r"""Write a formula as MathML.

    Parameters
    ----------
    tex : str
        TeX, without its dollar signs; of a stranger.
    display : bool
        Whether it stands on a line of its own.

    Returns
    -------
    str
        A ``math`` element; the TeX as ``code`` where it cannot be read, or is too long.

    Examples
    --------
    >>> mathml("K")
    '<math display="inline"><mrow><mi>K</mi></mrow></math>'
    >>> mathml(r"\left(")
    '<code>\\left(</code>'
    """
    if len(tex) <= LONGEST_FORMULA:
        try:
            element = convert_to_element(tex, display="block" if display else "inline")
            return tostring(_cleaned(element), encoding="unicode")
        except Exception:
            # Whatever a stranger's TeX does to the library; RecursionError is one of them.
            pass
    return f"<code>{html.escape(tex)}</code>"


def _cleaned(element: Element) -> Element:
    """Keep known elements and attributes; the library leaves characters as entities."""
    made = Element(element.tag if element.tag in _TAGS else "mrow")
    made.attrib.update({k: v for k, v in element.attrib.items() if k in _ATTRIBUTES})
    if element.text:
        made.text = html.unescape(element.text)
    if element.tag == "mo" and (made.text or "").isalpha() and len(made.text or "") > 1:
        # A named operator: set upright by its length, with space on neither side like "log".
        made.tag = "mi"
    made.extend(_cleaned(child) for child in element)
    for before, table, after in zip(made, made[1:], made[2:], strict=False):
        # The library leaves a matrix's brackets in the row, where they would not grow with it.
        if (before.tag, table.tag, after.tag) == ("mo", "mtable", "mo"):
            before.attrib |= {"form": "prefix", "stretchy": "true"}
            after.attrib |= {"form": "postfix", "stretchy": "true"}
    return made
