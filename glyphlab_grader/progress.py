"""What is printed while submissions are graded: a bar with the time left, or a line for each."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from tqdm import tqdm

from glyphlab_grader.grading import Tell
from glyphlab_grader.outcome import Outcome
from glyphlab_grader.summary import progress_line

__all__ = ["TimeLeft", "progress"]

_BAR = "{percentage:3.0f} % |{bar}| {n_fmt}/{total_fmt}{postfix}"


class TimeLeft:
    """Estimates how long the rest takes, from what has been graded in this run.

    What an earlier run graded comes back at once and does not count, nor does the time that the
    workers take to start: the count begins where the first submission was begun.

    Parameters
    ----------
    clock : callable
        Gives seconds.

    Notes
    -----
    Where n submissions took s seconds each and n·s seconds in all, within t seconds since the first
    was begun, and each of the c − 1 others at work has spent s/2 on the one that it has, the work
    done is n·s + (c − 1)·s/2 = c·t. That gives c, how many submissions are at work at a time
    without anybody saying so, and with it what the rest takes.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: float | None = None
        self._graded = 0
        self._work = 0.0

    def note(self, outcome: Outcome, fresh: bool) -> None:
        """Take note of a submission that is done, and whether it was graded now."""
        if fresh:
            begun = self._clock() - outcome.seconds
            self._begun = begun if self._begun is None else min(self._begun, begun)
            self._graded += 1
            self._work += outcome.seconds

    def seconds(self, left: int) -> float | None:
        """Estimate the seconds that so many more submissions take; None before there is a rate.

        Parameters
        ----------
        left : int
            Submissions that are still to be graded.
        """
        if self._begun is None or self._work == 0:
            return None
        each = self._work / self._graded
        # Where one takes much longer than the others, less than half of it may have passed.
        passed = max(self._clock() - self._begun, each)
        at_work = max((self._work - each / 2) / (passed - each / 2), 0.1)
        # What is done already of those under way is about what the last of them keeps waiting for.
        return left * each / at_work


@contextmanager
def progress(stream: TextIO | None = None, left: TimeLeft | None = None) -> Iterator[Tell]:
    """Show how far grading is.

    Parameters
    ----------
    stream : TextIO, optional
        Where to; standard output by default. A terminal gets a bar, and a line above it for each
        submission that failed; anything else gets a line for each submission.
    left : TimeLeft, optional
        What estimates the time left.

    Yields
    ------
    callable
        To be called with how many are done, how many there are, the last outcome, and whether it
        was graded now.
    """
    stream = stream or sys.stdout
    left = left or TimeLeft()
    if not stream.isatty():

        def line(done: int, total: int, outcome: Outcome, fresh: bool) -> None:
            left.note(outcome, fresh)
            told = _told(left.seconds(total - done)) if done < total else ""
            print(f"{progress_line(done, total, outcome)}{told}", file=stream, flush=True)

        yield line
        return
    with tqdm(file=stream, bar_format=_BAR, leave=False) as bar:

        def tell(done: int, total: int, outcome: Outcome, fresh: bool) -> None:
            left.note(outcome, fresh)
            bar.total = total
            if outcome.outcome == "failed":
                bar.write(progress_line(done, total, outcome), file=stream)
            bar.set_postfix_str(_told(left.seconds(total - done)).strip(", "), refresh=False)
            bar.update(done - bar.n)
            bar.refresh()

        yield tell


def _told(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f", {tqdm.format_interval(seconds)} left"
