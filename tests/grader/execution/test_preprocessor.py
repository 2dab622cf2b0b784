"""nbgrader's execution step: configuration, faults, and the switch that is no option."""

import logging
import os

import nbformat.v4 as v4
import psutil
import pytest
from traitlets import TraitError
from traitlets.config import Config

from glyphlab_grader.execution import Grader, preprocessor
from glyphlab_grader.execution.preprocessor import SandboxedExecute

from .conftest import answer, check

PLACE = {"nbgrader": {"assignment": "ch23_1", "notebook": "F3", "student": "ada"}}


@pytest.fixture(autouse=True)
def warm(monkeypatch, warm_grader):
    """Use the tests' grader instead of starting one."""
    monkeypatch.setattr(preprocessor, "_shared", warm_grader)


def step(**chosen) -> SandboxedExecute:
    return SandboxedExecute(config=Config({"SandboxedExecute": chosen}))


def test_a_notebook_is_executed_where_nbgrader_expects_it():
    notebook = v4.new_notebook(cells=[answer("x = 2"), check("assert x == 2\n1.5")])
    executed, resources = step().preprocess(notebook, dict(PLACE))
    assert executed.cells[1].outputs[0].data["text/plain"] == "1.5"
    assert resources["execution"].faults == []
    assert executed.metadata.language_info.name == "python"


def test_what_is_forbidden_goes_by_assignment_and_notebook():
    notebook = v4.new_notebook(
        cells=[answer("from glyphlab_core import softmax\nsoftmax([[0.0, 1.0]])")]
    )
    forbidden = {"ch23_1/F3": ["softmax"], "ch23_1/F4": []}
    executed, _ = step(forbidden=forbidden).preprocess(notebook, dict(PLACE))
    assert executed.cells[0].outputs[-1].ename == "NotInThisExercise"
    other = {"nbgrader": PLACE["nbgrader"] | {"notebook": "F4"}}
    executed, _ = step(forbidden=forbidden).preprocess(notebook, other)
    assert executed.cells[0].outputs[-1].output_type == "execute_result"


def test_limits_are_options_and_faults_are_told(caplog):
    notebook = v4.new_notebook(cells=[answer("import time\ntime.sleep(60)"), check("1")])
    limited = step(timeout=1, limits={"interrupt_seconds": 0.5, "processes": 20})
    limited.log = logging.getLogger("step")
    with caplog.at_level(logging.WARNING):
        _, resources = limited.preprocess(notebook, dict(PLACE))
    assert [fault.kind for fault in resources["execution"].faults] == ["timeout"]
    assert "timeout: the cell ran longer than 1 s" in caplog.text


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"memory": 5}, "limits has no 'memory'; it has"),
        ({"cell_seconds": 5}, "limits has no 'cell_seconds'"),
        ({"memory_bytes": -1}, "memory_bytes must be a positive number, not -1"),
    ],
)
def test_limits_that_are_none_are_refused(limits, message):
    with pytest.raises(TraitError, match=message):
        step(limits=limits)


def test_no_option_switches_the_sandbox_off():
    """Everything that can be configured is known here; none of it is such a switch."""
    own = SandboxedExecute.class_own_traits(config=True)
    assert set(own) == {"limits", "forbidden", "seed"}


def test_a_call_in_the_configuration_switches_the_sandbox_off(monkeypatch):
    called = []
    monkeypatch.setattr(preprocessor, "_sandboxed", True)
    monkeypatch.setattr(
        preprocessor.Execute, "preprocess", lambda self, nb, r, km=None: called.append(1) or (nb, r)
    )
    notebook = v4.new_notebook(cells=[answer("x = 2")])
    step().preprocess(notebook, dict(PLACE))
    assert called == []
    preprocessor.run_without_sandbox()
    step().preprocess(notebook, dict(PLACE))
    assert called == [1]


def test_a_grader_that_died_is_replaced_for_the_next_notebook(monkeypatch):
    monkeypatch.setattr(preprocessor, "_shared", Grader(preload=("numpy",)).__enter__())
    monkeypatch.setattr(preprocessor, "Grader", lambda: Grader(preload=("numpy",)))
    family = psutil.Process(preprocessor._shared.pid).children(recursive=True)
    family.append(psutil.Process(preprocessor._shared.pid))
    for process in family:
        process.kill()
    os.waitid(os.P_PID, preprocessor._shared.pid, os.WEXITED | os.WNOWAIT)
    psutil.wait_procs(family[:-1])
    notebook = v4.new_notebook(cells=[check("1")])
    with pytest.raises(OSError):  # noqa: PT011 (which one depends on what is noticed first)
        step().preprocess(notebook, dict(PLACE))
    executed, _ = step().preprocess(notebook, dict(PLACE))
    assert executed.cells[0].outputs[0].data["text/plain"] == "1.0"
    preprocessor.end_shared_grader()


def test_each_cell_is_told_before_it_runs():
    told = []
    one = step()
    one.on_cell_start = lambda cell, cell_index: told.append((cell_index, cell.source))
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell("text"), answer("x = 2"), check("1")])
    one.preprocess(notebook, dict(PLACE))
    assert told == [(1, "x = 2"), (2, "1")]
