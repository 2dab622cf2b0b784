"""The bank of answers: short Python files that fill the answer cells of a notebook.

An answer is a file ``tests/answers/<assignment>/<exercise>/{right,wrong}/<name>.py``. Its head says
what it is, its sections hold cells::

    # Sums rows where columns belong.        what a learner thought or did
    # fails: swapped-axes                    the misconceptions whose tests it loses (wrong only)

    # %% function                            the source of the answer cell called "function"
    def ...

    # %% + function                          a cell that the learner added before that cell
    def helper(): ...

An answer cell without a section keeps the instructor's answer, so that a wrong answer holds what is
wrong and nothing else. Text answers are written as they stand in the cell, without comment signs.
Sections that several answers need stand in ``shared/<name>.py`` beside ``right`` and ``wrong``; a
line ``# with: <name>`` in the head takes them in, before the answer's own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

__all__ = ["Answer", "answers", "fill", "read", "submission", "table"]

# What tells nbgrader where a solution stands; no learner would write it.
_MARKS = re.compile(r"^\s*### (?:BEGIN|END) SOLUTION\n?", re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """One answer of the bank.

    Parameters
    ----------
    path : Path
        Its file.
    note : str
        What the learner thought or did.
    right : bool
        Whether it must get full marks.
    fails : frozenset of str
        The misconceptions whose tests it must fail; no others.
    cells : dict of str to str
        The source of answer cells, by name.
    added : dict of str to tuple of str
        The sources of cells that the learner added, by the name of the cell they stand before.
    """

    path: Path
    note: str
    right: bool
    fails: frozenset[str]
    cells: Mapping[str, str]
    added: Mapping[str, tuple[str, ...]]

    @property
    def name(self) -> str:
        """The file's name without suffix, after the folder: right/loops."""
        return f"{self.path.parent.name}/{self.path.stem}"


def answers(folder: Path) -> list[Answer]:
    """Read the bank of one exercise.

    Parameters
    ----------
    folder : Path
        ``tests/answers/<assignment>/<exercise>``.

    Returns
    -------
    list of Answer
        The right ones first, each in the order of names.
    """
    return [
        read(path) for kind in ("right", "wrong") for path in sorted(folder.glob(f"{kind}/*.py"))
    ]


def read(path: Path) -> Answer:
    """Read one answer.

    Raises
    ------
    ValueError
        If the head or a section is not as the module's text says.
    """
    head, cells, added = _sections(path)
    right = path.parent.name == "right"
    lines = [line.lstrip("# ").strip() for line in head.strip().splitlines()]
    fails, taken_in = _named(lines, "fails:"), _named(lines, "with:")
    note = " ".join(line for line in lines if not line.startswith(("fails:", "with:")))
    if not note:
        raise ValueError(f"{path}: the head does not say what the answer is")
    if right == bool(fails):
        raise ValueError(f"{path}: a wrong answer, and no other, has a line '# fails: …'")
    for name in taken_in:
        shared = path.parents[1] / "shared" / f"{name}.py"
        if not shared.is_file():
            raise ValueError(f"{path}: with: there is no {shared.name} in {shared.parent}")
        _, their_cells, their_added = _sections(shared)
        cells, added = their_cells | cells, their_added | added
    return Answer(path, note, right, frozenset(fails), cells, added)


def _named(lines: list[str], what: str) -> list[str]:
    """List the names on the head's lines that begin with `what`."""
    return [
        name for line in lines if line.startswith(what) for name in line.removeprefix(what).split()
    ]


