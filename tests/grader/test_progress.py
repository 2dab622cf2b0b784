import heapq
import io
import random
from dataclasses import replace

import pytest

from glyphlab_grader.outcome import Fault, Outcome
from glyphlab_grader.progress import TimeLeft, progress

GOOD = Outcome.graded("ada", "T1", 5.0, 5.0, [], "r", 1.0)
BAD = Outcome.failed("bob\x1b[2J", "T1", 5.0, [Fault(None, "corrupt", "no")], "r", 1.0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """Stands where it is put."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_plain_lines_where_nobody_watches() -> None:
    stream, clock = io.StringIO(), Clock()
    with progress(stream, TimeLeft(clock)) as tell:
        tell(1, 10, GOOD, False)
        tell(2, 10, replace(BAD, seconds=30.0), True)
        clock.now += 30
        tell(3, 10, replace(GOOD, seconds=30.0), True)
        tell(10, 10, GOOD, True)
    assert stream.getvalue().splitlines() == [
        "[ 1/10] ada T1: graded, 5/5, 1.0 s",
        "[ 2/10] bob\\x1b[2J T1: failed, -/5, 30.0 s, 04:00 left",
        "[ 3/10] ada T1: graded, 5/5, 30.0 s, 03:30 left",
        "[10/10] ada T1: graded, 5/5, 1.0 s",
    ]


def test_a_bar_on_a_terminal_and_what_failed_above_it() -> None:
    stream, clock = Terminal(), Clock()
    with progress(stream, TimeLeft(clock)) as tell:
        tell(1, 3, replace(GOOD, seconds=5.0), True)
        clock.now += 5
        tell(2, 3, replace(BAD, seconds=5.0), True)
        tell(3, 3, GOOD, True)
    shown = stream.getvalue()
    assert "2/3, 00:05 left" in shown
    assert "3/3" in shown
    assert "ada" not in shown
    assert "[2/3] bob\\x1b[2J T1: failed, -/5, 5.0 s\n" in shown


def filed(
    durations: list[float], workers: int, warm: float, together: float
) -> list[tuple[float, list[float]]]:
    """When submissions are told of, and how long those took: filed each `together` seconds."""
    free = [warm] * workers
    ends = []
    for duration in durations:
        end = heapq.heappop(free) + duration
        heapq.heappush(free, end)
        ends.append((end, duration))
    ends.sort()
    told: list[tuple[float, list[float]]] = []
    while ends:
        moment = min(ends[0][0] + together, ends[-1][0])
        told.append((moment, [duration for end, duration in ends if end <= moment]))
        ends = [item for item in ends if item[0] > moment]
    return told


@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("kept", [0, 300])
@pytest.mark.parametrize("spread", [0.1, 0.4])
@pytest.mark.parametrize(("warm", "together"), [(0.0, 0.0), (20.0, 1.0)])
def test_the_time_left_is_right_within_a_third_after_the_first_tenth(
    workers: int, kept: int, spread: float, warm: float, together: float
) -> None:
    """Durations spread log-normally; the workers start slowly; an earlier run graded some."""
    for seed in range(20):
        chance = random.Random(seed)
        durations = [chance.lognormvariate(1.0, spread) for _ in range(400)]
        clock = Clock()
        left = TimeLeft(clock)
        for _ in range(kept):
            left.note(GOOD, fresh=False)
        events = filed(durations, workers, warm, together)
        over = 1000.0 + events[-1][0]
        done = 0
        for moment, some in events:
            clock.now = 1000.0 + moment
            for duration in some:
                left.note(replace(GOOD, seconds=duration), fresh=True)
            done += len(some)
            # Close to the end the last few decide, and nobody needs to be told any more.
            if 0.1 < done / len(durations) < 0.8:
                told = left.seconds(len(durations) - done)
                assert told is not None
                assert abs(told - (over - clock.now)) < (over - clock.now) / 3, (seed, done)
