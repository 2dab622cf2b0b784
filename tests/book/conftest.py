"""The built book, shared by the tests that look at it."""

import fcntl
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(Path(__file__).parent)]

from book_builds import Build, build_book  # noqa: E402 - found by the line above
from browser import Browser, serving  # noqa: E402


@pytest.fixture(scope="session")
def built() -> Build:
    """The course's book, built where `make book` builds it: what is up to date is not redone."""
    target = ROOT / "_build" / "book"
    target.mkdir(parents=True, exist_ok=True)
    with open(target.parent / "book.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build = build_book(ROOT, target)
    return build


@pytest.fixture(scope="session")
def site(built: Build) -> Path:
    assert built.status == 0, built.log[-4000:]
    return built.site


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with serving(site) as served:
        yield served
