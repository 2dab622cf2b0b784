"""nbgrader's own commands and the formgrader's pages, with this course's configuration."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import Browser

from glyphlab_grader import notebooks
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.ledger import Ledger, NotebookScore

RIGHT = "def root(x):\n    return math.sqrt(x)"
TOKEN = "for-this-test-only"


def nbgrader(course: Course, *arguments: str) -> str:
    """Run a command as an instructor does; return what it says."""
    done = subprocess.run(
        [Path(sys.executable).with_name("nbgrader"), *arguments],
        cwd=course.root,
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def scores(course: Course, assignment: str) -> dict[tuple[str, str], NotebookScore]:
    with open_gradebook(course) as keeper:
        return Ledger(keeper.gradebook, assignment).scores(["ada", "bob"])


@contextmanager
def formgrader(course: Course, folder: Path) -> Iterator[str]:
    """A Jupyter server in the course's folder; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    extensions = {"nbgrader.server_extensions.formgrader": True}
    options = ["--no-browser", "--allow-root", f"--ServerApp.port={port}"]
    options += [
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.jpserver_extensions={extensions}",
    ]
    environment = os.environ | {"JUPYTER_CONFIG_DIR": str(folder), "JUPYTER_DATA_DIR": str(folder)}
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server", *options],
            cwd=course.root,
            stdout=log,
            stderr=log,
            env=environment,
        )
        try:
            wait_for(lambda: b"version" in get(f"{address}/api"))
            yield address
        finally:
            process.terminate()
            process.wait(timeout=30)


def get(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"Authorization": f"token {TOKEN}"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return bytes(answer.read())
    except ConnectionError:
        return b""
    except urllib.error.URLError as error:
        if isinstance(error, urllib.error.HTTPError):
            raise
        return b""


def wait_for(true: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_autograde_manual_grading_and_a_regrade(
    course: Course, hand_in: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(data: dict[str, Any]) -> None:
        why = next(c for c in data["cells"] if c["id"] == "why")
        why["source"] = "As $P < R$.\n\n<script>document.title = 'attacked'</script>"

    first = hand_in("ada", RIGHT, assignment="pair", name="P1")
    first.rename(first.with_name("P1 (my solution).ipynb"))
    hand_in("ada", RIGHT, assignment="pair", name="P2", edit=write)
    said = nbgrader(course, "autograde", "pair")
    assert "ada: graded P1 (my solution).ipynb, as there is no P1.ipynb" in said
    found = scores(course, "pair")
    assert found["ada", "P1"].score == 5.0
    assert (found["ada", "P2"].score, found["ada", "P2"].awaiting) == (5.0, 5.0)

    with formgrader(course, tmp_path) as address, Browser() as browser:
        browser.open(f"{address}/formgrader/?token={TOKEN}")
        listed = json.loads(get(f"{address}/formgrader/api/submitted_notebooks/pair/P2"))
        assert [(item["student"], item["score"]) for item in listed] == [("ada", 5.0)]
        view = browser.open(f"{address}/formgrader/submissions/{listed[0]['id']}")
        assert browser.evaluate("document.title") == "P2"
        assert {url.split("/")[2] for url in view.requested if url.startswith("http")} == {
            address.removeprefix("http://")
        }
        assert [line for line in view.failed if "favicon" not in line] == []
        # nbgrader's script comes to its end, and its keys work.
        assert [line for line in view.errors if "Failed to load" not in line] == []
        assert browser.evaluate("formgrader.loaded && $(':focus').is('.tabbable')")
        before = browser.evaluate("formgrader.getIndex(formgrader.last_selected)")
        browser.send("Input.dispatchKeyEvent", type="keyDown", key="Tab", windowsVirtualKeyCode=9)
        after = browser.evaluate("formgrader.getIndex(formgrader.last_selected)")
        assert after == before + 1
        # The student's formula is drawn.
        assert browser.evaluate("document.querySelector('math').textContent") == "P<R"
        # Points by hand, as an instructor types them.
        browser.evaluate("$('input.score').last().val('4').trigger('change')")
        wait_for(lambda: scores(course, "pair")["ada", "P2"].awaiting == 0)
    assert scores(course, "pair")["ada", "P2"].score == 9.0

    nbgrader(course, "autograde", "pair", "--force")
    assert scores(course, "pair")["ada", "P2"].score == 9.0
    assert main(["pair", "--force"]) == 0
    assert "ada      P2        graded   9/10" in capsys.readouterr().out
    assert scores(course, "pair")["ada", "P2"].score == 9.0


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (" " * 30_000, "T1.ipynb has 30,000 bytes, more than the 20,000 that are read"),
        ("[" * 15_000, "T1.ipynb is nested too deeply"),
        ("{}", "T1.ipynb is JSON, but not a notebook"),
    ],
)
@pytest.mark.filterwarnings("default::sqlalchemy.exc.SAWarning")
def test_what_cannot_be_graded_now_keeps_no_old_score(
    course: Course, hand_in: Any, monkeypatch: pytest.MonkeyPatch, content: str, why: str
) -> None:
    monkeypatch.setattr(notebooks, "LARGEST_NOTEBOOK", 20_000)
    hand_in("ada", RIGHT)
    hand_in("bob", RIGHT)
    assert course.api.autograde("tiny", "ada")["success"]
    assert scores(course, "tiny")["ada", "T1"].score == 5.0
    hand_in("ada").write_text(content)
    result = course.api.autograde("tiny", "ada", force=True)
    assert not result["success"]
    assert why in result["log"]
    assert scores(course, "tiny")["ada", "T1"].ungraded
    # Nobody else is touched.
    assert course.api.autograde("tiny", "bob")["success"]
    assert scores(course, "tiny")["bob", "T1"].score == 5.0


@pytest.mark.filterwarnings("default::sqlalchemy.exc.SAWarning")
def test_two_that_may_be_it_are_not_guessed_at(course: Course, hand_in: Any) -> None:
    first = hand_in("ada", RIGHT)
    first.rename(first.with_name("a.ipynb"))
    first.with_name("b.ipynb").write_bytes(first.with_name("a.ipynb").read_bytes())
    assert not course.api.autograde("tiny", "ada")["success"]
    assert not first.exists()
