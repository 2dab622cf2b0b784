"""Says to a learner what was tested and what to look at, in place of test code and its output."""

from pathlib import Path
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from glyphlab.course import Course, load
from glyphlab_grader.faults import misconceptions
from glyphlab_grader.notebooks import cell_id, read_notebook, source_text

__all__ = ["TellLearner"]

_WITHHELD = "*Output not shown: this cell ran after a test had.*"
# What stopped a test from the outside, by the error that stands in its output.
_STOPPED = {
    "CellTimeoutError": "It could not be finished: your code took too long.",
    "DeadKernelError": "It could not be run: the process with your code had ended.",
    "NotRunError": "It could not be run: the process with your code had ended.",
    "LimitError": "It could not be finished: your code met a limit of the sandbox.",
}


class TellLearner(NbGraderPreprocessor):  # type: ignore[misc]
    """Comes after nbgrader's `GetGrades`.

    A test cell shows what the release showed of it, whether it passed, and the misconception that
    it stands for, with a link. Whatever ran after the first test shows no output: a learner's code
    can record the inputs of hidden tests and print them later.
    """

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
        named = misconceptions(folders[directory.source_directory] / name)
        file = Path(directory.root) / "course.yml"
        course = load(file) if file.is_file() else None
        tested = False
        for cell in nb.cells:
            if cell.cell_type != "code":
                continue
            if utils.is_grade(cell) and not utils.is_solution(cell):
                tested = True
                label = cell.metadata.nbgrader.grade_id
                cell.source = released.get(label, "").strip() or "# The tests are not shown."
                text = self._verdict(cell, named.get(label), course)
                cell.outputs = [_text(text)]
            elif tested and cell.outputs:
                cell.outputs = [_text(_WITHHELD)]
        return nb, resources

    def _verdict(self, cell: Any, misconception: str | None, course: Course | None) -> str:
        marks = cell.metadata.nbgrader
        score, points = float(marks.score), float(marks.points)
        verdict = "Passed" if score >= points else "Passed in part" if score > 0 else "Not passed"
        lines = [f"**{verdict}: {score:g} of {points:g} points.**"]
        if course is not None and misconception and misconception in course.misconceptions:
            told = course.misconceptions[misconception]
            lines.append(f"What was looked at: *{told.name}*.")
            if score < points:
                section = course.sections[told.section]
                lines.append(told.message)
                where = f"[{section.title}]({self.book}{section.path})"
                lines.append(f"Read again: {where if self.book else section.title}.")
        elif misconception is not None:
            lines.append(f"What was looked at: *{misconception}*.")
        if score < points:
            errors = {o.ename for o in cell.outputs if o.output_type == "error"}
            lines += [text for name, text in _STOPPED.items() if name in errors]
        return "\n\n".join(lines)


def _released(path: Path) -> dict[str, str]:
    """Read what the release shows of each cell."""
    return {
        name: source_text(cell)
        for cell in read_notebook(path)["cells"]
        if (name := cell_id(cell)) is not None
    }


def _text(text: str) -> Any:
    return nbformat.v4.new_output("display_data", {"text/markdown": text})
