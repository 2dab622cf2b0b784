"""Grades a made-up class twice: undisturbed, and killed on the way; every score must be equal.

``python -m benchmarks.killed`` does so with a class of 2,000, and smaller ones for comparison. It
writes how fast each went, and how much memory the grading process itself held, to what the
instructor guide shows, ``book/guides/_bench_scale.md``; some ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.made_class import KINDS, NOTEBOOK, Kind, hand_in, write_source
from benchmarks.report import processor
from glyphlab_grader.course import open_course
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.ledger import NotebookScore, Place

__all__ = ["KILLED_AT", "Run", "Undisturbed", "grade", "make_class", "page", "scores"]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "book" / "guides" / "_bench_scale.md"
_BIN = Path(sys.executable).parent
#: Where the disturbed run is killed: shares of the class.
KILLED_AT = (0.3, 0.6)


@dataclass(frozen=True)
class Run:
    """What one run, or the part of it until it was killed, came to.

    Parameters
    ----------
    graded : int
        Submissions that were graded.
    per_second : float
        Of those that were told of after the first ones, which had waited for the workers.
    peak : int
        Bytes of memory that the grading process itself held at most.
    """

    graded: int
    per_second: float
    peak: int


def make_class(root: Path, kind: Kind, size: int) -> None:
    """Make a course folder in which everybody has handed in."""
    root.mkdir(parents=True)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    write_source(kind, root / "solutions" / kind.name)
    command = [str(_BIN / "nbgrader"), "generate_assignment", kind.name]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    released = root / "exercises" / kind.name / f"{NOTEBOOK}.ipynb"
    for number in range(size):
        folder = root / "_grading" / "submitted" / f"s{number:04}" / kind.name
        hand_in(kind, released, number, folder)


def grade(
    root: Path, kind: Kind, workers: int, kill_at: int | None = None, cores: int | None = None
) -> Run:
    """Grade the class, or kill the grading process without a warning.

    Parameters
    ----------
    root : Path
        The course's folder.
    kind : Kind
        The assignment.
    workers : int
        Submissions at a time.
    kill_at : int or None
        After how many submissions that are done, earlier runs' included.
    cores : int or None
        How many cores it may use; None for all.
    """
    command = [str(_BIN / "glyphlab-grade"), kind.name, "--workers", str(workers)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, text=True, env=environment
    )
    # Before it has started a worker, which inherits this.
    os.sched_setaffinity(process.pid, sorted(os.sched_getaffinity(0))[:cores])
    assert process.stdout is not None
    graded, first, began, ended, peak = 0, 0, 0.0, 0.0, 0
    for line in process.stdout:
        # Only what is graded now is followed by the time left, or comes last.
        told = re.match(r"\[ *(\d+)/(\d+)\] .* s(, .* left)?$", line)
        if told is None:
            continue
        if told[3] or told[1] == told[2]:
            graded += 1
            ended = time.monotonic()
            began = began or ended
            # Outcomes are filed about once a second, and told of together.
            first = graded if ended - began < 0.2 else first
            peak = max(peak, _held(process.pid))
        if kill_at is not None and int(told[1]) >= kill_at and graded:
            process.kill()
            break
    process.stdout.close()
    status = process.wait()
    wanted = 0 if kill_at is None else -signal.SIGKILL
    if status != wanted:
        raise RuntimeError(f"{' '.join(command)} ended with {status}, not {wanted}")
    return Run(graded, (graded - first) / (ended - began) if graded > first else 0.0, peak)


def _held(pid: int) -> int:
    """Read the most memory that a process has held, in bytes."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
    return 1024 * int(found[1]) if found else 0


def scores(root: Path, kind: Kind) -> dict[Place, NotebookScore]:
    """Read every point of every student."""
    with open_gradebook(open_course(root)) as keeper:
        ledger = keeper.ledger(kind.name)
        return ledger.scores(sorted(ledger.submitted()))


@dataclass(frozen=True)
class Undisturbed:
    """A class that was graded from its beginning to its end."""

    kind: Kind
    size: int
    workers: int
    run: Run


def undisturbed(place: Path, kind: Kind, size: int, workers: int) -> Undisturbed:
    """Grade a class that was made, with a core for each worker."""
    _tell(f"grading {size} ({kind.name}), {workers} at a time")
    return Undisturbed(kind, size, workers, grade(place, kind, workers, cores=workers))


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade, write what was measured; 1 if a score differs or is missing."""
    parser = argparse.ArgumentParser("python -m benchmarks.killed", description=__doc__)
    parser.add_argument("--size", type=int, default=2000, metavar="N", help="students")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--dry", action="store_true", help="print the page; do not write it")
    options = parser.parse_args(arguments)
    size, workers = options.size, options.workers
    numpy, torch = KINDS["numpy"], KINDS["torch"]
    with tempfile.TemporaryDirectory(prefix="glyphlab-killed-") as folder:
        place = Path(folder)
        classes = {
            "few": (numpy, 10, workers),
            "alone": (numpy, max(10, size // 5), 1),
            "calm": (numpy, size, workers),
            "torch": (torch, max(10, size // 5), workers),
        }
        for name, (kind, students, _) in classes.items():
            make_class(place / name, kind, students)
        disturbed, parts = place / "disturbed", []
        shutil.copytree(place / "calm", disturbed)
        rows = [undisturbed(place / name, *how) for name, how in classes.items()]
        for kill_at in [*(int(share * size) for share in KILLED_AT), None]:
            _tell(f"grading the rest of {size}, killed after {kill_at}")
            parts.append(grade(disturbed, numpy, workers, kill_at).graded)
        wanted, found = scores(place / "calm", numpy), scores(disturbed, numpy)
    differing = sum(wanted.get(p) != found.get(p) for p in wanted | found)
    ungraded = size - sum(not score.ungraded for score in wanted.values())
    text = page(rows, parts, differing, ungraded)
    if options.dry:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
    return int(bool(differing or ungraded))


def page(rows: Sequence[Undisturbed], parts: Sequence[int], differing: int, ungraded: int) -> str:
    """The generated part of the guide, in MyST."""
    lines = [
        "| notebooks with | students | workers | a minute | an hour, for each worker "
        "| MiB in the grading process |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        a_minute = 60 * row.run.per_second
        rates = [f"{rate:.0f}" if rate else "" for rate in (a_minute, 60 * a_minute / row.workers)]
        told = [str(row.size), str(row.workers), *rates, f"{row.run.peak / 2**20:.0f}"]
        lines.append(f"| {' | '.join([row.kind.name, *told])} |")
    *killed, rest = parts
    untold = max(row.size for row in rows) - sum(parts)
    came_to = f"{differing} scores differ" if differing else "every score was the same"
    if ungraded:
        came_to += f", and {ungraded} students have none"
    return (
        "% Written by `python -m benchmarks.killed`; an edit is lost at the next run.\n\n"
        f"Measured on {os.cpu_count()} cores of an {processor()}, sandbox on, a core for "
        "each worker, gradebook and outcomes written, nothing in the cache, from the first score "
        "to the last:\n\n"
        + "\n".join(lines)
        + f"\n\nThe largest class was graded once more and killed without a warning after "
        f"{' and again after '.join(map(str, killed))} scores that it had told; {untold} more "
        f"were written and not told yet. The third run graded the {rest} that were left, and "
        f"{came_to}.\n"
    )


def _tell(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
