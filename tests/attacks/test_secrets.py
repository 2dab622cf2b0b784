"""Attempts to read or change what is not the student's."""

import http.server
import os
import subprocess
import threading
from pathlib import Path

import pytest

from glyphlab_grader.execution import Limits

from ..grader.execution.conftest import answer, check, free

ROOT = Path(__file__).resolve().parents[2]

READS = {
    "the gradebook": "print(open({course!r} + '/gradebook.db').read())",
    "the solutions": "print(open({course!r} + '/solutions/ch23_1/F3.ipynb').read())",
    "another student's notebook": "!cat {course}/submitted/other/ch23_1/F3.ipynb",
    "whatever a walk finds": (
        "import os\nfor folder, _, files in os.walk('/tmp'):\n    for file in files:\n"
        "        if file.endswith(('.db', '.ipynb')):\n"
        "            text = open(os.path.join(folder, file), errors='replace').read()\n"
        "            if 'TOP' in text:\n                print(text)"
    ),
    "an environment variable": "import os\nprint(os.environ.get('GRADER_TOKEN'))",
    "the environment of a parent": (
        "import glob\nfor name in glob.glob('/proc/*/environ'):\n    try:\n"
        "        print(open(name).read())\n    except OSError:\n        pass"
    ),
}


@pytest.mark.parametrize("what", READS)
def test_secrets_are_not_there_to_be_read(bare, guarded, course, monkeypatch, what):
    monkeypatch.setenv("GRADER_TOKEN", "TOP SECRET")
    source = READS[what].format(course=str(course))
    assert "TOP SECRET" in bare(answer(source)).text(0), "the attack does not work undefended"
    assert "TOP SECRET" not in guarded(answer(source)).text(0)


LIBRARY = {
    "the expected values": "from glyphlab.expected import TABLE\nprint('found', len(TABLE) > 0)",
    "the reference function": (
        "from glyphlab_core import worked, precision_recall_from_confusion as f\n"
        "print('found', f(worked.C_z, 'zero')[1][0] > 0)"
    ),
    "what hands over its result": (
        "from glyphlab_core import worked, core_metrics\n"
        "print('found', core_metrics(worked.C_z)['accuracy'] > 0)"
    ),
    "what the lab has of it": (
        "from glyphlab.network import TrainedTemperature, load_checkpoint\n"
        "TrainedTemperature(load_checkpoint())\nprint('found')"
    ),
    "its source": (
        "import inspect, glyphlab_core.confusion as module\n"
        "source = inspect.getsource(module)\n"
        "print('found' if 'def precision_recall_from_confusion' in source "
        "and source.count('zero_division') > 3 else '')"
    ),
    "scikit-learn": "import sklearn.metrics\nprint('found')",
    "nbgrader": "import nbgrader\nprint('found')",
    "the tests": "import pytest\nprint('found')",
    "sources anywhere": (
        "import os, sys\n"
        f"places = [p for p in sys.path if p] + [{str(ROOT)!r}, '/course', '/home', '/root']\n"
        "for place in places:\n  for folder, _, files in os.walk(place):\n"
        "    if '/torch' in folder or '/sympy' in folder or '/scipy' in folder: continue\n"
        "    for file in files:\n"
        "      if file == 'expected.py' and 'glyphlab' in folder:\n        print('found')"
    ),
    "objects in memory": (
        "import gc\nfor thing in gc.get_objects():\n"
        "    if getattr(thing, '__module__', '') == 'glyphlab.expected':\n        print('found')\n"
        "import sys\nprint('found' if 'glyphlab.expected' in sys.modules else '')\n"
        "from glyphlab.expected import TABLE; print('found')"
    ),
}
FORBIDDEN = [
    "precision_recall_from_confusion",
    "core_metrics",
    "glyphlab.network.TrainedTemperature",
    "sklearn.metrics.f1_score",
]


@pytest.mark.parametrize("what", LIBRARY)
def test_what_the_exercise_asks_for_is_not_in_the_library(bare, guarded, what):
    limits = Limits(cell_seconds=30)
    assert "found" in bare(answer(LIBRARY[what]), limits=limits).text(0)
    result = guarded(answer(LIBRARY[what]), forbidden=FORBIDDEN, limits=limits)
    assert not any("found" in output.get("text", "") for output in result.cells[0].outputs)


def test_a_stand_in_says_to_write_it(guarded):
    result = guarded(
        answer(
            "from glyphlab_core import precision_recall_from_confusion, worked\n"
            "def f(C):\n    return precision_recall_from_confusion(C)"
        ),
        check("from glyphlab_core import worked\nf(worked.C_z)"),
        forbidden=FORBIDDEN,
    )
    assert result.scores == [0]
    assert "write it yourself" in result.text(1)


