"""The judge's end of the line to the student: requests, and what stands for a student's objects."""

import math
import secrets
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from glyphlab_grader.execution import errors, randomness
from glyphlab_grader.execution.limits import Limits
from glyphlab_grader.execution.wire import (
    Bounds,
    Closed,
    Decoder,
    Encoder,
    Frame,
    Late,
    Link,
    Rubbish,
    Unfit,
)

__all__ = ["Pupil", "Stop", "StudentFunction", "StudentIterator", "StudentObject"]


class Stop(BaseException):
    """Ends a test cell: no ``except Exception`` and no ``pytest.raises(Exception)`` catches it.

    Where a test catches even this, the judge fails the cell by the fault that was noted.
    """


class Pupil:
    """The student's process, as the judge sees it.

    Parameters
    ----------
    link : Link
        To the student.
    limits : Limits
        Of what crosses.
    faults : bool
        Whether what the student's process does wrong fails the cell whatever the test catches.
    """

    def __init__(self, link: Link, limits: Limits, faults: bool = True) -> None:
        self._link = link
        self._faults = faults
        self._bounds = Bounds(limits.wire_bytes, limits.wire_items, limits.wire_depth)
        self._most_callbacks = limits.callbacks
        self._deadline = math.inf
        self._functions: list[Callable[..., Any]] = []
        self._random: Any = None
        #: Why the running test cell fails whatever it catches: kind and message.
        self.fault: tuple[str, str] | None = None
        self._gone = False

    def begin(self, seconds: float) -> None:
        """Start a test cell that may take so long."""
        self._deadline = time.monotonic() + seconds
        self.fault = None
        if self._random is None:
            self._random = randomness.fingerprint()

    def names(self, names: list[str]) -> dict[str, Any]:
        """Fetch those of the student's names that there are."""
        frame = self._ask({"op": "names", "names": names})
        values = self._read(frame, lambda body: dict(body["values"]))
        return {
            name: self._named(frame, name, told) for name, told in values.items() if name in names
        }

    def define(self, sources: list[str], values: dict[str, Any]) -> None:
        """Give the student what the visible part of a test cell defined."""
        encoder = Encoder(self._bounds, self._other)
        taken = {}
        for name, value in values.items():
            kept = len(encoder.buffers)
            try:
                taken[name] = encoder.encode(value)
            except Unfit:
                del encoder.buffers[kept:]
        pairs = ["d", *([name, told] for name, told in taken.items())]
        self._ask({"op": "define", "sources": sources, "values": pairs}, encoder.buffers)

    def call(self, handle: int, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a student's function; what it changed in its arguments is changed here too."""
        self._functions = []
        encoder = Encoder(self._bounds, self._other)
        given = [list(arguments), named]
        body = {
            "op": "call",
            "handle": handle,
            "random": self._changed_random(encoder),
            "arguments": self._encoded(encoder, given[0]),
            "named": self._encoded(encoder, named),
        }
        try:
            frame = self._ask(body, encoder.buffers)
        finally:
            self._functions = []
        if "arguments" in frame.body:
            changed = self._value(frame, frame.body["arguments"])
            _carry_over(changed, given)
        self._warn(frame)
        return self._result(frame)

    def read(self, handle: int, operation: str, argument: Any = None) -> Any:
        """Read something of a student's object: an attribute, an item, its length, what is next."""
        encoder = Encoder(self._bounds, self._other)
        body = {"op": operation, "handle": handle, "argument": self._encoded(encoder, argument)}
        return self._result(self._ask(body, encoder.buffers))

    # Asking.

    def _ask(self, body: dict[str, Any], buffers: "list[Any] | tuple[()]" = ()) -> Frame:
        """Send a request and wait for its answer, running callbacks on the way."""
        self._check()
        # Drawn at random, so that nothing sent before the question can be its answer.
        token = secrets.token_hex(8)
        called = 0
        try:
            self._link.send({"token": token, **body}, buffers, self._deadline)
            while True:
                frame = self._link.receive(self._deadline)
                if not isinstance(frame.body, dict) or frame.body.get("token") != token:
                    continue  # a late answer, or a forged one
                if "callback" not in frame.body:
                    return frame
                called += 1
                if called > self._most_callbacks:
                    self.stop(
                        "callbacks", f"more than {self._most_callbacks} calls back in one call"
                    )
                self._call_back(frame)
        except Late:
            self.stop("timeout", "the student's code did not answer in time")
        except Closed:
            self._gone = True
            self.stop("dead", "the student's process ended")
        except Rubbish as problem:
            self._gone = True
            self.stop("rubbish", f"the student's process sent rubbish: {problem}")

    def _check(self) -> None:
        if self._gone:
            self.stop("dead", "the student's process ended")
        if self.fault is not None:
            raise Stop

    def stop(self, kind: str, message: str) -> NoReturn:
        """Fail the running test cell from outside of it."""
        if not self._faults:
            raise RuntimeError(message)
        if self.fault is None:
            self.fault = kind, message
        raise Stop

    def _call_back(self, frame: Frame) -> None:
        """Run a function of the test that the student calls, and send what it gives."""
        number = frame.body["callback"]
        if type(number) is not int or not 0 <= number < len(self._functions):
            raise Rubbish("a call of a function that was not handed over")
        arguments = self._value(frame, frame.body.get("arguments"))
        named = self._value(frame, frame.body.get("named"))
        if type(arguments) is not list or type(named) is not dict:
            raise Rubbish("a call without arguments")
        encoder = Encoder(self._bounds, self._other)
        answer: dict[str, Any]
        try:
            answer = {"value": encoder.encode(self._functions[number](*arguments, **named))}
        except Exception as error:
            encoder.buffers.clear()
            answer = {"raised": errors.describe(error)}
        self._link.send(answer, encoder.buffers, self._deadline)

    # Reading answers.

    def _result(self, frame: Frame) -> Any:
        body = frame.body
        if "raised" in body:
            if body.get("exit"):
                self.stop("exit", "the student's code ended its process or was interrupted")
            raised = self._read(frame, lambda body: errors.rebuild(body["raised"]))
            if isinstance(raised, StopIteration | StopAsyncIteration):
                # It would end a loop of the test's, and with it all that the loop looks at.
                why = f"the student's code raised {type(raised).__name__}"
                raise RuntimeError(why) from raised
            raise raised
        if "unfit" in body:
            self.stop("unfit", str(body["unfit"])[:500])
        return self._value(frame, body.get("value"))

    def _named(self, frame: Frame, name: str, told: Any) -> Any:
        if isinstance(told, dict) and "value" in told:
            return self._value(frame, told["value"])
        return Unreachable(
            self, name, str(told.get("unfit"))[:500] if isinstance(told, dict) else ""
        )

    def _value(self, frame: Frame, body: Any) -> Any:
        try:
            # A test looks at values: none costs a point because it could be trained on.
            return Decoder(frame, self._bounds, self._proxy, gradients=False).decode(body)
        except Rubbish as problem:
            self._gone = True
            self.stop("rubbish", f"the student's process sent rubbish: {problem}")

    def _read(self, frame: Frame, take: Callable[[Any], Any]) -> Any:
        """Read something of an answer, whose form is not to be trusted."""
        try:
            return take(frame.body)
        except Exception:
            self._gone = True
            self.stop("rubbish", "the student's process sent rubbish")

    def _warn(self, frame: Frame) -> None:
        warned = self._read(
            frame, lambda body: [errors.rebuild(told) for told in body.get("warned", [])[:100]]
        )
        for warning in warned:
            if isinstance(warning, Warning):
                warnings.warn(warning, stacklevel=4)

    # Objects that are not inert data.

    def _proxy(self, body: list[Any]) -> Any:
        tag, *rest = body
        if tag == "f":
            (number,) = rest
            if type(number) is not int or not 0 <= number < len(self._functions):
                raise Rubbish("a function that was not handed over")
            return self._functions[number]
        if tag != "h":
            raise Rubbish(f"an unknown tag {tag!r}")
        handle, kind, name = rest
        if type(handle) is not int or handle < 0 or not isinstance(name, str):
            raise Rubbish("a handle that is none")
        return _PROXIES[kind](self, handle, name[:200])

    def _other(self, value: Any) -> list[Any]:
        """Hand over a student's own object, or a function of the test."""
        if isinstance(value, _Proxy):
            return ["h", object.__getattribute__(value, "_handle")]
        if callable(value):
            self._functions.append(value)
            name = getattr(value, "__name__", "function")
            return ["f", len(self._functions) - 1, str(name)]
        raise Unfit(f"an object of type {type(value).__name__} cannot be handed to the student")

    def _encoded(self, encoder: Encoder, value: Any) -> Any:
        try:
            return encoder.encode(value)
        except Unfit as reason:
            # The test's own doing, told as an error of the test.
            raise TypeError(str(reason)) from None

    def _changed_random(self, encoder: Encoder) -> Any:
        """Give the generators' state where the test changed it since the student last got it."""
        now = randomness.fingerprint()
        before, self._random = self._random, now
        if before == now:
            return None
        return encoder.encode(randomness.get_state())


class _Proxy:
    """Stands for an object of the student's process; equals nothing but itself."""

    __slots__ = ("_handle", "_name", "_pupil")

    def __init__(self, pupil: Pupil, handle: int, name: str) -> None:
        self._pupil = pupil
        self._handle = handle
        self._name = name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name}>"


