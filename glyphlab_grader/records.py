"""Outcomes kept from one run to the next, so that what did not change is not graded again."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from glyphlab_grader.course import Course
from glyphlab_grader.files import replace_file, walk
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


@dataclass(frozen=True)
class _Record:
    key: str
    answers: dict[str, str]
    outcome: Outcome | None
    before: Outcome | None


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
        found = self._read(student, notebook)
        return found.outcome if found.key == key else None

    def answers(self, student: str, notebook: str) -> dict[str, str]:
        """Return the digests of the answers that a person may have graded, as last seen."""
        return self._read(student, notebook).answers

    def latest(self, student: str, notebook: str) -> tuple[Outcome | None, Outcome | None]:
        """Return the present outcome, and the one that it took the place of."""
        found = self._read(student, notebook)
        return found.outcome, found.before

    def keep(self, outcome: Outcome, key: str, answers: dict[str, str]) -> None:
        """Keep an outcome, and the digests of answers graded by hand, for the next run."""
        before = self._read(outcome.student, outcome.notebook)
        previous = before.before if before.outcome is None else before.outcome
        self._write(outcome.student, outcome.notebook, _Record(key, answers, outcome, previous))

    def keep_failed(self, outcome: Outcome) -> None:
        """Keep the outcome of a submission that failed, which the next run tries again."""
        self.keep(outcome, "", self.answers(outcome.student, outcome.notebook))

    def forget(self, student: str, notebook: str) -> None:
        """Make the outcome an earlier one, because the submission is about to be graded again."""
        found = self._read(student, notebook)
        if found.outcome is not None:
            self._write(student, notebook, _Record("", found.answers, None, found.outcome))

    def _read(self, student: str, notebook: str) -> "_Record":
        try:
            data = json.loads(self._path(student, notebook).read_text(encoding="utf-8"))
            outcomes = (data.get("outcome"), data.get("before"))
            present, before = (None if o is None else Outcome.from_json(o) for o in outcomes)
            return _Record(str(data.get("key", "")), dict(data["answers"]), present, before)
        except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
            return _Record("", {}, None, None)

    def _write(self, student: str, notebook: str, record: "_Record") -> None:
        path = self._path(student, notebook)
        path.parent.mkdir(parents=True, exist_ok=True)
        outcomes = {
            name: None if outcome is None else outcome.as_json()
            for name, outcome in (("outcome", record.outcome), ("before", record.before))
        }
        text = json.dumps({"key": record.key, "answers": record.answers, **outcomes}, indent=2)
        replace_file(path, text + "\n")

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
    for path in sorted(walk(folder)):
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
