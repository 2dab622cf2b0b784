"""Machines that cannot grade safely are told so, and nothing is left behind."""

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys

import pytest

from glyphlab_grader import execution
from glyphlab_grader.execution import Grader, Limits, SandboxMissing, entering, holder, seccomp
from glyphlab_grader.execution.defences import Defences
from glyphlab_grader.execution.holder import Holder, View


@pytest.mark.parametrize(
    "name", [module.name for module in pkgutil.iter_modules(execution.__path__)]
)
def test_examples_hold(name):
    module = importlib.import_module(f"glyphlab_grader.execution.{name}")
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_without_bubblewrap_nothing_runs(monkeypatch):
    monkeypatch.setattr(holder.shutil, "which", lambda *a, **k: None)
    with pytest.raises(SandboxMissing, match="apt-get install bubblewrap"), Grader():
        pass


def test_a_sandbox_that_cannot_be_built_is_told():
    with pytest.raises(SandboxMissing, match="cannot build a sandbox on this machine: bwrap"):
        Holder(View(folders=("/no/such/folder",)), Limits(), Defences())


def test_a_parent_that_does_not_start_is_told(monkeypatch):
    monkeypatch.setattr(execution.grader, "_PROGRAM", "raise SystemExit('no luck')")
    with pytest.raises(RuntimeError, match="no luck"), Grader():
        pass


def test_a_parent_with_a_second_thread_refuses():
    """A fork of it would hang."""
    program = (
        "import threading, time; "
        "threading.Thread(target=time.sleep, args=(5,), daemon=True).start(); "
        "from glyphlab_grader.execution.parent import check_threads; check_threads()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "more than one thread" in done.stderr


def test_nothing_is_left_behind():
    before = set(os.listdir("/proc/self/fd"))
    with Grader(preload=("numpy",)) as grader:
        pid = grader.pid
        folder = grader._editions._folder
        assert os.path.exists(f"/proc/{pid}")
        assert folder.exists()
    assert not folder.exists()
    assert not os.path.exists(f"/proc/{pid}")
    assert set(os.listdir("/proc/self/fd")) == before


def test_the_filter_knows_this_machine():
    assert seccomp.supported()


def test_closing_spares_what_is_kept():
    program = (
        "import os\nfrom glyphlab_grader.execution.entering import close_all_but\n"
        "fds = [os.open('/dev/null', os.O_RDONLY) for _ in range(40)]\n"
        "told = os.dup(1)\nclose_all_but([fds[7], told])\n"
        "left = sorted(int(n) for n in os.listdir('/proc/self/fd'))\n"
        "os.write(told, repr([n for n in left if os.path.exists(f'/proc/self/fd/{n}')] "
        "== [0, 1, 2, *sorted([fds[7], told])]).encode())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "True"


def test_becoming_needs_root():
    if os.getuid() != 0:
        with pytest.raises(PermissionError):
            entering.become(64017)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cell_seconds": 0}, "cell_seconds must be a positive number, not 0"),
        ({"memory_bytes": 1.5}, "memory_bytes must be a whole number, not 1.5"),
        ({"processes": True}, "processes must be a positive number, not True"),
        ({"disk_bytes": -1}, "disk_bytes"),
        ({"wire_bytes": "64M"}, "wire_bytes"),
        ({"notebook_seconds": float("inf")}, "notebook_seconds"),
    ],
)
def test_limits_that_are_none_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Limits(**wrong)
