"""Offer every chapter as a Jupyter notebook that runs wherever the course's package is installed.

The notebook is written from the page's source after the build, in plain Markdown, with the computed
values in its prose, without outputs, with fixed cell ids. The link stands under the page's title.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

import nbformat
from course_facts import WITHHELD, released_path
from docutils import nodes
from glued_text import PREFIX, glued
from myst_source import Block, SourceError, front_matter
from plain_markdown import UnknownName, convert_block, convert_roles, sections
from pybtex.plugin import find_plugin
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
FOLDER = "notebooks"
SOLUTION_TAGS = {"solution", "solution-section"}
LINK = (
    '<p class="notebook-download"><a href="{href}" download>'
    "Download this page as a notebook</a>; before it runs: <code>{install}</code></p>"
)
INTRODUCTION = (
    "*This is a page of the course {title} as a notebook. It needs the course's package: run "
    "`{install}` once in the course's folder. Numbers in the text were computed when the book "
    "was built; the cells compute them again.*"
)


def install_command(text: str) -> str:
    """Return what installs all that a page's notebook imports."""
    _, body, first_line = front_matter(text)
    parts = [part for part in sections(body, first_line) if isinstance(part, Block)]
    shown = "\n".join(part.body for part in parts if "remove-cell" not in _tags(part))
    needs_peer = re.search(r"^\s*(?:from|import) sklearn\b", shown, re.MULTILINE)
    return "pip install . scikit-learn" if needs_peer else "pip install ."


class BookNames:
    """The names of a built book, for one of its pages; see `plain_markdown.Names`."""

    def __init__(self, app: Sphinx, docname: str) -> None:
        self.env: BuildEnvironment = app.env
        self.docname = docname
        self.facts = app.config.course_facts
        self.publish_solutions: bool = self.facts.publish_solutions
        self.values = glued(app, docname)

    def number(self, label: str) -> str:
        entry = _known(getattr(self.env, "proof_list", {}), label)
        return self._figure_number(entry["docname"], entry["countertype"], entry["ids"][0])

    def reference(self, label: str) -> str:
        proofs = getattr(self.env, "proof_list", {})
        if label in proofs:
            return f"{proofs[label]['realtype'].capitalize()} {self.number(label)}"
        exercises = getattr(self.env, "sphinx_exercise_registry", {})
        if label in exercises:
            return str(exercises[label]["node"][0].astext()).removeprefix("Exercise").strip()
        standard = self.env.get_domain("std")
        if label in standard.labels:  # type: ignore[attr-defined]
            docname, target, title = standard.labels[label]  # type: ignore[attr-defined]
            figure = self.env.toc_fignumbers.get(docname, {}).get("figure", {}).get(target)
            return f"Figure {_dotted(figure)}" if figure else f"*{title}*"
        raise UnknownName(f"no label {label!r}")

    def _figure_number(self, docname: str, kind: str, target: str) -> str:
        return _dotted(_known(self.env.toc_fignumbers[docname][kind], target))

    def equation(self, label: str) -> str:
        return str(_known(self.env.get_domain("math").equations, label)[1])  # type: ignore[attr-defined]

    def document(self, name: str) -> str:
        docname = posixpath.normpath(posixpath.join(posixpath.dirname(self.docname), name))
        return f"*{_known(self.env.titles, docname).astext()}*"

    def value(self, name: str) -> str:
        name, _, form = name.partition(":")
        value = _known(self.values, name)
        return format(float(value), form) if form else value

    def citation(self, key: str, *, in_text: bool) -> str:
        entry = _known({citation.key: citation for citation in self._citations()}, key).entry
        people = [
            " ".join(person.last_names).strip("{}") for person in entry.persons.get("author", [])
        ]
        who = " et al." if len(people) > 2 else ""
        who = people[0] + who if who or len(people) < 2 else " and ".join(people)
        year = entry.fields.get("year", "n.d.")
        return f"{who} ({year})" if in_text else f"{who}, {year}"

    def bibliography(self) -> str:
        backend = find_plugin("pybtex.backends", "plaintext")()
        cited = [c for c in self._citations() if c.bibliography_key.docname == self.docname]
        texts = (citation.formatted_entry.text.render(backend) for citation in cited)
        return "\n".join(f"- {' '.join(text.split())}" for text in texts)

    def _citations(self) -> list[Any]:
        return self.env.get_domain("cite").citations  # type: ignore[attr-defined, no-any-return]

    def points(self, exercise: str) -> str:
        return f"{self.facts.points} points"

    def assignment(self, exercise: str) -> str:
        return released_path(exercise)


