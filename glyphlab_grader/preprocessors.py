"""The course's steps in nbgrader's autograde, named in ``nbgrader_config.py``.

Plain ``nbgrader autograde`` and the formgrader use them; `submission` does the same in its own way.
"""

import json
import os
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

from glyphlab_grader.files import remove, replace_file, walk
from glyphlab_grader.gradebook import GradebookKeeper
from glyphlab_grader.intake import examine
from glyphlab_grader.ledger import Ledger
from glyphlab_grader.locking import LockedNotebookExporter
from glyphlab_grader.notebooks import cell_id, check_notebook, read_notebook
from glyphlab_grader.restoring import load_master, restore

__all__ = ["Restore", "SubmissionExporter", "remove_links"]


def remove_links(notebooks: list[str], **other: object) -> None:
    """Remove symbolic links from a submission, before nbgrader copies what they point to.

    Pipes, sockets and devices go as well: copying one fails, waits or has no end. nbgrader calls
    this before it converts a student's notebooks.
    """
    for folder in {Path(notebook).parent for notebook in notebooks}:
        for path in walk(folder):
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                remove(path)


class SubmissionExporter(LockedNotebookExporter):
    """What ``nbgrader autograde`` reads and writes with; it is made before a submission is read.

    Notebooks that were handed in under another name are found first, since nbgrader gives 0 for
    them. Each is looked at before nbgrader parses it, and the points of an earlier grading are
    taken back: where it cannot be graded now, no old score passes for a new one.
    """

    parent: Any

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for folder, notebooks in self.parent.assignments.items():
            notebooks += self._found_again(Path(folder))

    def _found_again(self, folder: Path) -> list[str]:
        """Copy notebooks to their own names, where it is plain which they are."""
        directory = self.parent.coursedir
        release = Path(directory.format_path(directory.release_directory, ".", folder.name))
        wanted = sorted(release.glob("*.ipynb"))
        found = []
        for path in wanted:
            if os.path.lexists(folder / path.name):
                continue
            names = {cell_id(cell) for cell in read_notebook(path)["cells"]}
            expected = [name for name in names if name is not None]
            intake = examine(folder, path.stem, expected, [other.stem for other in wanted])
            told = [fault.message for fault in intake.faults if fault.kind == "renamed"]
            if told and intake.notebook is not None:
                self.log.warning("%s: %s", folder.parent.name, told[0])
                replace_file(folder / path.name, json.dumps(intake.notebook))
                found.append(str(folder / path.name))
        return found

    def from_filename(self, filename: str, *args: Any, **options: Any) -> Any:
        """Read a notebook and convert it; see nbconvert.

        Raises
        ------
        ValueError
            If it is not a notebook that can be read: too large, say.
        """
        if self.parent._sanitizing:
            place = options["resources"]["nbgrader"]
            with Gradebook(place["db_url"]) as gradebook:
                ledger = Ledger(gradebook, place["assignment"])
                with ledger.transaction():
                    ledger.withdraw([(place["student"], place["notebook"])])
            try:
                read_notebook(Path(filename))
            except ValueError as error:
                raise ValueError(f"{Path(filename).name} {error}") from None
        return super().from_filename(filename, *args, **options)


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
