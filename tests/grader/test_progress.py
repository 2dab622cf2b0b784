import io

from glyphlab_grader.outcome import Fault, Outcome
from glyphlab_grader.progress import progress

GOOD = Outcome.graded("ada", "T1", 5.0, 5.0, [], "r", 1.0)
BAD = Outcome.failed("bob\x1b[2J", "T1", 5.0, [Fault(None, "corrupt", "no")], "r", 1.0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_plain_lines_where_nobody_watches() -> None:
    stream = io.StringIO()
    with progress(stream) as tell:
        tell(1, 10, GOOD)
        tell(2, 10, BAD)
    assert stream.getvalue() == (
        "[ 1/10] ada T1: graded, 5/5, 1.0 s\n[ 2/10] bob\\x1b[2J T1: failed, -/5, 1.0 s\n"
    )


def test_a_bar_on_a_terminal_and_what_failed_above_it() -> None:
    stream = Terminal()
    with progress(stream) as tell:
        tell(1, 2, GOOD)
        tell(2, 2, BAD)
    shown = stream.getvalue()
    assert "2/2, " in shown
    assert " left" in shown
    assert "ada" not in shown
    assert "[2/2] bob\\x1b[2J T1: failed, -/5, 1.0 s\n" in shown
