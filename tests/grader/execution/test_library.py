"""Editions of the course's packages, and what a sandbox shows of installed ones."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import glyphlab_core
from glyphlab_grader.execution.library import Editions, edition_sources
from glyphlab_grader.execution.packages import visible_entries
from glyphlab_grader.execution.views import judge_view, package_folder

EXPORTS = [
    name
    for name in glyphlab_core.__all__
    if callable(getattr(glyphlab_core, name)) and not name.isupper()
]


def imported(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run code that finds the course's packages in an edition only."""
    program = f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"
    return subprocess.run(
        [sys.executable, "-s", "-P", "-c", program], capture_output=True, text=True, check=False
    )


def test_an_edition_works_and_has_stand_ins(tmp_path):
    folder = Editions(tmp_path).without(["precision_recall_from_confusion", "core_metrics"])
    done = imported(
        folder,
        "import glyphlab_core as c, numpy as np; assert c.__file__.startswith(sys.path[0]); "
        "from glyphlab import checks, dataset; dataset.load(); "
        "assert c.confusion_matrix([0, 1], [0, 0]).tolist() == [[1, 0], [1, 0]]; "
        "assert abs(c.softmax(np.array([[0.0, 0.0]])) - 0.5).max() < 1e-12; "
        "c.core_metrics(c.worked.C)",
    )
    assert done.returncode == 1
    message = "NotInThisExercise: core_metrics is what this exercise asks you to write"
    assert message in done.stderr


@pytest.mark.parametrize("name", EXPORTS)
def test_each_function_can_be_forbidden_alone(name):
    """The rest still parses; what stands under the name is the stand-in, in the core."""
    core = {
        path: ast.parse(text)
        for path, text in edition_sources(frozenset([name])).items()
        if path.startswith("glyphlab_core/")
    }
    found = [
        ast.unparse(node)
        for tree in core.values()
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
    ]
    assert len(found) == 1
    assert f"{name} is what this exercise asks you to write" in found[0]


def test_what_only_a_forbidden_function_used_is_gone():
    whole = edition_sources(frozenset())
    without = edition_sources(frozenset(["optimal_temperature"]))
    lines = {name: len(text.splitlines()) for name, text in without.items()}
    assert lines["glyphlab_core/_optimum.py"] < len(whole["glyphlab_core/_optimum.py"].splitlines())


def test_every_edition_imports_whole(tmp_path):
    """All forbidden at once: no module misses a name that it imports."""
    folder = Editions(tmp_path).without(EXPORTS)
    done = imported(
        folder,
        "import pkgutil, importlib, glyphlab_core, glyphlab; "
        "[importlib.import_module(m.name) for p in (glyphlab_core, glyphlab) "
        "for m in pkgutil.iter_modules(p.__path__, p.__name__ + '.')]",
    )
    assert done.stderr == ""


def test_expected_values_are_in_no_edition(tmp_path):
    folder = Editions(tmp_path).without([])
    files = {path.name for path in folder.rglob("*")}
    assert "checks.py" in files
    assert not files & {"expected.py", "course.py", "cli"}


def test_an_unknown_name_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no function or class 'core_metric'"):
        Editions(tmp_path).without(["core_metric"])


def test_names_of_packages_that_are_absent_are_fulfilled(tmp_path):
    editions = Editions(tmp_path)
    plain = editions.without([])
    assert editions.without(["sklearn.metrics.f1_score"]) == plain
    assert editions.without(["glyphlab_core.softmax"]) == editions.without(["softmax"]) != plain


def test_everybody_can_read_an_edition(tmp_path):
    folder = Editions(tmp_path).without([])
    for path in folder.rglob("*"):
        assert os.stat(path).st_mode & 0o044 == 0o044


def test_students_see_few_packages_with_what_they_require():
    names = {path.name for path in visible_entries()}
    assert {"numpy", "torch", "matplotlib", "IPython", "traitlets", "typing_extensions.py"} <= names
    assert not names & {"sklearn", "torchmetrics", "netcal", "nbgrader", "nbformat", "pytest"}
    assert not any(name.startswith("glyphlab") for name in names)


def test_a_copy_of_the_packages_in_the_present_folder_is_not_taken_for_them(tmp_path, monkeypatch):
    """nbgrader puts the course's folder, which may be a clone of all this, in front of the path."""
    before = judge_view()
    for name in ("glyphlab_core", "glyphlab"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert judge_view() == before
    assert (
        package_folder("glyphlab") == Path(glyphlab_core.__file__).resolve().parents[1] / "glyphlab"
    )


def test_a_package_that_is_not_there_is_told():
    with pytest.raises(ModuleNotFoundError, match="glyphlab_extra"):
        package_folder("glyphlab_extra")
