"""Points given by hand above what a cell is worth, which nbgrader adds up in silence."""

from collections.abc import Collection
from typing import Any

from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    GradeCell,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)
from sqlalchemy import select

from glyphlab_grader.names import printable

__all__ = ["excess_warning"]

_NAMED = 5


def excess_warning(gradebook: Any, assignments: Collection[str] | None = None) -> str:
    """Name the cells that got more points by hand than there are.

    Parameters
    ----------
    gradebook : nbgrader.api.Gradebook
        The gradebook.
    assignments : collection of str, optional
        Only these.

    Returns
    -------
    str
        One line; empty where there is no such cell.
    """
    found: list[str] = []
    for table in (GradeCell.__table__, TaskCell.__table__):
        rows = gradebook.db.execute(
            select(
                SubmittedAssignment.student_id,
                Assignment.name,
                Notebook.name,
                BaseCell.name,
                Grade.manual_score,
                table.c.max_score,
            )
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
            .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
            .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
            .join(BaseCell, BaseCell.id == Grade.cell_id)
            .join(table, table.c.id == BaseCell.id)
            .where(Grade.manual_score > table.c.max_score)
        ).all()
        found += [
            f"{printable(student, 40)} {assignment}/{notebook} {cell} ({given:g} of {most:g})"
            for student, assignment, notebook, cell, given, most in rows
            if assignments is None or assignment in assignments
        ]
    if not found:
        return ""
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return f"warning: more points by hand than there are: {', '.join(sorted(found)[:_NAMED])}{more}"
