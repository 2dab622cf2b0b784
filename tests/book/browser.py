"""Headless Chromium, watched through its DevTools protocol, and a site served on the loopback."""

import functools
import http.server
import json
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import websocket

#: What Chromium would do on its own; nothing resolves but the loopback.
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-port=0",
]

#: Keys that a test presses, with their codes.
KEYS = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    " ": 32,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
}


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on the loopback; yields its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class View:
    """A page as the browser saw it."""

    requested: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Browser:
    """One Chromium with one tab; use it as a context manager."""

    def __init__(self) -> None:
        chromium = shutil.which("chromium")
        assert chromium, "chromium is missing: `make system` installs what packages.apt lists"
        self._profile = tempfile.mkdtemp(prefix="book-browser-")
        self._process = subprocess.Popen(
            [chromium, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._socket = websocket.create_connection(
            self._address(), timeout=120, suppress_origin=True
        )
        self._last = 0
        self._events: list[dict[str, Any]] = []
        target = self._send("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = self._send("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(timeout=30)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _address(self) -> str:
        place = Path(self._profile, "DevToolsActivePort")
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if place.is_file() and len(lines := place.read_text().splitlines()) == 2:
                return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            assert self._process.poll() is None, "chromium ended at once"
            time.sleep(0.05)
        raise TimeoutError("chromium did not open its DevTools port")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the DevTools protocol on the tab."""
        return self._send(method, parameters, self._session)

    def _send(
        self, method: str, parameters: dict[str, Any], session: str | None = None
    ) -> dict[str, Any]:
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == self._last:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self._events.append(answer)

    def evaluate(self, expression: str) -> Any:
        """Evaluate JavaScript on the page, waiting for a promise."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key and let it go."""
        event = {"key": key, "windowsVirtualKeyCode": KEYS[key], "modifiers": 8 * shift}
        text = {" ": " ", "Enter": "\r"}.get(key)
        self.send(
            "Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {})
        )
        self.send("Input.dispatchKeyEvent", type="keyUp", **event)

    def focused(self) -> dict[str, Any]:
        """What a screen reader is told about the element with the focus."""
        found = self.send("Runtime.evaluate", expression="document.activeElement")["result"]
        tree = self.send(
            "Accessibility.getPartialAXTree", objectId=found["objectId"], fetchRelatives=False
        )
        node: dict[str, Any] = tree["nodes"][0]
        return node

    def open(self, url: str, *, width: int = 1280, dark: bool = False, still: bool = False) -> View:
        """Open a page and wait until it is loaded and its formulas are drawn.

        With `still` nothing moves or fades, as for a reader who asked for that.
        """
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}
        self.send("Emulation.setEmulatedMedia", features=[scheme, motion])
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self._events.clear()
        self.send("Page.navigate", url=url)
        while not any(event["method"] == "Page.loadEventFired" for event in self._events):
            self._events.append(json.loads(self._socket.recv()))
        self.evaluate("window.MathJax?.startup ? MathJax.startup.promise.then(() => true) : true")
        self.evaluate("new Promise(done => setTimeout(done, 500))")
        return self._view()

    def _view(self) -> View:
        view = View()
        for event in self._events:
            details = event["params"]
            match event["method"]:
                case "Network.requestWillBeSent":
                    view.requested.append(details["request"]["url"])
                case "Network.loadingFailed":
                    view.failed.append(details["errorText"])
                case "Network.responseReceived" if details["response"]["status"] >= 400:
                    view.failed.append(details["response"]["url"])
                case "Runtime.exceptionThrown":
                    view.errors.append(details["exceptionDetails"]["text"])
                case "Log.entryAdded" if details["entry"]["level"] == "error":
                    view.errors.append(details["entry"]["text"])
                case "Runtime.consoleAPICalled" if details["type"] in {"error", "assert"}:
                    view.errors.append(str(details["args"]))
        return view
