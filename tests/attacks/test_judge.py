"""Attempts to get past the judge: over the line to it, by ending, by lateness, by what is sent."""

import secrets
import socket
import time

import pytest

from glyphlab_grader.execution import Limits, proxies
from glyphlab_grader.execution.proxies import Pupil, Stop
from glyphlab_grader.execution.wire import Link

from ..grader.execution.conftest import answer, check, free, given

WRONG = "def f(x):\n    return -1"


def square() -> object:
    """The test that f squares."""
    return check("assert f(3) == 9")


SWALLOWING = {
    "except Exception": "try:\n    f(3)\nexcept Exception:\n    pass",
    "bare except": "try:\n    f(3)\nexcept:\n    pass",
    "pytest.raises(Exception)": "import pytest\nwith pytest.raises(Exception):\n    f(3)",
    "pytest.raises(BaseException)": "import pytest\nwith pytest.raises(BaseException):\n    f(3)",
    "a score before it": "try:\n    f(3)\nfinally:\n    display(2.0)\n2.0",
    "a finally that returns": (
        "def g():\n    try:\n        f(3)\n    finally:\n        return 2.0\ng()"
    ),
}
ENDINGS = {
    "os._exit": ("import os\ndef f(x):\n    os._exit(0)", "dead"),
    "a signal": ("import os\ndef f(x):\n    os.kill(os.getpid(), 9)", "dead"),
    "abort": ("import os\ndef f(x):\n    os.abort()", "dead"),
    "a crash": ("import ctypes\ndef f(x):\n    ctypes.string_at(0)", "dead"),
    "sys.exit": ("import sys\ndef f(x):\n    sys.exit()", "exit"),
    "KeyboardInterrupt": ("def f(x):\n    raise KeyboardInterrupt", "exit"),
    "an endless loop": ("def f(x):\n    while True: pass", "timeout"),
    "no answer": ("import time\ndef f(x):\n    time.sleep(100)", "timeout"),
    "closed lines": ("import os\ndef f(x):\n    os.closerange(3, 256)", "dead"),
    "a value that is too large": ("def f(x):\n    return [0] * 200_000", "unfit"),
    "a value nested too deep": (
        "def f(x):\n    v = 0\n    for _ in range(40): v = [v]\n    return v",
        "unfit",
    ),
    "a value that contains itself": (
        "def f(x):\n    v = []\n    v.append(v)\n    return v",
        "unfit",
    ),
}


@pytest.mark.parametrize("test", SWALLOWING)
@pytest.mark.parametrize("ending", ["os._exit", "an endless loop", "sys.exit", "closed lines"])
def test_an_ending_passes_no_test_that_expects_an_exception(trusting, guarded, ending, test):
    source, kind = ENDINGS[ending]
    limits = Limits(cell_seconds=1, interrupt_seconds=2, wire_items=100_000)
    cells = [answer(source), check(SWALLOWING[test])]
    if test != "a score before it":
        # There the exception itself takes the points, and the score is what the grader drops.
        assert trusting(*cells, limits=limits).scores == [2], "it does not work undefended"
    result = guarded(*cells, limits=limits)
    assert result.scores == [0]
    assert result.kinds == [kind]


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_ending_fails_its_test_and_says_why(trusting, guarded, ending):
    source, kind = ENDINGS[ending]
    limits = Limits(cell_seconds=1, interrupt_seconds=2, wire_items=100_000)
    swallowing = check(SWALLOWING["except Exception"])
    undefended = trusting(answer(source), swallowing, limits=limits)
    assert (undefended.scores, undefended.kinds) == ([2], [])
    result = guarded(
        answer("y = 5"), answer(source), square(), check("assert y == 5"), limits=limits
    )
    survives = kind in ("exit", "timeout", "unfit")
    assert result.scores == [0, 2 if survives else 0]
    assert result.kinds == [kind] if survives else [kind, kind]
    assert result.execution.faults[0].cell == result.cells[2].metadata.nbgrader.grade_id
    assert result.execution.faults[0].message in result.text(2)


def test_killing_all_that_can_be_killed_ends_only_the_student(trusting, guarded):
    """The kill spares its caller, which ends with the sandbox a moment later."""
    killing = answer("import os, time\ndef f(x):\n    os.kill(-1, 9)\n    time.sleep(3)")
    assert trusting(killing, check(SWALLOWING["except Exception"])).scores == [2]
    result = guarded(killing, square(), square())
    assert result.scores == [0, 0]
    assert result.kinds == ["dead", "dead"]


FORGED_FRAME = """
import gc
student = next(o for o in gc.get_objects() if type(o).__name__ == "Student")
link = student._judge
"""


