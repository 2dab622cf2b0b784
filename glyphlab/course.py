"""What ``course.yml`` says about the course: objectives, misconceptions, exercises, policy.

The file is the one place for these facts; book, notebooks' metadata and grader read it through
`load`. A mistake in it is a `CourseError` that names the place.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

__all__ = [
    "Assignment",
    "Course",
    "CourseError",
    "Exercise",
    "Misconception",
    "Objective",
    "Section",
    "load",
]

# It stands in Markdown links: no spaces or brackets; and a page is appended: no query, no fragment.
_ADDRESS = re.compile(r"(?:https?|file)://[^\s()<>\[\]\"'?#]+")


class CourseError(ValueError):
    """``course.yml`` cannot be used; the message names the place and the value."""


@dataclass(frozen=True)
class Section:
    """A section of a chapter that exercises and feedback link to.

    Parameters
    ----------
    title : str
        What the link reads.
    page : str
        The page, without suffix, as in the book's table of contents.
    label : str
        The MyST label in front of the section's heading.
    """

    title: str
    page: str
    label: str

    @property
    def path(self) -> str:
        """The section's place in the built book, relative to its root."""
        return f"{self.page}.html#{self.label}"


@dataclass(frozen=True)
class Objective:
    """What a learner can do after a section.

    Parameters
    ----------
    text : str
        A sentence without its subject: "compute …", "choose …".
    section : str
        Key of `Course.sections`.
    """

    text: str
    section: str


@dataclass(frozen=True)
class Misconception:
    """What a failed test stands for.

    Parameters
    ----------
    name : str
        A few words, for tables.
    message : str
        What the learner is told: it leads, and does not give the answer.
    objective : str
        Key of `Course.objectives`.
    section : str
        Key of `Course.sections`; the objective's where the file names none.
    """

    name: str
    message: str
    objective: str
    section: str


@dataclass(frozen=True)
class Exercise:
    """One notebook of an assignment.

    Parameters
    ----------
    title : str
        The exercise's title.
    objectives : tuple of str
        Keys of `Course.objectives` that the exercise practises.
    forbidden : tuple of str
        Public names of the library that do the task or hand over its result.
    """

    title: str
    objectives: tuple[str, ...]
    forbidden: tuple[str, ...]


@dataclass(frozen=True)
class Assignment:
    """One nbgrader assignment.

    Parameters
    ----------
    title : str
        The assignment's title.
    chapter : str
        The chapter's page, without suffix.
    exercises : dict of str to Exercise
        By notebook name, F1 first.
    """

    title: str
    chapter: str
    exercises: Mapping[str, Exercise]


@dataclass(frozen=True)
class Course:
    """The content of ``course.yml``.

    Parameters
    ----------
    title : str
        The course's title.
    book_url : str
        Where students read the book, ending in a slash: a page's place is appended to it. Empty
        where the book is not published.
    publish_solutions : bool
        Whether the book shows the folded solutions.
    seed : int or None
        Draws the varying parts of hidden tests; None for the course's own values.
    points : int
        What each exercise is worth.
    sections, objectives, misconceptions, assignments : dict
        By key.
    """

    title: str
    book_url: str
    publish_solutions: bool
    seed: int | None
    points: int
    sections: Mapping[str, Section]
    objectives: Mapping[str, Objective]
    misconceptions: Mapping[str, Misconception]
    assignments: Mapping[str, Assignment]


