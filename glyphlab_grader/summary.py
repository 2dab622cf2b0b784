"""The table that closes a run, and the line for each submission before it."""

from collections import Counter
from collections.abc import Sequence

from glyphlab_grader.names import printable
from glyphlab_grader.outcome import Fault, Outcome, Status

__all__ = ["progress_line", "summary"]

_HEADER = ("student", "notebook", "outcome", "score", "what happened")
_WORDS: dict[Status, str] = {
    "graded": "graded",
    "faults": "graded with faults",
    "absent": "not handed in",
    "failed": "failed",
}


def progress_line(done: int, total: int, outcome: Outcome) -> str:
    """Write the line that tells of one finished submission."""
    where = f"[{done:{len(str(total))}}/{total}]"
    student = printable(outcome.student, 40)
    return (
        f"{where} {student} {outcome.notebook}: {_WORDS[outcome.outcome]}, "
        f"{_score(outcome)}, {outcome.seconds:.1f} s"
    )


def summary(outcomes: Sequence[Outcome]) -> str:
    """Write the table of all outcomes, the line that counts them, and what a person has to do.

    Parameters
    ----------
    outcomes : sequence of Outcome
        At least one.

    Returns
    -------
    str
        Several lines, the last without its end.
    """
    rows = [_HEADER, *(_row(outcome) for outcome in outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        "  ".join([*(row[i].ljust(widths[i]) for i in range(4)), row[4]]).rstrip() for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in [*widths, len(_HEADER[4])]))
    counts = Counter(outcome.outcome for outcome in outcomes)
    lines += ["", ", ".join(f"{counts[status]} {words}" for status, words in _WORDS.items())]
    waiting = [outcome for outcome in outcomes if outcome.awaiting]
    if waiting:
        told = _awaiting(sum(outcome.awaiting for outcome in waiting))
        notebooks = f"{len(waiting)} notebook{'s' if len(waiting) > 1 else ''}"
        lines.append(f"{told}, in {notebooks}: 0 until then")
    outdated = sum(outcome.outdated for outcome in outcomes)
    if outdated:
        lines.append(f"{_outdated(outdated)}: they count until somebody looks again")
    return "\n".join(lines)


def _row(outcome: Outcome) -> tuple[str, str, str, str, str]:
    return (
        printable(outcome.student, 40),
        outcome.notebook,
        _WORDS[outcome.outcome],
        _score(outcome),
        _story(outcome),
    )


def _score(outcome: Outcome) -> str:
    maximum = "?" if outcome.max_score is None else f"{outcome.max_score:g}"
    return f"-/{maximum}" if outcome.score is None else f"{outcome.score:g}/{maximum}"


def _story(outcome: Outcome) -> str:
    """Tell the fault that says most, how many tests failed, and what waits."""
    tests = sum(fault.kind == "test" for fault in outcome.faults)
    others = _by_weight(outcome)
    parts = []
    if others:
        first = others[0]
        where = f"{printable(first.cell, 40)}: " if first.cell else ""
        more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
        parts.append(f"{where}{printable(first.message, 90)}{more}")
    if tests:
        parts.append(f"{tests} test{'s' if tests > 1 else ''} lost points")
    if outcome.awaiting:
        parts.append(_awaiting(outcome.awaiting))
    if outcome.outdated:
        parts.append(_outdated(outcome.outdated))
    return "; ".join(parts)


def _by_weight(outcome: Outcome) -> list[Fault]:
    """Order the faults that are no failed tests by how much they say of this notebook."""
    faults = [fault for fault in outcome.faults if fault.kind != "test"]
    if outcome.outcome == "failed":
        # The last one is what ended it.
        return faults[::-1]
    own = f"{outcome.notebook}.ipynb"

    def weight(fault: Fault) -> tuple[bool, bool]:
        # Links are told at each notebook of a submission, whichever file it is that is one.
        elsewhere = fault.kind == "link" and not fault.message.startswith(own)
        return fault.cell is None, elsewhere

    return sorted(faults, key=weight)


def _awaiting(points: float) -> str:
    return "1 point awaits a person" if points == 1 else f"{points:g} points await a person"


def _outdated(points: float) -> str:
    parts = "1 point" if points == 1 else f"{points:g} points"
    return f"{parts} graded by hand before a change"
