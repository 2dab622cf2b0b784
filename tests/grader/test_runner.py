"""How a worker process may end; another program stands in its place."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import psutil
import pytest

from glyphlab_grader import runner
from glyphlab_grader.errors import GraderError
from glyphlab_grader.runner import run_submission, workers
from glyphlab_grader.submission import Request, Result

READY = """
import json, os, sys, time
print(json.dumps({"ready": True}), flush=True)
"""
ANSWER = """
    print(json.dumps({"how": "failed", "faults": [], "seconds": os.getpid()}), flush=True)
"""
Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put a program in the worker's place, and end all workers after the test."""

    def put(code: str) -> None:
        (tmp_path / "worker.py").write_text(code)
        script = tmp_path / "worker.sh"
        script.write_text(f"#!/bin/sh\nexec {sys.executable} {tmp_path / 'worker.py'}\n")
        script.chmod(0o755)
        monkeypatch.setattr(runner.sys, "executable", str(script))

    # Workers that wait for other tests stay out of this.
    monkeypatch.setattr(runner, "_idle", [])
    monkeypatch.setattr(runner, "_blocks", 0)
    with workers():
        yield put


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    folder = str(tmp_path)
    return Request(folder, "tiny", "ada", "T1", folder, folder, folder, {}, "", "")


def told(result: Result) -> list[tuple[str, str]]:
    return [(fault.kind, fault.message) for fault in result.faults]


def test_a_worker_is_kept_from_one_submission_to_the_next(
    install: Install, request_: Request
) -> None:
    install(READY + "for line in sys.stdin:" + ANSWER)
    first, second = (run_submission(request_, 20.0) for _ in range(2))
    assert first.how == "failed"
    assert first.seconds == second.seconds


def test_a_worker_outlives_the_folder_that_it_began_in(tmp_path: Path, request_: Request) -> None:
    (tmp_path / "nbgrader_config.py").touch()
    gone = tmp_path / "gone"
    gone.mkdir()
    worker = runner.Worker(str(gone))
    try:
        gone.rmdir()
        asked = replace(request_, log=str(tmp_path / "log"), own=True)
        answer = worker.ask(asdict(asked), 60.0)
    finally:
        worker.end()
    # There is no such assignment to grade; it looked.
    assert "T1.ipynb" in str(answer), answer


def test_a_worker_that_dies_is_told_and_replaced(install: Install, request_: Request) -> None:
    install(
        READY
        + """
for line in sys.stdin:
    if json.loads(line)["student"] == "eve":
        sys.exit("out of\\x1b[2J luck")
"""
        + ANSWER
    )
    before = run_submission(request_, 20.0)
    broken = run_submission(replace(request_, student="eve"), 20.0)
    after = run_submission(request_, 20.0)
    assert broken.how == "failed"
    assert told(broken) == [("grader", r"the grading process died: out of\x1b[2J luck")]
    assert before.how == after.how == "failed"
    assert before.seconds != after.seconds
    assert told(after) == []


def test_a_worker_that_hangs_is_ended_with_its_children(
    install: Install, request_: Request, tmp_path: Path
) -> None:
    install(
        READY
        + f"""
sys.stdin.readline()
pid = os.posix_spawnp("sleep", ["sleep", "600"], os.environ, setsid=True)
open({str(tmp_path / "pid")!r}, "w").write(str(pid))
time.sleep(600)
"""
    )
    result = run_submission(request_, 3.0)
    assert told(result) == [("timeout", "grading the notebook took more than 3 s")]
    assert _ends(int((tmp_path / "pid").read_text()))


def _ends(pid: int) -> bool:
    """Wait for a killed process; where nobody reaps orphans, it stays a zombie."""
    for _ in range(200):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie":
            return True
        time.sleep(0.05)
    return False


def test_a_machine_that_cannot_grade_says_so(install: Install, request_: Request) -> None:
    answer = json.dumps({"refused": "install bubblewrap"})
    install(READY + f"for line in sys.stdin: print({answer!r}, flush=True)")
    with pytest.raises(GraderError, match=r"^install bubblewrap$"):
        run_submission(request_, 20.0)


def test_a_worker_that_does_not_start_says_why(install: Install, request_: Request) -> None:
    install("import nonsense")
    message = "does not start: ModuleNotFoundError: No module named 'nonsense'"
    with pytest.raises(GraderError, match=message):
        run_submission(request_, 20.0)
