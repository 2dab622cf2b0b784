"""``python -m glyphlab`` is the command ``glyphlab``."""

import sys

from glyphlab.cli import main

if __name__ == "__main__":
    sys.exit(main())
