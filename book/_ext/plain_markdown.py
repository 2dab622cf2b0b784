"""Turn MyST blocks into the Markdown that Jupyter shows: no directives, no roles.

What a role refers to (a number, a title, a computed value) is asked of a `Names` object, which the
build fills. A role or directive that is not known here is an error with its line: nothing is passed
on for a reader to puzzle over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from myst_source import Block, SourceError, blocks
from self_checks import VERDICTS

#: Titles of the directives that become a block with a title in bold.
PROOF_TITLES = {
    "definition", "proposition", "lemma", "theorem", "corollary", "example", "remark", "property",
}  # fmt: skip
ADMONITIONS = {"note", "tip", "hint", "important", "warning", "caution", "seealso"}

_CODE_OR_ROLE = re.compile(
    r"\{(?P<role>[a-z][\w:+-]*)\}(?P<ticks>`+)(?P<text>.+?)(?P=ticks)|(?P<code>(`+)(?!`).+?(?<!`)\5(?!`))",
    re.DOTALL,
)
_TARGETED = re.compile(r"(?P<title>.*?)\s*<(?P<target>[^<>]+)>", re.DOTALL)
_RELATIVE_LINK = re.compile(r"\]\((?!https?://)([^)]*)\)")


class UnknownName(LookupError):
    """A role refers to something that the book does not have."""


class Names(Protocol):
    """What the finished book knows: titles, numbers, computed values, facts of the course."""

    publish_solutions: bool

    def number(self, label: str) -> str: ...
    def reference(self, label: str) -> str: ...
    def equation(self, label: str) -> str: ...
    def document(self, name: str) -> str: ...
    def value(self, name: str) -> str: ...
    def citation(self, key: str, *, in_text: bool) -> str: ...
    def bibliography(self) -> str: ...
    def points(self, exercise: str) -> str: ...
    def assignment(self, exercise: str) -> str: ...


def convert_text(text: str, first_line: int, names: Names) -> str:
    """Convert running text with directives in it."""
    return "\n\n".join(
        part for block in blocks(text, first_line) if (part := convert_block(block, names))
    )


def convert_block(block: Block, names: Names) -> str:
    """Convert one block; an empty string where a notebook has nothing to show."""
    if block.kind == "directive":
        try:
            return _convert_directive(block, names)
        except UnknownName as error:
            raise SourceError(
                block.line, f"the notebook cannot show {{{block.name}}}: {error}"
            ) from error
    if block.kind == "text":
        if re.fullmatch(r"\([\w-]+\)=|\+\+\+.*|%.*", block.source, re.DOTALL):
            return ""
        return convert_roles(block.source, block.line, names)
    return block.source.rstrip()


def convert_roles(text: str, line: int, names: Names) -> str:
    """Replace the roles of a text by what they stand for."""

    def replace(match: re.Match[str]) -> str:
        if match["code"] is not None:
            return match[0]
        try:
            return _role(match["role"], match["text"], names)
        except UnknownName as error:
            at = line + text.count("\n", 0, match.start())
            raise SourceError(at, f"the notebook cannot show {match[0]}: {error}") from error

    if link := _RELATIVE_LINK.search(re.sub(r"`[^`]*`", "", text)):
        raise SourceError(line, f"a relative link would be dead in the notebook: {link[1]!r}")
    return _CODE_OR_ROLE.sub(replace, text)


def _role(role: str, text: str, names: Names) -> str:
    match = _TARGETED.fullmatch(text)
    title, target = (match["title"], match["target"]) if match else ("", text)
    if role == "math":
        return f"${text}$"
    if role in {"ref", "numref", "prf:ref"}:
        return title if title and "%s" not in title else names.reference(target)
    if role == "eq":
        return f"({names.equation(target)})"
    if role == "doc":
        return title or names.document(target)
    if role == "glue:text":
        return names.value(text)
    if role in {"cite", "cite:p", "cite:t"}:
        cited = [names.citation(key.strip(), in_text=role == "cite:t") for key in text.split(",")]
        return "; ".join(cited) if role == "cite:t" else f"({'; '.join(cited)})"
    if role == "points":
        return names.points(text)
    if role == "term":
        return title or target
    if role.startswith("py:"):
        return f"`{title or target.removeprefix('~')}`"
    if role == "assignment":
        return f"`{names.assignment(text)}`"
    raise UnknownName(f"the role {{{role}}} has no plain form")


def _convert_directive(block: Block, names: Names) -> str:
    name = block.name
    if name == "math":
        return _math(block, names)
    if name == "bibliography":
        return names.bibliography()
    if name == "prf:proof":
        return _titled("*Proof.*", _body(block, names) + " ∎")
    if name.removeprefix("prf:") in PROOF_TITLES:
        kind = name.removeprefix("prf:").capitalize()
        title = f" ({_inline(block, names)})" if block.argument else ""
        number = names.number(block.options["label"])
        return _titled(f"**{kind} {number}{title}.**", _body(block, names))
    if name == "exercise":
        return f"**Exercise {_inline(block, names)}**\n\n{_body(block, names)}"
    if name == "solution":
        if not names.publish_solutions:
            return ""
        summary = f"Solution: {names.reference(block.argument)}"
        return _fold(summary, _body(block, names))
    if name == "dropdown" or (
        name == "admonition" and "dropdown" in block.options.get("class", "")
    ):
        return _fold(_inline(block, names), _body(block, names))
    if name == "admonition":
        return f"**{_inline(block, names)}**\n\n{_body(block, names)}"
    if name in ADMONITIONS:
        return _titled(f"**{name.capitalize()}.**", _body(block, names))
    if name == "self-check":
        return f"**{_inline(block, names)}**\n\n{_body(block, names)}"
    if name in {"right", "wrong"}:
        return _fold(_inline(block, names), f"*{VERDICTS[name]}* {_body(block, names)}")
    if name == "widget":
        return _titled("*To move and watch, on the course's site:*", _body(block, names))
    if name == "code-block":
        return f"```{block.argument}\n{block.body}\n```"
    raise SourceError(block.line, f"the notebook cannot show the directive {{{name}}}")


def _math(block: Block, names: Names) -> str:
    body = block.body.strip()
    if r"\\" in body and r"\begin{aligned}" not in body and "matrix}" not in body:
        body = rf"\begin{{split}}{body}\end{{split}}"
    label = block.options.get("label")
    tag = f"\n\\tag{{{names.equation(label)}}}" if label else ""
    return f"$$\n{body}{tag}\n$$"


def _titled(title: str, body: str) -> str:
    """Put a title before a text: on its line, unless the text starts with a block of its own."""
    separator = "\n\n" if body.startswith(("$$", "- ", "1. ", "|", "<", "```")) else " "
    return f"{title}{separator}{body}"


def _fold(summary: str, body: str) -> str:
    # Markdown is not read inside <summary>.
    summary = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", summary)
    summary = re.sub(r"`([^`]+)`", r"<code>\1</code>", summary)
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _inline(block: Block, names: Names) -> str:
    return convert_roles(block.argument, block.line, names)


def _body(block: Block, names: Names) -> str:
    return convert_text(block.body, block.body_line, names)


def sections(text: str, first_line: int) -> Iterator[list[Block] | Block]:
    """Split a page into cells: a code cell, or a run of blocks up to the next heading."""
    run: list[Block] = []
    for block in blocks(text, first_line):
        is_code = block.kind == "directive" and block.name == "code-cell"
        if run and (is_code or block.source.startswith(("#", "+++"))):
            yield run
            run = []
        if is_code:
            yield block
        else:
            run.append(block)
    if run:
        yield run
