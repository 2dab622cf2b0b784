"""Formulas as MathML: those of the course are drawn, a stranger's do no harm."""

import re
from pathlib import Path
from xml.etree.ElementTree import fromstring

import nbformat
import pytest

from glyphlab_grader.formulas import LONGEST_FORMULA, mathml

ROOT = Path(__file__).resolve().parents[2]
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)


def formulas() -> list[str]:
    """The formulas of the exercises."""
    cells = [
        cell.source
        for path in sorted(ROOT.glob("solutions/*/*.ipynb"))
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "markdown"
    ]
    return sorted({a or b for text in cells for a, b in FORMULA.findall(text)})


def test_every_formula_of_the_exercises_is_drawn() -> None:
    found = formulas()
    assert len(found) > 30
    for tex in found:
        drawn = mathml(tex)
        assert drawn.startswith("<math"), tex
        # A command that the library does not know stays as it was typed.
        assert "\\" not in drawn, tex


def test_a_formula_means_what_was_typed() -> None:
    assert mathml(r"\sum_i p'_i R_i \ge 0") == (
        '<math display="inline"><mrow><msub><mo>∑</mo><mi>i</mi></msub>'
        "<msubsup><mi>p</mi><mi>i</mi><mi>′</mi></msubsup>"
        "<msub><mi>R</mi><mi>i</mi></msub><mo>≥</mo><mn>0</mn></mrow></math>"
    )
    assert "<mi>softmax</mi>" in mathml(r"\operatorname{softmax}(z)")
    matrix = fromstring(mathml(r"C = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix},", display=True))
    assert [cell.findtext(".//mn") for cell in matrix.iter("mtd")] == ["1", "2", "3", "4"]
    brackets = [mo for mo in matrix.iter("mo") if mo.text in ("(", ")")]
    assert [mo.get("stretchy") for mo in brackets] == ["true", "true"]
    assert [mo.get("form") for mo in brackets] == ["prefix", "postfix"]


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{<script>attack()</script>}",
        r"\href{javascript:attack()}{x}",
        r"\style{background:url(https://attack.example)}{x}",
        r"\mathrm{<img src=x onerror=attack()>}",
        r"&lt;script&gt;attack()&lt;/script&gt;",
        r"\left(",
        r"\frac",
        "}",
        "{" * 900,
        "x^" * 900,
        r"\newcommand{\a}{\a\a}\a",
        r"\begin{matrix}" * 100,
        "x" * (LONGEST_FORMULA + 1),
        "\x00\ud800",
        "",
    ],
)
def test_a_stranger_s_formula_does_no_harm(tex: str) -> None:
    drawn = mathml(tex)
    assert re.fullmatch(r"<math.*</math>|<code>.*</code>", drawn, re.DOTALL)
    assert not re.search(r"<(?:script|img|a)\b|href=|style=|onerror=[^&]*>", drawn.split(">", 1)[1])
