r"""Evaluate the arithmetic inside a formula exactly, and check its equations.

``\frac{5+3+2}{13} = \frac{10}{13} \approx 0.7692`` has three sides that are plain arithmetic; they
must agree, the decimal to its last place. What contains a letter is not arithmetic and is left
alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+)?|[^\s]", re.DOTALL)
_IGNORED = {
    r"\left",
    r"\right",
    r"\,",
    r"\;",
    r"\!",
    r"\ ",
    "&",
    r"\bigl",
    r"\bigr",
    r"\Bigl",
    r"\Bigr",
}
_FRACTIONS = {r"\frac", r"\tfrac", r"\dfrac"}
_RELATIONS = {
    r"\ne", r"\neq", r"\le", r"\leq", r"\ge", r"\geq", "<", ">", r"\in", r"\to", r"\mapsto",
    r"\quad", r"\qquad", ",", ";", ".", r"\Rightarrow", r"\iff", r"\colon", ":", r"\equiv",
}  # fmt: skip
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class NotArithmetic(ValueError):
    """The text is not made of numbers, fractions and the four operations alone."""


@dataclass(frozen=True)
class Side:
    """One side of an equation: its text, the relation before it, its value if it is arithmetic."""

    text: str
    relation: str
    value: Fraction | None

    @property
    def places(self) -> int | None:
        """Decimal places, where the side is a single decimal."""
        match = re.fullmatch(r"\d+\.(\d+)", self.text.strip())
        return len(match[1]) if match else None


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def evaluate(text: str) -> Fraction:
    """Return the exact value of an arithmetic expression.

    Raises
    ------
    NotArithmetic
        If the text holds anything else.
    """
    stream = [token for token in tokens(text) if token not in _IGNORED]
    if not any(_NUMBER.fullmatch(token) for token in stream):
        raise NotArithmetic(text)
    try:
        value, rest = _sum(stream)
    except (IndexError, ZeroDivisionError) as error:
        raise NotArithmetic(text) from error
    if rest:
        raise NotArithmetic(text)
    return value


def _sum(stream: list[str]) -> tuple[Fraction, list[str]]:
    sign = -1 if stream[0] == "-" else 1
    value, rest = _product(stream[1:] if stream[0] in {"-", "+"} else stream)
    value *= sign
    while rest and rest[0] in {"+", "-"}:
        term, after = _product(rest[1:])
        value, rest = (value + term if rest[0] == "+" else value - term), after
    return value, rest


def _product(stream: list[str]) -> tuple[Fraction, list[str]]:
    value, rest = _power(stream)
    while rest:
        if rest[0] in {r"\cdot", r"\times", "*"}:
            factor, rest = _power(rest[1:])
            value *= factor
        elif rest[0] == "/":
            factor, rest = _power(rest[1:])
            value /= factor
        elif rest[0] in _FRACTIONS | {"(", "{", "["}:  # multiplication without a sign
            factor, rest = _power(rest)
            value *= factor
        else:
            break
    return value, rest


def _power(stream: list[str]) -> tuple[Fraction, list[str]]:
    value, rest = _atom(stream)
    if rest and rest[0] == "^":
        exponent, rest = _argument(rest[1:])
        if exponent.denominator != 1 or abs(exponent) > 12:
            raise NotArithmetic("".join(stream))
        value **= int(exponent)
    return value, rest


def _atom(stream: list[str]) -> tuple[Fraction, list[str]]:
    head = stream[0]
    if _NUMBER.fullmatch(head):
        return Fraction(head), stream[1:]
    if head in _FRACTIONS:
        numerator, rest = _argument(stream[1:])
        denominator, rest = _argument(rest)
        return numerator / denominator, rest
    closing = {"(": ")", "{": "}", "[": "]"}.get(head)
    if closing is None:
        raise NotArithmetic("".join(stream))
    value, rest = _sum(stream[1:])
    if rest[0] != closing:
        raise NotArithmetic("".join(stream))
    return value, rest[1:]


def _argument(stream: list[str]) -> tuple[Fraction, list[str]]:
    r"""Read what TeX reads: a group, or a single digit (``\frac56`` is five sixths)."""
    if stream[0] == "{":
        return _atom(stream)
    digits = stream[0]
    if not _NUMBER.fullmatch(digits) or "." in digits:
        raise NotArithmetic("".join(stream))
    rest = [digits[1:], *stream[1:]] if len(digits) > 1 else stream[1:]
    return Fraction(digits[0]), rest


def chains(text: str) -> Iterator[list[Side]]:
    """Yield the equations of a formula, each as the list of its sides."""
    chain: list[Side] = []
    relation, side, depth = "", "", 0
    text = re.sub(r"\\\\\[[^\]]*\]", r"\\\\ ", text)  # the extra space of \\[4pt]
    stream = [
        *_joined(tokens(re.sub(r"\\(text|mathrm|operatorname)\{[^{}]*\}", r" \\word ", text))),
        ",",
    ]
    for token in stream:
        depth += (token in {"{", "(", "["}) - (token in {"}", ")", "]"})
        if depth > 0 or not (token in _RELATIONS or token in {"=", r"\approx", r"\\"}):
            side += f" {token}" if token.startswith("\\") or side.endswith(" ") else token
            side += " " if token.startswith("\\") else ""
            continue
        chain.append(Side(side.strip(), relation, _value(side)))
        relation, side = token, ""
        if token not in {"=", r"\approx"}:
            yield chain
            chain, relation = [], ""


def _value(text: str) -> Fraction | None:
    try:
        return evaluate(text)
    except NotArithmetic:
        return None


def _joined(stream: list[str]) -> Iterator[str]:
    r"""Drop line breaks after which the equation goes on (``\\ &=``), and environments' frames."""
    i = 0
    while i < len(stream):
        following = [token for token in stream[i + 1 : i + 3] if token != "&"]
        if stream[i] == r"\\" and following[:1] and following[0] in {"=", r"\approx"}:
            i += 1
        elif stream[i] in {r"\begin", r"\end"}:
            end = stream.index("}", i)
            if "".join(stream[i + 2 : end]) not in {"aligned", "gathered", "split"}:
                yield stream[i]
                i += 1
                continue
            yield r"\\"
            i = end + 1
        else:
            yield stream[i]
            i += 1


def disagreement(chain: list[Side]) -> str | None:
    """Say which two sides of an equation do not agree, or None."""
    known = [side for side in chain if side.value is not None]
    exact = [side for side in known if side.relation != r"\approx"]
    for side in known:
        reference = (exact or known)[0]
        assert side.value is not None
        assert reference.value is not None
        gap = abs(side.value - reference.value)
        if side.relation == r"\approx":
            allowed = Fraction(1, 2 * 10 ** (side.places or 0)) if side.places else Fraction(0)
            if gap > allowed:
                return f"{side.text} is not {reference.text} rounded"
        elif gap:
            return f"{side.text} is not equal to {reference.text}"
    return None
