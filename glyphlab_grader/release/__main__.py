"""``python -m glyphlab_grader.release``: write ``exercises/`` from ``solutions/``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from glyphlab_grader.errors import GraderError

from .generate import release
from .solution import CannotTry


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m glyphlab_grader.release",
        description="Cut the released notebooks from the instructor's.",
    )
    parser.add_argument("assignments", nargs="*", help="default: all in solutions/")
    parser.add_argument(
        "--if-safe",
        action="store_true",
        help="where this machine has no sandbox for the solutions, say so and change nothing",
    )
    parser.add_argument("--root", type=Path, default=Path("."), help="the course's folder")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    names = options.assignments or sorted({p.parent.name for p in root.glob("solutions/*/*.ipynb")})
    try:
        for name in names:
            for path in release(root, name):
                print(path.relative_to(root))
    except CannotTry as error:
        print(error, file=sys.stderr)
        return 0 if options.if_safe else 2
    except GraderError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
