"""A scheduler and workers of dask's own, as processes of their own, on the loopback address."""

import csv
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from glyphlab_grader import cluster
from glyphlab_grader.cli import main
from glyphlab_grader.course import Course
from glyphlab_grader.gradebook import open_gradebook
from glyphlab_grader.grades import write_grades

RIGHT = "def root(x):\n    return math.sqrt(x)"
WRONG = "def root(x):\n    return x / 2"
# Long enough to be met at work, and without any end that the grader sets.
SLOW = f"import time\ntime.sleep(3)\n{RIGHT}"


@dataclass
class Cluster:
    """A scheduler and its workers."""

    address: str
    log: Path
    workers: dict[str, subprocess.Popen[bytes]]

    def logged(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def two_workers(tmp_path: Path) -> Iterator[Cluster]:
    with running(tmp_path, "tcp://127.0.0.1") as cluster:
        yield cluster


@contextmanager
def running(tmp_path: Path, host: str) -> Iterator[Cluster]:
    address = f"{host}:{free_port()}"
    log = tmp_path / "scheduler.log"
    quiet = ["--no-dashboard"]
    scheduler = [
        *[sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", host],
        *["--port", address.rpartition(":")[2], *quiet],
    ]
    worker = [
        *[sys.executable, "-m", "distributed.cli.dask_worker", address, "--host", host],
        *["--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path), *quiet],
    ]
    started: dict[str, subprocess.Popen[bytes]] = {}
    with log.open("wb") as stream:
        try:
            for name in ("scheduler", "first", "second"):
                command = scheduler if name == "scheduler" else [*worker, "--name", name]
                started[name] = subprocess.Popen(
                    command, cwd=tmp_path, stdout=stream, stderr=stream
                )
                if name == "scheduler":
                    wait_until(lambda: "Scheduler at" in log.read_text(), log)
            wait_until(lambda: log.read_text().count("Registered to:") == 2, log)
            workers = {name: p for name, p in started.items() if name != "scheduler"}
            yield Cluster(address, log, workers)
        finally:
            for process in started.values():
                process.kill()
            for process in started.values():
                process.wait()


def wait_until(come: Any, log: Path, seconds: float = 60.0) -> None:
    over = time.monotonic() + seconds
    while not come():
        assert time.monotonic() < over, log.read_text(errors="replace")[-3000:]
        time.sleep(0.05)


def grades(course: Course) -> list[dict[str, str]]:
    path = course.work / "grades.csv"
    with open_gradebook(course) as keeper:
        write_grades(keeper.gradebook, path)
    with path.open(newline="", encoding="utf-8") as stream:
        return [row for row in csv.DictReader(stream) if row["assignment"] == "tiny"]


def logged(course: Course) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Read which process began, and which finished, whose submission."""
    path = course.logs("tiny") / "run.log"
    lines = [line.split() for line in path.read_text().splitlines()] if path.is_file() else []
    begun, done = ([(w[3], w[6]) for w in lines if w[4] == what] for what in ("begin", "done"))
    return begun, done


def at_work(course: Course, pid: int) -> bool:
    """Whether a process has finished something and is at work on a submission that takes long."""
    begun, done = logged(course)
    slow = [(who, student) for who, student in begun if int(student[1:]) % 3 != 1]
    return any(who == str(pid) for who, _ in done) and any(
        who == str(pid) for who, _ in set(slow) - set(done)
    )


def test_a_worker_that_is_lost_loses_nothing(
    course: Course, hand_in: Any, two_workers: Cluster
) -> None:
    """One is killed while it holds a task; the scheduler's log says so."""
    students = [f"s{number:02}" for number in range(8)]
    for number, student in enumerate(students):
        hand_in(student, [SLOW, WRONG, SLOW][number % 3])
    command = [sys.executable, "-m", "glyphlab_grader.cli", "tiny"]
    said = course.root / "said.txt"
    with said.open("w") as stream:
        run = subprocess.Popen(
            [*command, "--cluster", two_workers.address],
            cwd=course.root,
            stdout=stream,
            stderr=stream,
        )
    victim = two_workers.workers["first"]
    wait_until(lambda: at_work(course, victim.pid), two_workers.log)
    ours = psutil.Process(victim.pid).children(recursive=True)
    victim.kill()
    assert run.wait(timeout=240) == 0, said.read_text()
    lines = re.findall(r"^\[ *\d+/8\] (s\d\d) T1: graded", said.read_text(), re.MULTILINE)
    assert sorted(lines) == students, "each once"
    expected = dict(zip(students, ["5.0", "2.0", "5.0"] * 3, strict=False))
    assert {row["student_id"]: row["score"] for row in grades(course)} == expected
    # The log: it had begun one, and did not finish it; the other did.
    begun, done = logged(course)
    assert sorted(student for _, student in done) == students
    (lost,) = set(begun) - set(done)
    assert lost[0] == str(victim.pid)
    other = str(two_workers.workers["second"].pid)
    assert (other, lost[1]) in done
    assert len(begun) == len(students) + 1, "nothing else was begun twice"
    assert re.search(r"Remove worker addr: .* name: first", two_workers.logged())
    wait_until(lambda: not any(alive(process) for process in ours), two_workers.log)


def alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def certificates(folder: Path) -> dict[str, str]:
    """Make an authority and a certificate of it; return dask's settings that demand them."""
    subject, days = ["-subj", "/CN=127.0.0.1"], ["-days", "2"]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    signed = ["-CA", "ca.pem", "-CAkey", "ca.key"]
    for name, options in (("ca", []), ("own", signed)):
        made = ["-keyout", f"{name}.key", "-out", f"{name}.pem"]
        command = ["openssl", "req", "-x509", *key, *subject, *days, *options, *made]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    settings = {"CA_FILE": "ca.pem"}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        settings |= {f"{role}__CERT": "own.pem", f"{role}__KEY": "own.key"}
    found = {f"DASK_DISTRIBUTED__COMM__TLS__{k}": str(folder / v) for k, v in settings.items()}
    return found | {"DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True"}


@pytest.mark.check_all
def test_a_scheduler_that_checks_certificates(
    course: Course, hand_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in("ada", RIGHT)
    settings = certificates(tmp_path)
    with monkeypatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        with running(tmp_path, "tls://127.0.0.1") as grading:
            command = [sys.executable, "-m", "glyphlab_grader.cli", "tiny"]
            command += ["--cluster", grading.address]
            patch.delenv("DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT")
            stranger = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
            assert stranger.returncode == 2
            patch.setenv("DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT", str(tmp_path / "own.pem"))
            done = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [row["score"] for row in grades(course)] == ["5.0"]
    assert "Traceback" not in stranger.stderr
    assert f"no scheduler at {grading.address}" in stranger.stderr


def test_local_is_the_same_path_and_open_to_nobody(
    course: Course, hand_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in("ada", RIGHT)
    hand_in("eve", WRONG)
    during: list[set[str]] = []
    examine = cluster._examine

    def look(client: Any, root: Path) -> int:
        during.append(listening())
        return examine(client, root)

    monkeypatch.setattr(cluster, "_examine", look)
    assert main(["tiny", "--cluster", "local", "--workers", "2"]) == 0
    assert {row["student_id"]: row["score"] for row in grades(course)} == {
        "ada": "5.0",
        "eve": "2.0",
    }
    # Status pages that dask always has, and here without a page; no scheduler.
    assert during == [{"127.0.0.1"}]


def listening() -> set[str]:
    found = psutil.Process().net_connections("inet")
    return {c.laddr.ip for c in found if c.status == psutil.CONN_LISTEN}


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize("address", ["nonsense://x", "not an address", "tcp://127.0.0.1:1"])
def test_no_scheduler_there(
    course: Course,
    hand_in: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    address: str,
) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE_SECONDS", 1)
    hand_in("ada", RIGHT)
    assert main(["tiny", "--cluster", address]) == 2
    out, error = capsys.readouterr()
    # Said before the wait for an answer.
    assert out == f"cluster: asking the scheduler at {address}\n"
    assert f"--cluster: no scheduler at {address}" in error
    assert error.count("\n") == 1


def test_a_machine_that_would_grade_otherwise_is_refused(
    course: Course,
    hand_in: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hand_in("ada", RIGHT)
    answers = iter(["numpy 2", "numpy 1"])

    def describe(root: str) -> dict[str, str]:
        return {"host": "there", "versions": next(answers)}

    monkeypatch.setattr(cluster, "describe", describe)
    error = refused(["tiny", "--cluster", "local"], capsys)
    assert re.search(r"--cluster: versions of worker \S+ on there: numpy 1; here: numpy 2$", error)
    assert not course.autograded("ada", "tiny").exists()
