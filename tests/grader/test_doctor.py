import os
from pathlib import Path
from typing import Any

import pytest

from glyphlab_grader import doctor
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course
from glyphlab_grader.execution import SandboxMissing


def lines(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Return the verdicts by what was checked, and the last line as it is."""
    *checks, last = capsys.readouterr().out.splitlines()
    return {line.split()[1]: line for line in checks} | {"": last}


def test_a_machine_that_can_grade(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    found = lines(capsys)
    assert all(line.startswith("ok ") for name, line in found.items() if name)
    assert "a notebook ran in it" in found["sandbox"]
    assert "pair, tiny" in found["course"]
    assert found[""] == "This machine can grade safely."


def test_a_wrong_folder_is_not_the_machine_s_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "_sandbox", lambda: "a notebook ran in it")
    assert main(["doctor"]) == 2
    found = lines(capsys)
    assert "no nbgrader_config.py in" in found["course"]
    assert found[""] == "This machine can grade safely; see to the course and the gradebook."


def test_no_sandbox_is_told_with_what_to_install(
    course: Course, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Missing:
        def __init__(self, **options: Any) -> None:
            raise SandboxMissing("bubblewrap is missing: install it")

    monkeypatch.setattr(doctor, "Grader", Missing)
    assert main(["doctor"]) == 2
    found = lines(capsys)
    assert found["sandbox"] == "NO  sandbox    bubblewrap is missing: install it"
    assert found[""] == "This machine cannot grade safely."


def test_a_user_without_a_name_is_told_so(
    course: Course, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def nameless(user: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {user}")

    monkeypatch.setattr(doctor.pwd, "getpwuid", nameless)
    monkeypatch.setattr(doctor, "_sandbox", lambda: "a notebook ran in it")
    assert main(["doctor"]) == 2
    found = lines(capsys)
    assert found["account"].startswith(f"NO  account    user {os.getuid()} has no name here")
    assert found[""] == "This machine can grade safely; see to the account."


def test_a_sandbox_that_hides_nothing_is_no_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The probe asks for a file that every sandbox shows.
    monkeypatch.setattr(doctor, "__file__", "/usr/bin/env")
    problem = doctor.sandbox_problem()
    assert problem is not None
    assert problem.startswith("a notebook does not run as it should")


def test_another_machine_has_other_problems(
    course: Course, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor.sys, "version_info", (3, 11, 0))
    monkeypatch.setattr(doctor.metadata, "version", lambda name: "3.0")
    monkeypatch.setattr(doctor, "_sandbox", lambda: "not looked at")
    for path in course.source("x").parent.glob("*/*.ipynb"):
        path.unlink()
    assert main(["doctor"]) == 2
    found = lines(capsys)
    assert "pip install 'soupsieve<3'" in found["nbgrader"]
    assert found["course"] == "NO  course     no notebooks in solutions"
