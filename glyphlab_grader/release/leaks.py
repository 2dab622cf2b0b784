"""What of a solution or a hidden test stands in a text that learners get."""

import ast
import html
import re
import textwrap
from collections.abc import Iterator
from typing import Any

__all__ = ["leaks"]

SOLUTION = ("### BEGIN SOLUTION", "### END SOLUTION")
HIDDEN = ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")
#: Folders of a machine: no text for learners names one.
ABSOLUTE_PATH = re.compile(
    r"(?<![\w.:/~])/(?:home|root|work|tmp|usr|opt|var|mnt|Users)/\w[^\s\"'<]*"
)
#: Shorter lines and literals say nothing by themselves ("return", "else:", 1.0).
SHORTEST_LINE = 12
SHORTEST_TEXT = 8
SHORTEST_NUMBER = 4


def leaks(source: Any, text: str) -> list[str]:
    """Name what a text gives away.

    Parameters
    ----------
    source : nbformat.NotebookNode
        The instructor's notebook.
    text : str
        A released notebook's cells, a page of feedback, anything that learners get.

    Returns
    -------
    list of str
        Each leak in words: a line of a solution or of a hidden test, a literal of a hidden test, a
        delimiter, a path of this machine. What stands in an open part of the source is no leak.
    """
    text = html.unescape(text)
    compact = _compact(text)
    open_text = "\n".join(_outside(cell.source) for cell in source.cells)
    open_compact = _compact(open_text)
    found = []
    for cell in source.cells:
        name = cell.metadata.nbgrader.grade_id
        for kind, marks in (("solution", SOLUTION), ("hidden test", HIDDEN)):
            for region in _regions(cell.source, marks):
                for line in _telling_lines(region):
                    if _compact(line) in compact and _compact(line) not in open_compact:
                        found.append(f"a line of the {kind} in {name}: {line}")
        if cell.cell_type == "code":
            for region in _regions(cell.source, HIDDEN):
                found += [
                    f"a literal of the hidden test in {name}: {literal}"
                    for literal in sorted(_literals(region))
                    if _stands_in(literal, text) and not _stands_in(literal, open_text)
                ]
    found += [f"a delimiter: {mark}" for mark in (*SOLUTION, *HIDDEN) if mark in text]
    found += [f"a path: {match.group()}" for match in ABSOLUTE_PATH.finditer(text)]
    return found


def _regions(source: str, marks: tuple[str, str]) -> Iterator[str]:
    pattern = rf"^[^\n]*{re.escape(marks[0])}[^\n]*\n(.*?)^[^\n]*{re.escape(marks[1])}"
    for match in re.finditer(pattern, source, re.DOTALL | re.MULTILINE):
        yield match.group(1)


def _outside(source: str) -> str:
    """Return the part of a cell that is released."""
    for begin, end in (SOLUTION, HIDDEN):
        source = re.sub(
            rf"^[^\n]*{re.escape(begin)}.*?{re.escape(end)}[^\n]*$",
            "",
            source,
            flags=re.DOTALL | re.MULTILINE,
        )
    return source


def _telling_lines(region: str) -> Iterator[str]:
    for line in region.splitlines():
        line = line.strip()
        if len(_compact(line)) >= SHORTEST_LINE and not line.startswith(("import ", "from ")):
            yield line


def _compact(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _literals(region: str) -> set[str]:
    """Return the telling numbers and texts that stand in a piece of Python."""
    found = set()
    for node in ast.walk(ast.parse(textwrap.dedent(region))):
        if isinstance(node, ast.Constant):
            value = node.value
            shortest = SHORTEST_TEXT if isinstance(value, str) else SHORTEST_NUMBER
            if type(value) in (str, int, float) and len(str(value)) >= shortest:
                found.add(str(value))
    return found


def _stands_in(literal: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(literal)}(?![\w.])", text) is not None
