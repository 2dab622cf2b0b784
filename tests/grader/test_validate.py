"""The button Validate of JupyterLab: its request to the server, on a released notebook."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from glyphlab_grader.release import bank

ROOT = Path(__file__).parents[2]
TOKEN = "for-this-test-only"
EXERCISE = "ch23_1/F2"


def filled() -> Any:
    """The released notebook with the instructor's answers in it."""
    source = nbformat.read(ROOT / "solutions" / f"{EXERCISE}.ipynb", as_version=4)
    released = nbformat.read(ROOT / "exercises" / f"{EXERCISE}.ipynb", as_version=4)
    answer = bank.Answer(Path("right"), "the instructor's", True, frozenset(), {}, {})
    return bank.submission(source, released, answer)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A Jupyter server with nbgrader's extension, in a student's folder; yields its address."""
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(ROOT / "exercises" / f"{EXERCISE}.ipynb", home / "untouched.ipynb")
    nbformat.write(filled(), home / "right.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    extensions = {"nbgrader.server_extensions.validate_assignment": True}
    options = ["--no-browser", "--allow-root", f"--ServerApp.port={port}"]
    options += [
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.jpserver_extensions={extensions}",
    ]
    folders = {f"JUPYTER_{what}_DIR": str(tmp_path / what) for what in ("CONFIG", "DATA")}
    with (tmp_path / "server.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server", *options],
            cwd=home,
            stdout=log,
            stderr=log,
            env=os.environ | folders | {"OMP_NUM_THREADS": "1"},
        )
        try:
            address = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + 120
            while not answers(f"{address}/api"):
                assert time.monotonic() < deadline, (tmp_path / "server.log").read_text()
                time.sleep(0.2)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=30)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10):
            return True
    except (ConnectionError, urllib.error.URLError):
        return False


def validate(address: str, path: str) -> dict[str, Any]:
    """Ask as the button does; return the validator's findings."""
    request = urllib.request.Request(
        f"{address}/assignments/validate",
        data=json.dumps({"path": path}).encode(),
        headers={"Authorization": f"token {TOKEN}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=180) as answer:
        told = json.load(answer)
    assert told["success"], told["value"]
    return dict(told["value"])


@pytest.mark.check_all
def test_validate_shows_the_visible_checks(server: str) -> None:
    untouched = validate(server, "untouched.ipynb")["failed"]
    text = "\n".join(entry["error"] for entry in untouched)
    released = nbformat.read(ROOT / "exercises" / f"{EXERCISE}.ipynb", as_version=4)
    tests = [c for c in released.cells if c.metadata.nbgrader.grade]
    assert len(untouched) == len(tests)
    assert "tp: this is None. Nothing was returned or handed in." in text
    assert validate(server, "right.ipynb").get("failed", []) == []
