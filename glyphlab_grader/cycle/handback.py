"""nbgrader's release of feedback, where not everybody handed in through the exchange.

What came through the exchange has a time and a secret, by which its student finds the page.
nbgrader breaks off at the first submission that has none, and whoever comes after gets nothing.
"""

import glob
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

    def copy_files(self) -> None:
        """Release the feedback of one student after the other."""
        left = []
        everyone = self.src_path
        excluded = set(self.coursedir.student_id_exclude.split(","))
        for folder in sorted(map(Path, glob.glob(everyone))):
            student = printable(folder.parent.name, 60)
            if folder.parent.name in excluded or not any(folder.glob("*.html")):
                continue
            if missing := _missing(folder):
                self.log.warning("%s: feedback not released, for want of %s", student, missing)
                left.append(student)
                continue
            self.src_path = glob.escape(str(folder))
            super().copy_files()
        self.src_path = everyone
        if left:
            pages = self.coursedir.format_path(
                self.coursedir.feedback_directory, "STUDENT", self.coursedir.assignment_id
            )
            self.log.warning(
                "Not handed in through the exchange; hand back yourself what is in %s: %s",
                pages,
                ", ".join(left),
            )


def _missing(folder: Path) -> str:
    """Name what nbgrader needs and cannot read there; empty where all is well."""
    for name in _ADDRESS:
        try:
            (folder / name).read_text()
        except (OSError, UnicodeError):
            return name
    return ""
