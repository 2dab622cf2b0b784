"""Outcomes kept from one run to the next, so that what did not change is not graded again."""

import hashlib
import json
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from glyphlab_grader.course import Course
from glyphlab_grader.files import remove, replace_file
from glyphlab_grader.outcome import Outcome

__all__ = ["Records", "fingerprint"]

# What can change a score without any change in the submission or its tests.
_PACKAGES = (
    "ipykernel",
    "ipython",
    "matplotlib",
    "nbclient",
    "nbgrader",
    "numpy",
    "scipy",
    "torch",
)
_OWN_PACKAGES = ("glyphlab_core", "glyphlab", "glyphlab_grader")


class Records:
    """The kept outcomes of one assignment.

    Parameters
    ----------
    course : Course
        The course.
    assignment : str
        The assignment.
    """

    def __init__(self, course: Course, assignment: str) -> None:
        self.folder = course.work / "outcomes" / assignment

    def find(self, student: str, notebook: str, key: str) -> Outcome | None:
        """Return the outcome of the same submission under the same tests, if it was graded."""
        try:
            data = json.loads(self._path(student, notebook).read_text(encoding="utf-8"))
            outcome = Outcome.from_json(data["outcome"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None
        return outcome if data["key"] == key and outcome.outcome != "failed" else None

    def keep(self, outcome: Outcome, key: str) -> None:
        """Keep an outcome for the next run."""
        path = self._path(outcome.student, outcome.notebook)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps({"key": key, "outcome": outcome.as_json()}, indent=2) + "\n")

    def forget(self, student: str, notebook: str) -> None:
        """Drop an outcome, because the submission is about to be graded again."""
        remove(self._path(student, notebook))

    def _path(self, student: str, notebook: str) -> Path:
        return self.folder / student / f"{notebook}.json"


def fingerprint(
    folder: Path, notebook: str, tests: dict[str, str], limits: Iterable[object]
) -> str:
    """Digest everything that a submission's score depends on.

    Parameters
    ----------
    folder : Path
        What the student handed in: the notebook and the files beside it, other notebooks not.
    notebook : str
        The notebook, without ``.ipynb``.
    tests : dict of str to str
        The assignment's cells in the gradebook, id to source.
    limits : iterable
        The limits under which it is graded.

    Returns
    -------
    str
        A SHA-256 in hexadecimal.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        other = path.suffix == ".ipynb" and path.name != f"{notebook}.ipynb"
        if path.is_file() and not path.is_symlink() and not other:
            digest.update(repr(str(path.relative_to(folder))).encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    digest.update(json.dumps([tests, list(map(str, limits)), _environment()]).encode())
    return digest.hexdigest()


def _environment() -> list[str]:
    """Describe what the submission is executed with: versions, and our own code's digest."""
    versions = [f"{name} {metadata.version(name)}" for name in _PACKAGES]
    here = Path(__file__).resolve().parent.parent
    code = hashlib.sha256()
    for package in _OWN_PACKAGES:
        for path in sorted((here / package).rglob("*.py")):
            code.update(path.read_bytes())
    return [*versions, code.hexdigest()]
