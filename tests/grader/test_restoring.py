"""Restoring: whatever a student did to the notebook, what is graded is the master with answers."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glyphlab_grader.errors import GraderError
from glyphlab_grader.restoring import Master, load_master, restore
from glyphlab_grader.restoring.master import StoredCell
from glyphlab_grader.restoring.restore import _longest_rise

ANSWERS = {"answer": "def root(x):\n    return x**0.5", "other": "w = 1", "why": "Because."}


def cell(name: str, source: str, kind: str = "code", **marks: Any) -> dict[str, Any]:
    nbgrader = {"grade_id": name, "grade": False, "solution": False, "locked": True} | marks
    made = {"cell_type": kind, "id": f"id-{name}", "source": source}
    return made | {"metadata": {"nbgrader": nbgrader}}


RELEASED = [
    cell("setup", "import math"),
    cell("answer", "def root(x):\n    ...", solution=True, locked=False),
    cell("four", "# The root of four.", grade=True, points=2),
    cell("other", "w = None", solution=True, locked=False),
    cell("nine", "", grade=True, points=3),
    cell("why", "YOUR ANSWER HERE", "markdown", solution=True, grade=True, points=5, locked=False),
    {"cell_type": "markdown", "id": "end", "source": "The end.", "metadata": {}},
]
HIDDEN = {"four": "assert root(4) == 2", "nine": "assert root(9) == 3"}


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Master:
    path = tmp_path_factory.mktemp("release") / "T1.ipynb"
    path.write_text(json.dumps(notebook(RELEASED)))
    return load_master(path, stored())


def stored() -> dict[str, StoredCell]:
    named = [c for c in RELEASED if c["metadata"]]
    names = [c["metadata"]["nbgrader"]["grade_id"] for c in named]
    return {
        name: StoredCell(HIDDEN.get(name, c["source"]), f"sum-{name}")
        for name, c in zip(names, named, strict=True)
    }


def notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    kernel = {"kernelspec": {"name": "python3", "language": "python", "display_name": "P"}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": copy.deepcopy(cells)}


def answered() -> dict[str, Any]:
    data = notebook(RELEASED)
    for c in data["cells"]:
        name = c["metadata"].get("nbgrader", {}).get("grade_id")
        c["source"] = ANSWERS.get(name, c["source"])
    return data


def graded_sources(data: dict[str, Any]) -> list[str]:
    return [c["source"] for c in data["cells"] if not c["id"].startswith("added-")]


WHOLE = [
    "import math",
    ANSWERS["answer"],
    HIDDEN["four"],
    ANSWERS["other"],
    HIDDEN["nine"],
    ANSWERS["why"],
    "The end.",
]


def test_an_honest_notebook_gets_its_hidden_tests_and_no_fault(master: Master) -> None:
    submitted = answered()
    before = copy.deepcopy(submitted)
    result, faults = restore(submitted, master)
    assert graded_sources(result) == WHOLE
    assert faults == []
    assert submitted == before
    assert all(not c["outputs"] for c in result["cells"] if c["cell_type"] == "code")
    assert result["cells"][2]["metadata"]["nbgrader"]["checksum"] == "sum-four"


def test_what_an_editor_adds_is_no_fault(master: Master) -> None:
    submitted = answered()
    for c in submitted["cells"]:
        c["metadata"] |= {"collapsed": True, "editable": True, "tags": [], "execution": {"a": 1}}
        c["source"] = c["source"].splitlines(keepends=True)
    submitted["metadata"]["widgets"] = {"state": {}}
    del submitted["metadata"]["kernelspec"]
    result, faults = restore(submitted, master)
    assert graded_sources(result) == WHOLE
    assert faults == []
    assert "widgets" not in result["metadata"]


def drop(*names: str) -> Callable[[list[Any]], None]:
    def change(cells: list[Any]) -> None:
        cells[:] = [c for c in cells if c["id"] not in {f"id-{n}" for n in names}]

    return change


def by_name(cells: list[Any], name: str) -> dict[str, Any]:
    return next(c for c in cells if c["id"] == f"id-{name}")


def strip(*names: str) -> Callable[[list[Any]], None]:
    """Take away both ids, as an editor does that does not know of them."""

    def change(cells: list[Any]) -> None:
        for name in names:
            found = by_name(cells, name)
            found["metadata"] = {}
            found["id"] = f"x{name}"

    return change


CHANGES: dict[str, tuple[Callable[[list[Any]], Any], list[tuple[str, str]]]] = {
    "deleted test": (drop("four"), [("four", "deleted")]),
    "deleted first and last": (drop("setup", "nine"), [("setup", "deleted"), ("nine", "deleted")]),
    "duplicated test": (
        lambda cells: cells.insert(0, copy.deepcopy(by_name(cells, "four"))),
        # The first of the two is the copy at the top, so that it had to be moved back.
        [("four", "duplicated"), ("four", "reordered")],
    ),
    "retagged test": (
        lambda cells: by_name(cells, "four")["metadata"].update(tags=["skip-execution"]),
        [("four", "retagged")],
    ),
    "more points": (
        lambda cells: by_name(cells, "four")["metadata"]["nbgrader"].update(points=99),
        [("four", "retagged")],
    ),
    "test without nbgrader id": (
        lambda cells: by_name(cells, "four").update(metadata={"nbgrader": "none"}),
        [("four", "retagged")],
    ),
    "altered test": (
        lambda cells: by_name(cells, "four").update(source="pass"),
        [("four", "altered")],
    ),
    "altered imports": (
        lambda cells: by_name(cells, "setup").update(source="import os as math"),
        [("setup", "altered")],
    ),
    "retyped answer": (
        lambda cells: by_name(cells, "answer").update(cell_type="markdown"),
        [("answer", "retyped")],
    ),
    "retyped test": (
        lambda cells: by_name(cells, "nine").update(cell_type="raw"),
        [("nine", "retyped")],
    ),
    "reordered": (
        lambda cells: cells.insert(0, cells.pop(4)),
        [("nine", "reordered")],
    ),
    "reversed": (
        lambda cells: cells.reverse(),
        [(n, "reordered") for n in ("setup", "answer", "four", "other", "nine", "why")],
    ),
    "answer without ids": (strip("answer"), [("answer", "retagged")]),
    "all answers without ids": (
        strip("answer", "other", "why"),
        [("answer", "retagged"), ("other", "retagged"), ("why", "retagged")],
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_is_put_right_and_told(master: Master, change: str) -> None:
    submitted = answered()
    edit, expected = CHANGES[change]
    edit(submitted["cells"])
    result, faults = restore(submitted, master)
    assert graded_sources(result) == WHOLE
    told = [(f.cell, f.kind) for f in faults]
    if change == "reversed":
        # Any one cell may count as the one that stayed.
        assert len(told) == 6
        assert {kind for _, kind in told} == {"reordered"}
    else:
        assert told == expected


def test_a_deleted_answer_counts_as_not_given(master: Master) -> None:
    submitted = answered()
    drop("answer")(submitted["cells"])
    result, faults = restore(submitted, master)
    assert graded_sources(result)[1] == "def root(x):\n    ..."
    assert [(f.cell, f.kind) for f in faults] == [("answer", "deleted")]


def test_cells_of_all_ids_lost_are_found_where_they_can_be(master: Master) -> None:
    submitted = answered()
    strip("setup", "answer", "four", "other", "nine", "why")(submitted["cells"])
    result, faults = restore(submitted, master)
    assert graded_sources(result) == WHOLE
    assert {(f.cell, f.kind) for f in faults} == {
        ("answer", "retagged"),
        ("other", "retagged"),
        ("why", "retagged"),
        ("setup", "deleted"),
        ("four", "deleted"),
        ("nine", "deleted"),
    }


def test_added_cells_stay_where_they_were_without_their_tags(master: Master) -> None:
    submitted = answered()
    helper = {"cell_type": "code", "id": "h", "source": "h = 1", "metadata": {"tags": ["x"]}}
    submitted["cells"].insert(1, helper)
    submitted["cells"].insert(0, copy.deepcopy(helper) | {"source": "h = 0", "id": 7})
    result, faults = restore(submitted, master)
    assert faults == []
    assert [c["source"] for c in result["cells"]][:4] == ["h = 0", "import math", "h = 1", WHOLE[1]]
    assert result["cells"][0]["metadata"] == {}
    ids = [c["id"] for c in result["cells"]]
    assert len(set(ids)) == len(ids)


def test_a_second_version_of_an_answer_runs_after_the_first(master: Master) -> None:
    submitted = answered()
    second = copy.deepcopy(submitted["cells"][1]) | {"source": "def root(x):\n    return 7"}
    submitted["cells"].insert(2, second)
    result, faults = restore(submitted, master)
    assert graded_sources(result) == WHOLE
    assert [c["source"] for c in result["cells"]][2] == second["source"]
    assert "nbgrader" not in result["cells"][2]["metadata"]
    assert [(f.cell, f.kind) for f in faults] == [("answer", "duplicated")]


def test_another_kernel_is_set_back(master: Master) -> None:
    submitted = answered()
    submitted["metadata"]["kernelspec"] = {"name": "bash", "language": "bash"}
    result, faults = restore(submitted, master)
    assert result["metadata"]["kernelspec"]["name"] == "python3"
    assert [(f.cell, f.kind) for f in faults] == [(None, "kernel")]


def test_only_pictures_are_kept_of_attachments(master: Master) -> None:
    submitted = answered()
    by_name(submitted["cells"], "why")["attachments"] = {
        "a.png": {"image/png": "iVBO", "text/html": "<script>"},
        "b.svg": {"image/svg+xml": "<svg onload=1>"},
        "c": 7,
        "d.webp": {"image/webp": "UklG"},
    }
    result, _ = restore(submitted, master)
    assert by_name(result["cells"], "why")["attachments"] == {
        "a.png": {"image/png": "iVBO"},
        "d.webp": {"image/webp": "UklG"},
    }


def test_text_that_is_no_text_can_still_be_written(master: Master) -> None:
    submitted = answered()
    by_name(submitted["cells"], "answer")["source"] = "x = '\ud800'"
    result, _ = restore(submitted, master)
    assert json.dumps(result, ensure_ascii=False).encode()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
names = st.sampled_from([c["id"].removeprefix("id-") for c in RELEASED])
strange_cells = st.fixed_dictionaries(
    {
        "cell_type": st.sampled_from(["code", "markdown", "raw"]),
        "source": st.text(max_size=30) | st.lists(st.text(max_size=10), max_size=3),
        "metadata": st.dictionaries(st.text(max_size=5), json_values, max_size=2)
        | st.builds(lambda name, more: {"nbgrader": {"grade_id": name} | more}, names, st.just({}))
        | st.builds(lambda value: {"nbgrader": value}, json_values),
    },
    optional={"id": json_values | names.map("id-{}".format), "attachments": json_values},
)


@given(cells=st.lists(strange_cells, max_size=12), metadata=json_values)
def test_nothing_that_can_be_read_breaks_restoring(
    master: Master, cells: list[dict[str, Any]], metadata: Any
) -> None:
    result, _ = restore({"nbformat": 4, "metadata": metadata, "cells": cells}, master)
    fixed = [c for c in result["cells"] if not c["id"].startswith("added-")]
    assert [c["metadata"] for c in fixed] == [c.metadata for c in master.cells]
    for found, wanted in zip(fixed, master.cells, strict=True):
        assert found["cell_type"] == wanted.kind
        assert wanted.answer or found["source"] == wanted.source
    assert all(c["metadata"] == {} for c in result["cells"] if c["id"].startswith("added-"))


@given(st.lists(st.integers(0, 30), unique=True, max_size=12))
def test_the_longest_rise_is_one(places: list[int]) -> None:
    kept = sorted(_longest_rise(places))
    values = [places[position] for position in kept]
    assert values == sorted(values)
    longest = [1] * len(places)
    for i, place in enumerate(places):
        longest[i] += max((longest[j] for j in range(i) if places[j] < place), default=0)
    assert len(kept) == max(longest, default=0)


def test_a_release_that_the_gradebook_does_not_know_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "T1.ipynb"
    path.write_text(json.dumps(notebook(RELEASED)))
    kept = stored()
    kept["setup"] = StoredCell("import cmath", None)
    del kept["nine"]
    with pytest.raises(GraderError, match=r"differ in nine, setup: run `nbgrader generate"):
        load_master(path, kept)
