"""The one exception that ends a command with a clear line and exit status 2."""


class GraderError(Exception):
    """The command cannot run as it was called; the message is a single line for the instructor."""
