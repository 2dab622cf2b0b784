"""The command ``glyphlab-grade``."""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from glyphlab_grader.errors import GraderError
from glyphlab_grader.names import printable
from glyphlab_grader.options import add_database

__all__ = ["main"]

DESCRIPTION = """\
Grade the submissions of ASSIGNMENT that lie in _grading/submitted/, each in a sandbox of its own.
'glyphlab-grade doctor' says whether this machine can grade safely, and what to install.
'glyphlab-grade report ASSIGNMENT' says what the class made of it; 'glyphlab-grade export' writes
the grades for Canvas or Moodle; both have a --help of their own.
'glyphlab-grade demonstration' takes a class of made-up students through the whole cycle."""
# Less than this, and not even the imports of an exercise have room: gibibytes were meant.
_LEAST_MEBIBYTES = 64
EPILOG = "exit status: 0 all graded, 1 some failed, or their feedback did; 2 could not run"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> "None":  # type: ignore[override]
        raise GraderError(message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line without the program's name; that of the process by default.

    Returns
    -------
    int
        0 all graded, 1 some failed, 2 could not run.
    """
    try:
        words = list(sys.argv[1:] if arguments is None else arguments)
        if words and words[0] in _WITH_OPTIONS:
            return _other(*words)
        options = _parser().parse_args(words)
        return _COMMANDS.get(options.assignment, _grade)(options)
    except GraderError as error:
        print(f"glyphlab-grade: {error}", file=sys.stderr)
    except SQLAlchemyError as error:
        # The text goes on with the statement and a link; the first line says what is wrong.
        first = str(error).splitlines()[0]
        print(f"glyphlab-grade: the gradebook: {printable(first)}", file=sys.stderr)
    except OSError as error:
        print(f"glyphlab-grade: {error.filename}: {error.strerror}", file=sys.stderr)
    except KeyboardInterrupt:
        print("glyphlab-grade: interrupted; what is graded stays graded", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        "glyphlab-grade",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("assignment", metavar="ASSIGNMENT", help="such as ch23_1")
    parser.add_argument(
        "--student", action="append", default=[], metavar="ID", help="only this one; repeatable"
    )
    parser.add_argument(
        "--force", action="store_true", help="grade again what has not changed since it was graded"
    )
    parser.add_argument("--timeout", type=_seconds, metavar="S", help="seconds for one cell")
    parser.add_argument(
        "--memory", type=_mebibytes, metavar="MIB", help="mebibytes for one notebook (1 GiB: 1024)"
    )
    parser.add_argument(
        "--workers",
        type=_workers,
        default=os.cpu_count() or 1,
        metavar="N",
        help="submissions at a time (default: one for each processor)",
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="grade on the dask cluster with this scheduler; 'local' to try it out here",
    )
    add_database(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the outcomes there")
    parser.add_argument(
        "--feedback", action="store_true", help="write the feedback of all who were graded, too"
    )
    return parser


def _whole(text: str, what: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"a whole number of {what} above 0, not {text!r}")
    return number


def _seconds(text: str) -> int:
    return _whole(text, "seconds")


def _mebibytes(text: str) -> int:
    number = _whole(text, "mebibytes")
    if number < _LEAST_MEBIBYTES:
        raise argparse.ArgumentTypeError(
            f"mebibytes, at least {_LEAST_MEBIBYTES}, not {text!r}: 1 GiB is 1024"
        )
    return number * 2**20


def _workers(text: str) -> int:
    return _whole(text, "workers")


def _grade(options: argparse.Namespace) -> int:
    # nbgrader takes seconds to import; --help and a mistyped option need not wait for it.
    from glyphlab_grader import without_grammars  # noqa: F401 (before what imports nbformat)
    from glyphlab_grader.course import open_course
    from glyphlab_grader.cycle.feedback import generate_feedback
    from glyphlab_grader.excess import excess_warning
    from glyphlab_grader.gradebook import open_gradebook
    from glyphlab_grader.grades import write_grades
    from glyphlab_grader.grading import Options, grade_assignment
    from glyphlab_grader.outcome import write_outcomes
    from glyphlab_grader.progress import progress
    from glyphlab_grader.summary import summary

    if options.json is not None:
        _require_writable(options.json)
    course = open_course(Path.cwd(), options.db)
    if options.cluster not in (None, "local"):
        print(f"cluster: asking the scheduler at {options.cluster}", flush=True)
    how = Options(
        tuple(options.student),
        options.force,
        options.timeout,
        options.memory,
        options.workers,
        cluster=options.cluster,
    )
    with progress() as tell:
        outcomes = grade_assignment(course, options.assignment, how, tell)
    # Before anything is written: a file that cannot be leaves the table where it can be read.
    print(f"\n{summary(outcomes)}")
    grades = course.work / "grades.csv"
    with open_gradebook(course) as keeper:
        if warning := excess_warning(keeper.gradebook, [options.assignment]):
            print(warning)
        write_grades(keeper.gradebook, grades)
    print(f"grades: {course.relative(grades)}")
    if options.json is not None:
        write_outcomes(options.json, outcomes)
    assignment, failed = options.assignment, any(o.outcome == "failed" for o in outcomes)
    if options.feedback:
        students = sorted({outcome.student for outcome in outcomes if outcome.score is not None})
        try:
            generate_feedback(course, assignment, students)
        except GraderError as error:
            print(f"glyphlab-grade: {error}", file=sys.stderr)
            failed = True
        where = course.relative(course.feedback("STUDENT", assignment))
        print(f"feedback: {where}/\nnext: nbgrader release_feedback {assignment}")
    else:
        print(f"feedback: not written yet\nnext: nbgrader generate_feedback {assignment} --force")
    return int(failed)


def _require_writable(path: Path) -> None:
    """Refuse a file for --json that could not be written once everything is graded."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise GraderError(f"--json: no folder {path.parent} to write in")
    if path.is_dir():
        raise GraderError(f"--json: {path} is a folder, not a file")
    try:
        tempfile.NamedTemporaryFile(dir=folder, prefix=f".{path.name}-").close()
    except OSError as error:
        raise GraderError(f"--json: cannot write {path}: {error.strerror}") from None


def _demonstrate(_: argparse.Namespace) -> int:
    from glyphlab_grader.demonstration import demonstrate

    return demonstrate(Path.cwd())


def _doctor(_: argparse.Namespace) -> int:
    from glyphlab_grader.doctor import examine_machine

    return examine_machine(Path.cwd())


def _other(name: str, *words: str) -> int:
    """Run a command that has options of its own; it is imported only now."""
    command = import_module(_WITH_OPTIONS[name])
    parser = _Parser(f"glyphlab-grade {name}")
    command.add_options(parser)
    status: int = command.run(parser.parse_args(words))
    return status


_WITH_OPTIONS = {
    "export": "glyphlab_grader.exporting",
    "report": "glyphlab_grader.report.command",
}
_COMMANDS = {"demonstration": _demonstrate, "doctor": _doctor}


if __name__ == "__main__":
    sys.exit(main())
