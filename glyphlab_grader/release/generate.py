"""Writes the released notebooks from the instructor's, through nbgrader's own generator."""

import copy
import logging
import shutil
import tempfile
from pathlib import Path
from typing import Any

from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from glyphlab_grader.course import open_course
from glyphlab_grader.errors import GraderError

from .canonical import canonical, write
from .solution import require_full_marks

__all__ = ["generate", "release"]


def generate(root: Path, assignment: str) -> dict[str, str]:
    """Generate the released notebooks of an assignment, and write nothing into the course.

    The gradebook is left alone: it learns of an assignment when the instructor generates it there.

    Parameters
    ----------
    root : Path
        The course's folder, with ``nbgrader_config.py``.
    assignment : str
        A folder of the source directory.

    Returns
    -------
    dict of str to str
        The text of each released notebook, by file name.

    Raises
    ------
    GraderError
        If nbgrader refuses a notebook, or one is not in its canonical form.
    """
    course = open_course(root)
    sources = course.source(assignment)
    paths = _notebooks(sources)
    if not paths:
        raise GraderError(f"{sources}: holds no notebook")
    for path in paths:
        _require_canonical(path)
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        shutil.copytree(sources, work / "source" / assignment)
        _run(_scratch_config(course.app.config, work, assignment))
        released = work / "release" / assignment
        return {path.name: path.read_text(encoding="utf-8") for path in _notebooks(released)}


def release(root: Path, assignment: str) -> list[Path]:
    """Write an assignment's released notebooks into the course's release directory.

    The solutions are graded first, as students' notebooks are.

    Parameters
    ----------
    root : Path
        The course's folder.
    assignment : str
        A folder of the source directory.

    Returns
    -------
    list of Path
        The files whose content changed, were added or were removed.

    Raises
    ------
    GraderError
        If nbgrader refuses a notebook, or a solution loses points; the old release stays.
    """
    course = open_course(root)
    folder = course.release(assignment)
    fresh = generate(root, assignment)
    converter = GenerateAssignment(coursedir=course.directory, parent=course.app)
    require_full_marks(converter, assignment, _notebooks(course.source(assignment)))
    folder.mkdir(parents=True, exist_ok=True)
    changed = []
    for path in _notebooks(folder):
        if path.name not in fresh:
            path.unlink()
            changed.append(path)
    for name, text in fresh.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write(path, text)
            changed.append(path)
    return changed


def _notebooks(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.ipynb"))


def _require_canonical(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    try:
        same = canonical(text) == text
    except ValueError as error:
        raise GraderError(f"{path}: {error}") from error
    if not same:
        raise GraderError(
            f"{path}: not in its canonical form; run python -m glyphlab_grader.release.canonical"
        )


def _scratch_config(course_config: Config, folder: Path, assignment: str) -> Config:
    """Keep the course's settings, but let the generator work in a folder of its own."""
    config = copy.deepcopy(course_config)
    # Here solutions are cut, not judged: `release` does that.
    config.GenerateAssignment.pop("exporter_class", None)
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.source_directory = "source"
    config.CourseDirectory.release_directory = "release"
    config.CourseDirectory.db_url = f"sqlite:///{folder / 'gradebook.db'}"
    config.CourseDirectory.assignment_id = assignment
    config.GenerateAssignment.no_database = True
    config.SaveCells.enabled = False
    return config


def _run(config: Config) -> None:
    converter: Any = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config)
    # nbgrader's generator repeats its messages on standard error; what matters, it raises.
    converter.log.setLevel(logging.CRITICAL)
    try:
        converter.start()
    except Exception as error:
        raise GraderError(f"nbgrader cannot generate the release: {error}") from error
