"""What is printed while submissions are graded: a bar with the time left, or a line for each."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from tqdm import tqdm

from glyphlab_grader.outcome import Outcome
from glyphlab_grader.summary import progress_line

__all__ = ["progress"]

_BAR = "{percentage:3.0f} % |{bar}| {n_fmt}/{total_fmt}, {remaining} left{postfix}"


@contextmanager
def progress(stream: TextIO | None = None) -> Iterator[Callable[[int, int, Outcome], None]]:
    """Show how far grading is.

    Parameters
    ----------
    stream : TextIO, optional
        Where to; standard output by default. A terminal gets a bar, and a line above it for each
        submission that failed; anything else gets a line for each submission.

    Yields
    ------
    callable
        To be called with how many are done, how many there are, and the last outcome.
    """
    stream = stream or sys.stdout
    if not stream.isatty():
        yield lambda *news: print(progress_line(*news), file=stream, flush=True)
        return
    # A short smoothing: submissions of one kind take about equally long.
    with tqdm(file=stream, bar_format=_BAR, smoothing=0.1, leave=False) as bar:

        def tell(done: int, total: int, outcome: Outcome) -> None:
            bar.total = total
            if outcome.outcome == "failed":
                bar.write(progress_line(done, total, outcome), file=stream)
            bar.update(done - bar.n)
            bar.refresh()

        yield tell
