"""How the process that runs a submission may end, without nbgrader in it."""

import sys
import time
from pathlib import Path

import psutil
import pytest

from glyphlab_grader import runner
from glyphlab_grader.runner import Ending, Request, run_submission


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    return Request(str(tmp_path), "tiny", "ada", "T1", str(tmp_path / "log" / "T1.log"), 3, 20.0)


def fake_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str) -> None:
    """Put a program in the worker's place; it is started with the same arguments."""
    script = tmp_path / "worker.sh"
    (tmp_path / "worker.py").write_text(code)
    # The runner's command is "python -P -m glyphlab_grader.worker FOLDER".
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {tmp_path / "worker.py"} "$4"\n')
    script.chmod(0o755)
    monkeypatch.setattr(runner.sys, "executable", str(script))


def _ends(pid: int) -> bool:
    """Wait for a killed process; where nobody reaps orphans, it stays a zombie."""
    for _ in range(200):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie":
            return True
        time.sleep(0.05)
    return False


def test_a_worker_that_dies_is_told(
    request_: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import os, sys; open(sys.argv[1] + '/cell', 'w').write('answer'); os._exit(9)"
    fake_worker(monkeypatch, tmp_path, code)
    ending = run_submission(request_)
    assert (ending.how, ending.cell) == ("grader", "answer")
    assert "ended without a word" in ending.message


def test_a_worker_that_hangs_is_ended_with_its_children(
    request_: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
import os
print(os.posix_spawnp("sleep", ["sleep", "600"], os.environ, setsid=True), flush=True)
os.execvp("sleep", ["sleep", "600"])
"""
    fake_worker(monkeypatch, tmp_path, code)
    limited = Request(**{**vars(request_), "notebook_timeout": 8.0})
    ending = run_submission(limited)
    assert ending.how == "timeout"
    assert ending.message == "the notebook took more than 8 s"
    assert _ends(int(Path(request_.log).read_text()))


def test_a_report_is_passed_on(
    request_: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
import json, sys
request = json.load(sys.stdin)
open(sys.argv[1] + "/report", "w").write(json.dumps(["invalid", request["student"]]))
"""
    fake_worker(monkeypatch, tmp_path, code)
    ending = run_submission(request_)
    assert ending == Ending("invalid", "ada", None, ending.seconds)
