"""What a build leaves standing is what a build from nothing would make.

With ``-W --keep-going`` Sphinx stores the pages it read, those with warnings too, so that the next
build, having nothing to read again, would pass: what was stored is dropped.

And a page does not know which stylesheets, scripts and extensions made it. When an extension has
changed, or the grader, whose facts some of them tell, every page is read again; when an asset has,
every page is written again, with the asset's new checksum in its address, so that no browser shows
the old one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from digests import digest_of
from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.config import Config

import glyphlab_grader


def note_what_makes_pages(app: Sphinx, config: Config) -> None:
    config.extensions_digest = digest_of(
        [Path(__file__).parent, Path(glyphlab_grader.__file__).parent]
    )
    config.assets_digest = digest_of(Path(app.confdir, path) for path in config.html_static_path)


def forget_failed_build(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app._warncount:
        Path(app.doctreedir, ENV_PICKLE_FILENAME).unlink(missing_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("extensions_digest", "", "env", [str])
    app.add_config_value("assets_digest", "", "html", [str])
    app.connect("config-inited", note_what_makes_pages)
    app.connect("build-finished", forget_failed_build, priority=999)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
