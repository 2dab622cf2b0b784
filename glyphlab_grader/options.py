"""Options that several commands of ``glyphlab-grade`` take."""

import argparse

__all__ = ["add_database"]


def add_database(parser: argparse.ArgumentParser) -> None:
    """Let a command use another gradebook than the configured one."""
    parser.add_argument(
        "--db", metavar="URL", help="the gradebook's database (default: nbgrader_config.py's)"
    )
