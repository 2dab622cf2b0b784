"""Running notebooks that nobody vouches for, and believing the result.

A student's cells run in one sandboxed process, the master's test cells in another, which student
code never enters. Where to look:

- `grader`: `Grader`, what the rest of the package uses; `preprocessor`: nbgrader's step
- `limits`, `outcome`: what a notebook may use, and what running it gives
- `session`, `inmate`, `outputs`, `watching`: the grader's side of one notebook
- `parent`, `holder`, `entering`, `seccomp`: warm parent, sandbox, and how a fork gets into it
- `views`, `packages`, `library`: what the sandboxes show of the machine and of the course
- `interrupting`: when either of the following may be interrupted
- `student`, `shell`: the process that runs a student's cells
- `judge`, `proxies`, `testcode`: the process that runs the test cells
- `wire`, `errors`, `randomness`: what crosses between the two
"""

from glyphlab_grader.execution.grader import Grader
from glyphlab_grader.execution.holder import SandboxMissing
from glyphlab_grader.execution.limits import Limits
from glyphlab_grader.execution.outcome import Execution, Fault

__all__ = ["Execution", "Fault", "Grader", "Limits", "SandboxMissing"]
