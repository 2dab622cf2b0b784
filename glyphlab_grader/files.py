"""Writing a file whole or not at all, and removing what may not be there."""

import os
import shutil
import tempfile
from pathlib import Path

from glyphlab_grader.errors import GraderError

__all__ = ["remove", "replace_file"]


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
