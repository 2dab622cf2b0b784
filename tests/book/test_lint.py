"""The lint of typed numbers: what it refuses, where, and what it lets pass."""

from fractions import Fraction

import pytest
from glued_text import out_of_range
from latex_arithmetic import NotArithmetic, chains, disagreement, evaluate
from prose_lint import lint


def offences(text: str) -> list[tuple[int, str]]:
    return [(offence.line, offence.message) for offence in lint(text)]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("An accuracy of 0.75.", 1, "'0.75'"),
        ("An accuracy of .75.", 1, "'.75'"),
        ("One\ntwo\n0,75 three", 3, "'0,75'"),
        ("Right in 75% of cases", 1, "'75%'"),
        ("Right in 7.5 % of cases", 1, "'7.5 %'"),
        ("Right in 75 per cent of cases", 1, "percentage"),
        ("Right in {glue:text}`accuracy:.4f` % of cases", 1, "shares stay shares"),
        ("Right in {glue:text}`accuracy:.4f`\\% and `x` per cent", 1, "shares stay shares"),
        ("# A heading with 0.75", 1, "'0.75'"),
        ("- a list\n- with 0.75", 2, "'0.75'"),
        ("| a | b |\n| --- | --- |\n| x | 0.75 |", 3, "'0.75'"),
        ("> quoted 0.75", 1, "'0.75'"),
        ("[a link with 0.75](https://example.org)", 1, "'0.75'"),
        ("![alt 0.75](x.png)", 1, "'0.75'"),
        ("```{note}\nText\n0.75\n```", 3, "'0.75'"),
        ("````{admonition} T\n```{dropdown} 0.75\nx\n```\n````", 2, "'0.75'"),
        ("::::{admonition} T\nx\n\n:::{dropdown} y\nz\n0.75\n:::\n::::", 6, "'0.75'"),
        ("```{figure} x.png\n:alt: shows 0.75\n```", 1, "'0.75'"),
        (
            "```{code-cell}\n---\nmystnb:\n  figure:\n    caption: It is 0.75.\n---\n1\n```",
            1,
            "'0.75'",
        ),
        ("See chapter 5.4 and 0.75.", 1, "'0.75'"),
        ("See chapter 5.45.", 1, "'5.45'"),
        ("It is 5.4.", 1, "'5.4'"),
        ("So $x = \\frac{7}{9}$.", 1, "\\frac{7}{9}"),
        ("So $x = 0.123456$.", 1, "0.123456"),
        ("So $\\frac{1}{2} = \\frac{2}{3}$.", 1, "is not equal"),
        ("So $\\frac{1}{3} \\approx 0.3334$.", 1, "rounded"),
        ("```{math}\n:label: eq-a\na = 1 \\\\\nb = \\frac79\n```", 3, "\\frac79"),
        ("```{math}\na = 1\n```", 1, "no label"),
        ("$$\na = 1\n$$", 1, "{math} directive"),
        ("- ```{note}\n  x\n  ```", 1, "inside a list"),
    ],
)
def test_refused(text: str, line: int, words: str) -> None:
    found = offences(text)
    assert len(found) == 1, found
    assert found[0][0] == line
    assert words in found[0][1].replace("  ", "").replace("\\\\", "\\")


@pytest.mark.parametrize(
    "text",
    [
        "Chapter 5.4, chapters 7.1, 7.2 and 11.1; softmax (7.2).",
        "# 23.1 A chapter\n\n## 2.3 A section",
        "Version 3.2.2 of a library, 10,000 samples, 12 of them, 1/2.",
        "In code, `0.75` and `T=0.5`; glued, {glue:text}`accuracy:.4f`.",
        "```python\nx = 0.75\n```",
        "```{code-cell}\n:tags: [hide-input]\nx = 0.75\n```",
        "So $\\mathrm{Acc} = \\frac{5+3+2}{13} = \\frac{10}{13} \\approx 0.7692$.",
        "A tolerance of $10^{-6}$ on $[0, 1)$; $f(1, 2) = 3$.",
        "---\nlint:\n  inputs: [0.123, 7/9]\n---\nGiven $x = 0.123$ and $y = \\frac79$.",
        "```{math}\n:label: eq-a\n\\begin{aligned}\nx &= \\frac17 + \\frac17 \\\\[4pt]\n"
        "&= \\frac27\n\\end{aligned}\n```",
        "The exact $\\frac{19}{30}$, rounded $0.6333$.",
    ],
)
def test_allowed(text: str) -> None:
    assert offences(text) == []


def test_front_matter_keeps_line_numbers() -> None:
    assert offences("---\nlint:\n  inputs: []\n---\n\nIt is 0.75.")[0][0] == 6


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("\\frac56", Fraction(5, 6)),
        ("\\frac1{10}", Fraction(1, 10)),
        ("\\frac{\\frac34}{\\frac54}", Fraction(3, 5)),
        ("\\tfrac{1}{2}\\left(\\frac23+\\frac35\\right)", Fraction(19, 30)),
        ("2\\cdot 3 - 10/4", Fraction(7, 2)),
        ("-0.25", Fraction(-1, 4)),
        ("1+10^{-2}", Fraction(101, 100)),
        ("2^3", Fraction(8)),
    ],
)
def test_evaluate(text: str, value: Fraction) -> None:
    assert evaluate(text) == value


@pytest.mark.parametrize("text", ["", "x", "2x", "\\frac{a}{2}", "\\frac10", "(1", "1)", "\\sqrt2"])
def test_evaluate_refuses(text: str) -> None:
    with pytest.raises(NotArithmetic):
        evaluate(text)


def test_decimals_are_compared_to_their_last_place() -> None:
    def faults(text: str) -> list[str | None]:
        return [disagreement(chain) for chain in chains(text)]

    assert faults("\\frac23 \\approx 0.667") == [None]
    assert faults("\\frac23 \\approx 0.666")[0] is not None
    assert faults("\\frac23 = 0.667")[0] is not None
    assert faults("a = \\frac12, \\quad b = \\frac13") == [None, None, None]
    # Where the sentence ends, too.
    assert faults("\\frac23 \\approx 0.666 .")[0] is not None


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("test_accuracy", "96.67", True),
        ("macro_f1", "-0.5", True),
        ("test_brier", "2.5", True),
        ("log_loss", "-0.1", True),
        ("test_accuracy", "0.9667", False),
        ("test_brier", "1.5", False),
        ("accuracy_gap", "-0.1", False),
        ("test_images", "60", False),
        ("test_accuracy", "0.5 [0.4, 0.6]", False),
    ],
)
def test_a_computed_number_is_in_its_range(name: str, text: str, fault: bool) -> None:
    assert (out_of_range(name, text) is not None) == fault
