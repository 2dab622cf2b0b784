"""nbgrader's settings for this course: its folders, and what the grader plugs in.

Plain `nbgrader …` commands, the formgrader and `glyphlab-grade` all read this file.
"""

import os
import sys
from pathlib import Path

from glyphlab.course import load as load_course
from glyphlab_grader.forbidden import forbidden_names
from glyphlab_grader.formgrader import TEMPLATES as FORMGRADER_TEMPLATES

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
# A submission belongs to the user whose name is the student's id, or it is not collected. Where
# students have no accounts of their own: c.ExchangeCollect.check_owner = False
c.ExchangeFactory.collect = "glyphlab_grader.cycle.collection.CheckedCollect"
# A submission that did not come through the exchange does not stop feedback for the others.
c.ExchangeFactory.release_feedback = "glyphlab_grader.cycle.handback.ReleaseWhatCan"

# What a student must not change comes from the master; students' cells run in a sandbox, test cells
# in a process of their own. The other steps are nbgrader's.
c.Autograde.sanitize_preprocessors = [
    "glyphlab_grader.preprocessors.Restore",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "glyphlab_grader.execution.preprocessor.SandboxedExecute",
    "nbgrader.preprocessors.IgnorePattern",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
# Before nbgrader reads a submission: no links, notebooks under their own names, none too large. A
# second grading at the same time is refused, whichever of the two is nbgrader's own.
c.Autograde.pre_convert_hook = "glyphlab_grader.preprocessors.remove_links"
c.Autograde.exporter_class = "glyphlab_grader.preprocessors.SubmissionExporter"
# Seconds that one cell may run; `glyphlab-grade --timeout` overrides it for one run. The sandbox's
# other limits, with their defaults, are those of glyphlab_grader.execution.Limits.
c.Execute.timeout = 30
c.SandboxedExecute.limits = {}
# What course.yml forbids an exercise to use has only stand-ins in a student's process.
c.SandboxedExecute.forbidden = forbidden_names(ROOT / "course.yml")

# Feedback names misconceptions and shows no test code; its page loads nothing from anywhere.
c.GenerateFeedback.exporter_class = "glyphlab_grader.feedback.FeedbackExporter"
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "glyphlab_grader.feedback.TellLearner",
]

# What a student wrote runs no script in the formgrader's page, which is the instructor's; formulas
# are MathML, so that the page loads no MathJax from another host.
_paths = [p for p in os.environ.get("JUPYTER_PATH", "").split(os.pathsep) if p]
if FORMGRADER_TEMPLATES not in _paths:
    os.environ["JUPYTER_PATH"] = os.pathsep.join([FORMGRADER_TEMPLATES, *_paths])
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {
    "ansi2html": "glyphlab_grader.formgrader.ansi2html",
    "clean_html": "glyphlab_grader.formgrader.clean_html",
    "markdown2html": "glyphlab_grader.formgrader.markdown2html",
}

# `nbgrader export` writes the same grades.csv as `glyphlab-grade`: ungraded is empty, not 0.
c.ExportApp.plugin_class = "glyphlab_grader.grades.GradesExport"

# The stub that a release has in place of a solution: it runs, so that "Run all" reaches the checks.
c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\n..."}

# Before a release is made, the solutions are graded as a student's notebooks are: fewer than all
# points of the tests refuse it, and leave the old release as it was.
c.GenerateAssignment.exporter_class = "glyphlab_grader.release.solution.ReleaseExporter"
# The steps of a release: nbgrader's own, and before it keeps the cells, the course's draw and the
# book's address.
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.InstantiateTests",
    "glyphlab_grader.release.variants.DrawVariant",
    "glyphlab_grader.release.links.LinkBook",
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ClearSolutions",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]
if (ROOT / "course.yml").exists():
    _course = load_course(ROOT / "course.yml")
    c.DrawVariant.seed = _course.seed
    c.LinkBook.book = c.TellLearner.book = _course.book_url
