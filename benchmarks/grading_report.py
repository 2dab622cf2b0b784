"""Write what the grading benchmark measured as a part of the contributor guide."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.made_class import CELLS, Kind
from benchmarks.report import processor

__all__ = ["Measured", "write"]

PAGE = Path(__file__).parents[1] / "book" / "guides" / "_bench_grading.md"
PACKAGES = ("nbgrader", "nbclient", "ipykernel", "ipython", "numpy", "torch")


@dataclass(frozen=True)
class Measured:
    """What was measured of one version of the assignment.

    Parameters
    ----------
    kind : Kind
        The version.
    size, sample : int
        Submissions that we graded, and that stock graded of these.
    stock, ours : tuple of float
        Wall and processor seconds of one submission.
    differing : list of str
        Cells of the sample that the two gave different points.
    phases : list of (str, float)
        Seconds of each step for one submission.
    """

    kind: Kind
    size: int
    sample: int
    stock: tuple[float, float]
    ours: tuple[float, float]
    differing: list[str]
    phases: list[tuple[str, float]]

    @property
    def ratio(self) -> float:
        """How many times stock's submissions per minute ours are."""
        return self.stock[0] / self.ours[0]


def write(measured: Sequence[Measured], dry: bool = False) -> None:
    """Replace the page, or print it."""
    if dry:
        print(page(measured))
    else:
        PAGE.write_text(page(measured), encoding="utf-8")
    for one in measured:
        print(f"{one.kind.name}: {one.ratio:.1f} times stock", file=sys.stderr)


def page(measured: Sequence[Measured]) -> str:
    """The generated part of the guide, in MyST."""
    versions = ", ".join(f"{name} `{version(name)}`" for name in PACKAGES)
    user = "root" if os.getuid() == 0 else "an ordinary user"
    parts = [
        "% Written by `make bench-grading`; an edit is lost at the next run.",
        f"Measured on {os.cpu_count()} cores of an {processor()}, as {user}, Linux "
        f"`{platform.release().partition('-')[0]}`, Python `{platform.python_version()}`, "
        f"{versions}. Notebooks of {CELLS} cells, one a submission; no two answers are the same, "
        "and the cache is empty. Stock is `nbgrader autograde` as it comes, without its start-up. "
        "Ours is `glyphlab-grade` as it comes: sandbox on, a worker for each core, the gradebook "
        "written, start-up counted. Neither writes feedback.",
        verdict(measured),
        speed(measured),
        "Where our time goes, in milliseconds of the clock for one submission, graded one after "
        "the other in one process that is warm already:",
        steps(measured),
    ]
    return "\n\n".join(parts) + "\n"


def verdict(measured: Sequence[Measured]) -> str:
    """Say whether the figures wanted are met, and whether the scores agree."""
    sentences = []
    for one in measured:
        behind = one.ratio < one.kind.wanted
        sentences.append(
            f"With {one.kind.name}, {one.ratio:.1f} times stock's submissions per minute; "
            f"wanted are {one.kind.wanted:g}" + (" (**behind what is wanted**)." if behind else ".")
        )
        if one.differing:
            sentences.append(f"**The scores differ**: {'; '.join(one.differing[:5])}.")
        else:
            sentences.append(f"Both gave each of the {one.sample} notebooks the same points.")
    return " ".join(sentences)


def speed(measured: Sequence[Measured]) -> str:
    """Both sides' figures."""
    lines = [
        "| notebooks with | grader | submissions | per minute | seconds each | of a processor |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for one in measured:
        for name, number, (wall, cpu) in (
            ("stock", one.sample, one.stock),
            ("ours", one.size, one.ours),
        ):
            cells = (name, str(number), f"{60 / wall:.0f}", f"{wall:.3f}", f"{cpu:.3f}")
            lines.append(f"| {one.kind.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def steps(measured: Sequence[Measured]) -> str:
    """The steps of both versions, side by side."""
    names = [one.kind.name for one in measured]
    lines = [f"| step | {' | '.join(names)} |", f"| --- |{' ---: |' * len(names)}"]
    columns = [dict(one.phases) for one in measured]
    for label, _ in measured[0].phases:
        figures = [f"{1000 * column[label]:.1f}" for column in columns]
        lines.append(f"| {label} | {' | '.join(figures)} |")
    totals = [f"{1000 * sum(column.values()):.1f}" for column in columns]
    lines.append(f"| together | {' | '.join(totals)} |")
    return "\n".join(lines)
