"""The course's steps in nbgrader's autograde, named in ``nbgrader_config.py``.

Plain ``nbgrader autograde`` and the formgrader use them; `submission` uses the same ones.
"""

from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

from glyphlab_grader.files import remove
from glyphlab_grader.gradebook import GradebookKeeper
from glyphlab_grader.notebooks import check_notebook
from glyphlab_grader.restoring import load_master, restore

__all__ = ["Restore", "remove_links"]


def remove_links(notebooks: list[str], **other: object) -> None:
    """Remove symbolic links from a submission, before nbgrader copies what they point to.

    nbgrader calls this before it converts a student's notebooks.
    """
    for folder in {Path(notebook).parent for notebook in notebooks}:
        for path in folder.rglob("*"):
            if path.is_symlink():
                remove(path)


class Restore(NbGraderPreprocessor):  # type: ignore[misc]
    """Puts the student's answers into the master's notebook; first of the sanitizing steps."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Return the notebook put right; what had to be done goes to the log."""
        place = resources["nbgrader"]
        name, assignment = place["notebook"], place["assignment"]
        directory = self.parent.parent.coursedir
        release = directory.format_path(directory.release_directory, ".", assignment)
        with Gradebook(place["db_url"]) as gradebook:
            stored = GradebookKeeper(gradebook).stored_cells(assignment, name)
        master = load_master(f"{release}/{name}.ipynb", stored)
        restored, faults = restore(check_notebook(nb), master)
        for fault in faults:
            self.log.warning("%s: %s: %s", fault.cell, fault.kind, fault.message)
        return nbformat.from_dict(restored), resources
