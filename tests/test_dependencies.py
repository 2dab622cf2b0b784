"""What the repository imports is named where it is installed from, and has a reason."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
#: Where there is code, and the extras that it may rely on beside the package's own requirements.
PARTS = {
    "glyphlab_core": (),
    "glyphlab": (),
    "glyphlab_grader": ("grade", "cluster"),
    "nbgrader_config.py": ("grade",),
    "book/_ext": ("book",),
    "tests": ("book", "grade", "test"),
    "benchmarks": ("grade", "test"),
}
#: Peers live in an environment of their own, with a file of their own.
PEERS = {"tests", "benchmarks"}
#: `glyphlab.course` alone reads YAML, and only the book and the grader need it.
LATER = {"glyphlab": {"pyyaml"}}
#: Where an installed package is found under another name than its own.
IMPORTED_AS = {"sklearn": "scikit-learn", "yaml": "pyyaml"}


def named(part: str) -> set[str]:
    """Names of the distributions that a part may import."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = list(project["dependencies"])
    for extra in PARTS[part]:
        lines += project["optional-dependencies"][extra]
    names = {canonicalize_name(Requirement(line).name) for line in lines}
    return names | LATER.get(part, set()) | (peers() if part in PEERS else set())


def peers() -> set[str]:
    text = (ROOT / "tests/peers/requirements.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {canonicalize_name(Requirement(line).name) for line in lines}


def reasons() -> set[str]:
    """Names in the first column of CONTRIBUTING's table."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text[text.index("## Dependencies") :]
    cells = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[2:]
    names = [name.split()[0] for cell in cells for name in cell.split(",")]
    assert "numpy" in names
    return {canonicalize_name(name) for name in names}


def vendored() -> set[str]:
    """Names of the projects whose files the site serves or the tests run."""
    served = {place.name for place in (ROOT / "book/assets/vendor").iterdir()}
    return served | {place.name for place in (ROOT / "tests/book/vendor").iterdir()}


def files(part: str) -> list[Path]:
    """The part's own code; a student's answers are none."""
    place = ROOT / part
    found = [place] if place.is_file() else sorted(place.rglob("*.py"))
    assert found, part
    return [path for path in found if "answers" not in path.relative_to(ROOT).parts]


def imported(path: Path) -> Iterator[str]:
    """Top-level names of the packages that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


def third_party(part: str) -> dict[str, Path]:
    """Distributions that a part imports, each with a file that does."""
    ours = {"tests", "benchmarks", *(name for name in PARTS if name.startswith("glyphlab"))}
    # The book's extensions, and some tests, import their neighbours.
    ours |= {path.stem for place in ("book/_ext", "tests") for path in files(place)}
    distributions = packages_distributions()
    found = {}
    for path in files(part):
        for module in set(imported(path)) - ours - sys.stdlib_module_names:
            (name, *_) = distributions.get(module, [IMPORTED_AS.get(module, module)])
            found[canonicalize_name(name)] = path
    return found


@pytest.mark.parametrize("part", PARTS)
def test_what_a_part_imports_is_installed_with_it(part: str) -> None:
    missing = {n: str(p.relative_to(ROOT)) for n, p in third_party(part).items()}
    assert {n: p for n, p in missing.items() if n not in named(part)} == {}


def test_everything_imported_has_its_reason() -> None:
    found = {name for part in PARTS for name in third_party(part)}
    assert {"numpy", "psutil", "sqlalchemy", "sphinx", "websocket-client"} <= found
    assert found - reasons() == set()


def test_everything_named_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        lines += extra
    lines += (ROOT / "packages.apt").read_text(encoding="utf-8").split()
    assert {canonicalize_name(Requirement(line).name) for line in lines} - reasons() == set()


def test_the_table_names_nothing_that_is_not_used() -> None:
    everything = set().union(*(named(part) for part in PARTS), peers())
    debian = set((ROOT / "packages.apt").read_text(encoding="utf-8").split())
    assert reasons() - everything - debian - vendored() == set()


def test_everything_vendored_has_its_reason() -> None:
    assert {"mathjax", "observable-plot"} <= vendored()
    assert vendored() - reasons() == set()


def test_everything_named_is_pinned() -> None:
    pins = {
        canonicalize_name(line.partition("==")[0])
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    }
    everything = set().union(*(named(part) for part in PARTS)) - peers()
    assert everything - pins == set()


def test_the_book_s_extensions_come_with_what_is_named() -> None:
    """Those that `_config.yml` lists are the book's own, or a distribution's with a reason."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    distributions = packages_distributions()
    own = {path.stem for path in files("book/_ext")}
    # What Jupyter Book itself loads comes with it.
    theme = {"sphinx-comments", "sphinx-copybutton", "sphinx-design", "sphinx-togglebutton"}
    theme |= {"sphinx-book-theme", "sphinx-external-toc"}
    for extension in config["sphinx"]["config"]["extensions"]:
        if extension in own or extension.startswith("sphinx.ext."):
            continue
        # Many distributions share the name sphinxcontrib.
        shared = extension.startswith("sphinxcontrib.")
        names = [extension] if shared else distributions[extension]
        assert {canonicalize_name(name) for name in names} & (reasons() | theme), extension
