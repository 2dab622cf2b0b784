"""The process that `runner` keeps for grading: a request a line in, a result a line out.

Called as ``python -m glyphlab_grader.worker``. A student's code never runs in it.
"""

import json
import os
import sys
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from glyphlab_grader.course import open_course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.execution import SandboxMissing
from glyphlab_grader.execution.preprocessor import prepare
from glyphlab_grader.submission import Request, process


def main() -> None:
    """Answer requests until standard input ends."""
    # Nothing that is printed on the way may pass for an answer.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        print(json.dumps({"ready": True}), file=answers, flush=True)
        for line in sys.stdin:
            print(json.dumps(_answer(json.loads(line))), file=answers, flush=True)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
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
