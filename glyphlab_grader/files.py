"""Files: written whole or not at all, removed where they are, and strangers' looked through."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from glyphlab_grader.errors import GraderError

__all__ = ["DEEPEST", "Unfit", "check_files", "remove", "replace_file", "walk"]

DEEPEST = 50
"""Folders in folders of a submission that is taken. Python's own walks end near a thousand."""


class Unfit(Exception):
    """What was handed in is not taken; the message says why."""


def replace_file(path: Path, text: str) -> None:
    """Put text into a file in one step, so that nobody ever sees half of it.

    Parameters
    ----------
    path : Path
        The file; an older one is replaced.
    text : str
        Its new content, written as UTF-8.

    Raises
    ------
    GraderError
        If the file cannot be written.
    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            # Output of students' code may hold what is no character; it is shown as "?".
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as stream:
                stream.write(text)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise GraderError(f"cannot write {path}: {error.strerror}") from error


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder; nothing happens where there is none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def walk(folder: Path) -> Iterator[Path]:
    """Give all that lies in a folder, however deep, in no order; links in it are not followed."""
    waiting = [folder]
    while waiting:
        try:
            found = list(waiting.pop().iterdir())
        except PermissionError:
            continue
        for path in found:
            yield path
            if path.is_dir() and not path.is_symlink():
                waiting.append(path)


def check_files(folder: Path, most: int) -> None:
    """Look whether the files of a submission can be read and copied.

    Parameters
    ----------
    folder : Path
        What was handed in.
    most : int
        Bytes of all files together. A sparse file counts as large as it says that it is, which is
        what reading and copying it takes.

    Raises
    ------
    Unfit
        If there is more, or folders are nested too deeply.
    """
    size = 0
    for path in walk(folder):
        if len(path.parent.relative_to(folder).parts) > DEEPEST:
            raise Unfit(f"folders are nested more than {DEEPEST} deep")
        status = path.lstat()
        size += status.st_size if stat.S_ISREG(status.st_mode) else 0
        if size > most:
            raise Unfit(f"there are more than the {most:,} bytes of max_dir_size")
