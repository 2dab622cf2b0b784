"""Run the pages' kernels: as many at a time as there are processors, and encrypted.

Sphinx reads one page after the other, and MyST-NB executes each while it is read. Here the pages
that are to be read and are not in the execution cache are executed first, side by side; MyST-NB
then finds them there. A page that fails is left to MyST-NB, which executes it again and says where
it failed. Kernels talk over TCP, and warn on stderr where they do so in the clear.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import zmq
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core.execute import cache as myst_nb_execution
from myst_nb.core.read import create_nb_reader
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from traitlets.config import Config

ENCRYPTION = "auto" if zmq.has("curve") else "disabled"
execute = partial(
    single_nb_execution, config=Config({"KernelManager": {"transport_encryption": ENCRYPTION}})
)


def notebook_of(env: BuildEnvironment, docname: str) -> NotebookNode | None:
    """Return a page as the notebook that MyST-NB will look for in the cache."""
    path = Path(env.doc2path(docname))
    if path.suffix != ".md":
        return None
    text = path.read_text(encoding="utf-8")
    reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)  # type: ignore[attr-defined]
    return None if reader is None else reader.read(text)


def _is_cached(cache: JupyterCacheAbstract, notebook: NotebookNode) -> bool:
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return False
    return True


def _execute(notebook: NotebookNode, timeout: int) -> ExecutionResult:
    with TemporaryDirectory() as folder:
        return execute(notebook, cwd=folder, timeout=timeout, allow_errors=False)


def execute_pages(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    config = env.mystnb_config  # type: ignore[attr-defined]
    cache = get_cache(config.execution_cache_path)
    # The longest pages first: they are likely to run longest.
    pages = sorted(docnames, key=lambda name: -Path(env.doc2path(name)).stat().st_size)
    notebooks = [(name, notebook_of(env, name)) for name in pages]
    missing = {n: nb for n, nb in notebooks if nb is not None and not _is_cached(cache, nb)}
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = pool.map(partial(_execute, timeout=config.execution_timeout), missing.values())
        for name, result in zip(missing, results, strict=True):
            if result.err is None:
                data = {"execution_seconds": result.time}
                bundle = CacheBundleIn(result.nb, env.doc2path(name), data=data)
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def setup(app: Sphinx) -> dict[str, Any]:
    if not hasattr(myst_nb_execution, "single_nb_execution"):
        raise ExtensionError("MyST-NB executes notebooks elsewhere now: see kernels")
    myst_nb_execution.single_nb_execution = execute
    # After the lint, which has nothing to wait for.
    app.connect("env-before-read-docs", execute_pages, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
