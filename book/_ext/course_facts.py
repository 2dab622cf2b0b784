"""Facts about the course on its pages, all from ``course.yml``.

- ``{points}`ch23_1/F3` `` is the number of points of an exercise.
- ``{assignment}`ch23_1/F3` `` links its notebook, which is copied into the site.
- ``publish_solutions: false`` leaves every solution out.
"""

from __future__ import annotations

import posixpath
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from glyphlab import course

LOGGER = logging.getLogger(__name__)


def released_path(name: str) -> str:
    """Return where the release of an exercise lies, in the repository and in the site."""
    return f"exercises/{name}.ipynb"


class _ExerciseRole(SphinxRole):
    """A role whose text names an exercise as ASSIGNMENT/NOTEBOOK."""

    def warn_unless_known(self) -> None:
        facts: course.Course = self.config.course_facts
        assignment, _, notebook = self.text.partition("/")
        if assignment not in facts.assignments or not notebook:
            message = "course.yml has no assignment for %r"
            LOGGER.warning(message, self.text, location=self.get_location())


class PointsRole(_ExerciseRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        self.warn_unless_known()
        return [nodes.Text(f"{self.config.course_facts.points} points")], []


class AssignmentRole(_ExerciseRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        self.warn_unless_known()
        path = released_path(self.text)
        label = nodes.literal("", path)
        if path not in self.config.released_notebooks:
            return [label], []
        target = posixpath.relpath(path, posixpath.dirname(self.env.docname) or ".")
        return [nodes.reference("", "", label, refuri=target, internal=True)], []


def read_facts(app: Sphinx, config: Config) -> None:
    config.course_facts = course.load(Path(app.srcdir) / "course.yml")
    config.hide_solutions = not config.course_facts.publish_solutions
    config.released_notebooks = [
        path.relative_to(app.srcdir).as_posix()
        for path in sorted(Path(app.srcdir, "exercises").glob("*/*.ipynb"))
    ]


def copy_released_notebooks(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    for path in app.config.released_notebooks:
        target = Path(app.outdir, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(app.srcdir, path), target)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("course_facts", None, "env", [course.Course])
    app.add_config_value("released_notebooks", [], "env", [list])
    app.connect("config-inited", read_facts)
    app.connect("build-finished", copy_released_notebooks)
    app.add_role("points", PointsRole())
    app.add_role("assignment", AssignmentRole())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
