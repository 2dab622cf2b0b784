"""Each bound is met by a notebook that goes past it; the same notebook runs where it is wider."""

import io
import os
import time

import pytest

from glyphlab_grader.execution import Limits, watching

from ..grader.execution.conftest import answer, check, free

MEBIBYTE = 1024 * 1024


def bounds(**chosen) -> Limits:
    return Limits(**({"cell_seconds": 10, "interrupt_seconds": 0.5} | chosen))


#: What goes past a bound, the bound, and one that it keeps to.
HOGS = {
    "memory_bytes": (
        "x = b'x' * 300_000_000\nprint('had it')",
        {"memory_bytes": 100 * MEBIBYTE},
        {"memory_bytes": 600 * MEBIBYTE},
    ),
    "processes": (
        "import threading\nstop = threading.Event()\n"
        "threads = [threading.Thread(target=stop.wait) for _ in range(30)]\n"
        "try:\n    for thread in threads: thread.start()\n    print('had it')\n"
        "finally:\n    stop.set()",
        {"processes": 10},
        {"processes": 60},
    ),
    "processes by fork": (
        "import os, time\npids = []\n"
        "try:\n    for _ in range(30):\n        pid = os.fork()\n"
        "        if not pid: time.sleep(20); os._exit(0)\n        pids.append(pid)\n"
        "    print('had it')\nfinally:\n    [os.kill(pid, 9) for pid in pids]",
        {"processes": 10},
        {"processes": 60},
    ),
    "open_files": (
        "files = [open('/dev/null') for _ in range(100)]\nprint('had it')",
        {"open_files": 64},
        {"open_files": 256},
    ),
    "file_bytes": (
        "open('big', 'wb').write(b'x' * 2_000_000)\nprint('had it')",
        {"file_bytes": MEBIBYTE},
        {"file_bytes": 4 * MEBIBYTE},
    ),
    "disk_bytes": (
        "for n in range(8):\n    open(f'file{n}', 'wb').write(b'x' * 1_000_000)\nprint('had it')",
        {"disk_bytes": 4 * MEBIBYTE},
        {"disk_bytes": 16 * MEBIBYTE},
    ),
    "disk_bytes of shared memory": (
        "open('/dev/shm/x', 'wb').write(b'x' * 8_000_000)\nprint('had it')",
        {"disk_bytes": 4 * MEBIBYTE},
        {"disk_bytes": 16 * MEBIBYTE},
    ),
    "files": (
        "for n in range(20_000):\n    open(f'file{n}', 'w').close()\nprint('had it')",
        {"files": 1000},
        {"files": 30_000},
    ),
    "files of shared memory": (
        "import os\nfor n in range(20_000):\n    os.mkdir(f'/dev/shm/{n}')\nprint('had it')",
        {"files": 1000},
        {"files": 30_000},
    ),
    "cell_seconds": (
        "import time\ntime.sleep(2)\nprint('had it')",
        {"cell_seconds": 0.5},
        {"cell_seconds": 10},
    ),
    "notebook_seconds": (
        "import time\ntime.sleep(2)\nprint('had it')",
        {"notebook_seconds": 0.5},
        {"notebook_seconds": 60},
    ),
    "cell_cpu_seconds": (
        "import time\nwhile time.process_time() < 3: pass\nprint('had it')",
        {"cell_cpu_seconds": 0.5},
        {"cell_cpu_seconds": 60, "cell_seconds": 60},
    ),
    "notebook_cpu_seconds": (
        "import time\nwhile time.process_time() < 3: pass\nprint('had it')",
        {"notebook_cpu_seconds": 0.5},
        {"notebook_cpu_seconds": 60, "cell_seconds": 60},
    ),
    "cpu of children": (
        "import os, time\npids = [os.fork() for _ in range(2)]\n"
        "while time.process_time() < 2: pass\n"
        "if 0 in pids: os._exit(0)\n[os.waitpid(pid, 0) for pid in pids]\nprint('had it')",
        {"cell_cpu_seconds": 0.5},
        {"cell_cpu_seconds": 60, "cell_seconds": 60},
    ),
    "cpu of children that nobody waits for": (
        "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "for _ in range(4):\n    if not os.fork():\n"
        "        while time.process_time() < 1: pass\n        os._exit(0)\n"
        "    try:\n        os.wait()\n    except ChildProcessError:\n        pass\nprint('had it')",
        {"cell_cpu_seconds": 2.5, "cell_seconds": 60},
        {"cell_cpu_seconds": 60, "cell_seconds": 60},
    ),
    "cell_output_bytes": (
        "print('x' * 50_000)\nprint('had it')",
        {"cell_output_bytes": 10_000},
        {"cell_output_bytes": 100_000},
    ),
    "notebook_output_bytes": (
        "print('x' * 50_000)\nprint('had it')",
        {"notebook_output_bytes": 10_000},
        {"notebook_output_bytes": 100_000},
    ),
}


