"""No page asks another host for anything: scanned in the files, and watched in a browser."""

import functools
import html.parser
import http.server
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

LOADING = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "object": ("data",),
    "embed": ("src",),
}
#: Links that a browser does not load.
NOT_LOADED = {"next", "prev", "index", "search", "canonical", "author", "copyright"}
ELSEWHERE = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)


class Loads(html.parser.HTMLParser):
    """Collects what a page loads, and its mathematics."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.formulas = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if "math" in attributes.get("class", "").split():
            self.formulas += 1
        if tag == "link" and set(attributes.get("rel", "").split()) <= NOT_LOADED:
            return
        self.found += [attributes[name] for name in LOADING.get(tag, ()) if name in attributes]
        self.found += re.findall(r"url\(([^)]*)\)", attributes.get("style", ""))


def loads(page: Path) -> Loads:
    parser = Loads()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser


def test_the_scan_sees_another_host(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text('<script src="https://example.org/a.js"></script><img src="//example.org/b">')
    assert [bool(ELSEWHERE.match(url)) for url in loads(page).found] == [True, True]


def test_no_page_names_a_file_of_another_host(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) >= 5
    outside = {
        f"{page.relative_to(site)}: {url}"
        for page in pages
        for url in loads(page).found
        if ELSEWHERE.match(url)
    }
    assert not outside


def test_no_stylesheet_names_a_file_of_another_host(site: Path) -> None:
    sheets = sorted(site.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        text = sheet.read_text(encoding="utf-8")
        urls = re.findall(r"url\(['\"]?([^)'\"]*)|@import\s+['\"]([^'\"]*)", text)
        outside = [url for pair in urls for url in pair if ELSEWHERE.match(url)]
        assert not outside, (sheet.name, outside)


@dataclass
class Watch:
    """What was asked for on the loopback, and what a browser tried to ask elsewhere."""

    port: int
    failed: list[str] = field(default_factory=list)
    served: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


@contextmanager
def serving(handler: type[http.server.BaseHTTPRequestHandler] | functools.partial) -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def watched(site: Path) -> Iterator[tuple[Watch, int]]:
    """Serve the site; also run a proxy that refuses and records all other requests."""
    watch = Watch(0)

    class Site(http.server.SimpleHTTPRequestHandler):
        def log_request(self, code: object = "-", size: object = "-") -> None:
            status = int(code) if isinstance(code, int) else int(str(code))
            (watch.served if status < 400 else watch.failed).append(self.path)

        def log_message(self, *args: object) -> None:
            pass

    class Refuse(http.server.BaseHTTPRequestHandler):
        def refuse(self) -> None:
            watch.outside.append(f"{self.command} {self.path}")
            self.send_error(502)

        do_GET = do_POST = do_HEAD = do_CONNECT = refuse

        def log_message(self, *args: object) -> None:
            pass

    with (
        serving(functools.partial(Site, directory=str(site))) as port,
        serving(Refuse) as proxy,
    ):
        watch.port = port
        yield watch, proxy


def open_page(url: str, proxy: int) -> tuple[str, str]:
    """Open a page in headless Chromium; return its document after loading and what was logged."""
    chromium = shutil.which("chromium")
    assert chromium, "chromium is missing: `make system` installs what packages.apt lists"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"]
        command += ["--no-first-run", "--disable-background-networking", "--disable-sync"]
        command += ["--disable-component-update", f"--user-data-dir={profile}"]
        command += [f"--proxy-server=http://127.0.0.1:{proxy}", "--enable-logging=stderr"]
        command += ["--virtual-time-budget=30000", "--dump-dom", url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


def drawn(document: str) -> int:
    return len(re.findall(r"<mjx-container\b", document))


@pytest.fixture(scope="module")
def opened(site: Path) -> dict[str, tuple[str, str, Watch]]:
    """Every page of the book as a browser sees it."""
    documents = {}
    for page in sorted((site / "book").rglob("*.html")):
        with watched(site) as (watch, proxy):
            name = page.relative_to(site).as_posix()
            document, console = open_page(f"http://127.0.0.1:{watch.port}/{name}", proxy)
        documents[name] = (document, console, watch)
    return documents


def test_the_watch_sees_another_host_and_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '<link rel="icon" href="data:,"><img src="http://example.org/a.png"><img src="absent.png">'
        "<script>absent()</script>"
    )
    with watched(tmp_path) as (watch, proxy):
        _, console = open_page(f"http://127.0.0.1:{watch.port}/page.html", proxy)
    assert any("example.org" in request for request in watch.outside)
    assert watch.failed == ["/absent.png"]
    assert "absent is not defined" in console


def test_no_page_asks_another_host(opened: dict[str, tuple[str, str, Watch]]) -> None:
    assert len(opened) >= 3
    for name, (_, _, watch) in opened.items():
        assert watch.outside == [], name


def test_no_request_fails(opened: dict[str, tuple[str, str, Watch]]) -> None:
    for name, (_, _, watch) in opened.items():
        assert watch.served, name
        assert watch.failed == [], name


def test_nothing_is_logged_as_an_error(opened: dict[str, tuple[str, str, Watch]]) -> None:
    for name, (_, console, _) in opened.items():
        assert "rror" not in console, (name, console)


def test_every_formula_is_drawn(site: Path, opened: dict[str, tuple[str, str, Watch]]) -> None:
    for name, (document, _, _) in opened.items():
        formulas = loads(site / name).formulas
        assert drawn(document) == formulas, name
        assert "merror" not in document, name
    assert drawn(opened["book/23_1_confusion_matrix.html"][0]) > 100


def test_the_search_works(site: Path) -> None:
    with watched(site) as (watch, proxy):
        document, _ = open_page(f"http://127.0.0.1:{watch.port}/search.html?q=prevalence", proxy)
    results = document[document.index('id="search-results"') :]
    assert "23_1_confusion_matrix.html" in results
    assert watch.outside == []
    assert watch.failed == []
