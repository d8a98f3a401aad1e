"""The course in the browser knows what the student wrote: `python -m autograder.checks --page`.

A server on this machine alone hands out the pages of the course, what the checks said last, and pictures of the
student's own functions, to whoever knows the random word with which every path begins. The browser is told the address
by a file that nobody else may read, since everybody sees command lines.
"""

from __future__ import annotations

import contextlib
import io
import json
import secrets
import subprocess
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from autograder.laptop import screen
from autograder.laptop.progress import Progress

COURSE = Path("course")
"""Where the pages are in a handout."""

DRAWING = 20
"""Seconds for the pictures of a lesson."""

DRAW = """
import sys, pathlib, assignments.figures
assignments.figures.draw_all(pathlib.Path("assignments"), pathlib.Path(sys.argv[2]), sys.argv[1])
"""
"""Draws them in a process of its own, which may end in any way."""


FOLLOW = b"""<script>
const follow = async () => {
  const detail = await fetch("state.json", { cache: "no-store" }).then((answer) => answer.json()).catch(() => null);
  dispatchEvent(new CustomEvent("checked", { detail }));
  setTimeout(follow, 700);
};
addEventListener("DOMContentLoaded", follow);
</script>"""
"""What a page has beside its own script, which shows what it hears (`pages/script/live.js`)."""


class Page(ThreadingHTTPServer):
    """What the browser shows: a folder, and in `state.json` what the checks said."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), lambda *arguments: _Handler(*arguments, directory=str(folder)))
        self.folder, self.word = folder, secrets.token_urlsafe(16)
        self.state: dict[str, Any] = {"version": 0, "lessons": {}, "pictures": {}}

    def update(self, **shown: Any) -> None:
        """Show this too, from now on. Of what is kept by lesson, other lessons stay."""
        changed = {name: self.state[name] | one if isinstance(one, dict) else one for name, one in shown.items()}
        self.state = {**self.state, **changed, "version": self.state["version"] + 1}

    def draw(self, lesson: str) -> None:
        """Draw the pictures of this lesson anew."""
        drawn = Path("mine", str(self.state["version"]))
        with contextlib.suppress(subprocess.TimeoutExpired):
            command = [sys.executable, "-c", DRAW, lesson, str(self.folder / drawn)]
            subprocess.run(command, timeout=DRAWING, capture_output=True, check=False)
        names = {path.stem: (drawn / path.name).as_posix() for path in (self.folder / drawn).glob("*.svg")}
        self.update(pictures={lesson: names})

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that left while it was answered is no error."""


class _Handler(SimpleHTTPRequestHandler):
    server: Page
    extensions_map: dict[str, str] = {  # noqa: RUF012 - Windows may call a script a text
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".svg": "image/svg+xml",
    }

    def send_head(self) -> Any:
        """What is asked for, open to be read; nothing, and an error is sent, for who does not know the word."""
        word, _, name = self.path.removeprefix("/").partition("/")
        if word != self.server.word:
            return self.list_directory("")
        self.path = f"/{name}"
        if name != "state.json":
            return super().send_head()
        state = json.dumps(self.server.state).encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Length", str(len(state)))
        self.end_headers()
        return io.BytesIO(state)

    def list_directory(self, path: Any) -> None:
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: the terminal shows the checks."""


@contextlib.contextmanager
def serving(pages: dict[str, bytes], first: str) -> Iterator[Page]:
    """What the browser shows, while it can. `first`: the page that opens."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as outside, Page(Path(outside, "course")) as page:
        for name, content in pages.items():
            if name.endswith(".html"):
                content = content.replace(b"</head>", FOLLOW + b"</head>", 1)
            (page.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (page.folder / name).write_bytes(content)
        threading.Thread(target=page.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{page.server_port}/{page.word}/{first}.html"
        print(f"The lesson: {address}", flush=True)
        door = Path(outside, "open.html")
        door.touch(mode=0o600)
        door.write_text(f'<meta http-equiv="refresh" content="0;url={address}">', "utf-8")
        webbrowser.open(door.as_uri())
        try:
            yield page
        finally:
            page.shutdown()


def course_pages() -> dict[str, bytes]:
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


def shown(all_progress: Sequence[Progress]) -> dict[str, Any]:
    """Assignment → what its page shows: of each function a mark and what is told of it, and what holds for all."""
    html = MarkdownIt("commonmark", {"html": False}).render
    return {
        one.name: {
            "right": len(one.right),
            "next": one.next_function,
            "told": html(f"{screen.beginning(one)}\n\n{screen.ending(one)}"),
            "functions": {
                standing.name: [screen.MARKS[standing.state], html(screen.section(one, standing))]
                for standing in one.standings
            },
        }
        for one in all_progress
    }
