"""Grading on a dask cluster: other machines, or this one as if it were another.

The scheduler hands batches to its workers and gives a batch to another one where a worker is lost.
A dask worker runs no student's code: it asks a worker process of ours, as the local pool does.
"""

import asyncio
import hashlib
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from glyphlab_grader.course import CONFIG_FILE
from glyphlab_grader.errors import GraderError
from glyphlab_grader.pools import Pool
from glyphlab_grader.records import environment
from glyphlab_grader.runner import abandon, workers

__all__ = ["open_cluster"]

# How long a scheduler may take to answer, and a machine to say what it is.
_PATIENCE_SECONDS = 60
_LARGEST_BATCH = 20


@contextmanager
def open_cluster(root: Path, address: str, slots: int) -> Iterator[Pool]:
    """Open a cluster as a pool.

    Parameters
    ----------
    root : Path
        The course's folder, at the same place on all machines.
    address : str
        ``local`` for dask's scheduler and workers within this process, or the address of a
        scheduler, such as ``tls://grading.example.org:8786``.
    slots : int
        Submissions at a time for ``local``.

    Yields
    ------
    Pool
        The pool. Where the block ends with an exception, what is not done is cancelled.

    Raises
    ------
    GraderError
        If dask is not installed, the cluster cannot be reached, has no workers, or has one that
        would grade otherwise: with other versions, another course, or none.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise GraderError("--cluster needs dask: pip install '.[cluster]'") from None
    with workers(), _client(dask, distributed, address, slots) as client:
        executor = client.get_executor(pure=False)
        try:
            yield Pool(executor, _examine(client, root), _LARGEST_BATCH)
        except BaseException:
            executor.shutdown(wait=False)
            abandon()
            raise


@contextmanager
def _client(dask: Any, distributed: Any, address: str, slots: int) -> Iterator[Any]:
    if address == "local":
        # In one process: whoever reaches the port of a scheduler can run code as its owner.
        quiet: dict[str, list[str]] = {
            f"distributed.{kind}.http.routes": [] for kind in ("scheduler", "worker")
        }
        here = {"dashboard_address": "127.0.0.1:0", "worker_dashboard_address": "127.0.0.1:0"}
        with (
            dask.config.set(quiet),
            distributed.LocalCluster(
                n_workers=1, threads_per_worker=slots, processes=False, silence_logs=True, **here
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            yield client
        return
    try:
        # First, since a client that reaches nobody complains once more when it is collected.
        asyncio.run(_reach(distributed, address))
        client = distributed.Client(address, timeout=_PATIENCE_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        first = " ".join(str(error).split())
        raise GraderError(f"--cluster: no scheduler at {address}: {first}") from None
    with client:
        yield client


async def _reach(distributed: Any, address: str) -> None:
    """Connect to a scheduler, and hang up."""
    credentials = distributed.Security().get_connection_args("client")
    connect = distributed.comm.connect
    comm = await connect(address, timeout=_PATIENCE_SECONDS, **credentials)
    comm.abort()


def _examine(client: Any, root: Path) -> int:
    """Count the cluster's threads; refuse machines that would grade otherwise than this one."""
    wanted = describe(str(root))
    found = client.run(describe, str(root))
    if not found:
        raise GraderError("--cluster: the scheduler has no workers")
    for worker, told in sorted(found.items()):
        for what, value in wanted.items():
            if what != "host" and told[what] != value:
                raise GraderError(
                    f"--cluster: {what} of worker {worker} on {told['host']}: "
                    f"{told[what]}; here: {value}"
                )
    return sum(client.nthreads().values())


def describe(root: str) -> dict[str, str]:
    """Tell, as plain data, what a machine would grade with; runs on each of them."""
    config = Path(root) / CONFIG_FILE
    course = hashlib.sha256(config.read_bytes()).hexdigest()[:12] if config.is_file() else "none"
    *versions, code = environment()
    return {
        "host": socket.gethostname(),
        f"course in {root}": course,
        "versions": ", ".join(versions),
        "code of the course's packages": code[:12],
    }
