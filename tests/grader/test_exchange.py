"""The exchange from release to feedback: an instructor and two students, each in an own folder.

The commands are those of the two guides. What a student deserves is reckoned from what the bank's
answers say of themselves and from the points in the instructor's notebook.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook

from glyphlab_grader.course import Course, open_course
from glyphlab_grader.release import bank

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT, EXERCISE = "ch23_1", "F1"
ANSWERS = {"ada": "right/lists", "bob": "wrong/weighted_recall"}
BY_HAND = 25.0
HIDDEN = re.compile(r"^ *### BEGIN HIDDEN TESTS\n(.*?)^ *### END HIDDEN TESTS", re.DOTALL | re.M)


def run(command: str, folder: Path, **environment: str) -> str:
    """Run one of the environment's commands in a folder; return all that it says."""
    name, *arguments = command.split()
    done = subprocess.run(
        [Path(sys.executable).with_name(name), *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"} | environment,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@dataclass(frozen=True)
class Student:
    """A student's folder: with a configuration as the guide gives it, and a cache of its own."""

    name: str
    home: Path

    @property
    def marker(self) -> str:
        """What stands in this student's answers and in nobody else's."""
        return f"{self.name}-wrote-this"

    @property
    def notebook(self) -> Path:
        return self.home / ASSIGNMENT / f"{EXERCISE}.ipynb"

    def run(self, command: str) -> str:
        own = self.home / ".local"
        places = {"JUPYTER_DATA_DIR": str(own / "data"), "JUPYTER_CONFIG_DIR": str(own / "config")}
        return run(command, self.home, HOME=str(self.home), **places)

    def answer(self, source: Any) -> bank.Answer:
        """Fill the fetched notebook with this student's answer of the bank."""
        answer = bank.read(
            ROOT / "tests" / "answers" / ASSIGNMENT / EXERCISE / f"{ANSWERS[self.name]}.py"
        )
        filled = bank.submission(source, nbformat.read(self.notebook, as_version=4), answer)
        for cell in filled.cells:
            if cell.metadata.nbgrader.solution and cell.cell_type == "code":
                cell.source += f"\n# {self.marker}"
        nbformat.write(filled, self.notebook)
        return answer

    def sent(self) -> str:
        """Return the time of this student's one submission, as the student's own copy has it."""
        (copy,) = (self.home / ".local/data/nbgrader_cache/glyphlab").iterdir()
        name, assignment, time = copy.name.split("+")
        assert (name, assignment) == (self.name, ASSIGNMENT)
        return time

    def pages(self) -> dict[str, str]:
        """Return the feedback in this student's folder, by its path there."""
        return {
            str(page.relative_to(self.home)): page.read_text(encoding="utf-8")
            for page in self.home.rglob("*.html")
        }


@pytest.fixture
def released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course with one exercise, generated and released."""
    root = tmp_path / "course"
    (root / "solutions" / ASSIGNMENT).mkdir(parents=True)
    for name in ("nbgrader_config.py", "course.yml"):
        shutil.copy(ROOT / name, root)
    shutil.copy(ROOT / f"solutions/{ASSIGNMENT}/{EXERCISE}.ipynb", root / "solutions" / ASSIGNMENT)
    monkeypatch.chdir(root)
    run(f"nbgrader generate_assignment {ASSIGNMENT} --force", root)
    course = open_course(root)
    run(f"nbgrader release_assignment {ASSIGNMENT}", root)
    return course


@pytest.fixture
def students(released: Course, tmp_path: Path) -> list[Student]:
    found = []
    for name in ANSWERS:
        home = tmp_path / "students" / name
        home.mkdir(parents=True)
        # The account's name is the student's id; here both students have the same account.
        (home / "nbgrader_config.py").write_text(
            "c = get_config()\n"
            f"c.CourseDirectory.course_id = {released.course_id!r}\n"
            f"c.Exchange.root = {str(released.exchange)!r}\n"
            f"c.CourseDirectory.student_id = {name!r}\n"
        )
        found.append(Student(name, home))
    return found


def deserved(source: Any, answer: bank.Answer) -> float:
    """Add up the tests whose misconception the answer does not say it has."""
    tests = [
        cell.metadata
        for cell in source.cells
        if cell.metadata.nbgrader.grade and not cell.metadata.nbgrader.solution
    ]
    return float(
        sum(m.nbgrader.points for m in tests if m.glyphlab.misconception not in answer.fails)
    )


def hidden_lines(source: Any) -> set[str]:
    """Find what only hidden tests say, without spaces."""
    hidden = "".join(part for cell in source.cells for part in HIDDEN.findall(cell.source))
    seen = squeezed("\n".join(HIDDEN.sub("", cell.source) for cell in source.cells))
    return {line for line in map(squeezed, hidden.splitlines()) if line and line not in seen}


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def shown(page: str) -> str:
    """What a page says, without spaces."""
    return squeezed(re.sub(r"<style.*?</style>|<[^>]*>", "", page, flags=re.DOTALL))


def give_points(course: Course, student: str) -> None:
    """Give points for the written part, as the formgrader does."""
    with Gradebook(course.database, course.course_id) as gradebook:
        sheet = gradebook.find_submission_notebook(EXERCISE, ASSIGNMENT, student)
        (grade,) = (g for g in sheet.grades if g.needs_manual_grade)
        grade.manual_score = BY_HAND
        grade.needs_manual_grade = False
        gradebook.db.commit()


@pytest.mark.check_all
def test_release_to_feedback(released: Course, students: list[Student]) -> None:
    source = nbformat.read(released.source(ASSIGNMENT) / f"{EXERCISE}.ipynb", as_version=4)
    secrets = hidden_lines(source)
    assert len(secrets) > 5

    expected = {}
    for student in students:
        student.run(f"nbgrader fetch_assignment {ASSIGNMENT}")
        fetched = student.notebook.read_bytes()
        assert fetched == (released.release(ASSIGNMENT) / f"{EXERCISE}.ipynb").read_bytes()
        cells = nbformat.read(student.notebook, as_version=4).cells
        text = squeezed("\n".join(cell.source for cell in cells))
        assert [line for line in secrets if line in text] == []
        expected[student.name] = deserved(source, student.answer(source))
        student.run(f"nbgrader submit {ASSIGNMENT}")
    ada, bob = students
    assert expected["bob"] < expected["ada"]

    root = released.root
    run(f"nbgrader collect {ASSIGNMENT} --update", root)
    for student in students:
        collected = released.submitted(student.name, ASSIGNMENT)
        assert (collected / f"{EXERCISE}.ipynb").read_bytes() == student.notebook.read_bytes()
        assert (collected / "timestamp.txt").read_text() == student.sent()
    run(f"glyphlab-grade {ASSIGNMENT}", root)
    give_points(released, "ada")
    expected["ada"] += BY_HAND
    run(f"nbgrader generate_feedback {ASSIGNMENT} --force", root)
    run(f"nbgrader release_feedback {ASSIGNMENT}", root)
    for student in students:
        student.run(f"nbgrader fetch_feedback {ASSIGNMENT}")
    # Nobody gets another's by asking under the other's name.
    bob.run(f"nbgrader fetch_feedback {ASSIGNMENT} --student=ada")

    for student, other in ((ada, bob), (bob, ada)):
        ((path, page),) = student.pages().items()
        assert path == f"{ASSIGNMENT}/feedback/{student.sent()}/{EXERCISE}.html"
        made = released.feedback(student.name, ASSIGNMENT) / f"{EXERCISE}.html"
        assert page == made.read_text(encoding="utf-8")
        assert student.marker in shown(page)
        assert [line for line in secrets if line in shown(page)] == []

        with Gradebook(released.database, released.course_id) as gradebook:
            sheet = gradebook.find_submission_notebook(EXERCISE, ASSIGNMENT, student.name)
            score, points = sheet.score, sheet.max_score
            time = gradebook.find_submission(ASSIGNMENT, student.name).timestamp
        assert score == expected[student.name]
        assert f"<strong>{score:g} of {points:g} points</strong>" in page
        assert time == datetime.strptime(student.sent(), "%Y-%m-%d %H:%M:%S.%f UTC")

        for file in filter(Path.is_file, student.home.rglob("*")):
            assert other.marker not in file.read_text(encoding="utf-8", errors="replace"), file

    # Whoever does not know a submission's secret cannot find its page by looking.
    assert (released.exchange / released.course_id / "feedback").stat().st_mode & 0o066 == 0
