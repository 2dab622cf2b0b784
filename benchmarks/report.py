"""Write what was measured as a part of the contributor guide: tables, a figure, a verdict."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from benchmarks.measure import Row, Task

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "book" / "guides" / "_bench_core.md"
FIGURE = ROOT / "book" / "assets" / "bench_core.svg"
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "torchmetrics", "netcal", "relplot")
Tables = Sequence[tuple[Task, list[Row]]]


def write(tables: Tables) -> None:
    """Replace page and figure."""
    with rc_context({"svg.hashsalt": "glyphlab", "svg.fonttype": "none", "font.size": 9}):
        draw(tables).savefig(FIGURE, metadata={"Date": None})
    PAGE.write_text(page(tables), encoding="utf-8")


def page(tables: Tables) -> str:
    """The generated part of the guide, in MyST."""
    versions = ", ".join(f"{name} `{version(name)}`" for name in PACKAGES)
    parts = [
        "% Written by `make bench`; an edit is lost at the next run.",
        f"Measured on one thread of an {processor()}, Python `{platform.python_version()}`, "
        f"{versions}. Times are CPU times in one run: the median of each way as a multiple of the "
        "base's fastest.",
        verdict(tables),
        figure(tables),
        *(table(task, rows) for task, rows in tables),
        "Memory is what the call allocates beyond its arguments, at its peak; torch allocates "
        "where it is not seen (–). A base that asks for new memory waits until the system has "
        "cleared it, which some machines do faster than others: there the last two tables show "
        "larger ratios for everybody.",
    ]
    return "\n\n".join(parts) + "\n"


def verdict(tables: Tables) -> str:
    """Say which wanted figures are missed, and where somebody else is faster."""
    sentences = []
    for task, rows in tables:
        ours = rows[0]
        missed = [
            f"{what} {_number(found)} in place of at most {_number(wanted)}"
            for what, found, wanted in (
                ("time", ours.ratio, task.ratio),
                ("megabytes", ours.megabytes or 0.0, task.megabytes),
                (task.error_name, ours.error, task.accuracy),
            )
            if found > wanted
        ]
        if missed:
            sentences.append(f"**Behind what is wanted**: {task.title}: {'; '.join(missed)}.")
        faster = [f"{r.name} ({_number(r.ratio)})" for r in rows[1:] if r.ratio < ours.ratio]
        if faster:
            sentences.append(
                f"**Faster than ours** ({_number(ours.ratio)}): {task.title}: {', '.join(faster)}."
            )
    if not any("Behind" in sentence for sentence in sentences):
        sentences.insert(0, "Everything wanted is met.")
    return "\n\n".join(sentences)


def table(task: Task, rows: Sequence[Row]) -> str:
    """One task's rows, ours first, with what is wanted of ours in the head."""
    lines = [
        f"**{task.title}.** Base: {task.base_name}. Wanted of ours: at most {_number(task.ratio)} "
        f"bases, {_number(task.megabytes)} MB, {task.error_name} {_number(task.accuracy)}.",
        "",
        f"| way | time / base | seconds | MB | {task.error_name} |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        megabytes = "–" if row.megabytes is None else _number(row.megabytes)
        cells = (row.name, _number(row.ratio), _number(row.seconds), megabytes, _number(row.error))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def figure(tables: Tables) -> str:
    """The directive, with an alternative text that holds the figure's numbers."""
    described = " ".join(
        f"{task.title}: " + ", ".join(f"{row.name} {_number(row.ratio)}" for row in rows) + "."
        for task, rows in tables
    )
    return "\n".join(
        [
            f"```{{figure}} ../assets/{FIGURE.name}",
            ":name: fig-bench-core",
            f":alt: Time as a multiple of the base. {described}",
            "",
            "CPU time of each way as a multiple of the base, argument checks included. GlyphLab's "
            "dots are filled; the dashed line is what is wanted of them.",
            "```",
        ]
    )


def draw(tables: Tables) -> Figure:
    """Dots on a logarithmic axis, one panel a task; narrow, so that a phone shows it readably."""
    heights = [len(rows) for _, rows in tables]
    drawing = Figure(figsize=(4.8, 0.28 * sum(heights) + 3), layout="constrained")
    panels = drawing.subplots(len(tables), height_ratios=heights, sharex=True)
    for ax, (task, rows) in zip(panels, tables, strict=True):
        for i, row in enumerate(rows):
            colour, fill = ("#0072B2", "full") if i == 0 else ("#595959", "none")
            ax.plot(row.ratio, i, "o", ms=8, color=colour, fillstyle=fill)
            ax.annotate(_number(row.ratio), (row.ratio, i), (8, -3), textcoords="offset points")
        ax.axvline(task.ratio, color="#D55E00", ls="--", lw=1)
        ax.set_yticks(range(len(rows)), [row.name for row in rows])
        ax.set_ylim(len(rows) - 0.4, -0.6)
        title = task.title.replace(" of ", "\nof ", 1)
        ax.set_title(title, loc="left", fontsize=9, fontweight="bold")
        ax.set_xscale("log")
        ax.xaxis.set_minor_locator(NullLocator())
        ax.margins(x=0.15)
    most = max(row.ratio for _, rows in tables for row in rows)
    panels[-1].set_xlim(right=8 * most)  # a number stands right of its dot
    panels[-1].set_xlabel("CPU time / time of the base")
    return drawing


def _number(value: float) -> str:
    if value >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return "0" if value == 0 else f"{value:.3g}".replace("e-0", "e-")


def processor() -> str:
    """The processor's name as Linux tells it; elsewhere the architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
