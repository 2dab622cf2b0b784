"""Streaming in cache-sized blocks, so that no temporary is as large as the input."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 1 << 19
"""Size of a block: half of a usual second-level cache; smaller ones pay more per call."""


def rows_in_block(width: int, itemsize: int = 8) -> int:
    """Return how many rows of `width` elements of `itemsize` bytes make a block."""
    return max(1, BLOCK_BYTES // (max(1, width) * itemsize))


def blocks(length: int, width: int = 1, itemsize: int = 8) -> Iterator[slice]:
    """Yield slices that cut `length` rows of `width` elements into blocks."""
    step = rows_in_block(width, itemsize)
    for start in range(0, length, step):
        yield slice(start, min(start + step, length))


def workspace(length: int, width: int, itemsize: int = 8) -> NDArray[np.float64]:
    """Return room in float64 for one block of the given data, to be used again for each.

    Asking for room again and again would cost more than the arithmetic: the system clears it.
    """
    return np.empty((min(length, rows_in_block(width, itemsize)), width))
