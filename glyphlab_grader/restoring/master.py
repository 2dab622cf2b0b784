"""The notebook as it has to be: the release's cells, the tests as the gradebook has them."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glyphlab_grader.errors import GraderError
from glyphlab_grader.notebooks import cell_id, read_notebook, source_text

__all__ = ["Master", "MasterCell", "StoredCell", "load_master"]


@dataclass(frozen=True)
class StoredCell:
    """A cell as the gradebook keeps it: its source, hidden tests included, and checksum."""

    source: str
    checksum: str | None


@dataclass(frozen=True)
class MasterCell:
    """One cell of the assignment.

    Parameters
    ----------
    name : str
        Its nbgrader id; its Jupyter id where it has none.
    jupyter_id : str or None
        Its Jupyter id.
    kind : str
        ``code`` or ``markdown``.
    answer : bool
        Whether the student writes it.
    graded : bool
        Whether tests in it give points.
    source : str
        What is executed: hidden tests included.
    released : str
        What the student was given.
    metadata : dict
        The cell's metadata, nbgrader's included.
    """

    name: str
    jupyter_id: str | None
    kind: str
    answer: bool
    graded: bool
    source: str
    released: str
    metadata: dict[str, Any]

    def as_cell(self, source: str) -> dict[str, Any]:
        """Make the notebook's cell with the given source."""
        return make_cell(self.kind, self.jupyter_id or self.name, source, self.metadata)


@dataclass(frozen=True)
class Master:
    """The cells of a notebook in order, and the notebook's own metadata."""

    cells: tuple[MasterCell, ...]
    metadata: dict[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The cells' names, in order."""
        return tuple(cell.name for cell in self.cells)


def make_cell(kind: str, jupyter_id: str, source: str, metadata: dict[str, Any]) -> dict[str, Any]:
    """Make a cell without outputs."""
    cell = {
        "cell_type": kind,
        "id": jupyter_id,
        "metadata": deepcopy(metadata),
        "source": source,
    }
    return cell | {"outputs": [], "execution_count": None} if kind == "code" else cell


def load_master(release: str | Path, stored: Mapping[str, StoredCell]) -> Master:
    """Put the master of a notebook together.

    Parameters
    ----------
    release : str or Path
        The released notebook.
    stored : mapping of str to StoredCell
        The gradebook's cells by nbgrader id.

    Returns
    -------
    Master
        The master.

    Raises
    ------
    GraderError
        If the two do not belong together.
    """
    release = Path(release)
    try:
        data = read_notebook(release)
    except ValueError as error:
        raise GraderError(f"{release} {error}") from None
    cells = tuple(_master_cell(cell, stored) for cell in data["cells"])
    names = {cell.name for cell in cells}
    stale = (set(stored) - names) | {
        cell.name
        for cell in cells
        if "nbgrader" in cell.metadata
        and (cell.name not in stored or (not cell.graded and cell.source != cell.released))
    }
    if stale:
        raise GraderError(
            f"{release} and the gradebook differ in {', '.join(sorted(stale))}: "
            "run `nbgrader generate_assignment --force` again"
        )
    return Master(cells, deepcopy(data.get("metadata", {})))


def _master_cell(cell: dict[str, Any], stored: Mapping[str, StoredCell]) -> MasterCell:
    metadata = deepcopy(cell["metadata"])
    marks = metadata.get("nbgrader", {})
    name = cell_id(cell)
    kept = stored.get(name or "")
    if kept is not None:
        marks["checksum"] = kept.checksum
    released = source_text(cell)
    return MasterCell(
        name=name or str(cell.get("id")),
        jupyter_id=cell.get("id"),
        kind=cell["cell_type"],
        answer=bool(marks.get("solution")),
        graded=bool(marks.get("grade")) and not marks.get("solution"),
        source=released if kept is None else kept.source,
        released=released,
        metadata=metadata,
    )
