"""Temporary folders of a grader go with it, also where it was killed."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from glyphlab_grader.execution.scratch import scratch_folder

HOLDER = (
    "import sys; from glyphlab_grader.execution.scratch import scratch_folder\n"
    "with scratch_folder('of-a-test-') as folder:\n    print(folder, flush=True); sys.stdin.read()"
)


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def make_old(folder: Path) -> None:
    hours_ago = time.time() - 10_000
    os.utime(folder, (hours_ago, hours_ago))


def test_it_is_gone_at_the_end_and_cannot_be_listed_by_others():
    with scratch_folder("of-a-test-") as folder:
        (folder / "file").write_text("x")
        assert folder.stat().st_mode & 0o777 == 0o711
    assert not folder.exists()


def test_what_a_killed_process_left_is_removed_and_what_is_held_stays(tmp_path):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    left = Path(holder.stdout.readline().strip())
    young = tmp_path / "of-a-test-young"
    young.mkdir()
    other = tmp_path / "another"
    other.mkdir()
    for folder in (left, other):
        make_old(folder)
    with scratch_folder("of-a-test-"):
        assert left.is_dir()
    holder.kill()
    holder.communicate()
    with scratch_folder("of-a-test-"):
        assert not left.exists()
    assert young.is_dir()
    assert other.is_dir()
