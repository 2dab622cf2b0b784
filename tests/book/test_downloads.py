"""The chapters as notebooks: plain, without outputs, the same each time, and they run."""

import builtins
import os
import re
import shutil
import subprocess
import symtable
import sys
from pathlib import Path

import nbformat
import pytest
from book_builds import pages_of_the_book
from course_facts import WITHHELD
from myst_source import SourceError
from nbclient import NotebookClient
from notebook_downloads import build_notebook, install_command
from plain_markdown import UnknownName, convert_text

ROOT = Path(__file__).parents[2]
CHAPTERS = [name.split("/")[1] for name in pages_of_the_book() if name.startswith("book/23_")]


@pytest.fixture(params=CHAPTERS)
def download(request: pytest.FixtureRequest, site: Path) -> Path:
    return site / "notebooks" / f"{request.param}.ipynb"


def test_each_chapter_links_its_notebook(site: Path) -> None:
    for chapter in CHAPTERS:
        page = (site / "book" / f"{chapter}.html").read_text(encoding="utf-8")
        link = re.search(r'<p class="notebook-download"><a href="([^"]+)"', page)
        assert link is not None
        assert (site / "book" / link[1]).resolve() == site / "notebooks" / f"{chapter}.ipynb"


def test_the_notebook_is_plain(download: Path) -> None:
    notebook = nbformat.read(download, as_version=4)
    nbformat.validate(notebook)
    assert notebook.nbformat_minor >= 5
    assert [cell.id for cell in notebook.cells] == [
        f"cell-{i:03d}" for i in range(1, len(notebook.cells) + 1)
    ]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
            assert "myst_nb" not in cell.source
            assert "glue(" not in cell.source
        else:
            text = re.sub(r"`[^`]*`|\$\$.*?\$\$|\$[^$]*\$", "", cell.source, flags=re.DOTALL)
            assert not re.search(r"\{[a-z][\w:-]*\}", text), text
            assert ":::" not in cell.source
            assert not re.search(r"^\([\w-]+\)=$", cell.source, re.MULTILINE)
    assert "Numbers in the text were computed" in notebook.cells[0].source


def test_the_notebook_names_no_path_of_this_machine(download: Path) -> None:
    assert str(ROOT) not in download.read_text(encoding="utf-8")


def test_the_notebook_runs_elsewhere(download: Path, tmp_path: Path) -> None:
    """Top to bottom, in a folder of its own, with nothing but the installed package."""
    notebook = nbformat.read(shutil.copy(download, tmp_path), as_version=4)
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    shown = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.outputs]
    assert len(shown) > 5
    for cell in shown:
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output


@pytest.mark.check_all
def test_the_notebooks_run_after_pip_install(site: Path, tmp_path: Path) -> None:
    """In a fresh environment with `pip install .` and a kernel, from a folder outside."""
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    source = tmp_path / "source"
    shutil.copytree(
        ROOT, source, ignore=shutil.ignore_patterns(".*", "_*.yml", "_build", "_grading", "tests")
    )
    install = [python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt"]
    subprocess.run([*install, source, "ipykernel", "nbclient"], check=True)
    shutil.rmtree(source)
    run = (
        "import sys, nbformat; from nbclient import NotebookClient; "
        "NotebookClient(nbformat.read(sys.argv[1], 4), timeout=300).execute()"
    )
    for chapter in CHAPTERS:
        folder = tmp_path / chapter
        folder.mkdir()
        notebook = shutil.copy(site / "notebooks" / f"{chapter}.ipynb", folder)
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "JUPYTER"))}
        subprocess.run([python, "-c", run, notebook], cwd=folder, env=clean, check=True)


# ------------------------------------------------------------------ the converter itself


