"""Facts about the course on its pages, all from ``course.yml``.

- ``{points}`ch23_1/F3` `` is the number of points of an exercise.
- ``{assignment}`ch23_1/F3` `` links its notebook, which is copied into the site.
- ``{course}`title` `` is the course's title.
- The directive ``{objectives}`` lists what a learner can do, by the section that teaches it.
- ``publish_solutions: false`` leaves every solution out: solutions, cells tagged ``solution``, and
  what stands under the heading of a cell tagged ``solution-section``.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from glyphlab import course

LOGGER = logging.getLogger(__name__)

WITHHELD = "This gives an answer away, and is withheld until the solutions are published."


def released_path(name: str) -> str:
    """Return where the release of an exercise lies, in the repository and in the site."""
    return f"exercises/{name}.ipynb"


def section_link(section: course.Section, page: str) -> addnodes.pending_xref:
    """Link a section of the book from a page; its chapter's number begins the file's name."""
    number = re.match(r"(\d+)_(\d+)_", posixpath.basename(section.page))
    chapter = f"{number[1]}.{number[2]}, " if number else ""
    return addnodes.pending_xref(
        "",
        nodes.inline("", chapter + section.title),
        refdomain="std",
        reftype="ref",
        reftarget=section.label,
        refexplicit=True,
        refdoc=page,
        refwarn=True,
    )


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


class CourseRole(SphinxRole):
    """A role whose text names a field of the course."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if self.text != "title":
            LOGGER.warning(
                "{course} knows only title, not %r", self.text, location=self.get_location()
            )
        return [nodes.Text(self.config.course_facts.title)], []


class ObjectivesDirective(SphinxDirective):
    """The objectives by section, in the order in which the book teaches them."""

    def run(self) -> list[nodes.Node]:
        facts: course.Course = self.config.course_facts
        result = nodes.bullet_list()
        for key, section in facts.sections.items():
            objectives = [o.text for o in facts.objectives.values() if o.section == key]
            if not objectives:
                continue
            link = section_link(section, self.env.docname)
            entry = nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(": ")))
            entry[0] += nodes.Text("; ".join(objectives) + ".")
            result += entry
        return [result]


def read_facts(app: Sphinx, config: Config) -> None:
    config.course_facts = course.load(Path(app.srcdir) / "course.yml")
    config.hide_solutions = not config.course_facts.publish_solutions
    config.released_notebooks = [
        path.relative_to(app.srcdir).as_posix()
        for path in sorted(Path(app.srcdir, "exercises").glob("*/*.ipynb"))
    ]


def withhold_solutions(app: Sphinx, doctree: nodes.document) -> None:
    """Take away what gives an answer, where solutions are not published."""
    if not app.config.hide_solutions:
        return
    for cell in list(doctree.findall(nodes.container)):
        if "tag_solution-section" in cell["classes"] and isinstance(cell.parent, nodes.section):
            section = cell.parent
            section[1:] = [nodes.paragraph("", "", nodes.emphasis("", WITHHELD))]
        elif "tag_solution" in cell["classes"]:
            cell.parent.remove(cell)


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
    app.connect("doctree-read", withhold_solutions, priority=100)
    app.connect("build-finished", copy_released_notebooks)
    app.add_directive("objectives", ObjectivesDirective)
    app.add_role("course", CourseRole())
    app.add_role("points", PointsRole())
    app.add_role("assignment", AssignmentRole())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
