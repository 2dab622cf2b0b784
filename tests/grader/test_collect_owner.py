"""What can lie in the exchange's inbound folder, and what `nbgrader collect` takes of it.

Each attack is shown to work with nbgrader's own collection first.
"""

import json
import os
import pwd
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import capture_log

from glyphlab_grader.course import Course
from glyphlab_grader.cycle import collection
from glyphlab_grader.cycle.exchange import collect, fetch, release, submit
from glyphlab_grader.cycle.steps import exchange_action, narrowed

ME = pwd.getpwuid(os.getuid()).pw_name
EARLY = "2026-11-01 12:00:00.000000 UTC"
LATE = "2026-11-02 12:00:00.000000 UTC"


@pytest.fixture
def inbound(course: Course) -> Path:
    release(course, "tiny")
    return course.exchange / course.course_id / "inbound"


@pytest.fixture
def put(inbound: Path) -> Callable[..., Path]:
    """Put a submission into the exchange by hand, as whoever runs the tests."""

    def put_in(student: str, text: str, time: str = EARLY) -> Path:
        folder = inbound / f"{student}+tiny+{time}+x"
        folder.mkdir()
        (folder / "T1.ipynb").write_text(text)
        (folder / "timestamp.txt").write_text(time)
        return folder

    return put_in


@pytest.fixture
def _collected_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have somebody else collect: what these tests write is then a student's, named `ME`."""
    monkeypatch.setattr(collection, "_collector", lambda: os.getuid() + 1)


def collected(course: Course, student: str) -> str | None:
    path = course.submitted(student, "tiny") / "T1.ipynb"
    return path.read_text() if path.is_file() else None


def collect_told(course: Course) -> str:
    """Collect, and return what nbgrader logged."""
    with narrowed(course, assignment_id="tiny", student_id="*"):
        action = exchange_action(course, "Collect")
        action.update = True
        result = capture_log(action)
    assert result["success"], result["error"]
    return str(result["log"])


def stock(course: Course) -> None:
    """Switch the defence off."""
    course.app.exchange.collect = ExchangeCollect


@pytest.mark.usefixtures("_collected_by_another")
@pytest.mark.parametrize("defence", ["none", "check_owner = False", "on"])
def test_nobody_overwrites_another_s_work(
    course: Course, inbound: Path, tmp_path: Path, defence: str
) -> None:
    assert inbound.is_dir()
    genuine = course.submitted("ada", "tiny")
    genuine.mkdir(parents=True)
    (genuine / "T1.ipynb").write_text("genuine")
    (genuine / "timestamp.txt").write_text(EARLY)
    if defence == "none":
        stock(course)
    elif defence == "check_owner = False":
        course.app.config.ExchangeCollect.check_owner = False

    home = tmp_path / "eve"
    forged = fetch(course, "tiny", ME, home) / "T1.ipynb"
    submit(course, "tiny", "ada", home)
    told = collect_told(course)

    if defence == "on":
        assert collected(course, "ada") == "genuine"
        assert f"it claims to be ada's and belongs to {ME}" in told
    else:
        assert collected(course, "ada") == forged.read_text()


@pytest.mark.usefixtures("_collected_by_another")
def test_one_s_own_work_is_collected(course: Course, inbound: Path, tmp_path: Path) -> None:
    assert inbound.is_dir()
    mine = fetch(course, "tiny", ME, tmp_path) / "T1.ipynb"
    submit(course, "tiny", ME, tmp_path)
    collect(course, "tiny")
    assert collected(course, ME) == mine.read_text()
    assert (course.submitted(ME, "tiny") / "submission_secret.txt").is_file()


def test_who_collects_may_hand_in_for_a_student(course: Course, put: Any) -> None:
    put("ada", "sent by mail")
    assert "cheating" not in collect_told(course)
    assert collected(course, "ada") == "sent by mail"


