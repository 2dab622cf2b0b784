"""The command ``glyphlab-grade report ASSIGNMENT``."""

import argparse
import json
from pathlib import Path

from glyphlab_grader.course import open_course
from glyphlab_grader.files import replace_file
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.options import add_database
from glyphlab_grader.report.gather import gather
from glyphlab_grader.report.page import page
from glyphlab_grader.report.pseudonyms import pseudonyms

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = "Write what a class made of ASSIGNMENT, as a page and as JSON."
    parser.add_argument("assignment", metavar="ASSIGNMENT", help="such as ch23_1")
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="default: _grading/reports/ASSIGNMENT.html"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="default: _grading/reports/ASSIGNMENT.json"
    )
    parser.add_argument(
        "--pseudonyms", action="store_true", help="name no student, and repeat no message"
    )
    add_database(parser)


def run(options: argparse.Namespace) -> int:
    """Write the report; the exit status is 0."""
    course = open_course(Path.cwd(), options.db)
    assignment = options.assignment
    course.require_assignment(assignment)
    folder = course.work / "reports"
    folder.mkdir(exist_ok=True)
    with open_gradebook(course) as keeper:
        keeper.require_assignment(assignment, course.notebooks(assignment))
        name = pseudonyms(course.work) if options.pseudonyms else None
        report = gather(course, keeper.ledger(assignment), assignment, name)
    html = options.html or folder / f"{assignment}.html"
    data = options.json or folder / f"{assignment}.json"
    replace_file(html, page(report))
    replace_file(data, json.dumps(report, indent=2, allow_nan=False) + "\n")
    print(f"report: {course.relative(html)}\n        {course.relative(data)}")
    return 0
