"""A build that ended with warnings is not remembered.

With ``-W --keep-going`` Sphinx stores the pages it read, those with warnings too, so that the next
build, having nothing to read again, would pass. This extension drops what was stored.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import ENV_PICKLE_FILENAME, Sphinx


def forget_failed_build(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app._warncount:
        Path(app.doctreedir, ENV_PICKLE_FILENAME).unlink(missing_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", forget_failed_build, priority=999)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