def link_notebook(folder: Path, secret: Path) -> None:
    (folder / "T1.ipynb").unlink()
    (folder / "T1.ipynb").symlink_to(secret)


def link_folder(folder: Path, secret: Path) -> None:
    (folder / "data").symlink_to(secret.parent)


def link_itself(folder: Path, secret: Path) -> None:
    shutil.rmtree(folder)
    folder.symlink_to(secret.parent)


LINKS = {"a notebook": link_notebook, "a folder": link_folder, "the submission": link_itself}


@pytest.mark.parametrize("what", LINKS)
@pytest.mark.parametrize("defended", [False, True])
def test_a_link_is_not_followed(
    course: Course, put: Any, tmp_path: Path, what: str, defended: bool
) -> None:
    secret = tmp_path / "instructor" / "T1.ipynb"
    secret.parent.mkdir()
    secret.write_text("the solution")
    LINKS[what](put("eve", "mine"), secret)
    if not defended:
        stock(course)
    collect(course, "tiny")
    found = [p.read_text() for p in course.submitted("eve", "tiny").rglob("T1.ipynb")]
    assert ("the solution" in found) is not defended


def no_time(folder: Path) -> None:
    folder.rename(folder.with_name("eve+tiny+soon+x"))


def no_date(folder: Path) -> None:
    folder.rename(folder.with_name("eve+tiny+99999999999999+x"))


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def flood(folder: Path) -> None:
    with (folder / "flood").open("wb") as stream:
        stream.truncate(10**12)


def wrong_time(folder: Path) -> None:
    (folder / "timestamp.txt").write_text("soon")


ODD = {
    "a name without a time": no_time,
    "a name with no date": no_date,
    "a pipe": pipe,
    "too much": flood,
    "a timestamp that is none": wrong_time,
}


@pytest.mark.parametrize("what", [*ODD, "folders in folders", "too many for a copy"])
def test_an_odd_submission_stops_nobody_else_s(
    course: Course, put: Any, nest: Callable[[Path, int], None], what: str
) -> None:
    for student in ("ada", "zoe"):
        put(student, "good")
    odd = put("eve", "odd", LATE)
    if what in ODD:
        ODD[what](odd)
    else:
        # Looking at the first ends in Python's recursion, copying the second.
        nest(odd, 1500 if what == "folders in folders" else 700)
    told = collect_told(course)
    assert [collected(course, s) for s in ("ada", "eve", "zoe")] == ["good", None, "good"]
    assert told.count("is not collected") == 1
    # Nor does it stand in the way of the same student's proper one, or of the next collection.
    put("eve", "better")
    collect(course, "tiny")
    assert collected(course, "eve") == "better"


def test_a_timestamp_that_is_none_stops_nbgrader_s_own_collection(course: Course, put: Any) -> None:
    wrong_time(put("eve", "odd"))
    put("zoe", "good")
    stock(course)
    collect(course, "tiny")
    put("zoe", "better", LATE)
    with pytest.raises(Exception, match="no attribute 'fail'"):
        collect(course, "tiny")


@pytest.mark.parametrize("defended", [False, True])
def test_a_hostile_student_id_is_no_pattern(course: Course, put: Any, defended: bool) -> None:
    put("*", "planted")
    if not defended:
        stock(course)
    told = collect_told(course)
    assert ("the student id does not begin with a letter or a digit" in told) is defended
    assert course.submitted("*", "tiny").exists() is not defended


def test_what_changes_after_the_check_is_not_collected(
    course: Course, put: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "solution.ipynb"
    secret.write_text(json.dumps("the solution"))
    folder = put("eve", "mine")
    checked = collection.CheckedCollect.init_src

    def check_then_change(action: Any) -> None:
        checked(action)
        link_notebook(folder, secret)

    monkeypatch.setattr(collection.CheckedCollect, "init_src", check_then_change)
    assert "T1.ipynb is a symbolic link" in collect_told(course)
    assert collected(course, "eve") is None
