import json
from pathlib import Path
from typing import Any

import pytest

from glyphlab_grader import notebooks
from glyphlab_grader.intake import Intake, examine

CELLS = ["setup", "answer", "four"]


def cell(name: str) -> dict[str, Any]:
    return {"cell_type": "code", "source": "", "metadata": {"nbgrader": {"grade_id": name}}}


def good() -> dict[str, Any]:
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell(n) for n in CELLS]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "ada" / "tiny"
    path.mkdir(parents=True)
    return path


def faults(folder: Path) -> list[tuple[str | None, str]]:
    found = examine(folder, "T1", CELLS, ["T1", "T2"])
    return [(fault.cell, fault.kind) for fault in found.faults]


def test_a_good_notebook_has_no_fault(folder: Path) -> None:
    (folder / "T1.ipynb").write_text(json.dumps(good()))
    assert examine(folder, "T1", CELLS, ["T1"]) == Intake(good())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"[]", "is JSON, but not a notebook"),
        (b'{"nbformat": 3, "worksheets": []}', "is in notebook format 3"),
        (b'{"nbformat": "4", "cells": []}', "is in notebook format '4'"),
        (b'{"nbformat": 4, "cells": {}}', "has no proper list of cells"),
        (b'{"nbformat": 4, "cells": [7]}', "has no proper list of cells"),
        (b'{"nbformat": 4, "cells": [{"cell_type": "code"}]}', "has no proper list of cells"),
        (
            b'{"nbformat": 4, "cells": [{"cell_type": "code", "metadata": {}, "source": [1]}]}',
            "has no proper list of cells",
        ),
    ],
)
def test_what_is_no_notebook_says_why(folder: Path, content: bytes, message: str) -> None:
    (folder / "T1.ipynb").write_bytes(content)
    found = examine(folder, "T1", CELLS, ["T1"])
    assert found.notebook is None
    assert [fault.kind for fault in found.faults] == ["corrupt"]
    assert found.faults[0].message.startswith(f"T1.ipynb {message}")


def test_a_huge_file_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebooks, "LARGEST_NOTEBOOK", 10)
    (folder / "T1.ipynb").write_text(json.dumps(good()))
    assert "more than the 10 that are read" in examine(folder, "T1", CELLS, []).faults[0].message


def test_a_folder_under_the_notebooks_name_is_no_notebook(folder: Path) -> None:
    (folder / "T1.ipynb").mkdir()
    assert faults(folder) == [(None, "corrupt")]


def test_nothing_handed_in_is_missing_not_broken(folder: Path) -> None:
    (folder / "T2.ipynb").write_text(json.dumps(good()))
    found = examine(folder, "T1", CELLS, ["T1", "T2"])
    assert found.absent
    assert found.notebook is None
    assert [fault.kind for fault in found.faults] == ["missing"]


def test_a_renamed_notebook_is_found_by_its_cells(folder: Path) -> None:
    (folder / "T1 (1).ipynb").write_text(json.dumps(good()))
    (folder / "scratch.ipynb").write_text(json.dumps(good() | {"cells": []}))
    found = examine(folder, "T1", CELLS, ["T1", "T2"])
    assert found.notebook == good()
    assert [fault.kind for fault in found.faults] == ["renamed"]
    assert found.faults[0].message == "graded T1 (1).ipynb, as there is no T1.ipynb"


@pytest.mark.parametrize(
    "contents", [[json.dumps(good())] * 2, ["{"], [json.dumps(good() | {"cells": []})]]
)
def test_what_may_be_the_notebook_is_not_guessed(folder: Path, contents: list[str]) -> None:
    for number, content in enumerate(contents):
        (folder / f"copy {number}.ipynb").write_text(content)
    found = examine(folder, "T1", CELLS, ["T1", "T2"])
    assert found.notebook is None
    assert not found.absent
    assert [fault.kind for fault in found.faults] == ["renamed"]


def test_a_link_is_no_renamed_notebook(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.ipynb").write_text(json.dumps(good()))
    (folder / "copy.ipynb").symlink_to(tmp_path / "secret.ipynb")
    assert examine(folder, "T1", CELLS, ["T1"]).notebook is None


def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.ipynb"
    secret.write_text(json.dumps(good()))
    (folder / "data.csv").symlink_to(secret)
    (folder / "T1.ipynb").write_text(json.dumps(good()))
    assert faults(folder) == [(None, "link")]
    assert examine(folder, "T1", CELLS, ["T1"]).notebook == good()
    (folder / "T1.ipynb").unlink()
    (folder / "T1.ipynb").symlink_to(secret)
    assert examine(folder, "T1", CELLS, ["T1"]).notebook is None
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / "tiny").symlink_to(folder)
    assert examine(tmp_path / "eve" / "tiny", "T1", CELLS, ["T1"]).notebook is None


def test_a_hostile_student_id_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "a*" / "tiny"
    folder.mkdir(parents=True)
    found = examine(folder, "T1", CELLS, ["T1"])
    assert found.notebook is None
    assert found.faults[0].message == "the student id 'a*' contains '*'"
