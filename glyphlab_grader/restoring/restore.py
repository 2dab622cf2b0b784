"""A submitted notebook put right: the student's answers in the master's notebook."""

from bisect import bisect_left
from typing import Any

from glyphlab_grader.names import printable
from glyphlab_grader.notebooks import PICTURES, source_text
from glyphlab_grader.outcome import Fault
from glyphlab_grader.restoring.claims import Claims, claim
from glyphlab_grader.restoring.master import Master, MasterCell, make_cell

__all__ = ["restore"]


def restore(submitted: dict[str, Any], master: Master) -> tuple[dict[str, Any], list[Fault]]:
    """Put the student's answers, and the cells that the student added, into the master.

    Everything but the sources of answers and of added cells, and pictures pasted into texts, comes
    from the master: order, types, tags, metadata, tests, import lines, kernel.

    Parameters
    ----------
    submitted : dict
        The notebook, as `glyphlab_grader.notebooks.read_notebook` gives it; it is not changed.
    master : Master
        The master.

    Returns
    -------
    notebook : dict
        The notebook to execute, without outputs.
    faults : list of Fault
        What had to be done, by the master's order.
    """
    cells = submitted["cells"]
    claims = claim(cells, master)
    added = _added(cells, master, claims)
    result = list(added.pop("", []))
    for cell in master.cells:
        place = claims.index.get(cell.name)
        result.append(_restored(cell, None if place is None else cells[place]))
        result += added.pop(cell.name, [])
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": master.metadata,
        "cells": result,
    }
    faults = [fault for cell in master.cells for fault in _cell_faults(cell, cells, claims)]
    return notebook, [*_kernel_faults(submitted, master), *faults, *_order_faults(master, claims)]


def _restored(cell: MasterCell, submitted: dict[str, Any] | None) -> dict[str, Any]:
    if not cell.answer or submitted is None:
        return cell.as_cell(cell.source)
    restored = cell.as_cell(source_text(submitted))
    if cell.kind == "markdown":
        restored |= _pictures(submitted)
    return restored


def _added(
    cells: list[dict[str, Any]], master: Master, claims: Claims
) -> dict[str, list[dict[str, Any]]]:
    """Collect the student's own cells by the master's cell that they stand after."""
    names = {place: name for name, place in claims.index.items()}
    released = {cell.name: cell.released.strip() for cell in master.cells}
    added: dict[str, list[dict[str, Any]]] = {}
    after, count = "", 0
    for place, cell in enumerate(cells):
        after = names.get(place, after)
        source = source_text(cell)
        untouched_copy = place in claims.copies and source.strip() == released[claims.copies[place]]
        if place in names or untouched_copy:
            continue
        count += 1
        own = make_cell(cell["cell_type"], f"added-{count}", source, {})
        if own["cell_type"] == "markdown":
            own |= _pictures(cell)
        added.setdefault(after, []).append(own)
    return added


def _pictures(cell: dict[str, Any]) -> dict[str, Any]:
    """Keep the pictures that were pasted into a text."""
    attachments = cell.get("attachments")
    if not isinstance(attachments, dict):
        return {}
    kept = {}
    for name, bundle in attachments.items():
        if isinstance(bundle, dict):
            pictures = {
                kind: bundle[kind] for kind in PICTURES if isinstance(bundle.get(kind), str)
            }
            if pictures:
                kept[name] = pictures
    return {"attachments": kept} if kept else {}


def _cell_faults(cell: MasterCell, cells: list[dict[str, Any]], claims: Claims) -> list[Fault]:
    """Tell what had to be done for one cell of the master."""
    place = claims.index.get(cell.name)
    faults = []
    if place is None:
        what = (
            "the answer was deleted; it counts as not given"
            if cell.answer
            else ("the cell was deleted and put back")
        )
        faults.append(Fault(cell.name, "deleted", what))
    else:
        submitted = cells[place]
        if how := claims.found.get(cell.name):
            message = f"the cell had lost its nbgrader id and was found by {how}"
            faults.append(Fault(cell.name, "retagged", message))
        elif _retagged(submitted, cell):
            faults.append(Fault(cell.name, "retagged", "the cell's metadata were changed"))
        if submitted["cell_type"] != cell.kind:
            message = f"the cell was a {submitted['cell_type']} cell, and is {cell.kind} again"
            faults.append(Fault(cell.name, "retyped", message))
        if not cell.answer and source_text(submitted).strip() != cell.released.strip():
            faults.append(Fault(cell.name, "altered", "the cell was changed and put right"))
    copies = sum(name == cell.name for name in claims.copies.values())
    if copies:
        message = f"the cell was there {copies + 1} times; the first counts"
        faults.append(Fault(cell.name, "duplicated", message))
    return faults


def _retagged(submitted: dict[str, Any], cell: MasterCell) -> bool:
    def marks(metadata: dict[str, Any]) -> tuple[Any, Any]:
        own = metadata.get("nbgrader")
        own = {k: v for k, v in own.items() if k != "checksum"} if isinstance(own, dict) else own
        return own, metadata.get("tags") or None

    return marks(submitted["metadata"]) != marks(cell.metadata)


def _kernel_faults(submitted: dict[str, Any], master: Master) -> list[Fault]:
    """Tell of another kernel; none named at all is no fault."""

    def language(metadata: Any) -> Any:
        kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
        return kernel.get("language", kernel.get("name")) if isinstance(kernel, dict) else None

    theirs, ours = language(submitted.get("metadata")), language(master.metadata)
    if theirs is None or ours is None or theirs == ours or theirs == "python3":
        return []
    message = f"the notebook was set to {printable(repr(theirs), 40)}, and runs in {ours} again"
    return [Fault(None, "kernel", message)]


def _order_faults(master: Master, claims: Claims) -> list[Fault]:
    """Name the cells that had to be moved: those outside the longest run that was in order."""
    names = [cell.name for cell in master.cells if cell.name in claims.index]
    kept = _longest_rise([claims.index[name] for name in names])
    return [
        Fault(name, "reordered", "the cell stood elsewhere and was moved back")
        for position, name in enumerate(names)
        if position not in kept
    ]


def _longest_rise(places: list[int]) -> set[int]:
    """Return the positions of a longest increasing subsequence (patience sorting)."""
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int | None] = []
    for position, place in enumerate(places):
        length = bisect_left(tails, place)
        previous.append(ends[length - 1] if length else None)
        tails[length:] = [place] if length == len(tails) else [place, *tails[length + 1 :]]
        ends[length:] = [position] if length == len(ends) else [position, *ends[length + 1 :]]
    kept = set()
    last: int | None = ends[-1] if ends else None
    while last is not None:
        kept.add(last)
        last = previous[last]
    return kept
