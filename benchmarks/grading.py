"""The grader against stock `nbgrader autograde`: submissions per minute, and where our time goes.

`make bench-grading` runs this and writes what the contributor guide shows,
`book/guides/_bench_grading.md`. Same class, machine and run; some ten minutes on two cores, so
leave the machine alone meanwhile. `--size` and `--sample` make it quicker.

Stock grades a sample of the class, as nbgrader comes; its start-up is not counted. Ours is
``glyphlab-grade`` with everything that it does by default: sandbox, one worker for each core, the
gradebook written, nothing in the cache, and its start-up counted.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook

from benchmarks.grading_report import Measured, write
from benchmarks.made_class import KINDS, NOTEBOOK, Kind, hand_in, write_source
from benchmarks.phases import phases

ROOT = Path(__file__).parents[1]
_BIN = Path(sys.executable).parent
_STOCK_CONFIG = """c = get_config()
c.CourseDirectory.course_id = "made"
c.CourseDirectory.root = {root!r}
"""
#: What stock says once it has started up.
_BEGUN = "Creating/updating student"
_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Spent:
    """What a command took: seconds by the clock, and of processors, all its processes together."""

    wall: float
    cpu: float


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.grading", description=__doc__)
    parser.add_argument("--size", type=int, default=2000, help="submissions that we grade")
    parser.add_argument("--sample", type=int, default=30, help="of which stock grades as well")
    parser.add_argument("--kind", choices=[*KINDS], action="append", help="only this version")
    parser.add_argument("--dry", action="store_true", help="print the page; do not write it")
    options = parser.parse_args()
    # Processes whose parent was ended fall to this one, so that their time is counted.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.environ["PATH"] = f"{_BIN}{os.pathsep}{os.environ['PATH']}"
    measured = []
    for name in options.kind or KINDS:
        with tempfile.TemporaryDirectory(prefix="glyphlab-bench-") as folder:
            measured.append(measure(KINDS[name], Path(folder), options.size, options.sample))
    write(measured, dry=options.dry)


def measure(kind: Kind, folder: Path, size: int, sample: int) -> Measured:
    """Have one version of the assignment graded by both.

    Stock grades half of its sample before ours and half after, so that a machine that gets faster
    or slower meanwhile does so for both.
    """
    stock, ours = folder / "stock", folder / "ours"
    _tell(kind, "making the class")
    _make_ours(ours, kind, size)
    _make_stock(stock, ours, kind)
    half = sample // 2
    _hand_to_stock(ours, stock, range(half), kind)
    _tell(kind, f"stock grades {half}")
    before = _run_stock(stock, kind)
    _tell(kind, f"stock: {before.wall / half:.3g} s each; ours grades {size}")
    own = _run([str(_BIN / "glyphlab-grade"), kind.name], ours)
    _tell(kind, f"ours: {own.wall / size:.3g} s each; stock grades {sample - half}")
    _hand_to_stock(ours, stock, range(half, sample), kind)
    after = _run_stock(stock, kind)
    _tell(kind, f"stock: {after.wall / (sample - half):.3g} s each")
    differing = _differing(ours, stock, kind, sample)
    _tell(kind, "where our time goes")
    return Measured(
        kind=kind,
        size=size,
        sample=sample,
        stock=((before.wall + after.wall) / sample, (before.cpu + after.cpu) / sample),
        ours=(own.wall / size, own.cpu / size),
        differing=differing,
        phases=phases(ours, kind, min(size, 40)),
    )


def _tell(kind: Kind, what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {kind.name}: {what}", file=sys.stderr, flush=True)


def _student(number: int) -> str:
    return f"s{number:04}"


def _make_ours(root: Path, kind: Kind, size: int) -> None:
    root.mkdir()
    shutil.copy(ROOT / "nbgrader_config.py", root)
    write_source(kind, root / "solutions" / kind.name)
    _run([str(_BIN / "nbgrader"), "generate_assignment", kind.name], root)
    released = root / "exercises" / kind.name / f"{NOTEBOOK}.ipynb"
    for number in range(size):
        hand_in(kind, released, number, root / "_grading/submitted" / _student(number) / kind.name)


def _make_stock(root: Path, ours: Path, kind: Kind) -> None:
    shutil.copytree(ours / "solutions", root / "source")
    (root / "nbgrader_config.py").write_text(_STOCK_CONFIG.format(root=str(root)), encoding="utf-8")
    _run([str(_BIN / "nbgrader"), "generate_assignment", kind.name], root)


def _hand_to_stock(ours: Path, stock: Path, numbers: range, kind: Kind) -> None:
    for number in numbers:
        handed_in = Path(_student(number)) / kind.name
        shutil.copytree(ours / "_grading/submitted" / handed_in, stock / "submitted" / handed_in)


def _run_stock(root: Path, kind: Kind) -> Spent:
    """Have stock grade what it has not graded yet, from its first word about a student on."""
    begun: list[float] = []

    def watch(line: str) -> None:
        if _BEGUN in line and not begun:
            begun.append(time.monotonic())

    command = [str(_BIN / "nbgrader"), "autograde", kind.name]
    started = time.monotonic()
    spent = _run(command, root, watch)
    idle = begun[0] - started
    # Starting up keeps one core busy.
    return Spent(spent.wall - idle, spent.cpu - idle)


def _run(command: list[str], folder: Path, watch: Callable[[str], None] = str.strip) -> Spent:
    """Run a command; its last lines are shown where it fails."""
    started, before = time.monotonic(), _children_seconds()
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            watch(line)
            lines.append(line)
    wall = time.monotonic() - started
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}\n{lines[-20:]}")
    _reap()
    return Spent(wall, _children_seconds() - before)


def _reap() -> None:
    try:
        while os.wait():
            pass
    except ChildProcessError:
        return


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _differing(ours: Path, stock: Path, kind: Kind, sample: int) -> list[str]:
    """Name the cells that the two give different points."""
    found = []
    databases = ours / "_grading" / "gradebook.db", stock / "gradebook.db"
    own, other = (_points(database, kind, sample) for database in databases)
    for place in sorted(own.keys() | other.keys()):
        if own.get(place) != other.get(place):
            found.append(f"{place}: {own.get(place)}, stock {other.get(place)}")
    if len(own) != sample * len(kind.parts):
        found.append(f"{len(own)} graded cells in place of {sample * len(kind.parts)}")
    return found


def _points(database: Path, kind: Kind, sample: int) -> dict[str, float | None]:
    with Gradebook(f"sqlite:///{database}") as gradebook:
        return {
            f"{_student(number)} {grade.name}": grade.auto_score
            for number in range(sample)
            for grade in gradebook.find_submission_notebook(
                NOTEBOOK, kind.name, _student(number)
            ).grades
        }


if __name__ == "__main__":
    main()
