"""What the sandboxes of the student and of the judge show of the file system."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from glyphlab_grader.execution.holder import COURSE, View
from glyphlab_grader.execution.packages import (
    STUDENT_PACKAGES,
    interpreter_folders,
    site_folders,
    visible_entries,
)

__all__ = ["judge_view", "package_folder", "packing", "stage_view", "student_view"]

#: Packages of the course, one way of imports.
COURSE_PACKAGES = ("glyphlab_core", "glyphlab", "glyphlab_grader")

NOTHING: Mapping[Path, Path] = MappingProxyType({})


def package_folder(name: str) -> Path:
    """Give the folder of one of the course's packages; they lie side by side.

    They are not looked for along `sys.path`: nbgrader puts the present folder in front, and a copy
    of the packages there is not what the sandboxes import.
    """
    folder = Path(__file__).resolve().parents[2] / name
    if not folder.is_dir():
        raise ModuleNotFoundError(f"the package {name} is not installed", name=name)
    return folder


def student_view(
    edition: Path | None, shown: Sequence[str] = (), packed: Mapping[Path, Path] = NOTHING
) -> View:
    """Show a student the system, the interpreter, a few packages, and an edition of the course.

    Each mount takes its time. Where `stage_view` has put packages together, as `packed` says, one
    mount shows all that lie in one folder.
    """
    if edition is None:
        return View(folders=(*judge_view().folders, *shown))
    apart = [entry for entry in visible_entries(STUDENT_PACKAGES) if entry.parent not in packed]
    return View(
        folders=(*_texts(interpreter_folders()), *shown),
        hidden=_texts(tuple(folder for folder in site_folders() if folder not in packed)),
        entries=_texts(apart),
        placed=(
            (str(edition), COURSE),
            *((str(together), str(folder)) for folder, together in packed.items()),
        ),
    )


def judge_view() -> View:
    """Show the judge the system, the interpreter, and every package that the grader can import."""
    return View(folders=_texts([*interpreter_folders(), *_installed()]))


def stage_view(
    editions: Path, shown: Sequence[str] = (), packed: Mapping[Path, Path] = NOTHING
) -> View:
    """Show the warm parent of a root grader what either of the others may see.

    What students may see of the folders in `packed` is shown besides where that says.
    """
    environment = Path(sys.prefix)
    own = _texts([*interpreter_folders(), environment, *_installed(), editions])
    entries = [entry for entry in visible_entries(STUDENT_PACKAGES) if entry.parent in packed]
    return View(
        folders=(*own, *shown),
        hidden=_texts(tuple(packed.values())),
        placed=tuple((str(entry), str(packed[entry.parent] / entry.name)) for entry in entries),
    )


def packing(folder: Path) -> dict[Path, Path]:
    """Make an empty folder in `folder` for each that a student's packages lie in, and say which."""
    parents = sorted({entry.parent for entry in visible_entries(STUDENT_PACKAGES)})
    packed = {parent: folder / f"packages-{number}" for number, parent in enumerate(parents)}
    for together in packed.values():
        together.mkdir()
    return packed


def _installed() -> list[Path]:
    """List the folders of packages, and the course's own where they are installed from sources."""
    sites = [f for f in site_folders() if not f.is_relative_to("/usr")]
    sources = [package_folder(name) for name in COURSE_PACKAGES]
    return [*sites, *(s for s in sources if not any(s.is_relative_to(f) for f in sites))]


def _texts(paths: "list[Path] | tuple[Path, ...]") -> tuple[str, ...]:
    return tuple(map(str, paths))
