"""Says whether this machine can grade safely, and what to do where it cannot.

``glyphlab-grade doctor``. The sandbox is not only looked for: a notebook is run in it.
"""

import os
import pwd
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import nbformat

from glyphlab_grader.course import open_course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.execution import Grader, Limits, SandboxMissing
from glyphlab_grader.gradebook import open_gradebook

__all__ = ["examine_machine", "sandbox_problem"]

_Check = Callable[[], str]
# The checks of the machine; the others are of the folder in which it is asked.
_MACHINE = ("nbgrader", "sandbox")


class _Problem(Exception):
    """A check failed; the message says what to do."""


def examine_machine(root: Path, say: Callable[[str], None] = print) -> int:
    """Check everything that grading needs and print a line for each.

    Parameters
    ----------
    root : Path
        The course's folder.
    say : callable
        Takes the lines.

    Returns
    -------
    int
        0 if this machine can grade the course safely, 2 if not.
    """
    checks: dict[str, _Check] = {
        "nbgrader": _nbgrader,
        "sandbox": _sandbox,
        "account": _account,
        "course": lambda: _course(root),
        "gradebook": lambda: _gradebook(root),
    }
    failed = []
    for name, check in checks.items():
        try:
            verdict, text = "ok", check()
        except (_Problem, GraderError) as problem:
            verdict, text = "NO", str(problem)
            failed.append(name)
        say(f"{verdict:<3} {name:<10} {text}")
    here = [name for name in failed if name not in _MACHINE]
    if len(here) < len(failed):
        say("This machine cannot grade safely.")
    elif here:
        say(f"This machine can grade safely; see to the {' and the '.join(here)}.")
    else:
        say("This machine can grade safely.")
    return 2 if failed else 0


def sandbox_problem() -> str | None:
    """Run a notebook in the sandbox; return what is wrong with it, or nothing."""
    try:
        _sandbox()
    except _Problem as problem:
        return str(problem)
    return None


def _nbgrader() -> str:
    version = metadata.version("nbgrader")
    soupsieve = metadata.version("soupsieve")
    if sys.version_info < (3, 12) and int(soupsieve.split(".")[0]) >= 3:
        raise _Problem(f"soupsieve {soupsieve} breaks feedback: pip install 'soupsieve<3'")
    if not (Path(sys.executable).parent / "alembic").exists():
        raise _Problem("alembic is not beside this Python: pip install alembic")
    return version


def _sandbox() -> str:
    """Run a cell and a test of it, both of which import the course's packages.

    And see that the cell cannot see this file.
    """
    # A copy of what a student could try first: is the course there to be read?
    probe = f"import os, glyphlab_core\nseen = os.path.exists({__file__!r})\nvalue = 6 * 7"
    answer = nbformat.v4.new_code_cell(probe)
    marks = {"grade": True, "grade_id": "test", "points": 1, "solution": False, "locked": True}
    test = nbformat.v4.new_code_cell("import glyphlab.checks\nassert value == 42 and not seen")
    test.metadata["nbgrader"] = marks
    notebook = nbformat.v4.new_notebook(cells=[answer, test])
    try:
        with Grader(preload=()) as grader:
            execution = grader.run(notebook, Limits(cell_seconds=20))
    except (SandboxMissing, RuntimeError, OSError) as error:
        raise _Problem(" ".join(str(error).split())) from None
    errors = [o for c in execution.notebook.cells for o in c.outputs if o.output_type == "error"]
    if errors or execution.faults:
        told = errors[0].evalue if errors else execution.faults[0].message
        raise _Problem(f"a notebook does not run as it should: {told}")
    user = "root" if os.getuid() == 0 else "an ordinary user"
    return f"a notebook ran in it, started by {user}"


def _account() -> str:
    """Name the user who runs this: nbgrader's exchange asks, and not every container can tell."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        raise _Problem(
            f"user {os.getuid()} has no name here, and nbgrader's exchange needs one: "
            "run as a user of this machine, or give the number a line in /etc/passwd"
        ) from None


def _course(root: Path) -> str:
    course = open_course(root)
    assignments = course.assignments()
    if not assignments:
        raise _Problem(f"no notebooks in {course.relative(course.source('x').parent)}")
    return ", ".join(assignments)


def _gradebook(root: Path) -> str:
    course = open_course(root)
    if not course.has_gradebook:
        return "none yet; `nbgrader generate_assignment ASSIGNMENT --force` makes it"
    with open_gradebook(course) as keeper:
        students = len(keeper.gradebook.students)
    return f"{students} students"
