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
# Outcomes are filed together; all that come with the first are the beginning, and give no rate.
_MOMENT_SECONDS = 0.2


class TimeLeft:
    """Estimates how long the rest takes, from what has been graded in this run.

    The first submissions to come back have waited for the workers to start, and what an earlier run
    graded comes back at once. Neither says anything about the rest: time is taken from the first
    that comes back, and what is kept does not count.

    Parameters
    ----------
    clock : callable
        Gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first = 0.0
        self._at_first = 0
        self._graded = 0
        self._last = 0.0

    def note(self, fresh: bool) -> None:
        """Take note of a submission that is done, and whether it was graded now."""
        if not fresh:
            return
        now = self._clock()
        self._graded += 1
        if self._graded == 1:
            self._first = now
        if now - self._first < _MOMENT_SECONDS:
            self._at_first = self._graded
        self._last = now

    def seconds(self, left: int) -> float | None:
        """Estimate the seconds that so many more submissions take; None before there is a rate.

        Parameters
        ----------
        left : int
            Submissions that are still to be graded.
        """
        timed = self._graded - self._at_first
        if timed == 0:
            return None
        spent = self._last - self._first
        # What has passed since something came back last belongs to what is under way.
        return max(0.0, spent / timed * left - (self._clock() - self._last))


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
            left.note(fresh)
            told = _told(left.seconds(total - done)) if done < total else ""
            print(f"{progress_line(done, total, outcome)}{told}", file=stream, flush=True)

        yield line
        return
    with tqdm(file=stream, bar_format=_BAR, leave=False) as bar:

        def tell(done: int, total: int, outcome: Outcome, fresh: bool) -> None:
            left.note(fresh)
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
