"""Options of grading that stand in ``nbgrader_config.py``."""

from traitlets import Float
from traitlets.config import Configurable

__all__ = ["Grading"]


class Grading(Configurable):
    """What ``c.Grading.…`` in ``nbgrader_config.py`` sets.

    The time of a single cell is nbgrader's own ``c.Execute.timeout``.
    """

    notebook_timeout = Float(
        600.0, help="Seconds that one notebook may take, all its cells together."
    ).tag(config=True)
