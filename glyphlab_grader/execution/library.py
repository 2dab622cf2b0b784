"""Editions of the course's packages for a student's process, without what an exercise asks for.

In an edition a forbidden function is a stand-in that says to write it, and whatever only it used is
not there either. The expected values and the command line are in none. An edition is written to a
folder once for each set of forbidden names and shown to the sandbox.
"""

import ast
import os
import py_compile
import shutil
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from glyphlab_grader.execution.views import package_folder

__all__ = ["WITHHELD", "Editions", "edition_sources"]

CORE = "glyphlab_core"
LAB = "glyphlab"
#: What no student's process has: answers, and what only an instructor runs.
_WITHHELD = {
    *(f"{LAB}/{name}.py" for name in ("expected", "course", "__main__")),
    f"{LAB}/cli",
}
_DATA = {f"{LAB}/data"}
#: What the error of a stand-in says, after the function's name.
WITHHELD = "is what this exercise asks you to write"
_ERROR = '''
class NotInThisExercise(RuntimeError):
    """Raised by what stands in for the function that an exercise asks for."""
'''
_STAND_IN = '''
def {name}(*arguments, **named):
    """Not here: this exercise asks you to write it."""
    from {core}._withheld import NotInThisExercise

    raise NotInThisExercise("{name} {withheld}: write it yourself")
'''


class Editions:
    """The editions of one grader.

    Parameters
    ----------
    folder : pathlib.Path
        Where they are written; the grader's own.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written: dict[frozenset[str], Path] = {}

    def without(self, forbidden: Iterable[str]) -> Path:
        """Give the folder of the edition without `forbidden`.

        Parameters
        ----------
        forbidden : iterable of str
            Names of the course's packages, dotted ones by their last part. Names of packages that
            are not in the sandbox at all (``sklearn.metrics.f1_score``) are fulfilled already.

        Raises
        ------
        ValueError
            If the packages have no such name.
        """
        names = frozenset(_own_names(forbidden))
        if names not in self._written:
            target = self._folder / f"edition-{len(self._written)}"
            self._write(target, edition_sources(names))
            self._written[names] = target
        return self._written[names]

    def _write(self, target: Path, sources: dict[str, str]) -> None:
        for name, text in sources.items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if path.suffix == ".py":
                # Never looked at again, so that reading the edition needs no times of files.
                unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
                py_compile.compile(str(path), dfile=f"/course/{name}", invalidation_mode=unchecked)
        for name in _DATA:
            source = package_folder(LAB).parent / name
            if source.is_dir():
                shutil.copytree(source, target / name)
        for folder, _, files in os.walk(target):
            os.chmod(folder, 0o755)
            for file in files:
                os.chmod(Path(folder) / file, 0o644)


def edition_sources(forbidden: Iterable[str]) -> dict[str, str]:
    """Give the source of each file of the edition without `forbidden`.

    Parameters
    ----------
    forbidden : iterable of str
        Public names of the course's packages, dotted ones by their last part.

    Returns
    -------
    dict of str to str
        By path.
    """
    core = {name: ast.parse(text) for name, text in _read(CORE).items()}
    lab = {name: ast.parse(text) for name, text in _read(LAB).items()}
    library = core | lab
    for name in sorted(_own_names(forbidden)):
        _replace(library, name)
    kept = _reachable(core, [*lab.values()])
    sources = {name: ast.unparse(_pruned(tree, kept)) for name, tree in core.items()}
    metadata = f"Metadata-Version: 2.1\nName: {LAB}\nVersion: {version(LAB)}\n"
    return {
        **sources,
        **{name: ast.unparse(tree) for name, tree in lab.items()},
        f"{CORE}/_withheld.py": _ERROR,
        f"{LAB}-{version(LAB)}.dist-info/METADATA": metadata,
    }


def _own_names(forbidden: Iterable[str]) -> Iterator[str]:
    """Give the packages' own names among those forbidden."""
    for name in forbidden:
        package, _, rest = name.partition(".")
        if not rest:
            yield name
        elif package in (CORE, LAB):
            yield rest.rpartition(".")[2]


def _read(package: str) -> dict[str, str]:
    """Read a package's modules, without the withheld ones."""
    folder = package_folder(package)
    found = {}
    for path in sorted(folder.rglob("*.py")):
        name = str(path.relative_to(folder.parent))
        if not any(name == one or name.startswith(f"{one}/") for one in _WITHHELD):
            found[name] = path.read_text(encoding="utf-8")
    return found


def _replace(library: dict[str, ast.Module], name: str) -> None:
    """Put the stand-in where a function or class is defined."""
    for tree in library.values():
        for index, node in enumerate(tree.body):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
                tree.body[index] = ast.parse(
                    _STAND_IN.format(name=name, core=CORE, withheld=WITHHELD)
                ).body[0]
                return
    raise ValueError(f"the library has no function or class {name!r} that an exercise could forbid")


def _reachable(core: dict[str, ast.Module], users: Sequence[ast.Module]) -> set[str]:
    """List the names that public functions, and the lab, still use."""
    kept = {name for path, tree in core.items() if _is_public(path) for name in _exported(tree)}
    for user in users:
        kept |= _imported(user)
    while True:
        mentioned = set()
        for tree in core.values():
            for node in tree.body:
                if not isinstance(node, ast.Import | ast.ImportFrom) and _is_kept(node, kept):
                    mentioned |= _mentioned(node)
        if mentioned <= kept:
            return kept
        kept |= mentioned


def _pruned(tree: ast.Module, kept: set[str]) -> ast.Module:
    """Leave out what nothing uses any more, and its imports."""
    body: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(CORE):
            names = [alias for alias in node.names if _is_module(alias.name) or alias.name in kept]
            if names:
                body.append(ast.ImportFrom(node.module, names, node.level))
        elif _is_kept(node, kept):
            body.append(node)
    return ast.fix_missing_locations(ast.Module(body, []))


def _is_kept(node: ast.stmt, kept: set[str]) -> bool:
    names = _defined(node)
    return not names or bool(names & kept) or any(name.startswith("__") for name in names)


def _is_public(path: str) -> bool:
    name = Path(path).stem
    return name == "__init__" or not name.startswith("_")


def _is_module(name: str) -> bool:
    return (package_folder(CORE) / f"{name}.py").is_file()


def _exported(tree: ast.Module) -> set[str]:
    """List what a module's ``__all__`` names, else its public names."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and _defined(node) == {"__all__"}:
            return set(ast.literal_eval(node.value))
    return {name for node in tree.body for name in _defined(node) if not name.startswith("_")}


def _defined(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        nodes = [part for target in targets for part in ast.walk(target)]
        return {part.id for part in nodes if isinstance(part, ast.Name)}
    return set()


def _imported(tree: ast.AST) -> set[str]:
    """List what the lab takes from the core, which it imports by name."""
    return {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == CORE
        for alias in node.names
    }


def _mentioned(tree: ast.AST) -> set[str]:
    """List every identifier in code, whatever it refers to: too many rather than too few."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and str(node.value).isidentifier():
            # An annotation in quotes.
            found.add(str(node.value))
    return found
