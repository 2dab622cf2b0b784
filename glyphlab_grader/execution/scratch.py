"""A temporary folder that goes with its process; what a killed one left, the next one removes."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["scratch_folder"]

#: Seconds after which a folder that nobody holds was left, and is not one just being made.
_LEFT_SECONDS = 600.0


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """Make a folder that others can pass through and cannot list.

    Parameters
    ----------
    prefix : str
        What its name begins with; older ones of that name that nobody holds are removed.

    Yields
    ------
    pathlib.Path
        The folder, removed at the end.
    """
    _remove_left(prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # Held until this process ends, in whatever way.
        fcntl.flock(held, fcntl.LOCK_EX)
        folder.chmod(0o711)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _remove_left(prefix: str) -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):
            opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                about = os.fstat(opened)
                if about.st_uid == os.getuid() and time.time() - about.st_mtime > _LEFT_SECONDS:
                    fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder)
            finally:
                os.close(opened)
