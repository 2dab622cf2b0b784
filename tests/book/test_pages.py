"""Links, anchors, figures and facts of the built pages."""

import html.parser
import re
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from latex_arithmetic import chains
from myst_source import Block, blocks, front_matter
from prose_lint import MATH_NUMBER

from glyphlab import course
from glyphlab.expected import TABLE

ROOT = Path(__file__).parents[2]


class Page(html.parser.HTMLParser):
    """Collects a page's ids, links and figures."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.images: list[dict[str, str]] = []
        self.has_table: list[bool] = []
        self._waiting: list[int] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag == "img":
            self.images.append(attributes)
            self._waiting.append(len(self.has_table))
            self.has_table.append(False)
        if tag == "table":
            for image in self._waiting:
                self.has_table[image] = True
        if tag == "table" or re.fullmatch("h[1-6]", tag):
            self._waiting.clear()


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {
        path: Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts
    }


def test_links_and_anchors_resolve(site: Path, pages: dict[Path, Page]) -> None:
    dead = []
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z][a-z0-9+.-]*:", link) or link in {"#", ""}:
                continue
            target, anchor = urldefrag(unquote(link))
            goal = (path.parent / target).resolve() if target else path
            anchored = anchor and goal.suffix == ".html" and goal.is_file()
            if not goal.is_file() or (anchored and anchor not in pages[goal].ids):
                dead.append(f"{path.relative_to(site)}: {link}")
    assert dead == []


def test_no_id_is_used_twice(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        twice = {name for name in page.ids if page.ids.count(name) > 1}
        assert not twice, (path.relative_to(site), twice)


def test_links_to_the_outside_stand_in_one_file(site: Path, pages: dict[Path, Page]) -> None:
    """Whatever a page links elsewhere, the list of references has."""
    listed = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    urls = set(re.findall(r"url\s*=\s*\{([^}]+)\}", listed))
    assert len(urls) > 10
    elsewhere = {
        (path.relative_to(site).as_posix(), link)
        for path, page in pages.items()
        for link in page.links
        if re.match(r"(?:[a-z][a-z0-9+.-]*:)?//", link)
    }
    assert {(page, link) for page, link in elsewhere if link not in urls} == set()
    assert {link for _, link in elsewhere} == urls


def test_no_source_names_an_address_of_its_own() -> None:
    places = [
        *ROOT.glob("book/**/*.md"),
        *ROOT.glob("book/_ext/*.py"),
        *ROOT.glob("glyphlab*/*.py"),
    ]
    places = [place for place in places if "vendor" not in place.parts]
    assert len(places) > 40
    for place in places:
        text = place.read_text(encoding="utf-8")
        assert not re.findall(r"https?://\w[\w.-]*\.\w+", text), place


def test_every_erratum_that_is_named_is_linked(site: Path) -> None:
    named = 0
    for path in sorted(site.glob("book/**/*.html")):
        text = re.sub(r"<(pre|code|title|script)\b.*?</\1>", "", path.read_text(), flags=re.DOTALL)
        for match in re.finditer(r"[Ee]rrat(?:um|a) E(\d+)", text):
            named += 1
            before = text[: match.start()]
            link = before[before.rfind("<a ") :]
            assert f'#erratum-{match[1]}"' in link, (path.name, match[0])
            assert "</a>" not in link, (path.name, match[0])
    assert named >= 6


def test_each_figure_says_what_it_shows_and_gives_its_numbers(
    site: Path, pages: dict[Path, Page]
) -> None:
    figures = 0
    for path, page in pages.items():
        if "book" not in path.relative_to(site).parts:  # indices have the theme's icons
            continue
        for image, table in zip(page.images, page.has_table, strict=True):
            figures += 1
            alt = image.get("alt", "")
            assert len(alt) > 60, (path.relative_to(site), image)
            assert re.search(r"\d", alt), (path.relative_to(site), alt)
            assert "glue:" not in alt
            assert table, (path.relative_to(site), "no table follows", alt)
    assert figures >= 4


def test_sections_of_the_course_are_in_the_book(site: Path, pages: dict[Path, Page]) -> None:
    for key, section in course.load(ROOT / "course.yml").sections.items():
        page, anchor = section.path.split("#")
        assert (site / page).is_file(), key
        assert anchor in pages[site / page].ids, (key, section.path)


def test_released_notebooks_are_in_the_site(site: Path) -> None:
    released = sorted((ROOT / "exercises").glob("*/*.ipynb"))
    assert released
    for notebook in released:
        copy = site / notebook.relative_to(ROOT)
        assert copy.read_bytes() == notebook.read_bytes()


# ------------------------------------------------------------------ worked values of chapter 23.1


def _mathematics(text: str, first_line: int) -> list[str]:
    """Return the formulas of a text, inside directives too."""
    formulas = []
    for block in blocks(text, first_line):
        formulas += _formulas(block)
    return formulas


def _formulas(block: Block) -> list[str]:
    if block.kind == "text":
        return re.findall(r"\$([^$]+)\$", block.source)
    if block.kind != "directive" or block.name == "code-cell":
        return []
    if block.name == "math":
        return [block.body]
    return _mathematics(block.body, block.body_line)


def test_every_worked_value_stands_where_it_is_derived() -> None:
    """Each exact fraction that the table places in chapter 23.1 is worked out or glued there."""
    text = (ROOT / "book" / "23_1_confusion_matrix.md").read_text(encoding="utf-8")
    _, body, first_line = front_matter(text)
    shown = set()
    for formula in _mathematics(body, first_line):
        for chain in chains(formula):
            shown |= {side.value for side in chain if side.value is not None}
            for side in chain:
                for number in MATH_NUMBER.findall(side.text.replace(" ", "")):
                    for inner in chains(number):
                        shown |= {part.value for part in inner}
    glued = re.findall(r'glue_exact\("([^"]+)"\)', text)
    missing = []
    for name, entry in TABLE.items():
        if not entry.where.startswith("23.1") or name in glued:
            continue
        values = entry.value if isinstance(entry.value, tuple) else (entry.value,)
        flat = [v for value in values for v in (value if isinstance(value, tuple) else (value,))]
        absent = [v for v in flat if v is not None and v.denominator != 1 and v not in shown]
        if absent:
            missing.append((name, absent))
    assert missing == []