def test_a_stand_in_is_no_error_that_a_test_asks_for(guarded):
    tests = [
        check(f"try:\n    f('x')\nexcept {name}:\n    pass")
        for name in ("ValueError", "TypeError", "ZeroDivisionError")
    ]
    source = "from glyphlab_core import precision_recall_from_confusion as f"
    assert guarded(answer(source), *tests, forbidden=FORBIDDEN).scores == [0, 0, 0]


WRITES = {
    "the system": "open('/usr/bin/extra', 'w')",
    "the root folder": "open('/extra', 'w')",
    "devices": "open('/dev/extra', 'w')",
    "the course": "open('/course/glyphlab/checks.py', 'a')",
    "installed packages": "import numpy\nopen(numpy.__file__, 'a')",
    "a folder of packages": (
        "import numpy, pathlib\nopen(pathlib.Path(numpy.__file__).parent.parent / 'x.py', 'w')"
    ),
    "kernel settings": "open('/proc/sys/kernel/hostname', 'w').write('x')",
}


@pytest.mark.parametrize("place", ["/extra", "/dev/extra", "{course}/gradebook.db"])
def test_what_is_read_only_could_be_written_otherwise(writable, showing, open_course, place):
    """The modes of files allow each of these writes; the course stands for whatever is shown."""
    path = place.format(course=open_course)
    cells = [answer(f"open({path!r}, 'w').write('5 of 5')"), free(f"print(open({path!r}).read())")]
    assert "5 of 5" in writable(*cells).text(1), "the attack does not work undefended"
    if path == f"{open_course}/gradebook.db":
        assert (open_course / "gradebook.db").read_text() == "5 of 5"
        (open_course / "gradebook.db").unlink()
    assert showing(*cells).errors(0) == ["OSError"]
    assert not (open_course / "gradebook.db").exists()


@pytest.mark.parametrize("what", WRITES)
def test_nothing_but_the_private_folder_can_be_written(guarded, what):
    result = guarded(answer(WRITES[what]))
    assert result.errors(0)[0] in ("OSError", "PermissionError", "FileNotFoundError")


def test_the_private_folder_can_be_written_and_is_empty_for_the_next(guarded):
    source = "import os\nprint(sorted(os.listdir('.')), os.getcwd())\nopen('left', 'w').write('x')"
    results = [guarded(answer(source)) for _ in range(2)]
    assert [result.errors(0) for result in results] == [[], []]
    assert all("[] /tmp/notebook" in result.text(0) for result in results)


@pytest.fixture
def server():
    """A server of this machine, which counts who comes."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.visits += 1
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"welcome")

        def log_message(self, *arguments):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as running:
        running.visits = 0
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_the_network_is_out_of_reach(bare, guarded, server):
    source = (
        "import urllib.request\n"
        f"print(urllib.request.urlopen('http://127.0.0.1:{server.server_port}', timeout=2).read())"
    )
    assert "welcome" in bare(answer(source)).text(0)
    assert server.visits == 1
    result = guarded(answer(source))
    assert result.errors(0) == ["URLError"]
    assert server.visits == 1


def test_the_hypervisor_s_sockets_are_out_of_reach(bare, guarded):
    """They belong to no network namespace."""
    source = "import socket\nsocket.socket(40, socket.SOCK_STREAM)\nprint('open')"
    if "open" in bare(answer(source)).text(0):
        assert guarded(answer(source)).errors(0) == ["OSError"]
    else:
        # A kernel without them answers itself.
        assert bare(answer(source)).errors(0) == guarded(answer(source)).errors(0)


PIPES = """
import ctypes, os
libc, data = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(b"four")
(reader, writer), (other, other_writer) = os.pipe(), os.pipe()
"""
MEMORY_PAST_LIMITS = {
    "memfd_create": (
        "import os\nfd = os.memfd_create('x')\nos.write(fd, b'x' * 1000)\nprint('held')"
    ),
    "System V shared memory": (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print('held' if libc.shmget(0, 1000, 0o1600) >= 0 else ctypes.get_errno())"
    ),
    # A slot of a pipe holds the huge page that four bytes lie in, and no process is seen to.
    "vmsplice": PIPES + "piece = (ctypes.c_void_p * 2)(ctypes.addressof(data), 4)\n"
    "print('held' if libc.vmsplice(writer, piece, 1, 0) == 4 else ctypes.get_errno())",
    "tee": PIPES + "os.write(other_writer, b'four')\n"
    "print('held' if libc.tee(other, writer, 4, 0) == 4 else ctypes.get_errno())",
    "splice": PIPES + "os.write(other_writer, b'four')\n"
    "print('held' if libc.splice(other, None, writer, None, 4, 0) == 4 else ctypes.get_errno())",
}


@pytest.mark.parametrize("what", MEMORY_PAST_LIMITS)
def test_memory_that_no_limit_counts_is_refused(bare, guarded, what):
    assert "held" in bare(answer(MEMORY_PAST_LIMITS[what])).text(0)
    result = guarded(answer(MEMORY_PAST_LIMITS[what]))
    assert not any("held" in output.get("text", "") for output in result.cells[0].outputs)


#: What only a process with capabilities can do, of those that are left in a sandbox of its own.
CAPABLE = {
    "another root": "done = libc.chroot(b'/tmp')",
    "mounts of its own": (
        "done = libc.unshare(0x00020000) or libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)"
    ),
    "another host name": "done = libc.unshare(0x04000000) or libc.sethostname(b'mine', 4)",
    "another's process": "done = libc.ptrace(16, 1, 0, 0)",
}


@pytest.mark.parametrize("what", CAPABLE)
def test_what_capabilities_would_allow_is_refused(capable, guarded, what):
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"{CAPABLE[what]}\nprint('done' if done == 0 else ctypes.get_errno())"
    )
    assert capable(answer(source)).text(0).strip() == "done"
    assert guarded(answer(source)).text(0).strip() == "1"


PRIVILEGES = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def fails(name, *arguments):
    return getattr(libc, name)(*arguments) != 0
assert os.getuid() == 1000 and os.geteuid() == 1000
for line in open('/proc/self/status'):
    if line.startswith('Cap'):
        assert int(line.split()[1], 16) == 0, line
    if line.startswith('NoNewPrivs'):
        assert line.split()[1] == '1'
assert fails('setuid', 0)
assert fails('unshare', 0x10000000)
assert fails('unshare', 0x00020000)
assert fails('chroot', b'/tmp')
assert fails('mount', b'none', b'/tmp', b'tmpfs', 0, None)
assert fails('umount2', b'/usr', 2)
assert fails('ptrace', 16, 1, 0, 0)
print('none')
"""


