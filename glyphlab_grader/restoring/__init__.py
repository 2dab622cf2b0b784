"""Putting back in a submitted notebook what a student cannot change.

- `master`: what the notebook has to hold, from the release and the gradebook
- `claims`: which submitted cell is which cell of the master
- `restore`: the notebook put right, and what had to be done
- `preprocessor`: the same as a step of nbgrader's autograde
"""

from glyphlab_grader.restoring.master import Master, MasterCell, load_master
from glyphlab_grader.restoring.restore import restore

__all__ = ["Master", "MasterCell", "load_master", "restore"]
