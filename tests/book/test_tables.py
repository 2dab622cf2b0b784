"""The small tables that cells show."""

import html.parser

import pytest

from glyphlab.tables import Table

ROWS = [["a & b", 1], ["c", 0.5]]


class Tags(html.parser.HTMLParser):
    """Checks that tags are closed in order, and collects cells with their scope."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scopes: list[str | None] = []
        self.texts: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag == "th":
            self.scopes.append(dict(attrs)["scope"])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_html_is_well_formed_and_names_rows_and_columns() -> None:
    table = Tags(Table("What <it> shows.", ["name", "value"], ROWS)._repr_html_())
    assert table.scopes == ["col", "col", "row", "row"]
    assert table.texts == ["What <it> shows.", "name", "value", "a & b", "1", "c", "0.5"]


def test_a_folded_table_shows_its_caption_only() -> None:
    text = Table("The numbers.", ["name", "value"], ROWS, folded=True)._repr_html_()
    assert text.startswith("<details><summary>The numbers.</summary>")
    assert "The numbers." in Tags(text).texts


def test_text_is_aligned() -> None:
    assert repr(Table("Shown.", ["name", "value"], ROWS)).splitlines() == [
        "Shown.",
        "name   value",
        "a & b  1",
        "c      0.5",
    ]


def test_a_ragged_row_is_named() -> None:
    with pytest.raises(ValueError, match=r"rows\[1\] has 1 cells where header has 2"):
        Table("Shown.", ["name", "value"], [["a", 1], ["b"]])
