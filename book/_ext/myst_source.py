"""Read a MyST page as a sequence of blocks with their line numbers.

Lint and notebook export look at the source, not at the built page: one needs the place to name,
the other keeps what the author wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from myst_parser.parsers.mdit import create_md_parser

EXTENSIONS = {"colon_fence", "dollarmath", "substitution"}
_DIRECTIVE = re.compile(r"\{([^}\s]+)\}\s*(.*)", re.DOTALL)
_OPTION = re.compile(r":([\w-]+):\s*(.*)")


class SourceError(ValueError):
    """The page cannot be read; `line` is where."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Block:
    """One top-level block: running text, or a fence.

    Parameters
    ----------
    kind : str
        ``text``, ``math`` (a ``$$`` block), ``code`` (a plain fence) or ``directive``.
    line : int
        Its first line in the file, from 1.
    source : str
        Its lines as they stand.
    name, argument, options, body, body_line
        Of a directive.
    """

    kind: str
    line: int
    source: str
    name: str = ""
    argument: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    body: str = ""
    body_line: int = 0


@cache
def parser() -> MarkdownIt:
    """Return the parser that the book's pages are read with."""
    return create_md_parser(MdParserConfig(enable_extensions=EXTENSIONS), DocutilsRenderer)


def front_matter(text: str) -> tuple[dict[str, Any], str, int]:
    """Split a page into its front matter, its text and the number of the text's first line."""
    lines = text.split("\n")
    if lines[0].strip() != "---" or "---" not in [line.strip() for line in lines[1:]]:
        return {}, text, 1
    end = next(i for i, line in enumerate(lines[1:], 1) if line.strip() == "---")
    return yaml.safe_load("\n".join(lines[1:end])) or {}, "\n".join(lines[end + 1 :]), end + 2


def blocks(text: str, first_line: int = 1) -> Iterator[Block]:
    """Yield the blocks of a text whose first line is line `first_line` of its file."""
    lines = text.split("\n")
    for token in parser().parse(text):
        if token.level or token.map is None or token.nesting < 0:
            if token.level and _is_directive(token):
                line = first_line + (token.map[0] if token.map else 0)
                raise SourceError(line, "a directive stands inside a list or quotation")
            continue
        start, end = token.map
        source = "\n".join(lines[start:end])
        yield _block(token, source, first_line + start)


def _is_directive(token: Token) -> bool:
    return token.type in {"fence", "colon_fence"} and token.info.strip().startswith("{")


def _block(token: Token, source: str, line: int) -> Block:
    if token.type in {"math_block", "math_block_label", "amsmath"}:
        return Block("math", line, source, body=token.content)
    if token.type not in {"fence", "colon_fence"}:
        return Block("text", line, source.rstrip("\n"))
    match = _DIRECTIVE.match(token.info.strip())
    if match is None:
        return Block("code", line, source)
    options, body, skipped = _options(token.content, line + 1)
    return Block(
        "directive",
        line,
        source,
        name=match[1],
        argument=match[2].strip(),
        options=options,
        body=body,
        body_line=line + 1 + skipped,
    )


def _options(content: str, line: int) -> tuple[dict[str, Any], str, int]:
    """Split a directive's content into options and body; also how many lines were skipped."""
    lines = content.split("\n")
    options: dict[str, Any] = {}
    i = 0
    if lines[0].strip() == "---":
        end = next((j for j, text in enumerate(lines[1:], 1) if text.strip() == "---"), None)
        if end is None:
            raise SourceError(line, "the options' closing --- is missing")
        options = yaml.safe_load("\n".join(lines[1:end])) or {}
        i = end + 1
    else:
        while i < len(lines) and (match := _OPTION.fullmatch(lines[i].strip())):
            options[match[1]] = yaml.safe_load(match[2]) if match[2][:1] in "[{" else match[2]
            i += 1
    while i < len(lines) and not lines[i].strip():
        i += 1
    return options, "\n".join(lines[i:]).rstrip("\n"), i
