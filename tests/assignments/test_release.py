"""What learners get: cut from the instructor's notebooks, the same at each generation, no leaks."""

import ast
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from glyphlab import course
from glyphlab_grader.course import open_course
from glyphlab_grader.cycle import generate as cycle
from glyphlab_grader.errors import GraderError
from glyphlab_grader.release import canonical, generate
from glyphlab_grader.release.leaks import HIDDEN, leaks
from glyphlab_grader.restoring.master import StoredCell, load_master

ROOT = Path(__file__).parents[2]
COURSE = course.load(ROOT / "course.yml")
NOTEBOOKS = sorted(ROOT.glob("solutions/*/*.ipynb"))
ASSIGNMENTS = sorted({path.parent.name for path in NOTEBOOKS})


def name(path):
    return f"{path.parent.name}/{path.stem}"


each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=name)


def cells(path, wanted=lambda marks: True):
    notebook = nbformat.read(path, as_version=4)
    return [cell for cell in notebook.cells if wanted(cell.metadata.nbgrader)]


def graded(path):
    return cells(path, lambda marks: marks.grade and not marks.solution)


def released(path):
    return ROOT / "exercises" / path.relative_to(ROOT / "solutions")


# ------------------------------------------------------------------------------ generation


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_release_equals_a_fresh_generation(assignment):
    fresh = generate.generate(ROOT, assignment)
    stored = {
        path.name: path.read_text(encoding="utf-8")
        for path in (ROOT / "exercises" / assignment).iterdir()
    }
    assert stored == fresh, "run: python -m glyphlab_grader.release"
    assert fresh == generate.generate(ROOT, assignment)