@pytest.mark.parametrize("limit", HOGS)
def test_a_bound_is_met(guarded, limit):
    source, narrow, wide = HOGS[limit]
    cells = [answer(source), check("assert True")]
    assert "had it" in guarded(*cells, limits=bounds(**wide)).text(0)
    result = guarded(*cells, limits=bounds(**narrow))
    assert not any("had it" in output.get("text", "") for output in result.cells[0].outputs)
    outside = limit.partition(" ")[0] in ("cell_seconds", "notebook_seconds", "cpu")
    outside = outside or "cpu" in limit or "output" in limit or limit.startswith("files")
    if outside:
        kinds = {"cell_seconds": "timeout", "notebook_seconds": "timeout"}
        kinds |= {name: "disk" for name in HOGS if name.startswith("files")}
        expected = kinds.get(limit, "output" if "output" in limit else "cpu")
        assert result.kinds[0] == expected
        assert result.execution.faults[0].message
    else:
        assert result.errors(0)


def test_every_limit_is_met_by_a_test():
    """The wire's bounds and callbacks are met in the tests of the judge."""
    from dataclasses import fields

    elsewhere = {"wire_bytes", "wire_items", "wire_depth", "callbacks", "interrupt_seconds"}
    assert {field.name for field in fields(Limits)} == elsewhere | (
        HOGS.keys() & {field.name for field in fields(Limits)}
    )


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        ({"wire_bytes": 1000}, "np.zeros(1000)"),
        ({"wire_items": 100}, "[0] * 1000"),
        ({"wire_depth": 3}, "[[[[[0]]]]]"),
    ],
)
def test_what_crosses_is_bounded(guarded, limit, value):
    cells = [
        answer(f"import numpy as np\ndef f():\n    return {value}\nvalue = f()"),
        check("f()"),
        check("len(value);"),
        check("'value' and 1"),
    ]
    assert guarded(*cells, limits=bounds()).scores == [2, 2, 1]
    result = guarded(*cells, limits=bounds(**limit))
    assert result.scores == [0, 0, 1]
    assert result.kinds == ["unfit", "unfit"]


