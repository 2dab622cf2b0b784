"""The feedback page: nbgrader's, closed to every other host."""

from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader import handlers

__all__ = ["FeedbackExporter"]

_TEMPLATES = Path(__file__).parent / "templates"


class FeedbackExporter(HTMLExporter):
    """Writes nbgrader's feedback page with a policy that forbids it to load anything.

    Neither the page nor what a student puts into it can run a script or ask another host for
    something; formulas stand as they are written.
    """

    def _load_config(self, cfg: Any, *args: Any, **options: Any) -> None:
        """Put our template over nbgrader's, which nbgrader names for every HTML page."""
        super()._load_config(cfg, *args, **options)
        self.template_name = "glyphlab_feedback"
        self.extra_template_basedirs = [str(_TEMPLATES), handlers.template_path]
        # Where "feedback/index.html.j2", which ours extends, is found; the styles stay in front.
        if handlers.template_path not in self.extra_template_paths:
            self.extra_template_paths = [*self.extra_template_paths, handlers.template_path]
