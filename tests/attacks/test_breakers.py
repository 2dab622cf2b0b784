"""Attempts by students who know how the grader is built."""

import platform

import nbformat
import pytest

from glyphlab_grader.execution import Limits, grader, watching

from ..grader.execution.conftest import answer, check, free

MEBIBYTE = 1024 * 1024
STUDENT = (
    "import gc\nstudent = next(o for o in gc.get_objects() if type(o).__name__ == 'Student')\n"
)

#: A test of three values that goes through them in a loop.
LOOPS_OF_TESTS = {
    "zip and map": "for a, b in zip(map(f, [1, 2, 3]), [1, 4, 9]):\n    assert a == b",
    "all and map": "assert all(map(lambda x: f(x) == x * x, [1, 2, 3]))",
    "list and map": "for a, b in zip(list(map(f, [1, 2])), [1, 4]): assert a == b",
}


@pytest.mark.parametrize("test", LOOPS_OF_TESTS)
@pytest.mark.parametrize("error", ["StopIteration", "type('Sly', (StopIteration, ValueError), {})"])
def test_a_student_ends_no_loop_of_a_test(bare, guarded, test, error):
    cells = [answer(f"def f(x):\n    raise {error}"), check(LOOPS_OF_TESTS[test])]
    if "ValueError" not in error:
        assert bare(*cells).scores == [2]
    assert guarded(*cells).scores == [0]


def test_the_words_of_hidden_tests_do_not_reach_the_student(bare, guarded):
    """The judge asks for the names that a test reads: an expected string is none of them."""
    hidden = "### BEGIN HIDDEN TESTS\nassert f(1) == 'diagonal' or f(1).kind\n### END HIDDEN TESTS"
    spying = (
        "asked = []\nkept = type(student)._serve_judge\ndef spy(self, frame):\n"
        "    asked.append(frame.body.get('names'))\n    return kept(self, frame)\n"
        "type(student)._serve_judge = spy\ndef f(x):\n    return 'wrong'"
    )
    cells = [answer(STUDENT + spying), check(hidden), free("print(asked, In[:-1])")]
    assert "== 'diagonal'" in bare(*cells).text(2)
    text = guarded(*cells).text(2)
    assert "['f']" in text
    assert "== 'diagonal'" not in text
    assert "kind" not in text


def test_a_student_makes_up_no_fault(guarded):
    source = (
        STUDENT + "for number in range(9):\n"
        "    student._master.send({'done': number, 'dropped': {'a': ['<b>']}})"
    )
    result = guarded(answer(source), answer("x = 1"), check("assert x == 1"))
    assert result.scores == [2]
    assert result.kinds == []


UNWRITABLE = {
    "a surrogate that is printed": "print('\\ud800')",
    "a surrogate that is shown": "display({'text/plain': '\\ud800', 'text/html': 'a'}, raw=True)",
    "a surrogate in an error": "raise ValueError('\\ud800')",
    "a surrogate past Python": "import os\nos.write(1, b'\\xed\\xa0\\x80')",
    "deep JSON": (
        "v = []\nfor _ in range(800): v = [v]\n"
        "display({'application/json': v, 'text/plain': 'x'}, raw=True)"
    ),
    "no text": "display({'text/html': [[['x']]], 'text/plain': {}}, raw=True)",
}


@pytest.mark.parametrize("what", UNWRITABLE)
def test_whatever_is_shown_the_notebook_can_be_written(guarded, what):
    result = guarded(answer("y = 1"), answer(UNWRITABLE[what]), check("assert y == 1"))
    assert result.scores == [2]
    written = nbformat.writes(result.execution.notebook).encode("utf-8")
    nbformat.validate(nbformat.reads(written.decode(), as_version=4))


def test_a_student_s_words_in_a_fault_stay_on_their_line(guarded, monkeypatch):
    source = (
        STUDENT + "def f(x):\n"
        "    student._judge.send({'token': student._call, 'unfit': '\\x1b]0;hi\\x07\\n\\ud800'})"
    )
    cells = [answer(source), check("f(1)")]
    with monkeypatch.context() as undefended:
        undefended.setattr(grader, "printable", lambda text, most: text)
        assert "\x1b]0;hi" in guarded(*cells).execution.faults[0].message
    result = guarded(*cells)
    assert result.kinds == ["unfit"]
    message = result.execution.faults[0].message
    assert message.isprintable()
    assert message.encode("utf-8")


def test_a_small_frame_does_not_become_much_memory_of_the_grader(guarded):
    """Each three bytes of it would be an object of some sixty."""
    source = (
        STUDENT + "import struct\ntext = b'[' + b'[],' * {count} + b'0]'\n"
        "student._master._socket.sendall(struct.pack('!II', len(text), 0) + text)"
    )
    few = guarded(answer(source.format(count=1000)), check("assert True"))
    assert (few.scores, few.kinds) == ([2], [])
    many = guarded(answer(source.format(count=5_000_000)), check("assert True"))
    assert many.scores == [0]
    assert many.kinds[0] == "rubbish"


