"""The student's process: runs cells for the master and answers the judge.

All of it is in the hands of the student's code once a cell has run. Nothing here is a defence:
the master bounds this process from outside, and the judge believes nothing that it says.
"""

import base64
import contextlib
import inspect
import math
import os
import select
import signal
import socket
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from glyphlab_grader.execution import errors, randomness
from glyphlab_grader.execution.defences import Defences
from glyphlab_grader.execution.holder import COURSE
from glyphlab_grader.execution.interrupting import interruptible
from glyphlab_grader.execution.limits import Limits
from glyphlab_grader.execution.shell import LeanShell, make_shell
from glyphlab_grader.execution.wire import Bounds, Closed, Decoder, Encoder, Frame, Link, Unfit

__all__ = ["live", "prepare"]

#: Bytes of one piece of output that is sent.
OUTPUT_BYTES = 1 << 22
_REHEARSAL = ("import math", "def f(x):\n    return [x, 'a']\nf(1.5)", "%who", "raise RuntimeError")


def prepare() -> None:
    """In the warm parent: make the shell, have plots shown, and rehearse.

    What running the first cell imports and builds is then there for every notebook.
    """
    shell = make_shell()
    with contextlib.suppress(ModuleNotFoundError):
        shell.run_line_magic("matplotlib", "inline")
    for source in _REHEARSAL:
        # Nobody is connected: nothing is shown.
        shell.run(source)
    shell.reset()  # type: ignore[no-untyped-call]


def live(limits: Limits, defences: Defences, master: int, judge: int, raw: int) -> None:
    """Serve until the master goes away."""
    Student(limits, socket.socket(fileno=master), socket.socket(fileno=judge), raw).serve()


class Student:
    """The student's namespace and the two who ask for it."""

    def __init__(
        self, limits: Limits, master: socket.socket, judge: socket.socket, raw: int
    ) -> None:
        self._bounds = Bounds(limits.wire_bytes, limits.wire_items, limits.wire_depth)
        self._master = Link(master, OUTPUT_BYTES)
        self._judge = Link(judge, limits.wire_bytes)
        self._most = limits.cell_output_bytes + 1
        self._handles: list[Any] = []
        self._call: Any = None
        shell = LeanShell.instance()
        assert isinstance(shell, LeanShell)
        self._shell = shell
        sys.stdout, sys.stderr = shell.connect(self._output)
        for standard in (1, 2):
            # What programs and libraries write past Python.
            os.dup2(raw, standard)
        os.close(raw)
        sys.path.insert(0, COURSE)
        sys.modules["__main__"] = shell.user_module

    def _output(self, output: dict[str, Any]) -> None:
        # The master keeps less than this and ends whoever sends far more.
        self._master.send({"output": _shortened(_plain(output), self._most)})

    def serve(self) -> None:
        """Answer whoever asks, one at a time."""
        while True:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            try:
                link, frame = self._next()
                if link is self._master:
                    self._serve_master(frame.body)
                else:
                    self._serve_judge(frame)
            except Closed:
                return
            except (KeyboardInterrupt, Exception):
                continue

    def _next(self) -> tuple[Link, Frame]:
        """Wait for a request."""
        links = self._master, self._judge
        while True:
            for link in links:
                frame = link.take()
                if frame is not None:
                    return link, frame
            for ready in select.select(links, [], [])[0]:
                ready.read()

    # The master's requests.

    def _serve_master(self, body: Any) -> None:
        if "seed" in body:
            randomness.seed_all(body["seed"])
        elif "run" in body:
            self._run(body["run"])
            self._master.send({"done": body["number"]})
        elif "ping" in body:
            self._master.send({"pong": body["ping"]})

    def _run(self, source: str) -> None:
        try:
            with interruptible():
                self._shell.run(source)
        except (KeyboardInterrupt, SystemExit, Exception) as error:
            self._shell.send(
                {
                    "output_type": "error",
                    "ename": type(error).__name__,
                    "evalue": str(error),
                    "traceback": [],
                }
            )
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()

    # The judge's requests.

    def _serve_judge(self, frame: Frame) -> None:
        token = frame.body["token"]
        encoder = Encoder(self._bounds, self._handle)
        try:
            answer = self._answer(frame, encoder)
        except Unfit as reason:
            encoder.buffers.clear()
            answer = {"unfit": str(reason)}
        except BaseException as error:
            encoder.buffers.clear()
            answer = {"raised": errors.describe(error), "exit": not isinstance(error, Exception)}
        self._judge.send({"token": token, **answer}, encoder.buffers)

    def _answer(self, frame: Frame, encoder: Encoder) -> dict[str, Any]:
        body = frame.body
        decoder = Decoder(frame, self._bounds, self._handed)
        if body["op"] == "names":
            space = self._shell.user_ns
            return {
                "values": {
                    name: self._described(space[name], encoder)
                    for name in body["names"]
                    if name in space and not inspect.ismodule(space[name])
                }
            }
        if body["op"] == "define":
            for source in body["sources"]:
                with contextlib.suppress(Exception):
                    exec(source, self._shell.user_ns)
            self._shell.user_ns.update(decoder.decode(body["values"]))
            return {"value": None}
        if body["op"] == "call":
            return self._called(body, decoder, encoder)
        target = self._handles[body["handle"]]
        with interruptible():
            value = _READ[body["op"]](target, decoder.decode(body["argument"]))
        return {"value": encoder.encode(value)}

    def _described(self, value: Any, encoder: Encoder) -> Any:
        """Encode a value of the namespace; one that cannot cross says so when it is used."""
        kept = len(encoder.buffers)
        try:
            return {"value": encoder.encode(value)}
        except Unfit as reason:
            del encoder.buffers[kept:]
            return {"unfit": str(reason)}

    def _called(self, body: Any, decoder: Decoder, encoder: Encoder) -> dict[str, Any]:
        function = self._handles[body["handle"]]
        self._call = body["token"]
        if body["random"] is not None:
            randomness.set_state(decoder.decode(body["random"]))
        arguments = decoder.decode(body["arguments"])
        named = decoder.decode(body["named"])
        before = self._encoded([arguments, named])
        warned: list[Any] = []
        answer: dict[str, Any]
        try:
            with interruptible(), _watched(warned):
                result = function(*arguments, **named)
            answer = {"value": encoder.encode(result)}
        except Unfit:
            raise
        except BaseException as error:
            answer = {"raised": errors.describe(error), "exit": not isinstance(error, Exception)}
        finally:
            self._call = None
        after = self._encoded([arguments, named])
        if after is not None and after != before:
            answer["arguments"] = encoder.encode([arguments, named])
        answer["warned"] = warned
        return answer

    def _encoded(self, value: Any) -> Any:
        encoder = Encoder(self._bounds, self._handle)
        try:
            return encoder.encode(value), [bytes(data) for data in encoder.buffers]
        except Unfit:
            return None

    def _handle(self, value: Any) -> list[Any]:
        """Give an object that is not inert data a number."""
        if isinstance(value, _Stub):
            return ["f", value.number]
        known = [n for n, one in enumerate(self._handles) if one is value]
        if not known:
            self._handles.append(value)
        number = known[0] if known else len(self._handles) - 1
        if isinstance(value, Iterator):
            kind = "iterator"
        elif callable(value):
            kind = "function"
        else:
            kind = "iterable" if isinstance(value, Iterable) else "object"
        name = getattr(value, "__name__", type(value).__name__)
        return ["h", number, kind, str(name)[:200]]

    def _handed(self, body: list[Any]) -> Any:
        """Take what the judge hands over: a student's own object, or a function of the test."""
        if body[0] == "h":
            return self._handles[body[1]]
        return _Stub(self, self._call, body[1], body[2])

    def call_back(self, call: str, number: int, arguments: Any, named: Any) -> Any:
        """Call a function that the running test handed over with that call."""
        if self._call != call:
            raise RuntimeError("the call that handed this function over has ended")
        encoder = Encoder(self._bounds, self._handle)
        body = {
            "token": call,
            "callback": number,
            "arguments": encoder.encode(list(arguments)),
            "named": encoder.encode(named),
        }
        self._judge.send(body, encoder.buffers)
        frame = self._judge.receive(math.inf)
        if "raised" in frame.body:
            raise errors.rebuild(frame.body["raised"])
        return Decoder(frame, self._bounds, self._handed).decode(frame.body["value"])


