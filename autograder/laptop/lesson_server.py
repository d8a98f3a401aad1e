"""The lesson in the browser knows what the student wrote: `python -m autograder.checks rope --page`.

A server on this machine alone hands out the pages of the course, and beside them what the checks said of the file last.
It answers nobody who does not know its address: a random port, a random word in every path, and the name of this
machine in `Host`, so that a page from elsewhere cannot ask under another name. It reads the course's folder and writes
nothing.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

HOST = "127.0.0.1"
COURSE = (Path("course"), Path("dist", "course"))
"""Where the pages are: in a handout, and in a checkout of the course that has built one."""

WAIT = 20.0
"""Seconds that a page's question waits for news."""

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
"""What the course's folder has; nothing else is handed out."""


class ShownState:
    """What the pages show, and how often it changed."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._shown: dict[str, Any] = {}
        self._version = 0

    def update(self, **shown: Any) -> None:
        """Show this too, from now on."""
        with self._changed:
            self._shown |= shown
            self._version += 1
            self._changed.notify_all()

    def after(self, version: int) -> bytes:
        """What is shown, as JSON: at once where it is newer than this version, else when it changes or after a
        while."""
        with self._changed:
            self._changed.wait_for(lambda: self._version > version, WAIT)
            return json.dumps(self._shown | {"version": self._version}).encode("utf-8")


class Server(ThreadingHTTPServer):
    """The pages in `course`, and pictures of the student's own functions in `pictures`."""

    daemon_threads = True

    def __init__(self, course: Path, pictures: Path) -> None:
        super().__init__((HOST, 0), _Handler)
        self.course, self.pictures = course.resolve(), pictures.resolve()
        self.state = ShownState()
        self.word = secrets.token_urlsafe(16)

    def url(self, page: str) -> str:
        return f"http://{HOST}:{self.server_port}/{self.word}/{page}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that left while it was answered is no error."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        answer = self._answer()
        status, kind, content = (404, KINDS[".txt"], b"Not here.") if answer is None else (200, *answer)
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _answer(self) -> tuple[str, bytes] | None:
        """Kind and content; nothing for who does not know this server's name and word."""
        if self.headers.get("Host") != f"{HOST}:{self.server.server_port}":
            return None
        asked = urlsplit(self.path)
        _, _, rest = asked.path.partition("/")
        word, _, name = rest.partition("/")
        if not secrets.compare_digest(word.encode(), self.server.word.encode()):
            return None
        if name == "state.json":
            version = asked.query.removeprefix("after=")
            return "application/json", self.server.state.after(int(version) if version.isdecimal() else 0)
        return self._file(unquote(name))

    def _file(self, name: str) -> tuple[str, bytes] | None:
        """A file of the course, or of the student's pictures below `mine/`."""
        folder = self.server.pictures if name.startswith("mine/") else self.server.course
        path = (folder / name.removeprefix("mine/")).resolve()
        if not path.is_relative_to(folder) or path.suffix not in KINDS or not path.is_file():
            return None
        content = path.read_bytes()
        if path.suffix == ".html":
            content = content.replace(b"</head>", b'<script src="live.js" defer></script></head>', 1)
        return KINDS[path.suffix], content

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: the terminal shows the checks."""


class Pictures:
    """The lesson's pictures from the student's own functions, drawn in a process that is ended when it is late or no
    longer wanted."""

    SECONDS = 60.0

    def __init__(self, assignment: str, folder: Path) -> None:
        self._command = [sys.executable, "-m", "assignments.figures", "assignments", str(folder), assignment]
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Draw them anew."""
        self.stop()
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        limit = threading.Timer(self.SECONDS, self._process.kill)
        limit.daemon = True
        limit.start()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = None

    def finished(self) -> list[str] | None:
        """The names of the pictures, once, when they are drawn."""
        if self._process is None or self._process.poll() is None:
            return None
        drawn = self._process.returncode == 0
        self._process = None
        return sorted(path.stem for path in self._folder.glob("*.svg")) if drawn else []


@contextlib.contextmanager
def serving(assignment: str) -> Iterator[tuple[Server, Pictures] | None]:
    """The server while it runs, and who draws; nothing where the pages are not there."""
    course = next((folder for folder in COURSE if (folder / f"{assignment}.html").is_file()), None)
    if course is None:
        yield None
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        pictures = Pictures(assignment, Path(folder))
        with Server(course, Path(folder)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                yield server, pictures
            finally:
                pictures.stop()
                server.shutdown()
