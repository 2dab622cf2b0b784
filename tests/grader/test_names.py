import pytest

from glyphlab_grader.names import LONGEST_NAME, name_problem, printable


@pytest.mark.parametrize(
    "name", ["ada", "Åsa Öberg", "王小明", "a.b@example.org", "x+y", "12345", "a_b-c", "a" * 128]
)
def test_names_of_people_are_taken(name: str) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "is empty"),
        ("a" * (LONGEST_NAME + 1), "is longer than 128 characters"),
        ("..", "does not begin with a letter or a digit"),
        ("../solutions", "does not begin with a letter or a digit"),
        (".hidden", "does not begin with a letter or a digit"),
        ("-rf", "does not begin with a letter or a digit"),
        ("=1+1", "does not begin with a letter or a digit"),
        ("a/b", "contains '/'"),
        ("a*", "contains '*'"),
        ("a[b]", "contains '['"),
        ("a\nb", r"contains '\n'"),
        ("a{0}", "contains '{'"),
        ("a\\b", r"contains '\\'"),
        ("ada ", "ends with a space or a dot"),
        ("ada.", "ends with a space or a dot"),
        ("ada\n", "ends with a space or a dot"),
    ],
)
def test_names_that_mean_something_to_a_path_or_pattern_are_not(name: str, problem: str) -> None:
    assert name_problem(name) == problem


def test_text_of_a_stranger_stays_on_its_line() -> None:
    assert printable("a\x1b[31m\u202eb\ud800") == r"a\x1b[31m\u202eb\ud800"
    assert len(printable("x" * 1000)) == 200
