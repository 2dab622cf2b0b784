"""Which names of students, assignments and notebooks the grader takes.

nbgrader puts these names into paths, glob patterns and regular expressions, so that a name such as
``../other`` or ``*`` would reach files that it must not. They are refused rather than escaped.
"""

import re
import unicodedata

__all__ = ["name_problem", "printable"]

LONGEST_NAME = 128
# Letters of any script, digits and the signs of user names and e-mail addresses. The first is a
# letter or a digit: no hidden files, no command-line options, no spreadsheet formulas.
_ALLOWED = re.compile(r"[^\W_][\w.@+ -]*")


def name_problem(name: str) -> str | None:
    """Say why a name cannot be used, or nothing.

    Parameters
    ----------
    name : str
        A student id, an assignment or a notebook without ``.ipynb``.

    Returns
    -------
    str or None
        The reason, in words that follow the name; None for a good name.

    Examples
    --------
    >>> name_problem("ada.lovelace@example.org") is None
    True
    >>> name_problem("../solutions")
    'does not begin with a letter or a digit'
    >>> name_problem("ada*")
    "contains '*'"
    """
    if not name:
        return "is empty"
    if len(name) > LONGEST_NAME:
        return f"is longer than {LONGEST_NAME} characters"
    if not re.match(r"[^\W_]", name):
        return "does not begin with a letter or a digit"
    if name != name.strip() or name.endswith("."):
        return "ends with a space or a dot"
    if not _ALLOWED.fullmatch(name):
        bad = next(sign for sign in name if not re.match(r"[\w.@+ -]", sign))
        return f"contains {bad!r}"
    return None


def printable(text: str, longest: int = 200) -> str:
    """Make text of a stranger safe to print on one line.

    Parameters
    ----------
    text : str
        Anything.
    longest : int
        Characters kept.

    Returns
    -------
    str
        The text with control, formatting and surrogate characters escaped, shortened with ``…``.

    Examples
    --------
    >>> printable("a\\x1b[2Jb\\nc")
    'a\\\\x1b[2Jb\\\\nc'
    """
    clean = "".join(
        sign
        if sign == " " or unicodedata.category(sign)[0] not in "CZ"
        else sign.encode("unicode_escape").decode()
        for sign in text[: longest + 1]
    )
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"
