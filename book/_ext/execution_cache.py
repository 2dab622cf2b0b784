"""Execute a chapter again when what it imports has changed.

The execution cache knows a notebook by its code cells alone: a change in ``glyphlab_core``, in the
data or in numpy would leave stale results on the page. This extension keeps the cache in a folder
named after a digest of all three, and marks every page as out of date when the digest changes.
"""

from __future__ import annotations

import shutil
import sys
from importlib import metadata, util
from pathlib import Path
from typing import Any

from digests import digest_of
from sphinx.application import Sphinx
from sphinx.config import Config

PACKAGES = ("glyphlab_core", "glyphlab")
LIBRARIES = ("numpy", "scipy", "matplotlib", "torch", "scikit-learn")


def _folder(package: str) -> Path:
    spec = util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"The book needs {package}: run `pip install .` first.")
    return Path(spec.origin).parent


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "absent"


def environment_digest() -> str:
    """Return a digest of the packages' files, their data and the libraries' versions."""
    versions = [f"{library}=={_version(library)}" for library in LIBRARIES]
    return digest_of(map(_folder, PACKAGES), sys.version, *versions)


def place_cache(app: Sphinx, config: Config) -> None:
    """Name the cache's folder after the digest and drop the caches of older digests."""
    config.execution_environment = environment_digest()
    caches = Path(app.outdir).parent / ".jupyter_cache"
    if caches.is_dir():
        for stale in caches.iterdir():
            if stale.name != config.execution_environment:
                shutil.rmtree(stale) if stale.is_dir() else stale.unlink()
    config.nb_execution_cache_path = str(caches / config.execution_environment)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("execution_environment", "", "env", [str])
    app.connect("config-inited", place_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
