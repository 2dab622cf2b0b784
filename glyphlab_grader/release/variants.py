"""Draws the varying parts of hidden tests for one course.

A hidden test draws with ``np.random.default_rng(0)  # the course's seed``. When an assignment is
generated, the 0 becomes a number that depends on the course's seed and the cell, before nbgrader
keeps the tests and cuts them out of the release: the released text is the same for every seed, and
grading uses what was kept.
"""

import re
import zlib
from typing import Any

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Int

__all__ = ["DrawVariant", "draw"]

PLACE = re.compile(r"default_rng\(0\)(  # the course's seed)$", re.MULTILINE)


def draw(notebook: Any, seed: int | None) -> Any:
    """Return a notebook with the seeds of its hidden tests set.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The instructor's notebook.
    seed : int or None
        The course's seed; None keeps the course's own values.

    Returns
    -------
    nbformat.NotebookNode
        A copy.
    """
    drawn = nbformat.from_dict(notebook)
    if seed is None:
        return drawn
    for cell in drawn.cells:
        if cell.cell_type == "code":
            number = zlib.crc32(f"{seed}/{cell.id}".encode())
            cell.source = PLACE.sub(rf"default_rng({number})\1", cell.source)
    return drawn


class DrawVariant(NbGraderPreprocessor):  # type: ignore[misc]
    """The step of nbgrader's generation that sets the seeds."""

    seed = Int(None, allow_none=True, help="the seed in course.yml").tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Return the notebook with its seeds set."""
        return draw(nb, self.seed), resources
