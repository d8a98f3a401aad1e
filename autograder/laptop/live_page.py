"""The course in the browser knows what the student wrote: `python -m autograder.checks --page`.

A server on this machine alone hands out the pages of the course, and beside them what the checks said last. It answers
nobody who does not know its address: a random port, a random word in every path, and the name of this machine in
`Host`, so that a page from elsewhere cannot ask under another name. The browser is told the address by a file that
nobody else may read, since everybody sees command lines. It reads the course's folder and writes nothing.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import subprocess
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from autograder.checks.standing import Standing
from autograder.laptop import screen
from autograder.laptop.progress import FILE, Progress

HOST = "127.0.0.1"
COURSE = (Path("course"), Path("dist", "course"))
"""Where the pages are: in a handout, and in a checkout of the course that has built one."""

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
"""What the course's folder has; nothing else is handed out."""


class Server(ThreadingHTTPServer):
    """The pages in `course`, and pictures of the student's own functions in `pictures`."""

    daemon_threads = True

    def __init__(self, course: Path, pictures: Path) -> None:
        super().__init__((HOST, 0), _Handler)
        self.course, self.pictures = course.resolve(), pictures.resolve()
        self.shown: dict[str, Any] = {"version": 0}
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
        word, _, name = urlsplit(self.path).path.removeprefix("/").partition("/")
        if not secrets.compare_digest(word.encode(), self.server.word.encode()):
            return None
        if name == "state.json":
            return "application/json", json.dumps(self.server.shown).encode("utf-8")
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


DRAWING = 60.0
"""Seconds for the pictures of a lesson, and for a text."""

WRITER = """
from assignments.writer.yours import write, yours
if all(whose.startswith("yours") for whose in yours().whose.values()):
    print(write("Two tokens that", 160))
"""
"""What the model of `assignments/writer` writes, once all functions that it needs are the student's own."""


class Page:
    """What the browser shows: the state of all lessons, pictures from the student's own functions, and what a model
    writes with them. Both are made in processes that are ended when they are late or no longer wanted."""

    def __init__(self, server: Server) -> None:
        self.server, self.lesson = server, ""
        self._making: dict[str, subprocess.Popen[str]] = {}

    def update(self, **shown: Any) -> None:
        """Show this too, from now on. Of what is kept by lesson, other lessons stay."""
        before = self.server.shown
        kept = {
            name: before.get(name, {}) | value if isinstance(value, dict) else value for name, value in shown.items()
        }
        self.server.shown = before | kept | {"version": before["version"] + 1}

    def make(self, lesson: str) -> None:
        """Make the pictures of this lesson, and the text, anew."""
        self.stop()
        self.lesson = lesson
        self._start("pictures", "-m", "assignments.figures", "assignments", str(self.server.pictures), lesson)
        if Path("assignments", "writer").is_dir():
            self._start("writes", "-c", WRITER)

    def _start(self, what: str, *words: str) -> None:
        command, quiet = [sys.executable, *words], subprocess.DEVNULL
        self._making[what] = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, encoding="utf-8")
        limit = threading.Timer(DRAWING, self._making[what].kill)
        limit.daemon = True
        limit.start()

    def take(self) -> None:
        """Show what is made by now."""
        for what, process in list(self._making.items()):
            if process.poll() is not None:
                written, _ = self._making.pop(what).communicate()
                drawn = sorted(path.stem for path in self.server.pictures.glob("*.svg")) * (process.returncode == 0)
                self.update(**({"pictures": {self.lesson: drawn}} if what == "pictures" else {"writes": written}))

    def stop(self) -> None:
        while self._making:
            _, process = self._making.popitem()
            process.kill()
            process.communicate()


@contextlib.contextmanager
def serving(first: str) -> Iterator[Page | None]:
    """What the browser shows, while it can; nothing where the pages are not there. `first`: the page that opens."""
    course = next((folder for folder in COURSE if (folder / f"{first}.html").is_file()), None)
    if course is None:
        yield None
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, Server(course, Path(folder)) as server:
        page = Page(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = server.url(f"{first}.html")
        print(f"The lesson: {address}", flush=True)
        door = Path(folder, "open.html")
        door.touch(mode=0o600)
        door.write_text(f'<meta http-equiv="refresh" content="0;url={address}">', encoding="utf-8")
        webbrowser.open(door.as_uri())
        try:
            yield page
        finally:
            page.stop()
            server.shutdown()


def report(all_progress: Sequence[Progress]) -> dict[str, Any]:
    """Assignment → what the pages show of it."""
    return {progress.name: _of_one(progress) for progress in all_progress}


def _of_one(progress: Progress) -> dict[str, Any]:
    return {
        "right": len(progress.right),
        "so_far": screen.so_far(progress),
        "ending": screen.ending(progress) if progress.is_finished else "",
        "problem": progress.source.problem or progress.stopped,
        "printed": progress.printed.get(FILE, ""),
        "next": progress.next_function,
        "functions": [_function(progress, standing) for standing in progress.standings],
    }


def _function(progress: Progress, standing: Standing) -> dict[str, Any]:
    """One function, with what the terminal tells of it."""
    failure = None if standing.state in screen.FIX_FIRST else next(iter(standing.own), None)
    tests = [failure.test.name] if failure else [result.test.name for result in standing.test_results]
    told = failure and {
        "rule": failure.heading,
        "call": failure.call,
        "message": failure.message,
        "hint": failure.hint,
    }
    return {
        "name": standing.name,
        "mark": screen.MARKS[standing.state],
        "note": screen.note_on(standing),
        "at": progress.source.location(standing.name),
        "failure": told,
        "printed": next((progress.printed[name] for name in tests if name in progress.printed), ""),
    }