def test_a_picture_that_is_too_large_ends_nothing(guarded):
    source = "display({'text/html': 'x' * 30_000_000, 'text/plain': 'y'}, raw=True)\nprint('on')"
    result = guarded(answer(source), answer("x = 1"), check("assert x == 1"))
    assert result.scores == [2]
    assert result.kinds == ["output"]
    assert "on" in result.text(0)


HOLDERS = """
import os
for pid in sorted(filter(str.isdigit, os.listdir('/proc')), key=int):
    status = dict(line.split(':', 1) for line in open(f'/proc/{pid}/status'))
    bounds = [line.split() for line in open(f'/proc/{pid}/limits')]
    bounds = [line[-3] for line in bounds if line[1:3] in (['address', 'space'], ['open', 'files'])]
    print(pid, 'filtered', status['Seccomp'].strip(), 'bounds', *bounds)
"""


def test_the_sandbox_s_own_processes_are_bounded_like_the_student_s(bare, guarded):
    """Where the kernel lets a process write its neighbours' memory, they run what it likes."""
    assert "filtered 0" in bare(answer(HOLDERS)).text(0)
    lines = guarded(answer(HOLDERS)).text(0).strip().splitlines()
    assert len(lines) == 3
    assert all("filtered 2" in line for line in lines)
    assert not any("unlimited" in line for line in lines)


SIBLINGS = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
for _ in range(3):
    pid = libc.syscall(56, 0x8000 | 17, 0, 0, 0, 0)
    if pid == 0:
        x = bytearray(40_000_000)
        x[::4096] = b'1' * len(x[::4096])
        time.sleep(8)
        os._exit(0)
print('made' if pid > 0 else 'refused')
time.sleep(3)
print('had it')
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the call has another number")
def test_children_beside_their_parent_are_refused_and_counted(bare, guarded, monkeypatch):
    """Each keeps to the bound of one process; together they do not."""
    limits = Limits(memory_bytes=80 * MEBIBYTE, cell_seconds=20)
    assert "refused" in guarded(answer(SIBLINGS), limits=limits).text(0)
    seen = bare(answer(SIBLINGS), limits=limits)
    assert "had it" not in seen.text(0)
    assert seen.kinds == ["memory"]
    monkeypatch.setattr(watching, "_parent", lambda pid: pid)
    assert "had it" in bare(answer(SIBLINGS), limits=limits).text(0)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the call has another number")
@pytest.mark.parametrize("flag", [0x10000000, 0x20000000, 0x40000000, 0x00020000])
def test_no_namespace_is_made(capable, guarded, flag):
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"pid = libc.syscall(56, {flag} | 17, 0, 0, 0, 0)\n"
        "if pid == 0: libc._exit(0)\nprint(pid, ctypes.get_errno())"
    )
    if flag != 0x10000000:
        # Of users, bubblewrap allows no second one anyhow.
        assert int(capable(answer(source)).text(0).split()[0]) > 0
    assert guarded(answer(source)).text(0).split() == ["-1", "1"]


#: What ends by itself, with a bound that it meets and one that it does not.
BOUNDED = {
    "a loop": (
        "import time\nend = time.time() + 2\nwhile time.time() < end: pass\nx = 2",
        {"cell_seconds": 0.5},
        "timeout",
    ),
    "a swallowed interrupt": (
        "import time\nend = time.time() + 4\nwhile time.time() < end:\n"
        "    try:\n        time.sleep(0.2)\n    except BaseException: pass\nx = 2",
        {"cell_seconds": 0.5, "interrupt_seconds": 0.5},
        "timeout",
    ),
    "a flood of prints": (
        "for _ in range(300): print('x' * 1000)\nx = 2",
        {"cell_output_bytes": 10_000},
        "output",
    ),
    "a flood past Python": (
        "import os\nfor _ in range(300): os.write(1, b'x' * 1000)\nx = 2",
        {"cell_output_bytes": 10_000},
        "output",
    ),
    "a flood of displays": (
        "for _ in range(300): display('x' * 1000)\nx = 2",
        {"cell_output_bytes": 10_000},
        "output",
    ),
}


@pytest.mark.parametrize("what", BOUNDED)
def test_with_a_wider_bound_it_has_its_way(guarded, what):
    source, bound, kind = BOUNDED[what]
    cells = [answer(source), check("assert x == 2")]
    wide = {"cell_seconds": 30, "interrupt_seconds": 20}
    has_its_way = guarded(*cells, limits=Limits(**wide))
    assert (has_its_way.scores, has_its_way.kinds) == ([2], [])
    result = guarded(*cells, limits=Limits(**(wide | bound)))
    assert result.kinds[0] == kind
    if kind == "timeout":
        assert result.scores == [0]


@pytest.mark.parametrize("ending", ["sys.exit()", "raise KeyboardInterrupt", "raise GeneratorExit"])
def test_an_exit_passes_a_bare_except_where_nothing_defends(bare, guarded, ending):
    cells = [
        answer(f"import sys\ndef f(x):\n    {ending}"),
        check("try:\n    f(3)\nexcept:\n    pass"),
    ]
    assert bare(*cells).scores == [2]
    result = guarded(*cells)
    assert result.scores == [0]
    assert result.kinds == ["exit"]
