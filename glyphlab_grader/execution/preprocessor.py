"""nbgrader's execution step, in sandboxes: plain ``nbgrader autograde`` and the formgrader use it.

In ``nbgrader_config.py``, put `SandboxedExecute` where `Autograde.autograde_preprocessors` has
nbgrader's own ``Execute``.
"""

import atexit
import threading
from dataclasses import fields
from typing import Any

from nbformat.notebooknode import from_dict
from nbgrader.preprocessors import Execute
from traitlets import Dict, Integer, TraitError, validate

from glyphlab_grader.execution.grader import Grader
from glyphlab_grader.execution.limits import Limits
from glyphlab_grader.execution.outcome import Execution

__all__ = ["SandboxedExecute", "prepare", "run_without_sandbox", "shared_grader"]

_lock = threading.Lock()
_shared: Grader | None = None
_sandboxed = True


def run_without_sandbox() -> None:
    """Run students' code as the instructor, unprotected, as nbgrader itself does.

    There is no option for this, so that nobody does it by the way: call it in
    ``nbgrader_config.py``.
    """
    global _sandboxed
    _sandboxed = False


def prepare() -> None:
    """Start this process's grader now, so that a machine that cannot grade says so at once."""
    if _sandboxed:
        shared_grader()


def shared_grader() -> Grader:
    """Give this process's grader, started when it is first asked for."""
    global _shared
    if _shared is None:
        _shared = Grader().__enter__()
        atexit.register(end_shared_grader)
    return _shared


def end_shared_grader() -> None:
    """End this process's grader; the next notebook starts another."""
    global _shared
    ended, _shared = _shared, None
    if ended is not None:
        ended.__exit__(None, None, None)


class SandboxedExecute(Execute):  # type: ignore[misc]
    """Executes a notebook with students' cells in one sandboxed process and tests in another."""

    limits = Dict(
        help="Bounds of one notebook, by the names of glyphlab_grader.execution.Limits; "
        "cell_seconds is the option `timeout`."
    ).tag(config=True)
    forbidden = Dict(
        help="What students' processes have stand-ins for: lists of names of the course's "
        "packages, by assignment and notebook ('ch23_1/F3')."
    ).tag(config=True)
    seed = Integer(0, help="For the global random generators, the same in each notebook.").tag(
        config=True
    )

    @validate("limits")
    def _check_limits(self, proposal: Any) -> Any:
        known = {field.name for field in fields(Limits)} - {"cell_seconds"}
        for name in proposal["value"]:
            if name not in known:
                raise TraitError(f"limits has no {name!r}; it has {', '.join(sorted(known))}")
        try:
            Limits(**proposal["value"])
        except ValueError as error:
            raise TraitError(f"limits: {error}") from None
        return proposal["value"]

    def preprocess(self, nb: Any, resources: Any, km: Any = None) -> tuple[Any, Any]:
        """Execute the notebook; see nbconvert's `ExecutePreprocessor`."""
        if not _sandboxed:
            self.log.warning("Running a student's code without a sandbox.")
            return tuple(super().preprocess(nb, resources, km))
        place = resources.get("nbgrader", {})
        name = f"{place.get('assignment')}/{place.get('notebook')}"
        chosen: dict[str, Any] = dict(self.limits)
        if self.timeout is not None:
            chosen["cell_seconds"] = float(self.timeout)
        with _lock:
            try:
                execution = shared_grader().run(
                    nb,
                    Limits(**chosen),
                    forbidden=self.forbidden.get(name, ()),
                    seed=self.seed,
                    on_cell=self._tell,
                )
            except OSError:
                # The warm parent is gone or hangs: not for the notebooks after this one.
                end_shared_grader()
                raise
        execution.notebook.metadata.setdefault("language_info", from_dict({"name": "python"}))
        self.executed(execution, resources)
        return execution.notebook, resources

    def executed(self, execution: Execution, resources: Any) -> None:
        """Note what running a notebook gave; a subclass may keep it."""
        resources["execution"] = execution
        for fault in execution.faults:
            self.log.warning("%s: %s: %s", fault.cell, fault.kind, fault.message)

    def _tell(self, cell: Any, index: int) -> None:
        if self.on_cell_start is not None:
            self.on_cell_start(cell=cell, cell_index=index)