def test_a_broken_notebook_is_refused(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text((ROOT / "nbgrader_config.py").read_text())
    folder = tmp_path / "solutions" / "ch23_1"
    folder.mkdir(parents=True)
    with pytest.raises(GraderError, match="holds no notebook"):
        generate.generate(tmp_path, "ch23_1")
    text = NOTEBOOKS[0].read_text(encoding="utf-8")
    (folder / "F3.ipynb").write_text(text.replace('"outputs": []', '"outputs":[]'))
    with pytest.raises(GraderError, match="not in its canonical form"):
        generate.release(tmp_path, "ch23_1")
    (folder / "F3.ipynb").write_text(canonical.canonical(text.replace("### END SOLUTION", "#")))
    with pytest.raises(GraderError, match="cannot generate the release"):
        generate.release(tmp_path, "ch23_1")
    assert not (tmp_path / "exercises").exists() or not list((tmp_path / "exercises").rglob("*.*"))


@each_notebook
def test_each_stub_stands_where_the_solution_was(path):
    for source, stub in zip(cells(path), cells(released(path)), strict=True):
        kept = re.sub(
            r"^([ ]*)### BEGIN SOLUTION\n.*?### END SOLUTION",
            r"\1# YOUR CODE HERE\n\1...",
            source.source,
            flags=re.DOTALL | re.MULTILINE,
        )
        if source.metadata.nbgrader.solution and source.cell_type == "code":
            assert stub.source == kept != source.source
            ast.parse(stub.source)


# ------------------------------------------------------------------------------ canonical form


@pytest.mark.parametrize("path", [*NOTEBOOKS, *map(released, NOTEBOOKS)], ids=str)
def test_notebooks_have_no_outputs_and_fixed_ids(path):
    for cell in cells(path):
        assert cell.id == cell.metadata.nbgrader.grade_id
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None


@each_notebook
def test_notebooks_are_in_their_canonical_form(path):
    text = path.read_text(encoding="utf-8")
    assert canonical.canonical(text) == text, "run: python -m glyphlab_grader.release.canonical"


def test_the_formatter_cleans_what_an_editor_leaves(tmp_path, capsys):
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    wanted = NOTEBOOKS[0].read_text(encoding="utf-8")
    notebook.metadata["widgets"] = {"x": 1}
    for cell in notebook.cells:
        cell.id = f"other-{cell.id}"
        cell.metadata["tags"] = ["a"]
        if cell.cell_type == "code":
            cell.execution_count = 3
            cell.outputs = [nbformat.v4.new_output("stream", text="hello")]
    path = tmp_path / "F.ipynb"
    nbformat.write(notebook, path)
    assert canonical.main([str(path), "--check"]) == 1
    assert canonical.main([str(path)]) == 0
    assert path.read_text(encoding="utf-8") == wanted
    assert canonical.main([str(path), "--check"]) == 0
    path.write_text("{}")
    assert canonical.main([str(path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert str(path) in error


def test_cells_without_a_name_of_their_own_are_refused():
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    twice = nbformat.from_dict(notebook)
    twice.cells.append(nbformat.from_dict({**twice.cells[0], "id": "another"}))
    with pytest.raises(ValueError, match="two cells are called 'title'"):
        canonical.canonical(nbformat.writes(twice))
    notebook.cells.append(nbformat.v4.new_code_cell("x = 1"))
    with pytest.raises(ValueError, match="is not an nbgrader cell: 'x = 1'"):
        canonical.canonical(nbformat.writes(notebook))


# ------------------------------------------------------------------------------ leaks


@each_notebook
def test_the_release_gives_nothing_away(path):
    source = nbformat.read(path, as_version=4)
    assert leaks(source, released(path).read_text(encoding="utf-8")) == []
    assert leaks(source, "\n".join(cell.source for cell in cells(released(path)))) == []


@each_notebook
def test_the_scanner_finds_what_stands_in_the_source(path):
    source = nbformat.read(path, as_version=4)
    found = leaks(source, "\n".join(cell.source for cell in source.cells))
    kinds = {re.split(r" in |: ", leak)[0] for leak in found}
    assert {"a line of the solution", "a line of the hidden test", "a delimiter"} <= kinds


def test_the_scanner_finds_literals_and_paths():
    source = nbformat.read(ROOT / "solutions/ch23_2/F3.ipynb", as_version=4)
    assert leaks(source, "try 690.0") == ["a literal of the hidden test in axis: 690.0"]
    assert leaks(source, "see <code>/home/ada/course/x.py</code>") == [
        "a path: /home/ada/course/x.py"
    ]
    assert leaks(source, "an answer within 10 or 1/2, at https://example.org/home/x") == []


@each_notebook
def test_links_lead_to_sections_of_the_book(path):
    text = "\n".join(cell.source for cell in cells(path) if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^)#]+)#([^)]+)\)", text)
    assert links
    for file, label in links:
        page = (released(path).parent / file).resolve()
        assert f"\n({label})=\n" in page.read_text(encoding="utf-8"), (file, label)


@each_notebook
def test_released_sections_are_named_and_nothing_is_linked_in_vain(path):
    """No link of the release depends on where a student's folder lies."""
    assert COURSE.book_url == ""
    for source, cell in zip(cells(path), cells(released(path)), strict=True):
        assert not re.search(r"\]\((?!https?://)|\.md\b", cell.source), cell.id
        for title in re.findall(r"\[([^\]]+)\]\(\.\./", source.source):
            assert f"“{title}”" in cell.source


def test_the_book_s_address_is_put_into_released_links_and_the_master_agrees(tmp_path):
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    text = (ROOT / "course.yml").read_text(encoding="utf-8")
    address = 'book_url: "https://book.example/course"'
    assert text.count('\nbook_url: ""\n') == 1
    (tmp_path / "course.yml").write_text(text.replace('book_url: ""', address), encoding="utf-8")
    shutil.copytree(ROOT / "solutions" / "ch23_1", tmp_path / "solutions" / "ch23_1")
    course = open_course(tmp_path)
    cycle.generate(course, "ch23_1")
    path = course.release("ch23_1") / "F1.ipynb"
    assert (
        "[Micro, macro and prevalence]"
        "(https://book.example/course/book/23_1_confusion_matrix.html#sec-cm-averages)"
    ) in cells(path)[0].source
    with Gradebook(course.database, course.course_id) as gradebook:
        kept = gradebook.find_notebook("F1", "ch23_1").source_cells
        stored = {cell.name: StoredCell(cell.source, cell.checksum) for cell in kept}
    assert load_master(path, stored).cells[0].source == cells(path)[0].source


# ------------------------------------------------------------------------------ test cells


@each_notebook
def test_the_points_add_up(path):
    points = [c.metadata.nbgrader.points for c in cells(path, lambda marks: marks.grade)]
    assert sum(points) == COURSE.points
    manual = cells(path, lambda marks: marks.grade and marks.solution)
    assert sum(c.metadata.nbgrader.points for c in manual) <= 30
    table = next(c.source for c in cells(path) if c.id == "grading")
    assert sum(float(n) for n in re.findall(r"\| (\d+) \|$", table, re.MULTILINE)) == COURSE.points


@each_notebook
def test_a_test_cell_says_what_it_is_worth(path):
    for cell in graded(path):
        stated = re.match(r"# .*?(\d+) points?\.$", cell.source.splitlines()[0])
        assert stated, cell.id
        assert float(stated.group(1)) == cell.metadata.nbgrader.points, cell.id


@each_notebook
def test_a_test_cell_stands_on_its_own(path):
    """The same source runs under nbgrader, in a learner's JupyterLab and in a separate judge."""
    for cell in graded(path):
        tree = ast.parse(cell.source)
        # A last value would be read as a partial grade.
        assert not isinstance(tree.body[-1], ast.Expr), cell.id
        nodes = list(ast.walk(tree))
        assert not [node for node in nodes if isinstance(node, ast.ClassDef)], cell.id
        assert "shares_memory" not in cell.source, cell.id
        # Whatever a learner's code prints or warns costs nothing.
        assert isinstance(tree.body[-1], ast.With), cell.id
        assert ast.unparse(tree.body[-1].items[0].context_expr) == "checks.quiet()", cell.id
        # Names that a learner may have used for something else are not relied on.
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        assert not used & {"sum", "max", "min", "len", "list", "sorted", "abs", "all", "any"}


@each_notebook
def test_a_test_cell_without_its_hidden_part_runs(path):
    for cell in graded(path):
        visible = re.sub(
            rf"^ *{HIDDEN[0]}.*?{HIDDEN[1]}$", "", cell.source, flags=re.DOTALL | re.MULTILINE
        )
        ast.parse(visible)
        assert "with checks.quiet():" in visible
