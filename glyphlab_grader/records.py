"""Outcomes kept from one run to the next, so that what did not change is not graded again."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

from glyphlab_grader.course import Course
from glyphlab_grader.files import replace_file
from glyphlab_grader.outcome import Outcome
from glyphlab_grader.restoring.master import StoredCell

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
        return outcome if data["key"] == key else None

    def answers(self, student: str, notebook: str) -> dict[str, str]:
        """Return the digests of the answers that a person may have graded, as last seen."""
        try:
            data = json.loads(self._path(student, notebook).read_text(encoding="utf-8"))
            return dict(data["answers"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return {}

    def keep(self, outcome: Outcome, key: str, answers: dict[str, str]) -> None:
        """Keep an outcome, and the digests of answers graded by hand, for the next run."""
        path = self._path(outcome.student, outcome.notebook)
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {"key": key, "answers": answers, "outcome": outcome.as_json()}
        replace_file(path, json.dumps(kept, indent=2) + "\n")

    def forget(self, student: str, notebook: str) -> None:
        """Drop an outcome, because the submission is about to be graded again."""
        path = self._path(student, notebook)
        if path.exists():
            answers = self.answers(student, notebook)
            replace_file(path, json.dumps({"answers": answers}) + "\n")

    def _path(self, student: str, notebook: str) -> Path:
        return self.folder / student / f"{notebook}.json"


def fingerprint(
    folder: Path, notebook: str, tests: Mapping[str, StoredCell], settings: Iterable[object]
) -> str:
    """Digest everything that a submission's score depends on.

    Parameters
    ----------
    folder : Path
        What the student handed in: the notebook and the files beside it, other notebooks not.
    notebook : str
        The notebook, without ``.ipynb``.
    tests : mapping of str to StoredCell
        The assignment's cells in the gradebook.
    settings : iterable
        What else decides how it is graded: limits, options, the instructor's files.

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
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    sources = {name: cell.source for name, cell in tests.items()}
    digest.update(json.dumps([sources, list(map(str, settings)), *environment()]).encode())
    return digest.hexdigest()


@cache
def environment() -> tuple[str, ...]:
    """Describe what submissions are executed with: versions, and our own code's digest."""
    versions = [f"{name} {metadata.version(name)}" for name in _PACKAGES]
    here = Path(__file__).resolve().parent.parent
    code = hashlib.sha256()
    for package in _OWN_PACKAGES:
        for path in sorted((here / package).rglob("*.py")):
            code.update(path.read_bytes())
    return (*versions, code.hexdigest())
