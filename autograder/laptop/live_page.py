"""The course in the browser knows what the student wrote: `python -m autograder.checks --page`.

A server on this machine alone hands out a folder: the pages of the course, pictures of the student's own functions, and
what the checks said last. It answers nobody who does not know its address: a random port, a random word in every path,
and the name of this machine in `Host`, so that a page from elsewhere cannot ask under another name. The browser is told
the address by a file that nobody else may read, since everybody sees command lines.
"""

from __future__ import annotations

import contextlib
import io
import json
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from autograder.checks.standing import Standing
from autograder.checks.telling import Audience, block
from autograder.laptop import screen
from autograder.laptop.progress import FILE, Progress

HOST = "127.0.0.1"
COURSE = Path("course")
"""Where the pages are in a handout."""

STATE = "state.json"
"""What the checks said last, as `live.js` asks for it."""

MARKDOWN = MarkdownIt("commonmark", {"html": False})

DRAWING = 60.0
"""Seconds for the pictures of a lesson and a text."""

MAKING = """
import json, sys
from pathlib import Path
from assignments.figures import draw_all
lesson, folder = sys.argv[1], Path(sys.argv[2])
made = {"pictures": {lesson: [path.stem for path in draw_all(Path("assignments"), folder, lesson)]}}
if Path("assignments", "writer").is_dir():
    from assignments.writer.yours import write, yours
    is_own = all(whose.startswith("yours") for whose in yours().whose.values())
    made["writes"] = write("Two tokens that", 160) if is_own else ""
(folder / "made.json").write_text(json.dumps(made), "utf-8")
"""
"""The pictures of a lesson, and what the model of `assignments/writer` writes, once all functions that it needs are the
student's own: in a process of its own, which may end in any way."""


KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Server(ThreadingHTTPServer):
    """Hands out the folder `root`, which has all that it hands out in a folder with a random name."""

    daemon_threads = True

    def __init__(self, root: Path) -> None:
        super().__init__((HOST, 0), lambda *arguments: _Handler(*arguments, directory=str(root)))
        self.word, self.shown = secrets.token_urlsafe(16), b"{}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that left while it was answered is no error."""


class _Handler(SimpleHTTPRequestHandler):
    server: Server

    def send_head(self) -> Any:
        """What is asked for, open to be read; nothing, and an error is sent, for who asks another machine."""
        if self.headers.get("Host") != f"{HOST}:{self.server.server_port}":
            return self.list_directory("")
        if self.path != f"/{self.server.word}/{STATE}":
            return super().send_head()
        shown = self.server.shown
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Length", str(len(shown)))
        self.end_headers()
        return io.BytesIO(shown)

    def list_directory(self, path: Any) -> None:
        """The name of a folder here is a secret."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        super().end_headers()

    def guess_type(self, path: Any) -> str:
        return KINDS.get(Path(path).suffix, "text/plain; charset=utf-8")  # Windows may call a script a text

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: the terminal shows the checks."""


class Page:
    """What the browser shows: what the checks said of every lesson, and what is made of the student's functions."""

    def __init__(self, server: Server, made: Path, shown: Path) -> None:
        """`made`: a folder that a command line may name, where pictures are made; `shown`: the one from which they are
        handed out."""
        self.server, self.made, self.shown, self.lesson = server, made, shown, ""
        self.state: dict[str, Any] = {"version": 0}
        self.making: subprocess.Popen[bytes] | None = None
        self.until = 0.0

    def update(self, **shown: Any) -> None:
        """Show this too, from now on. Of what is kept by lesson, other lessons stay."""
        for name, value in shown.items():
            self.state[name] = self.state.get(name, {}) | value if isinstance(value, dict) else value
        self.state["version"] += 1
        self.server.shown = json.dumps(self.state).encode("utf-8")

    def make(self, lesson: str) -> None:
        """Make the pictures of this lesson, and the text, anew."""
        self.stop()
        self.lesson, self.until = lesson, time.monotonic() + DRAWING
        command, quiet = [sys.executable, "-c", MAKING, lesson, str(self.made)], subprocess.DEVNULL
        self.making = subprocess.Popen(command, stdout=quiet, stderr=quiet)

    def take(self) -> None:
        """Show what is made by now; what is late is given up."""
        if self.making is not None and (self.making.poll() is not None or time.monotonic() > self.until):
            told = self.made / "made.json"
            made = json.loads(told.read_bytes()) if told.is_file() else {}
            shutil.copytree(self.made, self.shown, dirs_exist_ok=True)
            self.update(**{"pictures": {self.lesson: []}} | made)
            self.stop()

    def stop(self) -> None:
        """End what is being made, which is no longer wanted."""
        if self.making is not None:
            self.making.kill()
            self.making.wait()
            self.making = None
        shutil.rmtree(self.made, ignore_errors=True)
        self.made.mkdir()


@contextlib.contextmanager
def serving(first: str) -> Iterator[Page | None]:
    """What the browser shows, while it can; nothing where the pages are not there. `first`: the page that opens."""
    pages = _pages()
    if f"{first}.html" not in pages:
        yield None
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as outside, Server(Path(outside, "root")) as server:
        folder = Path(outside, "root", server.word)
        for name, content in pages.items():
            if name.endswith(".html"):
                content = content.replace(b"</head>", b'<script src="live.js" defer></script></head>', 1)
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        page = Page(server, Path(outside, "made"), folder / "mine")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://{HOST}:{server.server_port}/{server.word}/{first}.html"
        print(f"The lesson: {address}", flush=True)
        door = Path(outside, "open.html")
        door.touch(mode=0o600)
        door.write_text(f'<meta http-equiv="refresh" content="0;url={address}">', "utf-8")
        webbrowser.open(door.as_uri())
        try:
            yield page
        finally:
            page.stop()
            server.shutdown()


def _pages() -> dict[str, bytes]:
    """Path → content. A handout has the pages; a checkout of the course makes them from its lessons as they are."""
    if COURSE.is_dir():
        found = (path for path in COURSE.rglob("*") if path.is_file())
        return {path.relative_to(COURSE).as_posix(): path.read_bytes() for path in found}
    try:
        from autograder.pages import course
    except ImportError:
        return {}
    print("Making the pages of the course …", flush=True)
    return course()


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
    tests = [mistake.test.name for mistake in standing.own[:1] or standing.test_results]
    return {
        "name": standing.name,
        "mark": screen.MARKS[standing.state],
        "note": screen.note_on(standing),
        "at": progress.source.location(standing.name),
        "told": MARKDOWN.render(block(standing, Audience.HOME)),
        "printed": next((progress.printed[name] for name in tests if name in progress.printed), ""),
    }
