"""Says to a learner what was tested and what to look at, in place of test code and its output."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from glyphlab.course import Course, Section, load
from glyphlab_grader.ledger import CellScore, Ledger
from glyphlab_grader.losses import how_it_ended, other_losses
from glyphlab_grader.notebooks import cell_id, read_notebook, source_text

__all__ = ["Part", "TellLearner"]

_WITHHELD = "*Output not shown: this cell ran after a test had.{}*"


@dataclass(frozen=True)
class Part:
    """A part of a notebook that has points, as its learner is told of it.

    Parameters
    ----------
    cell : str
        The nbgrader id of its cell.
    name : str
        The mistake that its tests look for, or what the written part is about.
    written : bool
        Whether a person reads it.
    score, points : float
        What it got, and what can be had.
    verdict : str
        ``passed``, ``partly``, ``failed``, ``waiting`` for a person, or ``untouched``: a written
        part that is still as it was released, which nobody reads.
    hints : tuple of str
        What to look at, or what else it was that cost the points.
    link : str
        Address of the section to read again; empty where there is none to name.
    section : str
        The section's title.
    """

    cell: str
    name: str
    written: bool
    score: float
    points: float
    verdict: str
    hints: tuple[str, ...] = ()
    link: str = ""
    section: str = ""


class TellLearner(NbGraderPreprocessor):  # type: ignore[misc]
    """Comes after nbgrader's `GetGrades`.

    A test cell shows what the release showed of it, whether it passed, and the misconception that
    it stands for, with a link. Whatever ran after the first test shows no output: a learner's code
    can record the inputs of hidden tests and print them later.
    """

    # nbgrader takes this option away from its steps, and then warns that the exporter sets it.
    display_data_priority = NbGraderPreprocessor.display_data_priority.tag(config=True)
    book = Unicode(
        "", help="Where students read the book: the address that a section's page is appended to."
    ).tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Return the notebook as the learner may see it."""
        place = resources["nbgrader"]
        directory = self.parent.parent.coursedir
        name = f"{place['notebook']}.ipynb"
        folders = {
            step: Path(directory.format_path(step, ".", place["assignment"]))
            for step in (directory.source_directory, directory.release_directory)
        }
        released = _released(folders[directory.release_directory] / name)
        marked = _marked(folders[directory.source_directory] / name)
        file = Path(directory.root) / "course.yml"
        course = load(file) if file.is_file() else None
        with Gradebook(place["db_url"]) as gradebook:
            scores = Ledger(gradebook, place["assignment"]).scores([place["student"]])
        cells = scores[place["student"], place["notebook"]].cells
        other = other_losses(nb)
        parts = {
            part.cell: part
            for cell in nb.cells
            if utils.is_grade(cell) or utils.is_task(cell)
            for part in [self._part(cell, marked, cells, course, other)]
        }
        _withhold(nb, released)
        resources["feedback"] = {
            "book": self.book,
            "title": _title(course, place["assignment"], place["notebook"]),
            "parts": parts,
            "score": sum(part.score for part in parts.values()) - place["late_penalty"],
            "points": sum(part.points for part in parts.values()),
            "waiting": sum(part.points for part in parts.values() if part.verdict == "waiting"),
        }
        return nb, resources

    def _part(
        self,
        cell: Any,
        marked: Mapping[str, Mapping[str, str]],
        scores: Mapping[str, CellScore],
        course: Course | None,
        other: Mapping[str, tuple[str, ...]],
    ) -> Part:
        label = cell.metadata.nbgrader.grade_id
        score, points = float(cell.metadata.nbgrader.score), float(cell.metadata.nbgrader.points)
        written = not scores[label].automatic
        verdict = "passed" if score >= points else "partly" if score > 0 else "failed"
        if written and not scores[label].settled:
            verdict = "waiting"
        elif written and verdict == "failed" and scores[label].score is not None:
            # Tests give a written part points, 0, only where it is the released text.
            verdict = "untouched"
        lost = verdict in ("partly", "failed", "untouched")
        name, hints, section = _facts(marked.get(label, {}), written, lost, course)
        name = name or (f"Your answer in “{label}”" if written else f"Test “{label}”")
        if lost and not written and label in other:
            hints, section = other[label], None
        link = f"{self.book}{section.path}" if section is not None and self.book else ""
        title = "" if section is None else section.title
        return Part(label, name, written, score, points, verdict, hints, link, title)


def _facts(
    marks: Mapping[str, str], written: bool, lost: bool, course: Course | None
) -> tuple[str, tuple[str, ...], Section | None]:
    """Find what the course says of a part: its name, hints, and the section to read again."""
    misconception, objective = marks.get("misconception", ""), marks.get("objective", "")
    if course is None:
        return misconception, (), None
    if misconception in course.misconceptions:
        told = course.misconceptions[misconception]
        hints = (told.message,) if lost else ()
        return told.name, hints, course.sections[told.section] if lost else None
    if written and objective in course.objectives:
        found = course.objectives[objective]
        name = f"Written part: {found.text}"
        return name, (), course.sections[found.section] if lost else None
    return misconception, (), None


def _withhold(nb: Any, released: Mapping[str, str]) -> None:
    """Take out hidden tests, what tests put out, and what ran after the first of them."""
    tested = False
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        if utils.is_grade(cell) and not utils.is_solution(cell):
            tested = True
            cell.source = released.get(cell.metadata.nbgrader.grade_id, "").strip()
            cell.outputs = []
        elif tested and cell.outputs:
            # Of the assignment's own cells alone: a learner who adds cells could have each of them
            # tell a bit of a hidden input.
            ended = how_it_ended(cell) if utils.is_solution(cell) else ""
            text = _WITHHELD.format(f" {ended}" if ended else "")
            cell.outputs = [nbformat.v4.new_output("display_data", {"text/markdown": text})]


def _title(course: Course | None, assignment: str, notebook: str) -> str:
    """Return the exercise's title where the course names one."""
    if course is None or assignment not in course.assignments:
        return ""
    exercise = course.assignments[assignment].exercises.get(notebook)
    return "" if exercise is None else exercise.title


def _released(path: Path) -> dict[str, str]:
    """Read what the release shows of each cell."""
    return {
        name: source_text(cell)
        for cell in read_notebook(path)["cells"]
        if (name := cell_id(cell)) is not None
    }


def _marked(path: Path) -> dict[str, dict[str, str]]:
    """Read which misconception or objective each graded cell of the instructor's stands for."""
    return {
        name: dict(cell["metadata"].get("glyphlab", {}))
        for cell in read_notebook(path)["cells"]
        if (name := cell_id(cell)) is not None
    }
