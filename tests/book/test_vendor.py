"""Files of other projects that the site serves are the ones that were checked in."""

import hashlib
from pathlib import Path

import pytest

VENDOR = Path(__file__).parents[2] / "book" / "assets" / "vendor"


@pytest.mark.parametrize("folder", sorted(path.name for path in VENDOR.iterdir()))
def test_vendored_files(folder: str) -> None:
    sums = dict(
        reversed(line.split(maxsplit=1))
        for line in (VENDOR / folder / "SHA256SUMS").read_text().splitlines()
    )
    assert "LICENSE" in sums
    present = {path.name for path in (VENDOR / folder).iterdir()} - {"SHA256SUMS", "README.md"}
    assert present == set(sums)
    for name, expected in sums.items():
        assert hashlib.sha256((VENDOR / folder / name).read_bytes()).hexdigest() == expected, name
