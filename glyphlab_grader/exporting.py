"""The command ``glyphlab-grade export``: grades in one CSV file, also as Canvas or Moodle takes it.

What Canvas and Moodle read was taken from their importers (`lib/gradebook_importer.rb` of
instructure/canvas-lms, `grade/import/csv/classes/load_data.php` of moodle/moodle). Both know a
student by the login name, which is nbgrader's student id here, and both have a column for each
assignment. A cell is empty where there is no score yet.
"""

import argparse
import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from glyphlab_grader.course import open_course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.excess import excess_warning
from glyphlab_grader.files import replace_file
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.grades import read_grades, write_grades
from glyphlab_grader.options import add_database

__all__ = ["add_options", "canvas", "moodle", "run"]

_Row = Mapping[str, Any]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = "Write all grades to one CSV file; what is not graded yet stays empty."
    parser.add_argument(
        "--format",
        choices=("csv", "canvas", "moodle"),
        default="csv",
        help="csv (default): a row for each student and assignment; canvas, moodle: a row for each "
        "student, to be imported there",
    )
    parser.add_argument(
        "--to", type=Path, metavar="FILE", help="default: _grading/grades[-FORMAT].csv"
    )
    parser.add_argument(
        "--assignment",
        action="append",
        default=[],
        metavar="NAME[=COLUMN]",
        help="only this one; repeatable; COLUMN is its name in Canvas, such as 'Lab 1 (4711)', or "
        "Moodle",
    )
    parser.add_argument(
        "--partial",
        action="store_true",
        help="canvas, moodle: also the scores of which a part awaits a person",
    )
    add_database(parser)


def run(options: argparse.Namespace) -> int:
    """Write the file; the exit status is 0."""
    course = open_course(Path.cwd(), options.db)
    suffix = "" if options.format == "csv" else f"-{options.format}"
    path = options.to or course.work / f"grades{suffix}.csv"
    columns = dict(_column(text) for text in options.assignment)
    with open_gradebook(course) as keeper:
        known = [assignment.name for assignment in keeper.gradebook.assignments]
        for name in columns:
            if name not in known:
                raise GraderError(f"--assignment: the gradebook has no {name!r}")
        columns = columns or {name: name for name in sorted(known)}
        if options.format == "csv":
            write_grades(keeper.gradebook, path, columns)
        else:
            rows = read_grades(keeper.gradebook, columns)
            write = canvas if options.format == "canvas" else moodle
            table, left_out = write(rows, columns, options.partial)
            replace_file(path, _csv(table))
            if left_out:
                print(f"left empty, because a part awaits a person: {left_out}; see --partial")
        if warning := excess_warning(keeper.gradebook, columns):
            print(warning)
    print(f"grades: {course.relative(path)}")
    return 0


def _column(text: str) -> tuple[str, str]:
    name, _, column = text.partition("=")
    return name, column or name


def canvas(
    rows: Iterable[_Row], columns: Mapping[str, str], partial: bool = False
) -> tuple[list[list[str]], int]:
    """Lay grades out as Canvas imports them.

    Parameters
    ----------
    rows : iterable of mapping
        From `read_grades`.
    columns : mapping of str to str
        Assignments, and what their columns are called.
    partial : bool
        Whether scores count of which a part awaits a person.

    Returns
    -------
    list of list of str
        The header, the points that can be reached, and a row for each student.
    int
        How many scores were left empty because a part awaits a person.
    """
    students, maxima, left_out = _by_student(rows, partial)
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *columns.values()]
    points = ["    Points Possible", "", "", "", "", *(maxima.get(a, "") for a in columns)]
    table = [
        [_name(who), "", "", str(who["student_id"]), "", *(scores.get(a, "") for a in columns)]
        for who, scores in students
    ]
    return [header, points, *table], left_out


def moodle(
    rows: Iterable[_Row], columns: Mapping[str, str], partial: bool = False
) -> tuple[list[list[str]], int]:
    """Lay grades out as Moodle imports them; parameters and results as for `canvas`."""
    students, _, left_out = _by_student(rows, partial)
    header = ["username", "email", "lastname", "firstname", *columns.values()]
    table = [
        [
            str(who["student_id"]),
            *(str(who[part] or "") for part in ("email", "last_name", "first_name")),
            *(scores.get(a, "") for a in columns),
        ]
        for who, scores in students
    ]
    return [header, *table], left_out


def _by_student(
    rows: Iterable[_Row], partial: bool
) -> tuple[list[tuple[_Row, dict[str, str]]], dict[str, str], int]:
    found: dict[str, tuple[_Row, dict[str, str]]] = {}
    maxima: dict[str, str] = {}
    left_out = 0
    for row in rows:
        _, scores = found.setdefault(str(row["student_id"]), (row, {}))
        maxima[row["assignment"]] = repr(float(row["max_score"]))
        if "score" not in row:
            continue
        if row["needs_manual_grade"] and not partial:
            left_out += 1
            continue
        scores[row["assignment"]] = repr(float(row["score"]))
    return list(found.values()), maxima, left_out


def _name(who: _Row) -> str:
    parts = [str(who[part]) for part in ("last_name", "first_name") if who[part]]
    return ", ".join(parts) or str(who["student_id"])


def _csv(table: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    return text.getvalue()
