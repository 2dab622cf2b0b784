"""The reference pages: nothing is missing from them, and their cells hold what they say."""

import ast
import contextlib
import inspect
import io
import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import glyphlab_core
from glyphlab.expected import TABLE

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "book" / "reference"
CELL = re.compile(r"^```\{code-cell\}\n(?::tags:[^\n]*\n)?(.*?)^```$", re.DOTALL | re.MULTILINE)
ENTRY = re.compile(r"^\(erratum-(\d+)\)=\n### E(\d+): (.+)$", re.MULTILINE)
TO_CHAPTER = re.compile(
    r"\{(?:ref|eq|prf:ref)\}`(?:[^`<]*<)?(?:sec-[bc]|ex-23|def-|prop-|rem-|thm-|eq-cal)"
    r"|\{doc\}`[^`]*<\.\./23_"
)
#: Errata about words; there is nothing to compute.
OF_WORDS = {"E44"}


def page(name: str) -> str:
    return (REFERENCE / f"{name}.md").read_text(encoding="utf-8")


def run(text: str) -> dict[str, Any]:
    """Run a page's cells, one after the other as a notebook does; return their names."""
    stub = types.ModuleType("myst_nb")
    stub.glue = lambda name, value, display=True: None  # type: ignore[attr-defined]
    names: dict[str, Any] = {"__name__": "__main__"}
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()):
        patch.setitem(sys.modules, "myst_nb", stub)
        for cell in CELL.findall(text):
            exec(compile(re.sub(r"\A(:[\w-]+:.*\n)+", "", cell), "cell", "exec"), names)
    return names


# ------------------------------------------------------------------------------------- errata


@pytest.fixture(scope="module")
def errata() -> dict[str, str]:
    """Each entry's text by its number, E7 say."""
    text = page("errata")
    parts = ENTRY.split(text)[1:]
    entries = {}
    for label, number, _, body in zip(*(parts[i::4] for i in range(4)), strict=True):
        assert label == number
        assert f"E{number}" not in entries
        entries[f"E{number}"] = re.split(r"^## ", body, flags=re.MULTILINE)[0]
    return entries


def test_the_errata_are_numbered_without_a_gap(errata: dict[str, str]) -> None:
    assert sorted(errata, key=lambda e: int(e[1:])) == [f"E{i + 1}" for i in range(len(errata))]
    assert len(errata) >= 44


def test_each_erratum_says_where_what_is_printed_and_what_holds(errata: dict[str, str]) -> None:
    for number, body in errata.items():
        assert body.strip().startswith("*"), number
        assert "**Holds:**" in body, number
        assert len(re.findall(r"\*\*[A-Z][a-z]+\*\*", body)) >= 1, number


def test_each_erratum_is_computed_and_leads_to_the_chapter(errata: dict[str, str]) -> None:
    for number, body in errata.items():
        if number in OF_WORDS:
            continue
        cells = CELL.findall(body)
        assert cells, number
        tree = ast.parse("\n".join(cells))
        assert any(isinstance(node, ast.Assert | ast.Raise) for node in ast.walk(tree)), number
        assert "print(" in "".join(cells), number
        prose = CELL.sub("", body)
        assert TO_CHAPTER.search(prose.split("**Holds:**")[1]), number


def test_an_erratum_taught_in_a_solution_is_withheld_with_it(errata: dict[str, str]) -> None:
    for number, body in errata.items():
        cells = re.findall(r"^```\{code-cell\}\n(:tags: .*\n)?", body, re.MULTILINE)
        withheld = {"solution-section" in tags for tags in cells}
        if number not in OF_WORDS:
            assert withheld == {"<ex-23-" in body}, number


def test_the_cells_of_the_errata_pass() -> None:
    run(page("errata"))


def test_the_course_names_no_erratum_that_is_not_listed(errata: dict[str, str]) -> None:
    places = [*ROOT.glob("book/**/*.md"), *ROOT.glob("glyphlab*/**/*.py")]
    for place in places:
        named = re.findall(r"\b(?:erratum |errata )(E\d+)\b", place.read_text(encoding="utf-8"))
        assert set(named) <= errata.keys(), place
    assert {name.split(".")[0] for name in TABLE if re.match(r"E\d", name)} <= errata.keys()


# ------------------------------------------------------------------------------- verification


def test_every_expected_value_stands_in_the_verification_table() -> None:
    names = run(page("verification"))
    assert names["differences"].keys() == TABLE.keys()
    listed = [row for name in TABLE for row in names["rows_of"](name)]
    for name in TABLE:
        rows = [row for row in listed if row[0].partition(", row")[0] == name]
        matrix = isinstance(TABLE[name].value, tuple) and isinstance(TABLE[name].value[0], tuple)
        assert len(rows) == (len(TABLE[name].value) if matrix else 1), name


def test_a_wrong_or_missing_value_stops_the_verification() -> None:
    text = page("verification")
    for spoil in ("computed['C.accuracy'] += 1e-12", "del computed['C.accuracy']"):
        assert "TOLERANCE = " in text
        with pytest.raises(AssertionError, match=r"C\.accuracy"):
            run(text.replace("TOLERANCE = ", f"{spoil}\nTOLERANCE = ", 1))


# -------------------------------------------------------------------------------- conventions


def test_each_stated_value_of_a_peer_is_shown_with_its_version() -> None:
    names = run(page("conventions"))
    pinned = (ROOT / "tests" / "peers" / "requirements.txt").read_text(encoding="utf-8")
    for library, version in names["SEEN_WITH"].items():
        assert f"{library}=={version}" in pinned.split()
    for what, values in names["SEEN"].items():
        shown = [(who, value) for who, _, value in names["tables"][what]]
        for label, value in values.items():
            library = label.split()[0]
            version = names["SEEN_WITH"].get(library)
            who = f"{library} {version}" if version else "the paper's code"
            assert (who, value) in shown, (what, label)


# ----------------------------------------------------------------------------- glossary and API


def test_the_glossary_has_each_term_once_and_in_order() -> None:
    block = re.search(r"^```\{glossary\}\n(.*?)^```$", page("glossary"), re.DOTALL | re.MULTILINE)
    assert block
    terms = re.findall(r"^(\S.*)$", block[1], re.MULTILINE)
    assert len(terms) > 50
    assert terms == sorted(terms, key=str.casefold)
    assert len(terms) == len({term.casefold() for term in terms})


def test_the_glossary_has_each_symbol_once() -> None:
    symbols = re.findall(r"^\| (\$.+?) \| ", page("glossary"), re.MULTILINE)
    flat = [symbol for cell in symbols for symbol in re.findall(r"\$[^$]+\$", cell)]
    assert len(flat) > 40
    assert len(flat) == len(set(flat))


def test_the_api_page_documents_every_public_name_of_the_core() -> None:
    documented = set(re.findall(r"^\.\. (?:auto\w+|py:data):: (\w+)", page("api"), re.MULTILINE))
    public = {
        name for name in glyphlab_core.__all__ if not inspect.ismodule(getattr(glyphlab_core, name))
    }
    assert public == documented - {"glyphlab_core", "glyphlab"}


def test_the_api_page_documents_every_module_of_the_lab() -> None:
    documented = set(re.findall(r"^\.\. automodule:: ([\w.]+)", page("api"), re.MULTILINE))
    modules = {f"glyphlab.{path.stem}" for path in (ROOT / "glyphlab").glob("[a-z]*.py")}
    assert modules | {"glyphlab.cli", "glyphlab_core.worked"} == documented
