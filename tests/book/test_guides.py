"""What the guides tell a reader to type exists, and what they list is what there is."""

import re
import shlex
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path

import pytest
from nbgrader.apps.nbgraderapp import NbGraderApp

from glyphlab.course import load
from glyphlab_grader import cli
from glyphlab_grader.execution.packages import STUDENT_PACKAGES

ROOT = Path(__file__).parents[2]
GUIDES = {name: (ROOT / f"book/guides/{name}.md").read_text("utf-8") for name in
          ("student", "instructor", "instructor_scale")}  # fmt: skip
#: What a reader knows these packages as.
KNOWN_AS = {"numpy": "NumPy", "torch": "PyTorch", "matplotlib": "Matplotlib", "scipy": "SciPy",
            "ipython": "IPython", "matplotlib-inline": "Matplotlib"}  # fmt: skip


def commands() -> list[list[str]]:
    """Every command of nbgrader and of the grader that a guide writes out."""
    found = []
    for text in GUIDES.values():
        blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
        prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
        for line in [*blocks.splitlines(), *re.findall(r"`([^`\n]+)`", prose)]:
            words = shlex.split(line)
            if words and words[0] in ("nbgrader", "glyphlab-grade") and len(words) > 1:
                found.append(words)
    assert len(found) > 10
    return found


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_a_command_exists_with_its_options(words: list[str]) -> None:
    program, *rest = words
    options = {word.partition("=")[0] for word in rest if word.startswith("--")}
    if program == "glyphlab-grade":
        parser = cli._parser()
        if rest[0] in cli._WITH_OPTIONS:
            parser = ArgumentParser()
            import_module(cli._WITH_OPTIONS[rest[0]]).add_options(parser)
            rest = rest[1:] or ["-"]
        known = set(parser._option_string_actions)
        assert rest[0] in cli._COMMANDS or rest[0].startswith("-") or rest[0] in assignments()
    else:
        known = set()
        application = NbGraderApp
        for word in rest:
            # A command without subcommands has a trait there, not a dictionary.
            if not isinstance(application.subcommands, dict) or word not in application.subcommands:
                break
            application = application.subcommands[word][0]
            if isinstance(application, str):
                module, _, name = application.rpartition(".")
                application = getattr(import_module(module), name)
        assert application is not NbGraderApp, f"nbgrader has no {rest[0]}"
        for named in (application.aliases, application.flags):
            for keys in named:
                known |= {f"--{key}" for key in ([keys] if isinstance(keys, str) else keys)}
    assert options <= known


def test_options_named_alone_are_the_grader_s() -> None:
    named = set(re.findall(r"`(--\w+)(?: [A-Z]+)?`", GUIDES["instructor"]))
    known = set(cli._parser()._option_string_actions)
    assert named - {"--update"} <= known
    assert {"--student", "--force", "--workers", "--timeout", "--memory", "--json"} <= named


def assignments() -> set[str]:
    return set(load(ROOT / "course.yml").assignments)


def test_assignments_of_the_examples_are_the_course_s() -> None:
    named = set(re.findall(r"\bch\d+_\d+\b", "".join(GUIDES.values())))
    assert named
    assert named <= assignments()


def test_what_an_answer_may_import_is_named() -> None:
    for text in (GUIDES["student"], GUIDES["instructor"]):
        for package in STUDENT_PACKAGES:
            assert KNOWN_AS.get(package, package) in text, package


def test_settings_exist() -> None:
    """Each `c.Class.option` is one that nbgrader_config.py sets or explains."""
    config = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
    named = set(re.findall(r"`(c\.\w+\.\w+)", GUIDES["instructor"]))
    assert len(named) > 4
    # nbgrader's own, at its default.
    assert {name for name in named if name not in config} == {"c.CourseDirectory.max_dir_size"}


@pytest.mark.parametrize(
    "place", re.findall(r"`((?:tests|_grading)/[\w./]*)`", GUIDES["instructor"])
)
def test_places_are_in_the_repository_or_made_by_grading(place: str) -> None:
    made = {
        "_grading/",
        "_grading/exchange",
        "_grading/submitted/",
        "_grading/feedback/",
        "_grading/logs/",
        "_grading/grades.csv",
    }
    assert place in made or (ROOT / place).exists()
