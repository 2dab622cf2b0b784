"""The book builds; what is wrong on a page fails the build, and the log says where."""

import json
import re
from pathlib import Path

import pytest
from book_builds import Build, build_book, small_book

NOTEBOOK = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  name: python3
  display_name: Python 3
---

"""
FIGURE = """```{code-cell}
---
mystnb:
  image:
    alt: "glue:nothing"
---
import matplotlib.pyplot as plt

axes = plt.figure().add_subplot()
```
"""

# Page, its text, and the line and words with which the build refuses it.
BAD = {
    "failing": (NOTEBOOK + "# Failing\n\n```{code-cell}\n1 / 0\n```\n", "", "ZeroDivisionError"),
    "stderr": (
        NOTEBOOK + "# Noisy\n\n```{code-cell}\nimport sys\nprint('!', file=sys.stderr)\n```\n",
        "",
        "stderr",
    ),
    "decimal": ("# Typed\n\nThe accuracy\nis 0.75 here.\n", ":4:", "a typed decimal"),
    "percentage": ("# Typed\n\nIt is right in 75 % of cases.\n", ":3:", "a typed percentage"),
    "equation": ("# Wrong\n\nSo $\\frac12 + \\frac13 = \\frac45$.\n", ":3:", "is not equal"),
    "unlabelled": ("# Math\n\n$$\na = b\n$$\n", ":3:", "{math} directive with a label"),
    "deadlink": ("# Link\n\nSee {ref}`sec-nowhere`.\n", ":3:", "undefined label"),
    "deadpage": ("# Link\n\nSee {doc}`nowhere`.\n", ":3:", "unknown document"),
    "deadequation": ("# Link\n\nSee {eq}`eq-nowhere`.\n", ":3:", "not found"),
    "uncited": ("# Cite\n\nSee {cite}`nobody2030`.\n", ":3:", "could not find bibtex key"),
    "exercise": ("# Points\n\n{points}`ch99/F1`\n", ":3:", "course.yml has no assignment"),
    "alternative": (NOTEBOOK + "# Figure\n\n" + FIGURE, "", "nothing is glued as 'nothing'"),
    "directive": (
        NOTEBOOK + "# Odd\n\n```{epigraph}\nText.\n```\n",
        ":13:",
        "the notebook cannot show the directive {epigraph}",
    ),
    "term": ("# Term\n\nA {term}`wobble` of\n{term}`nothing`.\n", ":3:", "term not in glossary"),
    "widget": ("# Widget\n\n```{widget} none\nMove it.\n```\n", ":3:", "no widget is called"),
    "erratum": ("# Erratum\n\nSee erratum E999.\n", ":3:", "undefined label"),
    "image": ("# Figure\n\n```{figure} absent.png\n:alt: Absent\n```\n", ":3:", "not readable"),
}

GOOD = NOTEBOOK + (
    "# Good\n\n```{code-cell}\n:tags: [remove-cell]\nfrom myst_nb import glue\n"
    "glue('half', 0.5, display=False)\n```\n\nHalf is {glue:text}`half:.2f`, $\\frac12 = 0.5$.\n\n"
    "```{code-cell}\nprint(1 + 1)\n```\n"
)


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Build]:
    pages = {"intro": "# A small book\n"} | {name: text for name, (text, _, _) in BAD.items()}
    source = small_book(tmp_path_factory.mktemp("bad") / "source", pages)
    return source, build_book(source, source.parent / "out")


def test_the_book_builds_without_a_warning(built: Build) -> None:
    assert built.status == 0, built.log[-4000:]
    assert "WARNING:" not in built.log
    assert "build succeeded" in built.log


def test_the_chapters_are_there(site: Path) -> None:
    for page in ("index", "book/intro", "book/23_1_confusion_matrix", "book/23_2_calibration"):
        assert (site / f"{page}.html").is_file(), page


def test_a_good_page_passes(tmp_path: Path) -> None:
    source = small_book(tmp_path / "source", {"intro": "# A small book\n", "good": GOOD})
    build = build_book(source, tmp_path / "out")
    assert build.status == 0, build.log[-4000:]
    assert 'Half is <span class="pasted-text">0.50</span>' in (
        build.site / "book" / "good.html"
    ).read_text(encoding="utf-8")
    notebook = json.loads((build.site / "notebooks" / "good.ipynb").read_text(encoding="utf-8"))
    assert "Half is 0.50" in "".join(notebook["cells"][1]["source"])


def test_an_asset_or_an_extension_that_changed_is_on_the_page(tmp_path: Path) -> None:
    source = small_book(tmp_path / "source", {"intro": "# A small book\n", "good": "# Good\n"})
    page, style = "book/good.html", "_static/book.css"
    first = build_book(source, tmp_path / "out")
    before = (first.site / page).read_text(encoding="utf-8")
    (source / "book" / "assets" / "book.css").write_text("p { color: red }\n", encoding="utf-8")
    second = build_book(source, tmp_path / "out")
    assert (second.site / style).read_text(encoding="utf-8") == "p { color: red }\n"
    after = (second.site / page).read_text(encoding="utf-8")
    address = re.compile(r"book\.css\?v=\w+")
    assert address.search(before)[0] != address.search(after)[0]

    extension = source / "book" / "_ext" / "accessible_theme.py"
    text = extension.read_text(encoding="utf-8")
    extension.write_text(text.replace("Pages of the book", "All pages"), encoding="utf-8")
    third = build_book(source, tmp_path / "out")
    assert 'aria-label="All pages"' in (third.site / page).read_text(encoding="utf-8")
    assert all(build.status == 0 for build in (first, second, third)), third.log[-4000:]


SECRETS = NOTEBOOK + (
    "# Secrets\n\n## Entries\n\n### Entry\n\nIt is forty-two.\n\n"
    "```{code-cell}\n:tags: [solution-section]\n"
    "print('forty' + '-two')\n```\n\n### Open\n\nStays.\n\n```{code-cell}\n"
    ":tags: [solution]\nprint('forty' + '-two')\n```\n\n```{exercise} Q\n:label: ex-q\nAsked.\n"
    "```\n\n```{solution} ex-q\n:label: sol-q\nIt is forty-two.\n```\n"
)


@pytest.mark.parametrize("published", [True, False])
def test_solutions_are_withheld_everywhere(tmp_path: Path, published: bool) -> None:
    pages = {"intro": "# A small book\n", "secrets": SECRETS}
    source = small_book(tmp_path / "source", pages)
    facts = (source / "course.yml").read_text(encoding="utf-8")
    assert "publish_solutions: true" in facts
    facts = facts.replace("publish_solutions: true", f"publish_solutions: {str(published).lower()}")
    (source / "course.yml").write_text(facts, encoding="utf-8")
    build = build_book(source, tmp_path / "out")
    assert build.status == 0, build.log[-4000:]
    shown = [build.site / "book" / "secrets.html", build.site / "notebooks" / "secrets.ipynb"]
    # The search holds stems.
    for path, word in [
        *((path, "forty") for path in shown),
        (build.site / "searchindex.js", "forti"),
    ]:
        assert (word in path.read_text(encoding="utf-8")) == published, path
    assert all("Stays." in path.read_text(encoding="utf-8") for path in shown)


def test_bad_pages_fail_the_build(bad: tuple[Path, Build]) -> None:
    assert bad[1].status != 0


@pytest.mark.parametrize("page", BAD)
def test_a_bad_page_is_named(bad: tuple[Path, Build], page: str) -> None:
    _, place, words = BAD[page]
    log = bad[1].log
    if page == "failing":  # the traceback stands on lines of its own
        assert bad[1].line_about(f"{page}.md", "Executing notebook failed"), log[-4000:]
        assert words in (bad[1].site / "reports" / "book" / "failing.err.log").read_text()
        return
    assert bad[1].line_about(f"{page}.md{place}", words), log[-6000:]


def test_a_failed_build_fails_again(bad: tuple[Path, Build]) -> None:
    """Nothing changed, so nothing would be read again if the failed build were remembered."""
    source, _ = bad
    again = build_book(source, source.parent / "out")
    assert again.status != 0
    for page, (_, place, words) in BAD.items():
        if page != "failing":
            assert again.line_about(f"{page}.md{place}", words), page
