"""Builds of the course's book and of small books with its settings."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Build:
    """What a build came to: its exit status, what it printed, and where the site is."""

    status: int
    log: str
    site: Path

    def pages(self) -> list[Path]:
        """The site's HTML pages."""
        return sorted(self.site.rglob("*.html"))

    def line_about(self, page: str, text: str) -> str:
        """The first line of the log that names the page and holds the text."""
        lines = (line for line in self.log.splitlines() if page in line and text in line)
        return next(lines, "")


def build_book(source: Path, target: Path) -> Build:
    """Build a book as `make book` does."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
    command = [str(Path(sys.executable).parent / "jupyter-book"), "build", str(source)]
    command += ["--path-output", str(target), "-W", "--keep-going", "-n"]
    done = subprocess.run(
        command, env=environment, cwd=source, capture_output=True, text=True, timeout=900
    )
    return Build(done.returncode, done.stdout + done.stderr, target / "_build" / "html")


def pages_of_the_book() -> list[str]:
    """The pages of the book's table of contents, without suffix."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [toc["root"], *_files(toc)]


def _files(entry: dict[str, Any]) -> Iterator[str]:
    for part in ("parts", "chapters", "sections"):
        for child in entry.get(part, []):
            if "file" in child:
                yield child["file"]
            yield from _files(child)


def small_book(folder: Path, pages: dict[str, str]) -> Path:
    """Lay out a book of these pages with the course's own settings and extensions."""
    (folder / "book").mkdir(parents=True)
    for name in ("_config.yml", "course.yml", "book/references.bib"):
        shutil.copyfile(ROOT / name, folder / name)
    shutil.copytree(ROOT / "book" / "_ext", folder / "book" / "_ext")
    without_vendor = shutil.ignore_patterns("vendor")
    shutil.copytree(ROOT / "book" / "assets", folder / "book" / "assets", ignore=without_vendor)
    names = list(pages)
    toc = ["format: jb-book", f"root: book/{names[0]}", "chapters:"]
    toc += [f"  - file: book/{name}" for name in names[1:]]
    (folder / "_toc.yml").write_text("\n".join(toc) + "\n", encoding="utf-8")
    for name, text in pages.items():
        (folder / "book" / f"{name}.md").write_text(text, encoding="utf-8")
    return folder
