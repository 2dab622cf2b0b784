"""Change the core in one place at a time and see whether a test notices.

Usage: python benchmarks/mutants.py [MODULE ...]   (default: `MODULES`)

Each mutant swaps one operator, constant, condition or call of a module of glyphlab_core and runs
tests/core in a process of its own, the module's own tests first. What no test notices is printed,
unless ``benchmarks/mutants.toml`` explains why it makes no difference; the exit status is 1 where
something is left unexplained, or an explanation has no mutant any more.
"""

import argparse
import ast
import contextlib
import copy
import os
import resource
import sys
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.util import spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "glyphlab_core"
TESTS = ROOT / "tests" / "core"
MODULES = (
    *("confusion", "probability", "binning", "calibration", "temperature"),
    *("_rows", "_logits", "_optimum", "_direct"),
)
# The tests that look at a module most closely; all the others follow.
FIRST = {
    "_rows": ["probability", "calibration"],
    "_logits": ["logits", "probability", "temperature"],
    "_optimum": ["optimum", "temperature"],
    "_direct": ["direct", "logits"],
    "probability": ["probability", "calibration"],
}
SECONDS = 150  # of processor time; a mutant that takes more has been noticed: it does not end

SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.MatMult: ast.Mult,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
NAMES = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all",
    "all": "any", "argmax": "argmin", "argmin": "argmax", "floor": "ceil", "append": "insert",
    "zeros": "ones", "ones": "zeros", "zeros_like": "ones_like", "mean": "sum", "sum": "mean",
    "isneginf": "isposinf", "isfinite": "isinf", "isinf": "isfinite", "isnan": "isfinite",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One changed module."""

    module: str
    line: int
    function: str
    code: str
    change: str
    source: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What an explanation names it by: not the line's number, which moves."""
        return self.module, self.function, self.code, self.change


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node."""
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                new = copy.deepcopy(node)
                new.ops[i] = SWAPS[type(op)]()
                yield new
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op):
            new = copy.deepcopy(node)
            new.op = SWAPS[type(op)]()
            yield new
        case ast.UnaryOp(operand=operand):
            yield copy.deepcopy(operand)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            yield ast.Constant(value + 1 if 0.1 < value < 1e6 else value * 1000 or 1.0)
        case ast.If(test=test) | ast.IfExp(test=test):
            new = copy.deepcopy(node)
            new.test = ast.UnaryOp(ast.Not(), copy.deepcopy(test))
            yield new
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Attribute(attr=name) if name in NAMES:
            new = copy.deepcopy(node)
            new.attr = NAMES[name]
            yield new
        case ast.Name(id=name) if name in ("min", "max", "any", "all"):
            yield ast.Name(NAMES[name], ast.Load())


def places(tree: ast.AST, function: str = "") -> Iterator[tuple[ast.AST, str, object, str]]:
    """Yield (parent, field, index or None, function) of every node that computes something."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        inside = function
        if isinstance(tree, ast.FunctionDef | ast.ClassDef):
            inside = f"{function}.{tree.name}".lstrip(".")
        if isinstance(value, ast.AST):
            yield tree, field, None, inside
            yield from places(value, inside)
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield tree, field, i, inside
                    yield from places(item, inside)


def mutants(module: str) -> Iterator[Mutant]:
    """Yield every mutant of a module; messages of errors are left alone."""
    text = (CORE / f"{module}.py").read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.splitlines()
    for parent, field, index, function in list(places(tree)):
        held = getattr(parent, field)
        node = held if index is None else held[index]
        if isinstance(node, ast.JoinedStr) or isinstance(
            parent, ast.JoinedStr | ast.FormattedValue
        ):
            continue
        for new in changes(node):
            before = ast.unparse(node).splitlines()[0]
            after = ast.unparse(new).splitlines()[0]
            if index is None:
                setattr(parent, field, new)
            else:
                held[index] = new
            source = ast.unparse(ast.fix_missing_locations(tree))
            if index is None:
                setattr(parent, field, node)
            else:
                held[index] = node
            code = lines[node.lineno - 1].strip()
            yield Mutant(module, node.lineno, function, code, f"{before} -> {after}", source)


