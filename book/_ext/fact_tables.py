"""Tables of facts that stand elsewhere: in ``course.yml`` or in the grader's code.

- ``{objectives-map}``: objective, section, exercises, misconceptions that tests look for.
- ``{faults}``: kinds of fault in an outcome, and what each means.
- ``{limits}``: the bounds of the sandbox, with their defaults.
- ``{bank-table}``: what the bank of answers proves, test by test.
- ``{grade-columns}``: the columns of ``grades.csv``.
"""

from __future__ import annotations

import inspect
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from course_facts import released_path, section_link
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from glyphlab import course
from glyphlab_grader import grades
from glyphlab_grader.execution import Limits
from glyphlab_grader.outcome import FAULT_KINDS
from glyphlab_grader.release import bank

MEBIBYTE = 2**20

Cell = str | list[nodes.Node]


class TableDirective(SphinxDirective):
    """A directive that becomes a table; text in a cell is Markdown."""

    header: Sequence[str]

    def rows(self) -> Iterable[Sequence[Cell]]:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        table = nodes.table(classes=[self.name])
        group = nodes.tgroup(cols=len(self.header))
        table += group
        group += [nodes.colspec(colwidth=1) for _ in self.header]
        head, body = nodes.thead(), nodes.tbody()
        head += self._row(self.header)
        body += [self._row(row) for row in self.rows()]
        group += [head, body]
        return [table]

    def _row(self, cells: Sequence[Cell]) -> nodes.row:
        row = nodes.row()
        for cell in cells:
            if isinstance(cell, str):
                cell = self.state.inline_text(cell, self.lineno)[0] if cell else []
            row += nodes.entry("", nodes.paragraph("", "", *cell))
        return row


class ObjectivesMap(TableDirective):
    header = ("what you can do", "section", "exercises", "what tests look for")

    def rows(self) -> Iterable[Sequence[Cell]]:
        facts: course.Course = self.config.course_facts
        for key, section in facts.sections.items():
            for name, objective in facts.objectives.items():
                if objective.section == key:
                    found = [m.name for m in facts.misconceptions.values() if m.objective == name]
                    looked = "; ".join(found) or "(a person reads it)"
                    yield (
                        objective.text,
                        [section_link(section, self.env.docname)],
                        self._exercises(name),
                        looked,
                    )

    def _exercises(self, objective: str) -> list[nodes.Node]:
        facts: course.Course = self.config.course_facts
        names = [
            f"{assignment}/{exercise}"
            for assignment, entry in facts.assignments.items()
            for exercise, practised in entry.exercises.items()
            if objective in practised.objectives
        ]
        shown: list[nodes.Node] = []
        for name in names:
            path, literal = released_path(name), nodes.literal("", name)
            if path in self.config.released_notebooks:
                target = posixpath.relpath(path, posixpath.dirname(self.env.docname) or ".")
                shown.append(nodes.reference("", "", literal, refuri=target, internal=True))
            else:
                shown.append(literal)
            shown.append(nodes.Text(", "))
        return shown[:-1]


class Faults(TableDirective):
    header = ("kind", "what it means")

    def rows(self) -> Iterable[Sequence[Cell]]:
        for kind, meaning in FAULT_KINDS.items():
            yield f"`{kind}`", meaning


class LimitsTable(TableDirective):
    header = ("limit", "default", "what it bounds")

    def rows(self) -> Iterable[Sequence[Cell]]:
        entry = re.compile(r"^(\w+) : \w+\n((?:    .+\n?)+)", re.MULTILINE)
        meaning = dict(entry.findall(inspect.getdoc(Limits) or ""))
        for field in fields(Limits):
            text = " ".join(meaning[field.name].split())
            yield f"`{field.name}`", self._amount(field.name, field.default), text

    @staticmethod
    def _amount(name: str, value: float) -> str:
        if name.endswith("_bytes"):
            return f"{value / MEBIBYTE:g} MiB"
        return f"{value:g} s" if name.endswith("_seconds") else f"{value:,}"


class BankTable(TableDirective):
    header = (
        "exercise",
        "right answers",
        "wrong answers",
        "test",
        "points",
        "misconception",
        "caught",
        "by it alone",
    )

    def rows(self) -> Iterable[Sequence[Cell]]:
        root = Path(self.env.srcdir)
        for answer in sorted((root / "tests" / "answers").rglob("*.py")):
            self.env.note_dependency(str(answer))
        for line in bank.table(root).splitlines()[2:]:
            yield [cell.strip() for cell in line.strip("|").split("|")]


class GradeColumns(TableDirective):
    header = ("column", "what it holds")

    def rows(self) -> Iterable[Sequence[Cell]]:
        lines = (grades.__doc__ or "").splitlines()
        first, last = (i for i, line in enumerate(lines) if line.startswith("==="))
        width = lines[first].index(" ")
        for line in lines[first + 1 : last]:
            names = [name.strip() for name in line[:width].split(",")]
            yield ", ".join(f"`{name}`" for name in names), line[width:].strip()
        stated = {word for line in lines[first:last] for word in re.findall(r"\w+", line)}
        for column in grades.COLUMNS:
            if column not in stated:
                raise self.error(f"glyphlab_grader.grades does not say what {column} holds")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("objectives-map", ObjectivesMap)
    app.add_directive("faults", Faults)
    app.add_directive("bank-table", BankTable)
    app.add_directive("limits", LimitsTable)
    app.add_directive("grade-columns", GradeColumns)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