def test_frames_of_the_student_s_own_making_gain_nothing(guarded):
    """Answers before the question, to a guessed question, and a made-up verdict to the grader."""
    result = guarded(
        answer(
            FORGED_FRAME + "for token in (0, 1, None, '0', 'done'):\n"
            "    link.send({'token': token, 'value': 9, 'values': {'f': {'value': 9}}})\n"
            "for number in range(20):\n"
            "    student._master.send({'done': number, 'passed': True, 'score': 2.0})"
        ),
        answer(WRONG),
        square(),
    )
    assert result.scores == [0]


def test_a_verdict_on_the_judge_s_behalf_gains_nothing(bare, guarded):
    cells = [
        answer(
            FORGED_FRAME + "def f(x):\n"
            "    for number in range(50):\n"
            "        student._master.send({'done': number, 'passed': True, 'score': 2.0})\n"
            "    return -1"
        ),
        square(),
    ]
    assert bare(*cells).scores == [2]
    assert guarded(*cells).scores == [0]


@pytest.mark.parametrize(
    "data",
    [
        "b'rubbish' * 1000",
        "b'\\xff' * 8",
        "b'\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x00[[[['",
    ],
)
def test_rubbish_on_the_line_passes_no_test(trusting, guarded, data):
    sends = answer(FORGED_FRAME + f"def f(x):\n    link._socket.sendall({data})\n    return 9")
    swallowing = check(SWALLOWING["except Exception"])
    assert trusting(sends, swallowing).scores == [2]
    result = guarded(
        sends,
        check("try:\n    assert f(3) == 8\nexcept Exception:\n    pass\nassert f(3) == 10"),
        swallowing,
    )
    assert result.scores == [0, 0]


@pytest.mark.parametrize(
    "body",
    [
        "{'token': token, 'value': ['h', 0, 'judge', 'x']}",
        "{'token': token, 'value': ['f', 0]}",
        "{'token': token, 'value': ['pickle', 'x']}",
        "{'token': token, 'raised': {'name': 'x', 'bases': ['SystemExit']}}",
        "{'token': token, 'raised': {'name': 'x', 'bases': [], 'message': '', 'arguments': []}}",
        "{'token': token, 'raised': 5}",
        "{'token': token, 'callback': 5, 'arguments': 1, 'named': 1}",
        "{'token': token, 'value': 1, 'arguments': ['unknown']}",
        "{'token': token, 'value': 1, 'warned': 5}",
    ],
)
def test_malformed_answers_pass_no_test(trusting, guarded, body):
    """Even where the test takes any exception for the right one."""
    cells = [
        answer(
            FORGED_FRAME + "def f(x):\n    token = student._call\n"
            f"    link.send({body})\n    return -1"
        ),
        check("try:\n    value = f(3)\nexcept Exception:\n    value = 9\nassert value == 9"),
    ]
    assert trusting(*cells).scores == [2]
    assert guarded(*cells).scores == [0]


@pytest.mark.parametrize("body", ["{}", "[]", "5", "{'token': 'another', 'value': 9}"])
def test_frames_that_answer_nothing_are_passed_over(guarded, body):
    sends = answer(FORGED_FRAME + f"def f(x):\n    link.send({body})\n    return x")
    assert guarded(sends, check("assert f(3) == 3"), square()).scores == [2, 0]


def test_the_judge_goes_on_after_rubbish_for_the_next_notebook(guarded):
    guarded(answer(FORGED_FRAME + "link._socket.sendall(b'x' * 5000)"), square())
    assert guarded(answer("def f(x):\n    return x * x"), square()).scores == [2]


# Late and early answers, at the judge's end of the line.


class Script:
    """A student's end that sends what a test says."""

    def __init__(self, limits: Limits) -> None:
        one, other = socket.socketpair()
        self.link = Link(one, limits.wire_bytes)
        self.pupil = Pupil(Link(other, limits.wire_bytes), limits)

    def close(self) -> None:
        self.link.close()
        self.pupil._link.close()


@pytest.fixture
def script():
    made = Script(Limits(wire_bytes=10_000))
    yield made
    made.close()


@pytest.mark.parametrize(("drawn", "believed"), [(False, True), (True, False)])
def test_an_answer_sent_before_its_question_is_not_believed(script, monkeypatch, drawn, believed):
    if not drawn:
        monkeypatch.setattr(secrets, "token_hex", lambda size: "guessed")
    script.link.send({"token": "guessed", "value": 9})
    script.pupil.begin(0.3)
    if believed:
        assert script.pupil.call(0, (3,), {}) == 9
    else:
        with pytest.raises(Stop):
            script.pupil.call(0, (3,), {})
        assert script.pupil.fault[0] == "timeout"


