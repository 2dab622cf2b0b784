"""Chapter 23.2: its cells run silently; each worked value stands in the section deriving it."""

import ast
import io
import re
import sys
import types
from contextlib import redirect_stdout
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib
import pytest

from glyphlab.expected import TABLE

PAGE = Path(__file__).parents[2] / "book" / "23_2_calibration.md"
CELL = re.compile(r"^```\{code-cell\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SECTION = re.compile(r"^## (\d) ", re.MULTILINE)


def source_of(cell: str) -> str:
    """Return a cell's code without its options."""
    if cell.startswith("---"):
        cell = cell.split("---\n", 2)[2]
    return re.sub(r"\A(:[\w-]+:.*\n)+", "", cell)


def run(source: str, namespace: dict[str, Any]) -> str:
    """Run a cell as a notebook does; return what it prints and what its last line shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), namespace)
        if last is not None:
            shown = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
            print("" if shown is None else shown)
    return printed.getvalue()


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def glued() -> dict[str, Any]:
    return {}


@pytest.fixture(scope="module")
def read(page: str, glued: dict[str, Any]) -> str:
    """Return the page as it is read: cells replaced by what they show, glued names by values."""
    stub = types.ModuleType("myst_nb")
    stub.glue = lambda name, value, display=True: glued.__setitem__(name, value)  # type: ignore[attr-defined]
    namespace: dict[str, Any] = {"__name__": "__main__"}
    backend = matplotlib.get_backend()
    matplotlib.use("agg")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "myst_nb", stub)
        text = CELL.sub(lambda match: run(source_of(match[1]), namespace), page)
    from matplotlib import pyplot as plt

    plt.close("all")
    matplotlib.use(backend)

    def value(match: re.Match[str]) -> str:
        name, _, form = match[1].partition(":")
        return format(glued[name], form)

    return re.sub(r"\{glue:text\}`([^`]+)`", value, text)


def section(text: str, number: str) -> str:
    starts = {match[1]: match.start() for match in SECTION.finditer(text)}
    later = [start for start in starts.values() if start > starts[number]]
    return text[starts[number] : min(later, default=len(text))]


def forms(value: Fraction | Decimal | int) -> list[str]:
    """Return the ways in which a page may print a value."""
    rounded = [f"{abs(float(value)):.{places}f}" for places in (4, 6, 7, 8)]
    if isinstance(value, Decimal):
        return rounded
    value = Fraction(value)
    if value.denominator == 1:
        return [str(value)]
    a, b = value.numerator, value.denominator
    fractions = [f"{a}/{b}", rf"\frac{{{a}}}{{{b}}}", rf"\frac{a}{b}", rf"\frac{a}{{{b}}}"]
    return [*fractions, *rounded, f"{float(value):g}"]


def flat(value: Any) -> list[Any]:
    return [v for part in value for v in flat(part)] if isinstance(value, tuple) else [value]


def test_the_cells_run_without_a_warning(read: str) -> None:
    assert "GridEdgeWarning: the best temperature 1 is an end of the grid" in read


@pytest.mark.parametrize("name", [n for n, e in TABLE.items() if e.where.startswith("23.2 §")])
def test_a_worked_value_stands_in_its_section(name: str, read: str) -> None:
    place = section(read, TABLE[name].where.removeprefix("23.2 §")[0])
    for value in flat(TABLE[name].value):
        pattern = "|".join(map(re.escape, forms(value)))
        assert re.search(rf"(?<![\d.])(?:{pattern})(?!\d)", place), (name, value)


def test_each_glued_name_is_used_and_defined(page: str, read: str, glued: dict[str, Any]) -> None:
    used = {name.partition(":")[0] for name in re.findall(r"\{glue:text\}`([^`]+)`", page)}
    used |= set(re.findall(r'alt: "glue:(\w+)"', page))
    assert used == set(glued)


def test_a_marked_minimum_is_in_words_and_in_the_numbers(read: str, glued: dict[str, Any]) -> None:
    """What the star of a figure marks, its alternative text says and its table holds."""
    tables = re.findall(r"^The numbers of the figure\nT +log loss\n((?:.+\n)+)", read, re.MULTILINE)
    for name, table in zip(("alt_cal_samples", "alt_cal_val"), tables, strict=True):
        found = re.search(r"least at T = ([\d.]+) with ([\d.]+),", glued[name])
        assert found
        assert [line.split() for line in table.splitlines()].count([*found.groups()]) == 1