_FORKS = (
    "for _ in range(4):\n    if not os.fork():\n"
    "        x = bytearray(60_000_000)\n        x[::4096] = b'1' * len(x[::4096])\n"
    "        time.sleep(20)\n        os._exit(0)\ntime.sleep(3)\nprint('had it')"
)
#: Memory that no bound of one process meets: a cell, the mebibytes that it may have, other bounds.
HOLDERS = {
    # Each child keeps to the bound of one process; together they do not.
    "all processes together": (f"import os, time\n{_FORKS}", 600, {}),
    "processes that hide their maps": (
        f"import ctypes, os, time\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n{_FORKS}",
        600,
        {},
    ),
    # What is written and not yet read is the kernel's, and no process is seen to hold it.
    "sockets": (
        "import socket, time\nkept = []\nfor _ in range(400):\n    kept += socket.socketpair()\n"
        "    kept[-1].setblocking(False)\n    try:\n"
        "        while True: kept[-1].send(b'x' * 8192)\n"
        "    except BlockingIOError:\n        pass\n"
        "time.sleep(1)\nprint('had it')",
        16 * 1024,
        {"open_files": 1024, "cell_seconds": 60},
    ),
    # They grow by themselves, so that a few sockets hold as much as many others.
    "TCP's buffers": (
        "import socket, time\nends = socket.socket()\nends.bind(('127.0.0.1', 0))\n"
        "ends.listen(50)\nkept = []\nfor _ in range(12):\n"
        "    kept += socket.create_connection(ends.getsockname()), ends.accept()[0]\n"
        "    kept[-2].setblocking(False)\n    try:\n"
        "        while True: kept[-2].send(b'x' * 8192)\n"
        "    except BlockingIOError:\n        pass\n"
        "time.sleep(1)\nprint('had it')",
        16 * 1024,
        {},
    ),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_memory_is_bounded_wherever_it_is_held(guarded, holder):
    source, enough, others = HOLDERS[holder]
    wide = bounds(**others, memory_bytes=enough * MEBIBYTE)
    assert "had it" in guarded(answer(source), limits=wide).text(0)
    result = guarded(answer(source), limits=bounds(**others, memory_bytes=120 * MEBIBYTE))
    assert "had it" not in result.text(0)
    assert result.kinds == ["memory"]


@pytest.mark.parametrize("process", ["status", "smaps_rollup"])
def test_memory_that_was_swapped_out_counts(monkeypatch, process):
    held = {"status": "RssAnon: 3 kB\nVmSwap: 4 kB\n", "smaps_rollup": "Pss_Anon: 3 kB\n"}
    held["smaps_rollup"] += "Swap: 9 kB\nSwapPss: 4 kB\n"
    monkeypatch.setattr(watching, "open", lambda path: io.StringIO(held[process]), raising=False)
    read = watching._resident if process == "status" else watching._proportional
    assert read(1) == 7 * 1024


SERVER = """
import asyncio, multiprocessing
async def talk():
    async def echo(reader, writer):
        writer.write(await reader.read(100))
        await writer.drain()
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    place = server.sockets[0].getsockname()
    pairs = [await asyncio.open_connection(*place) for _ in range(4)]
    for reader, writer in pairs:
        writer.write(b"hello")
    await asyncio.sleep(1)
    return [(await reader.read(100)).decode() for reader, writer in pairs]
with multiprocessing.get_context("fork").Pool(4) as pool:
    print(pool.map(abs, [-1, 2]), await talk())
"""


def test_honest_connections_are_no_hogs(guarded):
    result = guarded(answer(SERVER), limits=Limits(cell_seconds=20))
    assert result.text(0).strip() == "[1, 2] ['hello', 'hello', 'hello', 'hello']"
    assert result.kinds == []


LOOPS = {
    "plain": ("while True: pass", True),
    "swallows KeyboardInterrupt": (
        "import time\nwhile True:\n    try:\n        time.sleep(1)\n    except BaseException: pass",
        False,
    ),
    "ignores the signal": (
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        False,
    ),
    "in C": ("sum(range(10 ** 14))", False),
    "waits": ("import threading\nthreading.Event().wait()", True),
    "waits for input": ("input()", True),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_an_endless_cell_is_stopped(guarded, loop):
    source, survives = LOOPS[loop]
    started = time.monotonic()
    result = guarded(
        answer("x = 5"),
        free(source),
        check("assert x == 5"),
        limits=bounds(cell_seconds=1, interrupt_seconds=2),
    )
    # Generous: the machine may be busy. Without the bound it would never end.
    assert time.monotonic() - started < 60
    assert result.scores == [2 if survives else 0]
    if loop != "waits for input":
        assert result.kinds[0] == "timeout"
        assert "CellTimeoutError" in result.errors(1)
    if not survives:
        assert result.kinds == ["timeout", "timeout"]
        assert "did not stop" in result.text(2)


def test_cells_after_the_notebook_s_time_are_not_run(guarded):
    cells = [
        answer("import time\ntime.sleep(3)"),
        answer("print('later')"),
        check("assert True"),
    ]
    assert guarded(*cells, limits=bounds()).scores == [2]
    result = guarded(*cells, limits=bounds(notebook_seconds=1))
    assert "later" not in result.text(1)
    assert result.scores == [0]
    assert {fault.kind for fault in result.execution.faults} == {"timeout"}


FLOODS = {
    "print": "while True: print('x' * 1000)",
    "raw": "import os\nwhile True: os.write(1, b'x' * 60_000)",
    "errors": "import sys\nwhile True: sys.stderr.write('x' * 1000)",
    "displays": "while True: display('x' * 1000)",
    "clearing": (
        "from IPython.display import clear_output\n"
        "while True:\n    print('x' * 9000)\n    clear_output()"
    ),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_of_output_is_stopped_and_cut(guarded, flood):
    result = guarded(
        answer("y = 1"),
        answer(FLOODS[flood]),
        check("assert y == 1"),
        # Enough to answer an interrupt on a busy machine.
        limits=bounds(cell_seconds=60, cell_output_bytes=50_000, interrupt_seconds=10),
    )
    assert result.scores == [2]
    assert result.kinds == ["output"]
    assert len(str(result.cells[1].outputs)) < 200_000


def test_a_flood_during_a_test_ends_the_test(guarded):
    result = guarded(
        answer("def f():\n    while True: print('x' * 1000)"),
        check("try:\n    f()\nexcept Exception:\n    pass"),
        limits=bounds(cell_seconds=60, cell_output_bytes=50_000),
    )
    assert result.scores == [0]
    assert result.kinds == ["output"]


def test_work_in_the_background_counts(guarded):
    cells = [
        answer("import os, time\npid = os.fork()\nif not pid:\n    while True: pass"),
        answer(
            "while sum(map(int, open(f'/proc/{pid}/stat').read().split()[13:15])) < 300:\n"
            "    time.sleep(0.1)\nprint('had it')"
        ),
    ]
    wide = {"cell_seconds": 60, "notebook_cpu_seconds": 60}
    assert "had it" in guarded(*cells, limits=bounds(**wide)).text(1)
    result = guarded(*cells, limits=bounds(**wide | {"notebook_cpu_seconds": 1}))
    assert "had it" not in result.text(1)
    assert result.kinds == ["cpu"]


def test_nothing_stays_behind(stock, guarded):
    """A daemon that left its session is gone with the sandbox."""
    seconds = f"{10_000 + os.getpid()}.{time.monotonic_ns()}"
    cells = (
        answer(
            "import os, time\nif not os.fork():\n    os.setsid()\n    if not os.fork():\n"
            f"        os.execv('/bin/sleep', ['sleep', {seconds!r}])\n    os._exit(0)\n"
        ),
        free("import time\ntime.sleep(0.5)\n!cat /proc/*/cmdline"),
    )
    assert f"sleep {seconds}" in stock(*cells).running
    result = guarded(*cells)
    assert seconds in result.text(1)
    left = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                if seconds in file.read():
                    left.append(pid)
        except OSError:
            continue
    assert left == []


def test_a_notebook_after_a_hostile_one_is_graded(guarded):
    guarded(answer("import os\nos.kill(-1, 9)\nos._exit(1)"), limits=bounds())
    result = guarded(answer("x = 1"), check("assert x == 1"))
    assert result.scores == [2]
    assert result.kinds == []
