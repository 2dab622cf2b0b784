"""Refuse numbers that nobody computed.

In prose: decimals and percentages, and a percent sign behind a computed share. In mathematics:
fractions and decimals that are neither expected values of the course, nor inputs listed in the
page's front matter (``lint: inputs``), nor sides of an equation that is right. Displayed
mathematics uses the ``{math}`` directive with a label.
Each offence is a warning with file and line, and warnings fail the build.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml
from latex_arithmetic import NotArithmetic, chains, disagreement, evaluate
from markdown_it.token import Token
from myst_source import Block, SourceError, blocks, front_matter, parser
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from glyphlab.expected import TABLE

LOGGER = logging.getLogger(__name__)

#: Directives whose body is not prose.
NOT_PROSE = {"bibliography", "code-block", "raw", "toctree", "tableofcontents", "automodule"}
#: From this number of places on, a decimal may be an expected value rounded.
ROUNDED_PLACES = 4

#: Chapters of the course that prose may name: "chapters 5.4 and 7.1", "softmax (7.2)".
CHAPTERS = (
    "5.4", "7.1", "7.2", "8.4", "11.1", "11.2", "19.2", "20.4",
    "21.4", "22.1", "22.2", "22.4", "23.1", "23.2", "23.3", "24.4",
)  # fmt: skip

_CHAPTER = rf"(?:{'|'.join(map(re.escape, CHAPTERS))})(?!\d|\.\d)"
_CHAPTERS = re.compile(
    rf"\b[Cc]hapters?\s+{_CHAPTER}(?:(?:,|,? and|,? or)\s+{_CHAPTER})*|\({_CHAPTER}\)"
)
_VERSION = re.compile(r"\b\d+(?:\.\d+){2,}\w*")
_THOUSANDS = re.compile(r"\b\d{1,3}(?:,\d{3})+\b(?!\.\d)")
_PERCENTAGE = re.compile(r"\d+(?:[.,]\d+)?\s*(?:%|per\s?cent\b)")
#: What was computed or typed as code or mathematics is marked by a dot when the lint looks.
_SHARE_AS_PERCENTAGE = re.compile(r"·\s*(?:%|per\s?cent\b)")
_DECIMAL = re.compile(r"\d*[.,]\d+")
MATH_NUMBER = re.compile(
    r"\\[td]?frac\s*(?:\{\d+\}|\d)\s*(?:\{\d+\}|\d)|(?<![\w.])\d+/\d+|\d+\.\d+"
)


@dataclass(frozen=True)
class Offence:
    """Something on a page that must not stand there."""

    line: int
    message: str


@dataclass(frozen=True)
class Known:
    """The values that a page's mathematics may state."""

    exact: frozenset[Fraction]

    @classmethod
    def with_inputs(cls, inputs: Iterable[object]) -> Known:
        values = set(_flatten(entry.value for entry in TABLE.values()))
        return cls(frozenset(values | {evaluate(str(value)) for value in inputs}))

    def allows(self, text: str, value: Fraction) -> bool:
        if value.denominator == 1 or _is_power_of_ten(value):
            return True
        if value in self.exact or -value in self.exact:
            return True
        decimals = re.fullmatch(r"-?\d+\.(\d+)", text.strip())
        if decimals is None or len(decimals[1]) < ROUNDED_PLACES:
            return False
        tolerance = Fraction(1, 2 * 10 ** len(decimals[1]))
        return any(abs(abs(known) - abs(value)) <= tolerance for known in self.exact)


def _is_power_of_ten(value: Fraction) -> bool:
    """A tolerance such as 1e-6 is a choice, not a result."""
    return value.numerator == 1 and re.fullmatch("10*", str(value.denominator)) is not None


def _flatten(values: Iterable[Any]) -> Iterator[Fraction]:
    for value in values:
        if isinstance(value, tuple):
            yield from _flatten(value)
        elif isinstance(value, (Fraction, Decimal, int)) and _finite(value):
            yield Fraction(value)


def _finite(value: Fraction | Decimal | int) -> bool:
    return not isinstance(value, Decimal) or value.is_finite()


def lint(text: str) -> list[Offence]:
    """Return the offences of a page, in its order."""
    matter, body, first_line = front_matter(text)
    known = Known.with_inputs((matter.get("lint") or {}).get("inputs") or ())
    try:
        return list(_lint_text(body, first_line, known))
    except SourceError as error:
        return [Offence(error.line, str(error))]