def _known(mapping: Any, name: str) -> Any:
    if name not in mapping:
        raise UnknownName(f"nothing is called {name!r}")
    return mapping[name]


def _dotted(number: tuple[int, ...]) -> str:
    return ".".join(map(str, number))


def build_notebook(text: str, names: Any, title: str) -> nbformat.NotebookNode:
    """Write a page's source as a notebook."""
    _, body, first_line = front_matter(text)
    cells: list[nbformat.NotebookNode] = []
    for part in sections(body, first_line):
        if isinstance(part, list):
            cells += _text_cells(part, names)
        elif names.publish_solutions or not SOLUTION_TAGS & _tags(part):
            cells += _code_cells(part, names)
        elif "solution-section" in _tags(part) and WITHHELD not in cells[-1].source:
            heading = next(line for line in cells[-1].source.split("\n") if line.startswith("#"))
            cells[-1].source = f"{heading}\n\n*{WITHHELD}*"
    install = install_command(text)
    cells[0].source += "\n\n" + INTRODUCTION.format(title=title, install=install)
    for i, cell in enumerate(cells, 1):
        cell.id = f"cell-{i:03d}"
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    nbformat.validate(notebook)
    return notebook


def _text_cells(part: list[Block], names: Any) -> list[nbformat.NotebookNode]:
    text = "\n\n".join(filter(None, (convert_block(block, names) for block in part)))
    return [nbformat.v4.new_markdown_cell(text)] if text else []


def _tags(block: Block) -> set[str]:
    return set(block.options.get("tags") or [])


def _code_cells(block: Block, names: Any) -> list[nbformat.NotebookNode]:
    tags = _tags(block)
    if "remove-cell" in tags:
        return []
    if "myst_nb" in block.body:
        raise SourceError(block.line, "myst_nb is imported outside a cell tagged remove-cell")
    folded = {"jupyter": {"source_hidden": True}} if {"hide-input", "remove-input"} & tags else {}
    return [nbformat.v4.new_code_cell(block.body, metadata=folded), *_caption(block, names)]


def _caption(block: Block, names: Any) -> list[nbformat.NotebookNode]:
    """Write a figure's caption and alternative text as a cell; Jupyter has no place for them."""
    settings = block.options.get("mystnb") or {}
    figure, image = settings.get("figure") or {}, settings.get("image") or {}
    alt = str(image.get("alt", ""))
    try:
        if alt.startswith(PREFIX):
            alt = names.value(alt.removeprefix(PREFIX))
        label = f"**{names.reference(figure['name'])}.** " if "name" in figure else ""
    except UnknownName as error:
        raise SourceError(block.line, str(error)) from error
    text = label + convert_roles(str(figure.get("caption", "")), block.line, names)
    text = "\n\n".join(filter(None, [text.strip(), alt and f"*In words:* {alt}"]))
    return [nbformat.v4.new_markdown_cell(text)] if text else []


def is_notebook(env: BuildEnvironment, docname: str) -> bool:
    return "kernelspec" in env.metadata.get(docname, {})


def notebook_path(docname: str) -> str:
    """Return the notebook's place in the site."""
    return f"{FOLDER}/{posixpath.basename(docname)}.ipynb"


def add_link(app: Sphinx, doctree: nodes.document) -> None:
    docname = app.env.docname
    if not is_notebook(app.env, docname):
        return
    title = next(doctree.findall(nodes.title))
    href = posixpath.relpath(notebook_path(docname), posixpath.dirname(docname) or ".")
    source = Path(app.env.doc2path(docname)).read_text(encoding="utf-8")
    link = LINK.format(href=href, install=install_command(source))
    title.parent.insert(title.parent.index(title) + 1, nodes.raw("", link, format="html"))


def write_notebooks(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    for docname in sorted(app.env.found_docs):
        if not is_notebook(app.env, docname):
            continue
        source = Path(app.env.doc2path(docname)).read_text(encoding="utf-8")
        try:
            notebook = build_notebook(
                source, BookNames(app, docname), app.config.course_facts.title
            )
        except SourceError as fault:
            LOGGER.warning("notebook: %s", fault, location=(docname, fault.line))
            continue
        target = Path(app.outdir, notebook_path(docname))
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, target)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", add_link)
    app.connect("build-finished", write_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
