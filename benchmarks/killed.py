"""Grades a made-up class twice: undisturbed, and killed on the way; every score must be equal.

``python -m benchmarks.killed`` does so with a class of 2,000, and tells how fast it went and how
much memory the grading process itself held.
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
from glyphlab_grader.course import open_course
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.ledger import NotebookScore, Place

__all__ = ["Run", "grade", "make_class", "scores"]

ROOT = Path(__file__).parents[1]
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


def grade(root: Path, kind: Kind, workers: int, kill_at: int | None = None) -> Run:
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
    """
    command = [str(_BIN / "glyphlab-grade"), kind.name, "--workers", str(workers)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, text=True, env=environment
    )
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both, print what came of them; 1 if a score differs or is missing."""
    parser = argparse.ArgumentParser("python -m benchmarks.killed", description=__doc__)
    parser.add_argument("--size", type=int, default=2000, metavar="N", help="students")
    parser.add_argument("--kind", choices=KINDS, default="numpy")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")
    options = parser.parse_args(arguments)
    kind = KINDS[options.kind]
    with tempfile.TemporaryDirectory(prefix="glyphlab-killed-") as place:
        calm, disturbed = Path(place) / "calm", Path(place) / "disturbed"
        make_class(calm, kind, options.size)
        shutil.copytree(calm, disturbed)
        run = grade(calm, kind, options.workers)
        rate = run.per_second
        print(
            f"{run.graded} submissions ({kind.name}) with {options.workers} workers: "
            f"{60 * rate:.0f} a minute, {3600 * rate / options.workers:.0f} an hour and worker; "
            f"{run.peak / 2**20:.0f} MiB in the grading process"
        )
        for share in KILLED_AT:
            part = grade(disturbed, kind, options.workers, int(share * options.size))
            print(f"killed after {part.graded} more")
        rest = grade(disturbed, kind, options.workers)
        print(f"completed with {rest.graded} more")
        wanted, found = scores(calm, kind), scores(disturbed, kind)
    differing = [p for p in sorted(wanted | found) if wanted.get(p) != found.get(p)]
    complete = len(wanted) == options.size and not any(s.ungraded for s in wanted.values())
    print(f"{len(differing)} scores differ" if complete else "not everybody was graded")
    return int(bool(differing) or not complete)


if __name__ == "__main__":
    sys.exit(main())
