"""Two clean builds of the book give the same site, byte for byte."""

import filecmp
from pathlib import Path

import pytest
from book_builds import ROOT, build_book

#: Python's own salt orders sets; another salt for each build shows where such an order leaks.
SALTS = ("1", "2")
#: Written by Sphinx for itself, not for a reader.
NOT_SERVED = {".buildinfo"}


@pytest.mark.check_all
def test_two_clean_builds_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sites = []
    for salt in SALTS:
        monkeypatch.setenv("PYTHONHASHSEED", salt)
        build = build_book(ROOT, tmp_path / salt)
        assert build.status == 0, build.log[-4000:]
        sites.append(build.site)
    first, second = (
        {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
        - NOT_SERVED
        for site in sites
    )
    assert first == second
    assert len(first) > 100
    assert any(name.endswith(".ipynb") for name in first)
    _, different, unread = filecmp.cmpfiles(*sites, sorted(first), shallow=False)
    assert (different, unread) == ([], [])
