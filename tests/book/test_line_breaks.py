"""What a line must not part is joined, and nothing else is changed."""

import pytest
from docutils import nodes
from line_breaks import join_signs

from glyphlab.tables import Table, typeset


def paragraph(before: str, after: str) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.Text(before), nodes.math("", "x"), nodes.Text(after))


@pytest.mark.parametrize(
    ("before", "after", "boxed"),
    [
        ("the value ", ", which", "x,"),
        ("it is ", ".", "x."),
        ("a set (", ") of", "(x)"),
        ("the ", "-th entry", "x-th"),
        ("(see ", "); then", "x);"),
    ],
)
def test_signs_go_with_the_formula(before: str, after: str, boxed: str) -> None:
    text = paragraph(before, after)
    join_signs(next(text.findall(nodes.math)))
    assert text.astext() == f"{before}x{after}"
    (box,) = [node for node in text.findall(nodes.inline)]
    assert box.astext() == boxed


def test_a_formula_among_words_stays() -> None:
    text = paragraph("where ", " is (so)")
    join_signs(next(text.findall(nodes.math)))
    assert not list(text.findall(nodes.inline))


def test_a_number_keeps_its_percent_sign_and_gets_a_minus() -> None:
    assert typeset("a 95 % interval") == "a 95\N{NO-BREAK SPACE}% interval"
    assert typeset("-0.5 and -1 to 2") == "\N{MINUS SIGN}0.5 and \N{MINUS SIGN}1 to 2"
    assert typeset("F1-F5, 2024-05, one-2 and a-1") == "F1-F5, 2024-05, one-2 and a-1"


def test_an_interval_has_no_breaking_space() -> None:
    assert typeset("0.5 [0.4, 0.6] and [0, 1)") == "0.5 [0.4,\N{NO-BREAK SPACE}0.6] and [0, 1)"
    table = Table("T.", ["a", "b"], [["x", "0.5 [-0.4, 0.6]"], ["y", "an, other"]])
    assert "0.5 [\N{MINUS SIGN}0.4,\N{NO-BREAK SPACE}0.6]" in table._repr_html_()
    assert "an, other" in table._repr_html_()
    assert "[-0.4, 0.6]" in repr(table)
