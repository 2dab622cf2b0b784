"""Every table names its columns and its rows."""

import html.parser
from pathlib import Path

import pytest
from browser import Browser
from docutils import nodes
from row_headers import name_rows


def table(*rows: tuple[str, ...]) -> nodes.table:
    group = nodes.tgroup("", *(nodes.colspec() for _ in rows[0]))
    head, *body = [
        nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in row)) for row in rows
    ]
    group += [nodes.thead("", head), nodes.tbody("", *body)]
    return nodes.table("", group)


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ((("symbol", "meaning"), ("T", "temperature")), True),
        ((("symbol", "meaning"), ("T", "")), True),
        ((("symbol", "meaning"), ("T", "temperature"), ("", "in units of the logits")), False),
        ((("", "meaning"), ("T", "temperature")), False),
    ],
)
def test_a_first_column_names_rows_where_no_cell_of_it_is_empty(
    rows: tuple[tuple[str, ...], ...], named: bool
) -> None:
    made = table(*rows)
    assert name_rows(made) == named
    assert [column.get("stub") for column in made.findall(nodes.colspec)] == [named or None, None]


class Tables(html.parser.HTMLParser):
    """Collects the rows of a page's tables: each cell's tag and text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.rows: list[list[list[str]]] = []
        self._open = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in {"th", "td"}:
            self.rows[-1].append([tag, ""])
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag not in {"th", "td"}

    def handle_data(self, data: str) -> None:
        if self._open:
            self.rows[-1][-1][1] += data


def test_each_row_and_each_column_has_a_name(site: Path) -> None:
    """On every page, whether a cell shows the table, Markdown writes it or a directive does."""
    seen = 0
    for path in sorted(site.glob("book/**/*.html")):
        for row in Tables(path).rows:
            seen += 1
            assert row[0][0] == "th", (path.name, row)
            assert all(text.strip() for tag, text in row if tag == "th"), (path.name, row)
    assert seen > 500


def test_a_screen_reader_is_told_that_they_are_headers(browser: Browser, address: str) -> None:
    browser.open(f"{address}/book/reference/glossary.html")
    tree = browser.send("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in tree]
    rows = browser.evaluate("document.querySelectorAll('article table tbody tr').length")
    assert rows > 40
    assert roles.count("rowheader") == rows