@pytest.mark.parametrize(("drawn", "believed"), [(False, True), (True, False)])
def test_a_late_answer_is_not_taken_for_the_next(script, monkeypatch, drawn, believed):
    if not drawn:
        monkeypatch.setattr(secrets, "token_hex", lambda size: "always the same")
    script.pupil.begin(0.1)
    with pytest.raises(Stop):
        script.pupil.call(0, (3,), {})
    question = script.link.receive(time.monotonic() + 5).body
    script.pupil.begin(0.3)
    script.link.send({"token": question["token"], "value": 9})
    if believed:
        assert script.pupil.call(0, (4,), {}) == 9
    else:
        with pytest.raises(Stop):
            script.pupil.call(0, (4,), {})


def test_after_a_fault_nothing_more_is_asked_in_that_cell(script):
    script.pupil.begin(0.1)
    for _ in range(3):
        with pytest.raises(Stop):
            script.pupil.call(0, (3,), {})
    assert script.link.receive(time.monotonic() + 5).body["op"] == "call"
    assert script.link.take() is None


def test_a_stop_is_no_exception():
    assert not issubclass(Stop, Exception)
    assert issubclass(proxies.Stop, BaseException)


# Functions that a test hands over.


def test_a_function_of_the_test_is_worth_nothing_after_its_call(bare, guarded):
    cells = [
        answer(
            "kept = []\ndef keep(function):\n    kept.append(function)\n    return function(2)\n"
            "def f(x):\n    return kept[0](x)"
        ),
        check("assert keep(lambda x: x * x) == 4"),
        square(),
    ]
    assert bare(*cells).scores == [2, 2]
    result = guarded(*cells)
    assert result.scores == [2, 0]
    assert "has ended" in result.text(2)


def test_calling_back_without_end_ends_the_test(trusting, guarded):
    cells = [
        answer("def apply(function):\n    while True:\n        function()"),
        check("try:\n    apply(lambda: None)\nexcept Exception:\n    pass"),
    ]
    limits = Limits(cell_seconds=5, callbacks=50, interrupt_seconds=2)
    assert trusting(*cells, limits=limits).scores == [2]
    result = guarded(*cells, limits=limits)
    assert result.scores == [0]
    assert result.kinds == ["callbacks"]


def test_a_function_of_the_test_that_takes_long_counts(guarded):
    result = guarded(
        answer("def apply(function):\n    function()"),
        check(
            "def forever():\n    while True: pass\ntry:\n    apply(forever)\nexcept Exception: pass"
        ),
        check("assert apply(lambda: None) is None"),
        limits=Limits(cell_seconds=1, interrupt_seconds=2),
    )
    assert result.scores == [0, 2]
    assert result.kinds == ["timeout"]


# Hidden inputs.


def test_hidden_inputs_printed_later_are_marked(bare, guarded):
    cells = [
        answer("seen = []\ndef f(x):\n    seen.append(x)\n    return x * x"),
        check("### BEGIN HIDDEN TESTS\nassert f(271828) == 271828 ** 2\n### END HIDDEN TESTS"),
        free("print(seen)"),
        check("assert f(2) == 4"),
    ]
    assert "271828" in bare(*cells).text(2)
    result = guarded(*cells)
    assert result.scores == [2, 2]
    # The input is there to be recorded; where it could be read, the cell is marked.
    shown = [index for index in (0, 2) if "271828" in result.text(index)]
    assert set(shown) <= result.execution.after_tests


def test_what_a_student_prints_during_a_test_is_not_shown(bare, guarded):
    cells = [
        answer(
            "import os\ndef f(x):\n    print('recorded', x)\n"
            "    os.write(1, b'raw %d' % x)\n    return x * x"
        ),
        check("### BEGIN HIDDEN TESTS\nassert f(271828) == 271828 ** 2\n### END HIDDEN TESTS"),
    ]
    assert "recorded 271828" in bare(*cells).text(1)
    result = guarded(*cells)
    assert result.scores == [2]
    assert result.text(1) == ""


def test_hidden_names_do_not_reach_the_student(bare, guarded):
    cells = [
        given("import numpy as np"),
        check("visible = 1\n### BEGIN HIDDEN TESTS\nvisible = 7\nhidden = 8\n### END HIDDEN TESTS"),
        answer("(globals().get('hidden'), globals().get('visible'), 'BEG' + 'IN' in str(In))"),
    ]
    assert "(8, 7, True)" in bare(*cells).text(2)
    result = guarded(*cells)
    assert "(None, None, False)" in result.text(2)
