"""Names that stand for students, the same in each report of a course and of no use outside it."""

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable
from pathlib import Path

__all__ = ["pseudonyms"]


def pseudonyms(work: Path) -> Callable[[str], str]:
    """Return what gives a student's pseudonym.

    Parameters
    ----------
    work : Path
        The course's folder for grading. Its file ``pseudonyms.key`` is made where it is missing;
        who has it can tell whom a pseudonym stands for, who has not cannot.

    Returns
    -------
    callable
        From student id to pseudonym.
    """
    path = work / "pseudonyms.key"
    if not path.exists():
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as stream:
            stream.write(secrets.token_hex(32))
    key = path.read_bytes()

    def name(student: str) -> str:
        digest = hmac.new(key, student.encode(errors="surrogateescape"), hashlib.sha256)
        return f"P-{digest.hexdigest()[:10]}"

    return name