class Names:
    """Stands for a built book."""

    publish_solutions = True

    def number(self, label: str) -> str:
        return self._known(label, {"def-a": "3"})

    def reference(self, label: str) -> str:
        return self._known(label, {"def-a": "Definition 3", "ex-a": "F1: a *title*"})

    def equation(self, label: str) -> str:
        return self._known(label, {"eq-a": "7"})

    def document(self, name: str) -> str:
        return self._known(name, {"other": "*Other*"})

    def value(self, name: str) -> str:
        return self._known(name, {"x:.4f": "0.5000"})

    def citation(self, key: str, *, in_text: bool) -> str:
        return self._known(key, {"a2020": "A (2020)" if in_text else "A, 2020"})

    def bibliography(self) -> str:
        return "- A. 2020."

    def points(self, exercise: str) -> str:
        return "100 points"

    def assignment(self, exercise: str) -> str:
        return f"exercises/{exercise}.ipynb"

    def _known(self, key: str, table: dict[str, str]) -> str:
        if key not in table:
            raise UnknownName(f"nothing is called {key!r}")
        return table[key]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("A {glue:text}`x:.4f` and `{glue:text}` in code.", "A 0.5000 and `{glue:text}` in code."),
        ("By {eq}`eq-a`, {prf:ref}`def-a`.", "By (7), Definition 3."),
        ("See {ref}`this <def-a>` and {doc}`other`.", "See this and *Other*."),
        ("As {cite:t}`a2020` say {cite:p}`a2020`.", "As A (2020) say (A, 2020)."),
        ("{points}`c/F1`, {assignment}`c/F1`", "100 points, `exercises/c/F1.ipynb`"),
        ("(label)=\n## Head\n\n% a comment\n\ntext", "## Head\n\ntext"),
        ("```{math}\n:label: eq-a\nx = 1\n```", "$$\nx = 1\n\\tag{7}\n$$"),
        (
            "```{prf:definition} Name\n:label: def-a\n\nBody {eq}`eq-a`.\n```",
            "**Definition 3 (Name).** Body (7).",
        ),
        (
            "````{prf:definition} Name\n:label: def-a\n\n```{math}\n:label: eq-a\nx\n```\n````",
            "**Definition 3 (Name).**\n\n$$\nx\n\\tag{7}\n$$",
        ),
        ("```{prf:proof}\nClear.\n```", "*Proof.* Clear. ∎"),
        (
            ":::{dropdown} An *answer*\nRight.\n:::",
            "<details><summary>An <em>answer</em></summary>\n\nRight.\n\n</details>",
        ),
        (
            "```{solution} ex-a\n:class: dropdown\n\nSo.\n```",
            "<details><summary>Solution: F1: a <em>title</em></summary>\n\nSo.\n\n</details>",
        ),
        (
            "::::{self-check} Which?\n:::{right} This\nSo.\n:::\n:::{wrong} That\nNo.\n:::\n::::",
            "**Which?**\n\n<details><summary>This</summary>\n\n*Right.* So.\n\n</details>\n\n"
            "<details><summary>That</summary>\n\n*Not so.* No.\n\n</details>",
        ),
        (
            "```{widget} abacus\nTry {eq}`eq-a`.\n```",
            "*To move and watch, on the course's site:* Try (7).",
        ),
        ("```{note}\nMind.\n```", "**Note.** Mind."),
        ("```python\nx = 1  # {ref}`def-a`\n```", "```python\nx = 1  # {ref}`def-a`\n```"),
        (
            "| a | b |\n| - | - |\n| 1 | {glue:text}`x:.4f` |",
            "| a | b |\n| - | - |\n| 1 | 0.5000 |",
        ),
    ],
)
def test_conversion(text: str, plain: str) -> None:
    assert convert_text(text, 1, Names()) == plain


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("One\ntwo {ref}`nowhere`", 2),
        ("{unknownrole}`x`", 1),
        ("text\n\n```{epigraph}\nx\n```", 3),
        ("```{note}\na\n\n{eq}`eq-b`\n```", 4),
        ("```{math}\n:label: eq-b\nx\n```", 1),
        ("A [link](other.md)", 1),
    ],
)
def test_what_cannot_be_converted_is_named(text: str, line: int) -> None:
    with pytest.raises(SourceError) as caught:
        convert_text(text, 1, Names())
    assert caught.value.line == line


def test_solutions_can_be_withheld() -> None:
    names = Names()
    names.publish_solutions = False
    assert convert_text("```{solution} ex-a\nSecret.\n```", 1, names) == ""


class AnyName(Names):
    """Knows whatever is asked for; solutions are withheld."""

    publish_solutions = False

    def _known(self, name: str, known: dict[str, str]) -> str:
        return known.get(name, "0")

    def value(self, name: str) -> str:
        return "0"


