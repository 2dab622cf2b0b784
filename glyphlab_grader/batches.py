"""What is handed to an executor: some submissions at a time, as text, and text comes back.

The same for the local pool and for a cluster. A submission that is done leaves its result beside
its executed notebook, so that a batch that has to be run again, because the worker that had it was
lost, grades only what was not done.
"""

import json
import os
import socket
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from glyphlab_grader.files import replace_file
from glyphlab_grader.names import printable
from glyphlab_grader.outcome import Fault
from glyphlab_grader.runner import run_submission
from glyphlab_grader.submission import Request, Result

__all__ = ["pack", "run_batch", "run_log", "unpack"]


def pack(requests: Sequence[Request], seconds: float) -> str:
    """Write down a batch: its requests, and how long each may take altogether."""
    return json.dumps({"requests": [asdict(request) for request in requests], "seconds": seconds})


def unpack(text: str) -> list[Result]:
    """Read what `run_batch` gave."""
    return [_result(entry) for entry in json.loads(text)]


def run_batch(text: str) -> str:
    """Grade a batch, one submission after the other; runs where the executor runs things.

    Parameters
    ----------
    text : str
        From `pack`.

    Returns
    -------
    str
        For `unpack`: results in the order of the requests, fewer where the run is over meanwhile.

    Raises
    ------
    GraderError
        If this machine cannot grade.
    """
    batch = json.loads(text)
    results = []
    for entry in batch["requests"]:
        request = Request(**entry)
        executed = Path(request.executed)
        if not executed.parent.is_dir():
            # The run was broken off: nobody waits for this any more.
            break
        done = executed.with_suffix(".json")
        if not done.is_file():
            _note(request, "begin")
            replace_file(done, json.dumps(asdict(run_submission(request, batch["seconds"]))))
            _note(request, "done")
        results.append(json.loads(done.read_text(encoding="utf-8")))
    return json.dumps(results)


def run_log(folder: Path) -> Path:
    """Return the file that says where each submission was graded, in an assignment's log folder."""
    return folder / "run.log"


def _note(request: Request, what: str) -> None:
    """Write a line that no other process's line can cut in two."""
    path = run_log(Path(request.log).parent.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    where = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {socket.gethostname()} {os.getpid()}"
    line = f"{where} {what} {request.notebook} {printable(request.student)}\n"
    with path.open("ab", buffering=0) as stream:
        stream.write(line.encode())


def _result(entry: dict[str, object]) -> Result:
    faults = entry["faults"]
    assert isinstance(faults, list)
    fields: dict[str, object] = {**entry, "faults": [Fault(**fault) for fault in faults]}
    return Result(**fields)  # type: ignore[arg-type]
