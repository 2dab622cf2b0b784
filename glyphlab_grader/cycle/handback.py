"""nbgrader's release of feedback, where not everybody handed in through the exchange.

What came through the exchange has a time and a secret, by which its student finds the page.
nbgrader breaks off at the first submission that has none, and whoever comes after gets nothing.
"""

import glob
from collections.abc import Mapping
from pathlib import Path

from nbgrader.exchange.default import ExchangeReleaseFeedback

from glyphlab_grader.names import printable

__all__ = ["ReleaseWhatCan"]

_ADDRESS = ("timestamp.txt", "submission_secret.txt")


class ReleaseWhatCan(ExchangeReleaseFeedback):  # type: ignore[misc]
    """What ``nbgrader release_feedback`` and the formgrader use in this course.

    Who cannot find a page is told in a line each, and together at the end.
    """

    src_path: str

    def start(self) -> None:
        """Release what can be released, and tell what cannot."""
        self.init_src()
        folders = self._folders()
        left = {folder: missing for folder in folders if (missing := _missing(folder))}
        self._released = [folder for folder in folders if folder not in left]
        # Where nobody handed in through the exchange, it need not even be there.
        if self._released or not left:
            super().start()
        self._tell(left)

    def copy_files(self) -> None:
        """Release the feedback of one student after the other."""
        everyone = self.src_path
        for folder in self._released:
            self.src_path = glob.escape(str(folder))
            super().copy_files()
        self.src_path = everyone

    def _folders(self) -> list[Path]:
        """List the folders with pages that are to be released."""
        excluded = set(self.coursedir.student_id_exclude.split(","))
        found = sorted(map(Path, glob.glob(self.src_path)))
        return [f for f in found if f.parent.name not in excluded and any(f.glob("*.html"))]

    def _tell(self, left: Mapping[Path, str]) -> None:
        """Say whose pages stay here, and why."""
        names = [printable(folder.parent.name, 60) for folder in left]
        for student, missing in zip(names, left.values(), strict=True):
            self.log.warning("%s: feedback not released, for want of %s", student, missing)
        if left:
            pages = self.coursedir.format_path(
                self.coursedir.feedback_directory, "STUDENT", self.coursedir.assignment_id
            )
            self.log.warning(
                "Not handed in through the exchange; hand back yourself what is in %s: %s",
                pages,
                ", ".join(names),
            )


def _missing(folder: Path) -> str:
    """Name what nbgrader needs and cannot read there; empty where all is well."""
    for name in _ADDRESS:
        try:
            (folder / name).read_text()
        except (OSError, UnicodeError):
            return name
    return ""
