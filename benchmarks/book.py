"""How long the book takes to build: `python -m benchmarks.book` writes a page of the guide anew.

Three builds follow each other into one new folder. The first executes and reads every page. Before
the second everything but the execution cache is removed: every page is read and written again, none
is executed. The third finds nothing to do.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "book" / "guides" / "_bench_book.md"
#: Seconds that are wanted on two cores.
WANTED = {"cold": 90, "pages read again": 30, "nothing changed": 10}
MEANING = {
    "cold": "nothing is there; every cell is executed",
    "pages read again": "the execution cache is there; every page is read and written",
    "nothing changed": "the same command once more",
}


def build(folder: Path) -> float:
    """Build the book as `make book` does; return the seconds by the clock."""
    command = [str(Path(sys.executable).parent / "jupyter-book"), "build", str(ROOT)]
    command += ["--path-output", str(folder), "-W", "--keep-going", "-n"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    start = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def executed(folder: Path) -> dict[str, float]:
    """Seconds that the cells of each page took, the longest first."""
    (database,) = folder.glob("_build/.jupyter_cache/*/global.db")
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("select uri, data from nbcache").fetchall()
    seconds = {Path(uri).stem: json.loads(data)["execution_seconds"] for uri, data in rows}
    return dict(sorted(seconds.items(), key=lambda item: -item[1]))


def measure() -> tuple[dict[str, float], dict[str, float]]:
    """Return the seconds of each build, and those of each page's cells."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        times = {"cold": build(folder)}
        for made in (folder / "_build").iterdir():
            if made.name != ".jupyter_cache":
                shutil.rmtree(made) if made.is_dir() else made.unlink()
        times["pages read again"] = build(folder)
        times["nothing changed"] = build(folder)
        return times, executed(folder)


def page(times: dict[str, float], cells: dict[str, float]) -> str:
    """Write the measurements as a part of the contributor guide."""
    lines = [
        "% Written by `python -m benchmarks.book`; an edit is lost at the next run.",
        "",
        f"Measured by the clock on {len(os.sched_getaffinity(0))} cores, which run the cells of "
        f"that many pages at a time.",
        "",
        "| build | what it finds | seconds | wanted |",
        "| --- | --- | ---: | ---: |",
        *(
            f"| {name} | {MEANING[name]} | {seconds:.0f} | {WANTED[name]} |"
            for name, seconds in times.items()
        ),
        "",
        "| page | seconds of its cells |",
        "| --- | ---: |",
        *(f"| `{name}` | {seconds:.0f} |" for name, seconds in cells.items()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = page(*measure())
    temporary = PAGE.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, PAGE)
    print(text)