@pytest.mark.parametrize("page", [p for p in pages_of_the_book() if "23_" in p or "errat" in p])
def test_a_withheld_solution_is_in_no_notebook(page: str) -> None:
    """Values of the solutions alone, as the pages write them, are gone with the solutions."""
    text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    names = AnyName()
    shown = build_notebook(text, names, "A course")
    for value in (r"\frac{119}{279}", r"\frac{53}{63}", r"\frac{9}{11}", "0.06337894", "0.1553624"):
        assert value not in "".join(cell.source for cell in shown.cells), value
    names.publish_solutions = True
    assert len(build_notebook(text, names, "A course").cells) >= len(shown.cells)


def names_of(source: str) -> tuple[set[str], set[str]]:
    """Return the global names that a cell uses and those that it defines."""
    top = symtable.symtable(source, "cell", "exec")
    scopes, used = [top], set()
    defined = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        for symbol in scope.get_symbols():
            if symbol.is_referenced() and (scope is top or symbol.is_global()):
                used.add(symbol.get_name())
    return used, defined


def test_names_of_a_cell() -> None:
    source = "import a.b\nx = [y for y in z]\ndef f(u):\n    v = u + w\n    return v\n"
    assert names_of(source) == ({"z", "w"}, {"a", "x", "f"})


def is_notebook(page: str) -> bool:
    return "\nkernelspec:\n" in (ROOT / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("published", [True, False])
@pytest.mark.parametrize("page", [*filter(is_notebook, pages_of_the_book())])
def test_each_name_in_a_notebook_is_defined(page: str, published: bool) -> None:
    """Also where cells that give an answer away are left out."""
    text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    names = AnyName()
    names.publish_solutions = published
    known = set(vars(builtins)) | {"__name__"}
    for cell in build_notebook(text, names, "A course").cells:
        if cell.cell_type == "code":
            used, defined = names_of(cell.source)
            known |= defined
            assert used <= known, (used - known, cell.source)


@pytest.mark.parametrize(
    ("tags", "command"),
    [("hide-input", "pip install . scikit-learn"), ("remove-cell", "pip install .")],
)
def test_what_a_notebook_needs_beyond_the_package_is_said(tags: str, command: str) -> None:
    page = (
        "---\nkernelspec:\n  name: python3\n---\n# Title\n\nText.\n\n"
        f"```{{code-cell}}\n:tags: [{tags}]\nimport sklearn.metrics as sk\n```\n"
    )
    assert install_command(page) == command
    assert f"`{command}`" in build_notebook(page, Names(), "A course").cells[0].source


def test_a_section_that_gives_an_answer_away_is_withheld() -> None:
    page = (
        "---\nkernelspec:\n  name: python3\n---\n# Title\n\n### Secret\n\nIt is 42.\n\n"
        "```{code-cell}\n:tags: [solution-section]\nx = 42\n```\n\n```{code-cell}\n"
        ":tags: [solution-section]\ny = 42\n```\n\n### Open\n\nText.\n\n"
        "```{code-cell}\n:tags: [solution]\nz = 42\n```\n"
    )
    names = Names()
    assert "42" in "".join(cell.source for cell in build_notebook(page, names, "A").cells)
    names.publish_solutions = False
    cells = build_notebook(page, names, "A").cells
    assert [cell.cell_type for cell in cells] == ["markdown"] * 3
    assert cells[1].source == f"### Secret\n\n*{WITHHELD}*"


def test_cells() -> None:
    page = (
        "---\nkernelspec:\n  name: python3\n---\n# Title\n\nText.\n\n```{code-cell}\n"
        ":tags: [remove-cell]\nfrom myst_nb import glue\n```\n\n```{code-cell}\n"
        ":tags: [remove-input]\nx = 1\n```\n\n## Next\n\nMore.\n"
    )
    notebook = build_notebook(page, Names(), "A course")
    assert [cell.cell_type for cell in notebook.cells] == ["markdown", "code", "markdown"]
    assert notebook.cells[1].source == "x = 1"
    assert notebook.cells[1].metadata == {"jupyter": {"source_hidden": True}}
    assert build_notebook(page, Names(), "A course") == notebook
    with pytest.raises(SourceError, match="remove-cell"):
        build_notebook(page.replace("remove-cell", "hide-input"), Names(), "A course")
