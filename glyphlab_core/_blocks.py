"""Streaming in cache-sized blocks, so that no temporary is as large as the input."""

from collections.abc import Iterator

BLOCK = 1 << 15
"""Elements in a block: 256 KiB of float64, which leaves room in a second-level cache."""


def blocks(length: int, width: int = 1) -> Iterator[slice]:
    """Yield slices that cut ``length`` rows of ``width`` elements into blocks of about `BLOCK`."""
    step = max(1, BLOCK // max(1, width))
    for start in range(0, length, step):
        yield slice(start, min(start + step, length))