class StudentFunction(_Proxy):
    """A student's function: calling it calls it in the student's process."""

    __slots__ = ()

    @property
    def __name__(self) -> str:
        return self._name

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._pupil.call(self._handle, arguments, named)

    def __getattr__(self, name: str) -> Any:
        return _attribute(self, name)


class StudentObject(_Proxy):
    """A student's object of a class that does not cross: its attributes can be read."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        return _attribute(self, name)


class StudentIterator(_Proxy):
    """A student's generator or iterator; its items come one at a time."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        item = self._pupil.read(self._handle, "next")
        if type(item) is not list or len(item) > 1:
            self._pupil.stop("rubbish", "the student's process sent rubbish")
        if not item:
            raise StopIteration
        return item[0]


class StudentIterable(StudentObject):
    """A student's collection of another class: a view of a dict, a deque, a class of their own."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        items = self._pupil.read(self._handle, "iterate")
        if not isinstance(items, StudentIterator):
            raise TypeError(f"{self._name} does not give an iterator")
        return items

    def __len__(self) -> int:
        length = self._pupil.read(self._handle, "length")
        if type(length) is not int:
            raise TypeError(f"{self._name} does not give a length")
        return length

    def __getitem__(self, key: Any) -> Any:
        return self._pupil.read(self._handle, "item", key)


_PROXIES: dict[str, Any] = {
    "function": StudentFunction,
    "iterator": StudentIterator,
    "iterable": StudentIterable,
    "object": StudentObject,
}


class Unreachable:
    """A student's value that cannot cross; using it fails the test and says why."""

    def __init__(self, pupil: Pupil, name: str, reason: str) -> None:
        self._pupil = pupil
        self._why = f"{name}: {reason}"

    def _refuse(self, *arguments: Any, **named: Any) -> Any:
        self._pupil.stop("unfit", self._why)

    def __getattr__(self, name: str) -> Any:
        self._refuse()

    __call__ = __iter__ = __len__ = __getitem__ = __eq__ = __ne__ = _refuse
    __lt__ = __gt__ = __le__ = __ge__ = __bool__ = __float__ = __int__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __contains__ = __hash__ = _refuse