def _lint_text(text: str, first_line: int, known: Known) -> Iterator[Offence]:
    for block in blocks(text, first_line):
        if block.kind == "math":
            yield Offence(
                block.line, "displayed mathematics: use the {math} directive with a label"
            )
        elif block.kind == "text":
            yield from _lint_prose(block.source, block.line, known)
        elif block.kind == "directive":
            yield from _lint_directive(block, known)


def _lint_directive(block: Block, known: Known) -> Iterator[Offence]:
    if block.name == "math":
        if "label" not in block.options:
            yield Offence(block.line, "displayed mathematics has no label")
        yield from _lint_math(block.body, block.body_line, known)
    elif block.name == "code-cell":
        for text in _figure_texts(block.options):
            yield from _lint_prose(text, block.line, known)
    elif block.name not in NOT_PROSE:
        yield from _lint_prose(block.argument, block.line, known)
        yield from _lint_prose(str(block.options.get("alt", "")), block.line, known)
        yield from _lint_text(block.body, block.body_line, known)


def _figure_texts(options: dict[str, Any]) -> Iterator[str]:
    settings = options.get("mystnb") or {}
    settings = yaml.safe_load(settings) if isinstance(settings, str) else settings
    yield str((settings.get("image") or {}).get("alt", ""))
    yield str((settings.get("figure") or {}).get("caption", ""))


def _lint_prose(text: str, first_line: int, known: Known) -> Iterator[Offence]:
    in_heading = False
    for token in parser().parse(text):
        in_heading = token.type == "heading_open" or (in_heading and token.type == "inline")
        if token.type == "inline":
            line = first_line + (token.map[0] if token.map else 0)
            yield from _lint_inline(token, line, known, in_heading)


def _lint_inline(token: Token, line: int, known: Known, in_heading: bool) -> Iterator[Offence]:
    text = ""
    for child in [*(token.children or []), Token("softbreak", "", 0)]:
        if child.type in {"text", "image"}:
            text += child.content
        elif child.type in {"softbreak", "hardbreak"}:
            # The sentence goes on, but the place to name is this line.
            yield from _lint_line(text, line, in_heading)
            text, line = "", line + 1
        elif child.type == "math_inline":
            yield from _lint_math(child.content, line, known)
            text += "·"
        elif child.type in {"code_inline", "myst_role"}:
            text += "·"


def _lint_line(text: str, line: int, in_heading: bool) -> Iterator[Offence]:
    if in_heading:
        text = re.sub(r"^\d+(\.\d+)*\s", "", text)
    for harmless in (_CHAPTERS, _VERSION, _THOUSANDS):
        text = harmless.sub("·", text)
    if _SHARE_AS_PERCENTAGE.search(text):
        yield Offence(line, "a computed number is followed by a percent sign: shares stay shares")
    for match in _PERCENTAGE.finditer(text):
        yield Offence(line, f"a typed percentage in prose: {match[0]!r}; compute it and glue it")
    for match in _DECIMAL.finditer(_PERCENTAGE.sub("·", text)):
        yield Offence(line, f"a typed decimal in prose: {match[0]!r}; compute it and glue it")


def _lint_math(text: str, line: int, known: Known) -> Iterator[Offence]:
    for chain in chains(text):
        wrong = disagreement(chain)
        if wrong:
            yield Offence(line, f"an equation is wrong: {wrong}")
        computed = sum(side.value is not None for side in chain) >= 2
        for side in chain:
            if side.value is not None:
                if not (computed or known.allows(side.text, side.value)):
                    yield Offence(line, _unknown(side.text))
                continue
            for match in MATH_NUMBER.finditer(side.text.replace(" ", "")):
                if not known.allows(match[0], _number(match[0])):
                    yield Offence(line, _unknown(match[0]))


def _number(text: str) -> Fraction:
    try:
        return evaluate(text)
    except NotArithmetic:  # a fraction with denominator 0
        return Fraction(1, 10**12)


def _unknown(text: str) -> str:
    return (
        f"a number in mathematics that is neither an expected value, nor computed there, "
        f"nor an input of the page: {text!r}"
    )


def lint_pages(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Lint every page of the book, whether or not it is read again."""
    for docname in sorted(env.found_docs):
        path = Path(env.doc2path(docname))
        if path.suffix == ".md":
            for offence in lint(path.read_text(encoding="utf-8")):
                LOGGER.warning(offence.message, location=(docname, offence.line))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-before-read-docs", lint_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