def _sections(path: Path) -> tuple[str, dict[str, str], dict[str, tuple[str, ...]]]:
    """Take a file apart: its head, its answer cells, the cells that the learner added."""
    head, *sections = re.split(
        r"^# %% (.*)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    cells: dict[str, str] = {}
    added: dict[str, tuple[str, ...]] = {}
    for title, source in zip(sections[::2], sections[1::2], strict=True):
        name, source = title.removeprefix("+ ").strip(), source.strip("\n")
        if title.startswith("+ "):
            added[name] = (*added.get(name, ()), source)
        elif name in cells:
            raise ValueError(f"{path}: two sections '# %% {title}'")
        else:
            cells[name] = source
    return head, cells, added


def fill(notebook: Any, answer: Answer) -> Any:
    """Return the instructor's notebook with an answer in its answer cells.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The instructor's notebook, hidden tests included.
    answer : Answer
        The answer.

    Returns
    -------
    nbformat.NotebookNode
        A copy; the tests are the instructor's.

    Raises
    ------
    ValueError
        If the answer names a cell that is no answer cell.
    """
    names = {c.metadata.nbgrader.grade_id for c in notebook.cells if c.metadata.nbgrader.solution}
    for name in answer.cells:
        if name not in names:
            raise ValueError(f"{answer.path}: {name!r} is not an answer cell")
    filled = nbformat.from_dict(notebook)
    cells: list[Any] = []
    known = {c.metadata.nbgrader.grade_id for c in notebook.cells}
    for name in answer.added:
        if name not in known:
            raise ValueError(f"{answer.path}: there is no cell {name!r}")
    for cell in filled.cells:
        name = cell.metadata.nbgrader.grade_id
        for source in answer.added.get(name, ()):
            cells.append(nbformat.v4.new_code_cell(source, id=f"added-{len(cells)}"))
        if name in answer.cells:
            cell.source = answer.cells[name]
        cells.append(cell)
    filled.cells = cells
    return filled


def submission(source: Any, released: Any, answer: Answer) -> Any:
    """Return the notebook that a learner with this answer would hand in.

    Parameters
    ----------
    source : nbformat.NotebookNode
        The instructor's notebook, for the cells that the answer leaves as they are.
    released : nbformat.NotebookNode
        What the learner was given.
    answer : Answer
        The answer.

    Returns
    -------
    nbformat.NotebookNode
        The released notebook, filled.
    """
    kept = {
        cell.metadata.nbgrader.grade_id: _MARKS.sub("", cell.source)
        for cell in source.cells
        if cell.metadata.nbgrader.solution
    }
    whole = Answer(
        answer.path, answer.note, answer.right, answer.fails, {**kept, **answer.cells}, answer.added
    )
    return fill(released, whole)


def table(root: Path) -> str:
    """Write what the bank proves, exercise by exercise, as a Markdown table.

    Parameters
    ----------
    root : Path
        The course's folder.

    Returns
    -------
    str
        For each graded test: its points, the misconception it stands for, how many wrong answers
        fail it, and how many fail nothing else. How many answers an exercise has stands in the row
        of its first test. The tests hold the heads of the answers to what comes of running them.
    """
    lines = [
        "| exercise | right | wrong | test | points | misconception | caught | by it alone |",
        "| --- | --: | --: | --- | --: | --- | --: | --: |",
    ]
    for path in sorted(root.glob("solutions/*/*.ipynb")):
        exercise = f"{path.parent.name}/{path.stem}"
        found = answers(root / "tests" / "answers" / exercise)
        wrong = [answer for answer in found if not answer.right]
        counts = f"{exercise} | {len(found) - len(wrong)} | {len(wrong)}"
        for cell in nbformat.read(path, as_version=4).cells:
            marks = cell.metadata.nbgrader
            if not marks.grade or marks.solution:
                continue
            name = cell.metadata.glyphlab.misconception
            caught = [answer for answer in wrong if name in answer.fails]
            alone = [answer for answer in caught if len(answer.fails) == 1]
            test = f"{cell.id} | {marks.points:g} | {name}"
            lines.append(f"| {counts} | {test} | {len(caught)} | {len(alone)} |")
            counts = f"{exercise} | | "
    return "\n".join(lines) + "\n"