def _attribute(proxy: Any, name: str) -> Any:
    # Protocols (``__array__``, ``__torch_function__`` …) are nothing that a handle takes part in.
    if name.startswith("__"):
        raise AttributeError(name)
    return proxy._pupil.read(proxy._handle, "attribute", name)


def _carry_over(changed: Any, given: Any) -> None:
    """Change `given` in place to what came back, as far as the forms go together."""
    if isinstance(given, list) and isinstance(changed, list):
        if len(given) == len(changed):
            for index, (new, old) in enumerate(zip(changed, given, strict=True)):
                given[index] = _carried(new, old)
        else:
            given[:] = changed
    elif isinstance(given, dict) and isinstance(changed, dict):
        for key in [key for key in given if key not in changed]:
            del given[key]
        for key, new in changed.items():
            given[key] = _carried(new, given[key]) if key in given else new
    elif isinstance(given, tuple) and isinstance(changed, tuple):
        for new, old in zip(changed, given, strict=False):
            _carry_over(new, old)
    elif isinstance(given, bytearray) and isinstance(changed, bytearray):
        given[:] = changed
    elif isinstance(given, set) and isinstance(changed, set):
        given.clear()
        given.update(changed)
    elif isinstance(given, np.ndarray) and isinstance(changed, np.ndarray):
        if given.flags.writeable and given.shape == changed.shape and given.dtype == changed.dtype:
            given[...] = changed
    elif type(given).__name__ == "Tensor" and given.shape == changed.shape:
        given.data.copy_(changed.data)


def _carried(new: Any, old: Any) -> Any:
    """Give what stands at a place after the call: the old object, changed, where it can be."""
    mutable = isinstance(old, list | dict | set | bytearray | tuple | np.ndarray)
    if type(new) is type(old) and (mutable or type(old).__name__ == "Tensor"):
        _carry_over(new, old)
        return old
    if isinstance(old, _Proxy) or callable(old):
        return old
    return new