class Instead(MetaPathFinder, Loader):
    """Imports the mutant in place of its module."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.name = f"glyphlab_core.{mutant.module}"

    def find_spec(self, fullname, path=None, target=None):  # type: ignore[no-untyped-def]
        return spec_from_loader(fullname, self) if fullname == self.name else None

    def exec_module(self, module):  # type: ignore[no-untyped-def]
        exec(compile(self.mutant.source, f"<{self.name}>", "exec"), module.__dict__)


def test_files(module: str, own: bool) -> list[list[str]]:
    """The module's own tests, file by file, then the rest: collecting all takes longest."""
    first = [f"test_{name}.py" for name in FIRST.get(module, [module])]
    others = sorted(path.name for path in TESTS.glob("test_*.py") if path.name not in first)
    runs = [*([name] for name in first), *([] if own else [others])]
    return [[str(TESTS / name) for name in run] for run in runs]


def noticed(mutant: Mutant, own: bool) -> bool:
    """Run the tests on a mutant in a forked process."""
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            os.setpgrp()
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            sys.meta_path.insert(0, Instead(mutant))
            options = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider"]
            runs = test_files(mutant.module, own)
            status = next(filter(None, (pytest.main([*options, *files]) for files in runs)), 0)
        os._exit(int(status))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def explained() -> dict[tuple[str, str, str, str], str]:
    """What the explained mutants are, and why they make no difference."""
    text = (ROOT / "benchmarks" / "mutants.toml").read_text(encoding="utf-8")
    return {
        (entry["module"], entry["function"], entry["code"], entry["change"]): entry["why"]
        for entry in tomllib.loads(text).get("mutant", [])
    }


def main() -> int:
    """Run the mutants of the named modules."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", default=MODULES)
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--own", action="store_true", help="each module's own tests only: quick")
    parser.add_argument("--every", type=int, default=1, help="one of so many mutants: a sample")
    parser.add_argument("--all", action="store_true", help="run the explained ones too")
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ["OMP_NUM_THREADS"] = "1"

    # Once for all the forks: what is slow to import and has nothing of the core in it.
    import hypothesis  # noqa: F401
    import mpmath  # noqa: F401
    import scipy.optimize
    import scipy.special  # noqa: F401
    import sklearn.calibration
    import sklearn.isotonic
    import sklearn.metrics  # noqa: F401
    import torch

    torch.set_num_threads(1)
    for module in options.modules:
        source = (CORE / f"{module}.py").read_text(encoding="utf-8")
        if noticed(Mutant(module, 0, "", "", "", source), options.own):
            print(f"the tests fail on {module} as it is", file=sys.stderr)
            return 2
    known = explained()
    found = [mutant for module in options.modules for mutant in mutants(module)]
    keys = {m.key for m in found}
    todo = [m for m in found if options.all or m.key not in known]
    todo = todo[:: options.every]
    start, left = time.monotonic(), []
    with ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda mutant: noticed(mutant, options.own), todo)
        for count, (mutant, seen) in enumerate(zip(todo, answers, strict=True), 1):
            if not seen:
                left.append(mutant)
                print(
                    f"{mutant.module}.py:{mutant.line} {mutant.function}: {mutant.change}",
                    flush=True,
                )
            if count % 50 == 0:
                print(f"# {count} of {len(todo)}, {time.monotonic() - start:.0f} s", flush=True)
    stale = [key for key in known if key[0] in options.modules and key not in keys]
    for key in stale:
        print(f"mutants.toml explains what is no mutant: {key}")
    print(
        f"{len(found)} mutants, {len(todo)} run: {len(todo) - len(left)} noticed, {len(left)} not; "
        f"{len(keys & known.keys())} explained"
    )
    unexplained = [m for m in left if m.key not in known]
    return 1 if unexplained or stale else 0


if __name__ == "__main__":
    sys.exit(main())
