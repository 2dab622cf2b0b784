"""What the sandboxes of the student and of the judge show of the file system."""

import sys
from collections.abc import Sequence
from pathlib import Path

from glyphlab_grader.execution.holder import COURSE, View
from glyphlab_grader.execution.packages import (
    STUDENT_PACKAGES,
    interpreter_folders,
    site_folders,
    visible_entries,
)

__all__ = ["judge_view", "package_folder", "stage_view", "student_view"]

#: Packages of the course, one way of imports.
COURSE_PACKAGES = ("glyphlab_core", "glyphlab", "glyphlab_grader")


def package_folder(name: str) -> Path:
    """Give the folder of one of the course's packages; they lie side by side.

    They are not looked for along `sys.path`: nbgrader puts the present folder in front, and a copy
    of the packages there is not what the sandboxes import.
    """
    folder = Path(__file__).resolve().parents[2] / name
    if not folder.is_dir():
        raise ModuleNotFoundError(f"the package {name} is not installed", name=name)
    return folder


def student_view(edition: Path | None, shown: Sequence[str] = ()) -> View:
    """Show a student the system, the interpreter, a few packages, and an edition of the course."""
    if edition is None:
        return View(folders=(*judge_view().folders, *shown))
    interpreter = interpreter_folders()
    entries = visible_entries(STUDENT_PACKAGES)
    return View(
        folders=(*_texts(interpreter), *shown),
        hidden=_texts(site_folders()),
        entries=_texts(entries),
        placed=((str(edition), COURSE),),
    )


def judge_view() -> View:
    """Show the judge the system, the interpreter, and every package that the grader can import."""
    return View(folders=_texts([*interpreter_folders(), *_installed()]))


def stage_view(editions: Path, shown: Sequence[str] = ()) -> View:
    """Show the warm parent of a root grader what either of the others may see."""
    environment = Path(sys.prefix)
    own = _texts([*interpreter_folders(), environment, *_installed(), editions])
    return View(folders=(*own, *shown))


def _installed() -> list[Path]:
    """List the folders of packages, and the course's own where they are installed from sources."""
    sites = [f for f in site_folders() if not f.is_relative_to("/usr")]
    sources = [package_folder(name) for name in COURSE_PACKAGES]
    return [*sites, *(s for s in sources if not any(s.is_relative_to(f) for f in sites))]


def _texts(paths: "list[Path] | tuple[Path, ...]") -> tuple[str, ...]:
    return tuple(map(str, paths))
