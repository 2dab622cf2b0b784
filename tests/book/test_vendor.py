"""Files of other projects, served or run by a test, are the ones that were checked in."""

import hashlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VENDORED = [*ROOT.glob("book/assets/vendor/*"), *ROOT.glob("tests/book/vendor/*")]


@pytest.mark.parametrize("folder", sorted(VENDORED), ids=lambda folder: folder.name)
def test_vendored_files(folder: Path) -> None:
    sums = dict(
        reversed(line.split(maxsplit=1))
        for line in (folder / "SHA256SUMS").read_text().splitlines()
    )
    assert "LICENSE" in sums
    present = {path.name for path in folder.iterdir()} - {"SHA256SUMS", "README.md"}
    assert present == set(sums)
    for name, expected in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == expected, name