def test_there_are_no_privileges_to_be_had(guarded):
    assert guarded(answer(PRIVILEGES)).text(0).strip() == "none"


def test_no_other_process_is_in_sight(stock, guarded):
    """The student's own, and the two that hold the sandbox; neither tells or has anything."""
    look = answer(
        "import os\n"
        "others = set(filter(str.isdigit, os.listdir('/proc'))) - {str(os.getpid())}\n"
        "print(len(others), [open(f'/proc/{n}/cmdline').read() for n in others])\n"
        "held = []\n"
        "for n in others:\n"
        "    try:\n"
        "        for fd in os.listdir(f'/proc/{n}/fd'):\n"
        "            held.append(os.readlink(f'/proc/{n}/fd/{fd}'))\n"
        "    except PermissionError:\n"
        "        pass\n"
        "print('sockets', [h for h in held if 'socket' in h])\n"
        "print('own', sorted(os.readlink(f'/proc/self/fd/{fd}').split(':')[0] "
        "for fd in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{fd}')))"
    )
    seen = stock(look).text(0)
    assert "86399" in seen
    assert "sockets []" not in seen
    text = guarded(look).text(0)
    assert text.startswith("2 [")
    assert "86399" not in text
    assert "/tmp" not in text
    assert "sockets []" in text
    own = text.partition("own ")[2]
    assert own.count("socket") == 2, own


def test_signals_reach_no_process_outside(stock, guarded):
    attack = answer(
        "import os\nfor n in map(int, filter(str.isdigit, os.listdir('/proc'))):\n"
        "    if open(f'/proc/{n}/comm').read() == 'sleep\\n': os.kill(n, 9)\nprint('sent')"
    )
    undefended = stock(attack, free("print('still here')"))
    assert undefended.bystander_ended
    bystander = subprocess.Popen(["sleep", "600"])
    result = guarded(attack, free("import os\nos.kill(1, 9)\nprint('still here')"))
    assert "still here" in result.text(1)
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_root_s_files_are_not_root_s_to_read(bare, guarded, course):
    """The sandbox's user is nobody on the machine, whoever grades."""
    result = guarded(answer("print(open('/etc/shadow').read())"))
    assert result.errors(0) == ["FileNotFoundError"]
    private = course / "private"
    private.write_text("TOP SECRET")
    private.chmod(0o600)
    result = bare(answer(f"print(open({str(private)!r}).read())"))
    if os.getuid() == 0:
        assert result.errors(0) == ["PermissionError"]
    else:
        # One's own files are one's own: the sandbox that does not show them protects them.
        assert "TOP SECRET" in result.text(0)
    assert guarded(answer(f"open({str(private)!r})")).errors(0) == ["FileNotFoundError"]
