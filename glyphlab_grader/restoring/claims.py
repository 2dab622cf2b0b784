"""Which submitted cell is which cell of the master."""

import re
from dataclasses import dataclass, field
from typing import Any

from glyphlab_grader.notebooks import cell_id, source_text
from glyphlab_grader.restoring.master import Master, MasterCell

__all__ = ["Claims", "claim"]

# What a cell defines or assigns to at its left margin. Read from text, not parsed: the text is a
# stranger's, and may be no Python at all.
_BOUND = re.compile(
    r"^(?:async )?(?:def|class) (\w+)|^(\w+)(?: *,[\w ,]*)? *(?::[^=\n]*)?=(?!=)", re.M
)


@dataclass
class Claims:
    """How the submitted cells and the master's belong together.

    Parameters
    ----------
    index : dict of str to int
        Place of the submitted cell, by the master cell's name.
    copies : dict of int to str
        Further cells with the nbgrader id of a master's cell: place to name.
    found : dict of str to str
        Cells that had lost their nbgrader id: the master cell's name to how they were found.
    """

    index: dict[str, int] = field(default_factory=dict)
    copies: dict[int, str] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)


def claim(cells: list[dict[str, Any]], master: Master) -> Claims:
    """Find the master's cells among the submitted ones.

    By nbgrader id, the first of equals; by Jupyter id; an answer that has neither, by its place
    between the nearest cells that are there and by the names that it defines.

    Parameters
    ----------
    cells : list of dict
        The submitted cells.
    master : Master
        The master.

    Returns
    -------
    Claims
        What belongs together.
    """
    claims = Claims()
    names = {cell.name for cell in master.cells}
    for place, cell in enumerate(cells):
        name = cell_id(cell)
        if name in names and name is not None:
            if name in claims.index:
                claims.copies[place] = name
            else:
                claims.index[name] = place
    _by_jupyter_id(cells, master, claims)
    for position, wanted in enumerate(master.cells):
        if wanted.answer and wanted.name not in claims.index:
            _by_neighbours(cells, master, position, claims)
    return claims


def _by_jupyter_id(cells: list[dict[str, Any]], master: Master, claims: Claims) -> None:
    wanted = {c.jupyter_id: c for c in master.cells if c.name not in claims.index and c.jupyter_id}
    taken = {*claims.index.values(), *claims.copies}
    for place, cell in enumerate(cells):
        jupyter_id = cell.get("id")
        if place in taken or not isinstance(jupyter_id, str):
            continue
        missing = wanted.pop(jupyter_id, None)
        if missing is not None:
            claims.index[missing.name] = place
            if "nbgrader" in missing.metadata:
                claims.found[missing.name] = "its Jupyter id"


def _by_neighbours(
    cells: list[dict[str, Any]], master: Master, position: int, claims: Claims
) -> None:
    missing = master.cells[position]
    before = [claims.index[c.name] for c in master.cells[:position] if c.name in claims.index]
    after = [claims.index[c.name] for c in master.cells[position + 1 :] if c.name in claims.index]
    start, end = before[-1] + 1 if before else 0, after[0] if after else len(cells)
    taken = {*claims.index.values(), *claims.copies}
    gap = [
        place
        for place in range(start, end)
        if place not in taken
        and cells[place]["cell_type"] == missing.kind
        and source_text(cells[place]).strip()
    ]
    place = next((place for place in gap if _fits(source_text(cells[place]), missing)), None)
    if place is not None:
        claims.index[missing.name] = place
        claims.found[missing.name] = "its place"


def _fits(source: str, missing: MasterCell) -> bool:
    """Whether a cell at the right place is the answer: a text is; code defines the stub's names."""
    if missing.kind != "code":
        return True
    wanted = _bound(missing.source)
    return not wanted or bool(wanted & _bound(source))


def _bound(source: str) -> set[str]:
    return {defined or assigned for defined, assigned in _BOUND.findall(source)}
