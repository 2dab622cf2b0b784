"""The command ``glyphlab``.

Each subcommand is a module with ``add_arguments(parser)``, ``build(args)``, which computes the
result as a dictionary, ``text(result)``, which writes it out, and ``figure(result)`` where it can
draw. This module parses, calls them, and turns every fault into one line and an exit status: 0
done, 1 a check failed, 2 bad input, 130 interrupted, 141 the reader of the output went away.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import NoReturn

from glyphlab import __version__
from glyphlab.cli._output import CommandError, PlotTarget, as_json, one_line

__all__ = ["main"]

# The subcommands, each a module of this package, in the order in which the help lists them.
_SUBCOMMANDS = {
    "toy": "recompute the worked matrix C_z and compare it with the exact values",
    "report": "confusion matrix and metrics of saved predictions",
    "calibrate": "fit a temperature on validation, then evaluate test once",
    "train": "train the CNN and save its checkpoint and predictions",
    "data": "verify or write the files of the data set",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process where none are given.

    Returns
    -------
    int
        The exit status.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is not None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a file name may be in any encoding
    name = "glyphlab"
    try:
        module, args = _parse(arguments)
        name = f"glyphlab {args.command}"
        _run(module, args)
    except CommandError as error:
        print(f"{name}: {one_line(error)}", file=sys.stderr)
        return error.status
    except BrokenPipeError:
        _discard_output()
        return 141
    except OSError as error:
        _discard_output()
        print(f"{name}: {one_line(_about(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return 130
    return 0


def _run(module: ModuleType, args: argparse.Namespace) -> None:
    plot = getattr(args, "plot", None)
    target = None if plot is None else PlotTarget(plot)
    result = module.build(args)
    if target is not None:
        target.save(module.figure(result))
    print(as_json(result) if args.json else module.text(result), flush=True)


class _Parser(argparse.ArgumentParser):
    """Reports a wrong argument in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {one_line(message)}; see {self.prog} --help\n")


def _parse(arguments: list[str]) -> tuple[ModuleType, argparse.Namespace]:
    parser = _Parser(prog="glyphlab", description="The lab of the GlyphLab course.")
    parser.add_argument("--version", action="version", version=f"glyphlab {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    # Only the chosen subcommand is imported: training needs torch, the others do not.
    chosen = next((a for a in arguments if a in _SUBCOMMANDS), None)
    module: ModuleType | None = None
    for name, summary in _SUBCOMMANDS.items():
        sub = subparsers.add_parser(name, help=summary, description=summary)
        if name == chosen:
            module = import_module(f"glyphlab.cli.{name}")
            module.add_arguments(sub)
            sub.add_argument("--json", action="store_true", help="print the result as JSON")
    args = parser.parse_args(arguments)
    if module is None or args.command is None:
        parser.error(f"a command is wanted: {', '.join(_SUBCOMMANDS)}")
    return module, args


def _about(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{os.fsdecode(error.filename)}: {reason}" if error.filename else reason


def _discard_output() -> None:
    """Send output that cannot be written nowhere, or the interpreter would try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
