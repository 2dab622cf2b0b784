"""The process that `runner` keeps for grading: a request a line in, a result a line out.

Called as ``python -m glyphlab_grader.worker``. A student's code never runs in it. Where the process
that it works for is gone, it ends at once, with all that it started.
"""

import contextlib
import json
import os
import queue
import sys
import threading
import time
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from glyphlab_grader import without_grammars  # noqa: F401 (before what imports nbformat)
from glyphlab_grader.course import open_course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.execution import SandboxMissing
from glyphlab_grader.execution.preprocessor import prepare
from glyphlab_grader.submission import Request, process

# For an idle worker to end by itself, closing what it has open.
_GRACE_SECONDS = 1.0


def main() -> None:
    """Answer requests until standard input ends."""
    # Nothing that is printed on the way may pass for an answer.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        print(json.dumps({"ready": True}), file=answers, flush=True)
        for line in iter(_requests().get, None):
            print(json.dumps(_answer(json.loads(line))), file=answers, flush=True)


def _requests() -> "queue.SimpleQueue[str | None]":
    """Read requests in a thread of their own, which sees standard input end while one is graded."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        lines.put(None)
        # The main thread ends now if it is idle. If it is not, nobody waits for its answer: without
        # its sandboxes it comes to an end, and finds the line closed.
        time.sleep(_GRACE_SECONDS)
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()
        time.sleep(5 * _GRACE_SECONDS)
        os._exit(1)

    threading.Thread(target=read, daemon=True).start()
    return lines


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        # The folder that this process began in may be gone: a course made anew has another.
        os.chdir(request["root"])
        app = _app(request["root"])
        if not request["own"]:
            prepare()
        return asdict(process(app, Request(**request)))
    except (GraderError, SandboxMissing) as error:
        return {"refused": str(error)}


@cache
def _app(root: str) -> Any:
    """Read a course's configuration once."""
    return open_course(Path(root)).app


if __name__ == "__main__":
    main()
