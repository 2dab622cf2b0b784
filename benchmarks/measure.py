"""Time ways to do one piece of work against a base, all in the same run and taking turns."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

ROUNDS = 5


@dataclass(frozen=True)
class Way:
    """One way to do the work.

    Parameters
    ----------
    name : str
        As the table shows it.
    run : callable
        Does the work and returns its result.
    rounds : int
        How often it is timed; slow ones once.
    traced : bool
        Whether its memory is allocated where `tracemalloc` sees it: torch's is not.
    """

    name: str
    run: Callable[[], Any]
    rounds: int = ROUNDS
    traced: bool = True


@dataclass(frozen=True)
class Task:
    """A piece of work, a base to compare with, and what is wanted.

    Parameters
    ----------
    title, base_name : str
        As the table shows them.
    base : callable
        What everything else is a multiple of.
    ways : sequence of Way
        Ours first.
    error : callable
        ``error(result)`` → how far a result is off.
    error_name : str
        What that is.
    ratio, megabytes, accuracy : float
        What is wanted of ours: at most so many bases, so much extra memory, such an error.
    """

    title: str
    base_name: str
    base: Callable[[], Any]
    ways: Sequence[Way]
    error: Callable[[Any], float]
    error_name: str
    ratio: float
    megabytes: float
    accuracy: float


@dataclass(frozen=True)
class Row:
    """What was measured of one way."""

    name: str
    ratio: float
    seconds: float
    megabytes: float | None
    error: float


def measure(task: Task) -> list[Row]:
    """Time all ways of a task in turn, round after round; memory comes from a further call.

    The base runs before each of them, and its fastest run counts: one that asks for new memory
    takes several times as long when the system has no large pages at hand. Of a way the median
    counts, so that chance never speaks for us.
    """
    seconds: dict[str, list[float]] = {way.name: [] for way in task.ways}
    base, results = [], {}
    for turn in range(ROUNDS):
        for way in task.ways:
            if turn < way.rounds:
                base.append(_cpu_seconds(task.base)[0])
                spent, results[way.name] = _cpu_seconds(way.run)
                seconds[way.name].append(spent)
    return [
        Row(
            way.name,
            median(seconds[way.name]) / min(base),
            median(seconds[way.name]),
            _peak_megabytes(way.run) if way.traced else None,
            task.error(results[way.name]),
        )
        for way in task.ways
    ]


def _cpu_seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def _peak_megabytes(run: Callable[[], Any]) -> float:
    gc.collect()
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6
