"""Imports run one way, glyphlab_grader → glyphlab → glyphlab_core, and importing stays light."""

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ORDER = ("glyphlab_core", "glyphlab", "glyphlab_grader")
# What the core's calibrators, and the optimisation that is theirs alone, may import in a function.
LATER = {"scipy", "torch"}
CALIBRATORS = {"calibrators", "_likelihood"}


def sources(package):
    folder = Path(find_spec(package).origin).parent
    return sorted(folder.rglob("*.py"))


def imported(tree):
    """Yield (top-level name, whether at module level) of every import, relative ones left out."""
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        at_import = id(node) not in inside
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.partition(".")[0], at_import
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.partition(".")[0], at_import


def test_the_search_for_imports_finds_them():
    code = "import a.b\ndef f():\n    from c.d import e\n    import g\nfrom . import h\n"
    assert set(imported(ast.parse(code))) == {("a", True), ("c", False), ("g", False)}


@pytest.mark.parametrize("package", ORDER)
def test_no_module_imports_a_package_above_it(package):
    above = set(ORDER[ORDER.index(package) + 1 :])
    assert sources(package)
    for path in sources(package):
        names = {name for name, _ in imported(ast.parse(path.read_text(encoding="utf-8")))}
        assert not names & above, path


def test_the_core_imports_numpy_alone():
    allowed = {"numpy", "glyphlab_core", *sys.stdlib_module_names}
    for path in sources("glyphlab_core"):
        for name, at_import in imported(ast.parse(path.read_text(encoding="utf-8"))):
            if at_import or path.stem not in CALIBRATORS:
                assert name in allowed, path
            else:
                assert name in allowed | LATER, path


def loaded_by(statement):
    """Top-level names that a statement adds to a fresh interpreter, standard library left out."""
    return modules_after(statement) - modules_after("pass") - set(sys.stdlib_module_names)


def modules_after(statement):
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_the_core_loads_numpy_alone():
    by_numpy = loaded_by("import numpy.random, numpy.ma")
    assert loaded_by("import glyphlab_core") - by_numpy == {"glyphlab_core"}


@pytest.mark.parametrize(
    "module",
    ["glyphlab", "glyphlab.checks", "glyphlab.expected", "glyphlab.dataset", "glyphlab.cli"],
)
def test_importing_the_light_part_of_the_lab_loads_neither_torch_nor_matplotlib(module):
    loaded = loaded_by(f"import {module}")
    assert "glyphlab" in loaded
    assert not loaded & {"torch", "matplotlib", "scipy", "sklearn"}


def test_plots_do_not_need_torch():
    assert not loaded_by("import glyphlab.plots") & {"torch", "sklearn"}


def test_checks_need_numpy_alone():
    by_numpy = loaded_by("import numpy.random, numpy.ma")
    assert loaded_by("import glyphlab.checks") - by_numpy == {"glyphlab"}
