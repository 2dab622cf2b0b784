"""What the source of the master's cells says: the names it uses and binds, its visible part.

Only cells of the master are read here, never a student's.
"""

import ast
import dis
import re
import textwrap
from collections.abc import Iterator
from types import CodeType

__all__ = [
    "bound_names",
    "definitions",
    "hidden_parts",
    "names_used",
    "settled_assignments",
    "visible_part",
]

_HIDDEN = re.compile(
    r"^[^\S\n]*#+\s*BEGIN HIDDEN TESTS\b.*?^[^\S\n]*#+\s*END HIDDEN TESTS\b[^\n]*$",
    re.DOTALL | re.MULTILINE,
)
Definition = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
_LOOKS_UP = frozenset(("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"))
#: What code may look a name up with that it has as a string.
_BY_STRING = frozenset(("globals", "locals", "vars", "eval", "exec", "get_ipython"))


def visible_part(source: str) -> str:
    """Cut the hidden tests out of a test cell, as releasing it does.

    Examples
    --------
    >>> visible_part("a = 1\\n### BEGIN HIDDEN TESTS\\nb = 2\\n### END HIDDEN TESTS\\nc = 3")
    'a = 1\\n\\nc = 3'
    """
    return _HIDDEN.sub("", source)


def hidden_parts(source: str) -> list[str]:
    """List the hidden tests of a test cell.

    Examples
    --------
    >>> hidden_parts("a = 1\\n### BEGIN HIDDEN TESTS\\nb = 2\\n### END HIDDEN TESTS\\nc = 3")
    ['### BEGIN HIDDEN TESTS\\nb = 2\\n### END HIDDEN TESTS']
    """
    return [textwrap.dedent(part) for part in _HIDDEN.findall(source)]


def names_used(source: str) -> set[str]:
    """List the global names that code may read.

    The student's process is asked for them, and so learns them. Attributes are none of them, and
    strings, which may be expected values, only where the code looks names up by strings.

    Examples
    --------
    >>> sorted(names_used("assert decide(x).kind == 'accept'"))
    ['decide', 'x']
    >>> sorted(names_used("y = f(x)\\nfor n in ('tp', 'f p'): print(globals()[n])"))
    ['f', 'globals', 'n', 'print', 'tp', 'x']
    """
    found: set[str] = set()
    strings: set[str] = set()
    waiting = [compile(source, "<cell>", "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        found.update(i.argval for i in dis.get_instructions(code) if i.opname in _LOOKS_UP)
        for constant in _constants(code.co_consts):
            if isinstance(constant, CodeType):
                waiting.append(constant)
            elif isinstance(constant, str) and constant.isidentifier():
                strings.add(constant)
    return found | strings if found & _BY_STRING else found


def bound_names(source: str) -> set[str]:
    """List the names that code assigns to outside of functions and classes.

    Examples
    --------
    >>> sorted(bound_names("P, R = f()\\nfor k in R:\\n    total = k\\ndef g():\\n    inner = 1"))
    ['P', 'R', 'k', 'total']
    """
    return {
        node.id
        for node in _outer_nodes(ast.parse(source))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def definitions(source: str) -> Iterator[tuple[set[str], str]]:
    """List the imports, functions and classes at the outermost level: names and source.

    Examples
    --------
    >>> list(definitions("import numpy as np\\nx = 1"))
    [({'np'}, 'import numpy as np')]
    """
    for node in ast.parse(source).body:
        if isinstance(node, Definition):
            yield _defined(node), ast.unparse(node)


def settled_assignments(source: str) -> Iterator[tuple[set[str], set[str], str]]:
    """List simple assignments at the outermost level: names bound, names read, source.

    Examples
    --------
    >>> list(settled_assignments("C = worked.C\\nf(C)\\na[0] = 1"))
    [({'C'}, {'worked'}, 'C = worked.C')]
    """
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Assign):
            continue
        names = [name for target in node.targets for name in ast.walk(target)]
        bound = {name.id for name in names if isinstance(name, ast.Name)}
        simple = all(isinstance(name, ast.Name | ast.Tuple | ast.expr_context) for name in names)
        read = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
        if simple:
            yield bound, read, ast.unparse(node)


def _defined(node: Definition) -> set[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return {node.name}


def _outer_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    scopes = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
    comprehensions = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    for child in ast.iter_child_nodes(tree):
        yield child
        if not isinstance(child, scopes | comprehensions):
            yield from _outer_nodes(child)


def _constants(constants: tuple[object, ...]) -> Iterator[object]:
    for constant in constants:
        if isinstance(constant, tuple):
            yield from _constants(constant)
        else:
            yield constant
