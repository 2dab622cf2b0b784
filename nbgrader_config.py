"""nbgrader's settings for this course: its folders, and what the grader plugs in.

Plain `nbgrader …` commands, the formgrader and `glyphlab-grade` all read this file.
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821  (traitlets defines it while it reads this file)

ROOT = Path(__file__).resolve().parent
WORK = ROOT / "_grading"

# SQLite cannot open a database in a folder that does not exist yet.
WORK.mkdir(exist_ok=True)
# nbgrader calls `alembic` when it makes a gradebook; it lies beside this interpreter, which need
# not be on PATH when the environment was not activated.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

c.CourseDirectory.course_id = "glyphlab"
c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
c.CourseDirectory.submitted_directory = "_grading/submitted"
c.CourseDirectory.autograded_directory = "_grading/autograded"
c.CourseDirectory.feedback_directory = "_grading/feedback"
c.CourseDirectory.db_url = f"sqlite:///{WORK / 'gradebook.db'}"

c.Exchange.root = str(WORK / "exchange")
c.Exchange.cache = str(WORK / "cache")

# Seconds that one cell may run; `glyphlab-grade --timeout` overrides it for one run.
c.Execute.timeout = 30

# `nbgrader export` writes the same grades.csv as `glyphlab-grade`: ungraded is empty, not 0.
c.ExportApp.plugin_class = "glyphlab_grader.grades.GradesExport"

# The stub that a release has in place of a solution: it runs, so that "Run all" reaches the checks.
c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\n..."}
