"""Where submissions are graded: a pool of this machine, or a cluster."""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from glyphlab_grader.runner import abandon, workers

__all__ = ["Pool", "open_pool"]


@dataclass(frozen=True)
class Pool:
    """Something to hand batches of submissions to.

    Parameters
    ----------
    executor : Executor
        Takes the tasks. A student's code never runs in its own processes or threads: each task
        asks a worker process of ours, which has it run in the sandbox.
    slots : int
        How many tasks it runs at a time.
    largest_batch : int
        Submissions that one task may hold.
    """

    executor: Executor
    slots: int
    largest_batch: int

    def batch(self, submissions: int) -> int:
        """Choose how many submissions a task holds, so that none has much to do at the end."""
        return max(1, min(self.largest_batch, submissions // (8 * self.slots)))


@contextmanager
def open_pool(root: Path, slots: int, cluster: str | None) -> Iterator[Pool]:
    """Open the pool that was asked for.

    Parameters
    ----------
    root : Path
        The course's folder.
    slots : int
        Submissions at a time on this machine; a cluster at an address has its own number.
    cluster : str or None
        ``local``, or a scheduler's address; None for the plain local pool.

    Yields
    ------
    Pool
        The pool. Where the block ends with an exception, what it runs is broken off.

    Raises
    ------
    GraderError
        If there is no such cluster, or its machines cannot grade this course.
    """
    if cluster is not None:
        # dask takes a second to import, and is not there for those who do not need it.
        from glyphlab_grader.cluster import open_cluster

        with open_cluster(root, cluster, slots) as pool:
            yield pool
        return
    with workers():
        executor = ThreadPoolExecutor(slots)
        try:
            yield Pool(executor, slots, largest_batch=1)
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            abandon()
            raise
        finally:
            executor.shutdown()
