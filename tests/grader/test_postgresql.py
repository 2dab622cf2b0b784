"""The gradebook in PostgreSQL: Debian's server, started for this test on the loopback address."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glyphlab_grader.cli import main
from glyphlab_grader.course import Course, open_course
from glyphlab_grader.errors import GraderError
from glyphlab_grader.gradebook import open_gradebook

RIGHT = "def root(x):\n    return math.sqrt(x)"
WRONG = "def root(x):\n    return x / 2"


def program(name: str) -> str:
    """Find a program of Debian's newest PostgreSQL, which is not on PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    assert found, "postgresql is missing: `make system` installs what packages.apt lists"
    return str(found[-1])


def as_user(command: list[str]) -> None:
    """Run as an ordinary user: the server refuses to be root."""
    user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
    subprocess.run(command, check=True, capture_output=True, cwd="/", **user)  # type: ignore[call-overload]


@pytest.fixture
def database() -> Iterator[str]:
    """A server with an empty database; its password is part of the URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # Not in pytest's folder, which is the caller's alone.
    folder = Path(f"/tmp/glyphlab-postgresql-{os.getpid()}-{port}")
    folder.mkdir(mode=0o700)
    try:
        secret = folder / "password"
        secret.write_text("s3cret\n")
        if os.getuid() == 0:
            for path in (folder, secret):
                shutil.chown(path, "postgres", "postgres")
        data = str(folder / "data")
        init = [program("initdb"), "-D", data, "-U", "grader", "-A", "scram-sha-256"]
        as_user([*init, f"--pwfile={secret}", "-E", "UTF8", "--no-locale", "--no-sync"])
        options = f"-h 127.0.0.1 -p {port} -k '' -F"
        control = [program("pg_ctl"), "-D", data, "-w"]
        as_user([*control, "-l", str(folder / "log"), "-o", options, "start"])
        try:
            yield f"postgresql://grader:s3cret@127.0.0.1:{port}/postgres"
        finally:
            as_user([*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder)


def test_the_gradebook_in_postgresql(
    course: Course, hand_in: Any, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sqlite = course.work / "gradebook.db"
    before = sqlite.read_bytes()
    hand_in("ada", RIGHT)
    hand_in("bob", WRONG)
    hand_in("eve").write_text("{")
    # As in nbgrader's own option, so that the assignment is there too.
    assert main(["tiny", "--db", database]) == 2
    out, error = capsys.readouterr()
    assert "the gradebook holds nothing of tiny" in error
    assert "s3cret" not in out + error
    generate = ["nbgrader", "generate_assignment", "tiny", "--force", f"--db={database}"]
    subprocess.run(generate, check=True, capture_output=True, cwd=course.root)

    assert main(["tiny", "--db", database]) == 1
    assert rows(course) == {"ada": "5.0", "bob": "2.0", "eve": ""}
    hand_in("bob", RIGHT)
    hand_in("eve", WRONG)
    capsys.readouterr()
    assert main(["tiny", "--db", database]) == 0
    assert "s3cret" not in "".join(capsys.readouterr())
    assert rows(course) == {"ada": "5.0", "bob": "5.0", "eve": "2.0"}
    assert sqlite.read_bytes() == before
    # nbgrader itself reads there what was entered.
    with open_gradebook(open_course(course.root, database)) as keeper:
        found = keeper.gradebook.find_submission("tiny", "bob")
        assert (found.score, found.needs_manual_grade) == (5.0, False)
        assert [s.id for s in keeper.gradebook.students] == ["ada", "bob", "eve"]


def rows(course: Course) -> dict[str, str]:
    lines = (course.work / "grades.csv").read_text().splitlines()[1:]
    fields = [line.split(",") for line in lines]
    return {row[3]: row[9] for row in fields if row[0] == "tiny"}


def test_no_server_there(course: Course, hand_in: Any, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in("ada", RIGHT)
    assert main(["tiny", "--db", "postgresql://grader:s3cret@127.0.0.1:1/x"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith("glyphlab-grade: the gradebook: ")
    assert "s3cret" not in error


@pytest.mark.parametrize("url", ["s3cret", "nonsense://x:s3cret@y", "sqlite+nonsense:///s3cret"])
def test_no_database_s_url(course: Course, url: str) -> None:
    with pytest.raises(GraderError, match="--db: ") as caught:
        open_course(course.root, url)
    assert "s3cret" not in str(caught.value)
