"""nbgrader's collection, closed to what a stranger can put into the exchange.

Everybody can write into the exchange's inbound folder. nbgrader takes each folder there for the
work of the student whose name it bears: ``nbgrader submit --student=other`` overwrites another's
work, a link is followed with the instructor's rights, and one odd folder ends the collection for
the whole class. Here a folder that is not what ``nbgrader submit`` makes is refused and told; it
stands in the way of no other, an earlier one of the same student included.
"""

import os
import pwd
import shutil
import stat
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from nbgrader.exchange.default import ExchangeCollect

from glyphlab_grader.files import DEEPEST
from glyphlab_grader.names import name_problem, printable

__all__ = ["CheckedCollect"]


class CheckedCollect(ExchangeCollect):  # type: ignore[misc]
    """What ``nbgrader collect`` and the formgrader use in this course.

    With ``c.ExchangeCollect.check_owner`` (nbgrader's option, on unless a course switches it off) a
    submission belongs to the user whose name is the student's id. What the collecting user owns is
    taken too: an instructor may hand in for a student.
    """

    check_owner: bool
    src_records: list[dict[str, Any]]

    def init_src(self) -> None:
        """Find the newest submission of each student among those that are not refused."""
        super().init_src()
        self.src_records = [r for r in self.src_records if r["username"] is not None]

    def copy_files(self) -> None:
        """Copy them, without nbgrader's question about owners, which is answered by now."""
        chosen, self.check_owner = self.check_owner, False
        try:
            super().copy_files()
        finally:
            self.check_owner = chosen

    def _path_to_record(self, path: str) -> dict[str, Any]:
        """Read who handed in what and when; a refused submission is nobody's."""
        try:
            return self._checked(Path(path))
        except _Refused as refusal:
            self._tell(path, refusal)
        return {"username": None, "filename": Path(path).name, "timestamp": datetime.min}

    def _checked(self, folder: Path) -> dict[str, Any]:
        try:
            record: dict[str, Any] = super()._path_to_record(str(folder))
        except Exception:
            # nbgrader's own failure, or whatever its reader of dates raises.
            raise _Refused("nbgrader gives no such name") from None
        student = record["username"]
        if problem := name_problem(student):
            raise _Refused(f"the student id {problem}")
        owner = _owner(folder)
        if self.check_owner and owner != _collector() and _name(owner) != student:
            raise _Refused(f"it claims to be {student}'s and belongs to {_name(owner)}")
        noted = None
        for name, file in _files(folder, owner, self._most):
            if name == Path("timestamp.txt"):
                noted = os.read(file, 100).decode(errors="replace").strip()
        # nbgrader reads this file at the next collection, and gives up on one that is no time.
        if noted is None or noted not in folder.name.split("+"):
            raise _Refused("its timestamp.txt is not the one that nbgrader writes")
        return record

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy a submission as it was checked: its owner may have changed it since."""
        with tempfile.TemporaryDirectory(prefix="glyphlab-collect-") as scratch:
            copy = Path(scratch, "submission")
            copy.mkdir()
            try:
                for name, file in _files(Path(src), _owner(Path(src)), self._most):
                    (copy / name).parent.mkdir(parents=True, exist_ok=True)
                    with open(file, "rb", closefd=False) as old, open(copy / name, "wb") as new:
                        shutil.copyfileobj(old, new)
                super().do_copy(str(copy), dest, log)
            except _Refused as refusal:
                self._tell(src, refusal)

    @property
    def _most(self) -> int:
        return 1000 * int(self.coursedir.max_dir_size)

    def _tell(self, path: str, refusal: "_Refused") -> None:
        name = printable(Path(path).name)
        self.log.error("%s is not collected: %s", name, printable(str(refusal)))


class _Refused(Exception):
    """What was handed in is not collected; the message says why."""


def _files(folder: Path, owner: int, most: int) -> Iterator[tuple[Path, int]]:
    """Open each file of a submission in turn; refuse what is not `owner`'s, links, and too much.

    Files are opened and then looked at, not the other way round, so that nothing can be put in
    their place in between.
    """
    size = 0
    try:
        for place, folders, files, handle in os.fwalk(folder, onerror=_fail):
            _check(os.fstat(handle), owner, Path(place).name)
            if len(Path(place).relative_to(folder).parts) > DEEPEST:
                raise _Refused(f"folders are nested more than {DEEPEST} deep")
            for name in (*folders, *files):
                _check(os.stat(name, dir_fd=handle, follow_symlinks=False), owner, name)
            for name in files:
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle)
                try:
                    _check(os.fstat(file), owner, name)
                    size += os.fstat(file).st_size
                    if size > most:
                        raise _Refused(f"it has more than the {most:,} bytes of max_dir_size")
                    yield Path(place, name).relative_to(folder), file
                finally:
                    os.close(file)
    except (OSError, RecursionError) as error:
        raise _Refused(f"it cannot be read: {error}") from None


def _check(status: os.stat_result, owner: int, name: str) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise _Refused(f"{name} is a symbolic link")
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise _Refused(f"{name} is no regular file")
    if status.st_uid != owner:
        raise _Refused(f"{name} belongs to {_name(status.st_uid)}, the folder to {_name(owner)}")


def _owner(folder: Path) -> int:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise _Refused("it is no folder")
    return status.st_uid


def _collector() -> int:
    """Return the user who collects."""
    return os.getuid()


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"


def _fail(error: OSError) -> NoReturn:
    raise error
