"""Small tables that a notebook shows: aligned text on a terminal, an HTML table in a browser."""

import re
from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["Table", "temperature_text", "typeset"]

#: The comma of an interval of numbers, and a number before its percent sign.
_TOGETHER = re.compile(r"(\[[-+−]?[\d.]+,) (?=[-+−]?[\d.]+\])|(\d) (?=%)")
#: A number's sign that Python wrote: not a hyphen, nor what stands between two numbers.
_MINUS = re.compile(r"(?<![\w)\]-])-(?=\d)")


class Table:
    """A table with a caption and named columns.

    Parameters
    ----------
    caption : str
        What the table shows, in a sentence.
    header : sequence of str
        Names of the columns; the first column names the rows.
    rows : iterable of sequence
        Cells, each shown with `str`.
    folded : bool, optional
        Whether a browser shows the caption only, until the reader opens the table. Used for the
        numbers of a figure.

    Raises
    ------
    ValueError
        If a row has another number of cells than the header.

    Examples
    --------
    >>> Table("Recall by class.", ["class", "recall"], [["vertical", "1"], ["diagonal", "1/2"]])
    Recall by class.
    class     recall
    vertical  1
    diagonal  1/2
    """

    def __init__(
        self,
        caption: str,
        header: Sequence[str],
        rows: Iterable[Sequence[object]],
        *,
        folded: bool = False,
    ) -> None:
        self.caption = caption
        self.header = [str(name) for name in header]
        self.rows = [[str(cell) for cell in row] for row in rows]
        self.folded = folded
        for i, row in enumerate(self.rows):
            if len(row) != len(self.header):
                raise ValueError(
                    f"rows[{i}] has {len(row)} cells where header has {len(self.header)}"
                )

    def __repr__(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(len(line[j]) for line in lines) for j in range(len(self.header))]
        text = ["  ".join(cell.ljust(widths[j]) for j, cell in enumerate(line)) for line in lines]
        return "\n".join([self.caption, *(line.rstrip() for line in text)])

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.header)
        texts = [[typeset(escape(cell)) for cell in row] for row in self.rows]
        body = "".join(
            f'<tr><th scope="row">{first}</th>'
            + "".join(f"<td>{text}</td>" for text in others)
            + "</tr>"
            for first, *others in texts
        )
        caption = "" if self.folded else f"<caption><span>{escape(self.caption)}</span></caption>"
        table = (
            '<div class="table-scroll" role="region" tabindex="0" '
            f'aria-label="{escape(self.caption)}">'
            f'<table class="table">{caption}<thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )
        if not self.folded:
            return table
        return f"<details><summary>{escape(self.caption)}</summary>{table}</details>"


def typeset(text: str) -> str:
    """Give numbers their minus signs, and let no line end inside an interval or before a %.

    Parameters
    ----------
    text : str
        As it would be printed.

    Returns
    -------
    str
        The same with minus signs where Python writes hyphens, and no-break spaces.

    Examples
    --------
    >>> typeset("95 % of [-0.8, 0.9], at 1e-3").replace("\\xa0", "_")
    '95_% of [−0.8,_0.9], at 1e-3'
    """
    return _MINUS.sub("\N{MINUS SIGN}", _TOGETHER.sub(r"\1\2" "\N{NO-BREAK SPACE}", text))


def temperature_text(value: float) -> str:
    """Write a temperature with six decimals, and one of a grid as short as it is.

    Parameters
    ----------
    value : float
        In units of the logits.

    Returns
    -------
    str
        Without zeros at its end.

    Examples
    --------
    >>> temperature_text(1.5256685833), temperature_text(0.75)
    ('1.525669', '0.75')
    """
    return f"{value:.6f}".rstrip("0").rstrip(".")