def _advance(iterator: Any, _: None) -> list[Any]:
    try:
        return [next(iterator)]
    except StopIteration:
        return []


#: What the judge may read of an object, beside calling it.
_READ: dict[str, Any] = {
    "attribute": getattr,
    "next": _advance,
    "iterate": lambda target, _: iter(target),
    "length": lambda target, _: len(target),
    "item": lambda target, key: target[key],
}


class _Stub:
    """A function of a test, in the student's process; the judge runs what it does."""

    def __init__(self, student: Student, call: str, number: int, name: str) -> None:
        self._student = student
        self._call = call
        self.number = number
        self.__name__ = name

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._student.call_back(self._call, self.number, arguments, named)

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


@contextlib.contextmanager
def _watched(warned: list[Any]) -> Iterator[None]:
    """Note the warnings that are shown, for the judge."""

    def note(message: Any, category: Any, *more: Any, **named: Any) -> None:
        if len(warned) < 100:
            warned.append(errors.describe(category(str(message))))

    # Entering forgets which warnings have been shown: each call shows its own.
    with warnings.catch_warnings():
        warnings.showwarning = note
        yield


def _shortened(value: Any, most: int) -> Any:
    """Cut every text of an output."""
    if isinstance(value, str):
        return value[:most]
    if isinstance(value, list):
        return [_shortened(item, most) for item in value[:1000]]
    if isinstance(value, dict):
        return {key: _shortened(item, most) for key, item in value.items()}
    return value


def _plain(output: dict[str, Any]) -> dict[str, Any]:
    """Make an output JSON: images are base64 text, which is how notebooks keep them."""

    def text(value: Any) -> Any:
        if isinstance(value, bytes):
            return base64.encodebytes(value).decode("ascii")
        return value

    if "data" in output:
        output = {**output, "data": {key: text(value) for key, value in output["data"].items()}}
    return output
