"""The process that `runner` keeps for grading: a request a line in, a result a line out.

Called as ``python -m glyphlab_grader.worker ROOT``. A student's code never runs in it.
"""

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

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
        try:
            app = open_course(Path(sys.argv[1])).app
            prepare()
        except (GraderError, SandboxMissing) as error:
            print(json.dumps({"refused": str(error)}), file=answers, flush=True)
            return
        print(json.dumps({"ready": True}), file=answers, flush=True)
        for line in sys.stdin:
            result = process(app, Request(**json.loads(line)))
            print(json.dumps(asdict(result)), file=answers, flush=True)


if __name__ == "__main__":
    main()
