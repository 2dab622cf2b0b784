"""What a cell prints is shown as printed, wherever the kernel cut it."""

import pytest
from nbformat.v4 import new_output
from whole_streams import join_streams


def stream(text: str, name: str = "stdout") -> dict:
    return new_output("stream", name=name, text=text)


@pytest.mark.parametrize(
    "parts",
    [
        ["one line\n"],
        ["cut in ", "a line\n"],
        ["a\n", "\n", "blank line before\n"],
        ["no", " ", "end"],
    ],
)
def test_parts_are_joined_as_they_are(parts: list[str]) -> None:
    joined = join_streams([stream(part) for part in parts])
    assert joined == [stream("".join(parts))]


def test_other_outputs_keep_their_place() -> None:
    shown = new_output("display_data", data={"text/plain": "x"})
    outputs = [stream("a"), shown, stream("b"), stream("!", "stderr"), stream("c", "stderr")]
    assert join_streams(outputs) == [stream("a"), shown, stream("b"), stream("!c", "stderr")]


def test_the_outputs_of_the_cell_are_not_changed() -> None:
    outputs = [stream("a"), stream("b")]
    join_streams(outputs)
    assert outputs == [stream("a"), stream("b")]
