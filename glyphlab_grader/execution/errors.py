"""Exceptions between two processes: the names of built-in bases, a message, plain arguments."""

import builtins
from typing import Any

__all__ = ["describe", "rebuild"]

_PLAIN = (str, int, float, bool, type(None))
_BUILT_IN = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type)
    and issubclass(kind, Exception)
    and not issubclass(kind, BaseExceptionGroup)
}
_LONGEST = 4000


def describe(error: BaseException) -> dict[str, Any]:
    """Say what is told of an exception.

    Returns
    -------
    dict
        ``name`` of its class, ``bases`` the nearest built-in classes that it is one of, ``message``
        and ``arguments`` where these are plain.
    """
    kind = type(error)
    bases: list[str] = []
    for base in kind.__mro__:
        name = base.__name__
        if _BUILT_IN.get(name) is not base:
            continue
        if not any(issubclass(_BUILT_IN[known], base) for known in bases):
            bases.append(name)
    try:
        message = str(error)[:_LONGEST]
    except Exception:
        message = "(the exception cannot be shown)"
    plain = all(type(argument) in _PLAIN for argument in error.args)
    arguments = list(error.args) if plain and len(repr(error.args)) < _LONGEST else [message]
    return {
        "name": kind.__name__,
        "bases": bases or ["Exception"],
        "message": message,
        "arguments": arguments,
    }


def rebuild(told: Any) -> Exception:
    """Make an exception of what was told of one; only built-in classes are its bases.

    Raises
    ------
    TypeError, ValueError, KeyError
        If `told` is not what `describe` gives.
    """
    name, message, arguments = str(told["name"])[:200], str(told["message"]), told["arguments"]
    bases = tuple(_BUILT_IN[base] for base in told["bases"][:8])
    if not bases:
        raise ValueError("an exception that is none")
    if not isinstance(arguments, list) or not all(type(a) in _PLAIN for a in arguments):
        raise ValueError("arguments of an exception that are not plain")
    if len(bases) == 1 and bases[0].__name__ == name:
        kind: Any = bases[0]
    else:
        kind = _class_like(name, bases)
    # __new__ and args: some built-in classes take other arguments to construct.
    error: Exception = kind.__new__(kind, *arguments)
    error.args = tuple(arguments)
    if str(error) != message:
        error = _class_like(name, (kind,), message).__new__(_class_like(name, (kind,), message))
        error.args = tuple(arguments)
    return error


def _class_like(name: str, bases: tuple[type, ...], message: str | None = None) -> Any:
    """Make an exception class of that name, which is each of `bases`."""
    body: dict[str, Any] = {"__module__": "student"}
    if message is not None:
        body["__str__"] = lambda self: message
    try:
        return type(name, bases, body)
    except TypeError:
        # Built-in classes whose layouts do not go together: the first decides.
        return type(name, bases[:1], body)