def load(path: str | Path = "course.yml") -> Course:
    """Read and check the course's file.

    Parameters
    ----------
    path : str or Path
        The file; by default the one in the current folder, the repository's root.

    Returns
    -------
    Course
        Its content; every key that one part names exists in the other.

    Raises
    ------
    CourseError
        If the file is missing, is not YAML, lacks something, has something unknown, or names a key
        that does not exist. The message names the place.
    """
    path = Path(path)
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CourseError(f"{path}: cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise CourseError(f"{path}: is not YAML: {' '.join(str(error).split())}") from error
    return _course(_Place(str(path), data))


@dataclass(frozen=True)
class _Place:
    """A value of the file together with where it stands."""

    where: str
    value: Any

    def fail(self, message: str) -> CourseError:
        return CourseError(f"{self.where}: {message}")

    def fields(self, *required: str, optional: tuple[str, ...] = ()) -> "dict[str, _Place]":
        """Return the entries of a mapping that has exactly these keys."""
        entries = self.entries()
        for name in required:
            if name not in entries:
                raise self.fail(f"{name!r} is missing")
        for name in entries:
            if name not in required and name not in optional:
                raise self.fail(f"unknown key {name!r}")
        return entries

    def entries(self) -> "dict[str, _Place]":
        if not isinstance(self.value, dict) or not self.value:
            raise self.fail(f"should be a mapping with entries, is {self.value!r}")
        for key in self.value:
            if not isinstance(key, str):
                raise self.fail(f"keys are text, not {key!r}")
        return {key: _Place(f"{self.where}: {key}", value) for key, value in self.value.items()}

    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.fail(f"should be text, is {self.value!r}")
        return " ".join(self.value.split())

    def address(self) -> str:
        """Return a web address that ends in a slash, or nothing."""
        if self.value == "":
            return ""
        text = self.text()
        if not _ADDRESS.fullmatch(text):
            raise self.fail(f"should be an address that begins with https:// , is {text!r}")
        return text if text.endswith("/") else f"{text}/"

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.fail(f"should be true or false, is {self.value!r}")
        return self.value

    def integer(self) -> int:
        if type(self.value) is not int or self.value < 0:
            raise self.fail(f"should be a whole number of at least 0, is {self.value!r}")
        return self.value

    def key_of(self, known: Mapping[str, object], kind: str) -> str:
        name = self.text()
        if name not in known:
            raise self.fail(f"{name!r} is not one of the {kind}")
        return name

    def items(self) -> "list[_Place]":
        if not isinstance(self.value, list):
            raise self.fail(f"should be a list, is {self.value!r}")
        return [_Place(f"{self.where}[{i}]", value) for i, value in enumerate(self.value)]


def _course(root: _Place) -> Course:
    top = root.fields(
        "title",
        "publish_solutions",
        "seed",
        "points",
        "sections",
        "objectives",
        "misconceptions",
        "assignments",
        optional=("book_url",),
    )
    sections = {key: _section(place) for key, place in top["sections"].entries().items()}
    objectives = {
        key: _objective(place, sections) for key, place in top["objectives"].entries().items()
    }
    misconceptions = {
        key: _misconception(place, sections, objectives)
        for key, place in top["misconceptions"].entries().items()
    }
    assignments = {
        key: _assignment(place, objectives) for key, place in top["assignments"].entries().items()
    }
    return Course(
        title=top["title"].text(),
        book_url=top["book_url"].address() if "book_url" in top else "",
        publish_solutions=top["publish_solutions"].boolean(),
        seed=None if top["seed"].value is None else top["seed"].integer(),
        points=top["points"].integer(),
        sections=sections,
        objectives=objectives,
        misconceptions=misconceptions,
        assignments=assignments,
    )


def _section(place: _Place) -> Section:
    entry = place.fields("title", "page", "label")
    return Section(**{name: value.text() for name, value in entry.items()})


def _objective(place: _Place, sections: Mapping[str, Section]) -> Objective:
    entry = place.fields("text", "section")
    return Objective(entry["text"].text(), entry["section"].key_of(sections, "sections"))


def _misconception(
    place: _Place, sections: Mapping[str, Section], objectives: Mapping[str, Objective]
) -> Misconception:
    entry = place.fields("name", "message", "objective", optional=("section",))
    objective = entry["objective"].key_of(objectives, "objectives")
    section = (
        entry["section"].key_of(sections, "sections")
        if "section" in entry
        else objectives[objective].section
    )
    return Misconception(entry["name"].text(), entry["message"].text(), objective, section)


def _assignment(place: _Place, objectives: Mapping[str, Objective]) -> Assignment:
    entry = place.fields("title", "chapter", "exercises")
    exercises = {
        key: _exercise(value, objectives) for key, value in entry["exercises"].entries().items()
    }
    return Assignment(entry["title"].text(), entry["chapter"].text(), exercises)


def _exercise(place: _Place, objectives: Mapping[str, Objective]) -> Exercise:
    entry = place.fields("title", "objectives", "forbidden")
    named = tuple(item.key_of(objectives, "objectives") for item in entry["objectives"].items())
    if not named:
        raise entry["objectives"].fail("names no objective")
    forbidden = tuple(item.text() for item in entry["forbidden"].items())
    return Exercise(entry["title"].text(), named, forbidden)
