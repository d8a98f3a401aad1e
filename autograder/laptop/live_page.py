"""The course in the browser knows what the student wrote: `python -m autograder.checks --page`.

A server on this machine alone hands out the pages of the course, what the checks said last, and pictures of the
student's own functions, to whoever knows the random word with which every path begins. The browser is told the address
by a file that nobody else may read, since everybody sees command lines.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import tempfile
import threading
import webbrowser
import zlib
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from autograder.laptop import pictures
from autograder.laptop.page_state import page_state
from autograder.laptop.progress import Progress

FOLLOW = b"""<script>
let heard;
const follow = async () => {
  const told = await fetch("state.json", { cache: "no-store" }).then((answer) => answer.text()).catch(() => "null");
  if (told !== heard) dispatchEvent(new CustomEvent("checked", { detail: JSON.parse((heard = told)) }));
  setTimeout(follow, 700);
};
addEventListener("DOMContentLoaded", follow);
</script></head>"""
"""What a page has beside its own script, which shows what it hears (`pages/script/live.js`)."""

KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


class Page(ThreadingHTTPServer):
    """What the browser shows: the course's files by name, and in `state.json` what the checks said."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.word = secrets.token_urlsafe(16)
        self.files = {name: content.replace(b"</head>", FOLLOW, 1) for name, content in files.items()}
        self.state: dict[str, Any] = {"lessons": {}, "pictures": {}}
        self.update(checking=True)

    def update(self, **shown: Any) -> None:
        """Show this too, from now on. Of what is kept by lesson, other lessons stay."""
        for name, one in shown.items():
            self.state[name] = self.state[name] | one if isinstance(one, dict) else one
        self.files["state.json"] = json.dumps(self.state).encode()

    def draw(self, lesson: str) -> None:
        """Draw the pictures of a lesson. A picture that has changed gets another address, so that browsers load it."""
        drawn = pictures.draw_in_process(lesson)
        self.files |= {f"mine/{name}": picture.encode() for name, picture in drawn.items()}
        addresses = {name: f"mine/{name}?{zlib.crc32(picture.encode())}" for name, picture in drawn.items()}
        self.update(pictures={lesson: addresses})

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that left while it was answered is no error."""


class _Handler(BaseHTTPRequestHandler):
    server: Page

    def do_GET(self) -> None:
        word, _, name = self.path.partition("?")[0].removeprefix("/").partition("/")
        content = self.server.files.get(name) if word == self.server.word else None
        if content is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"{KINDS.get(name.rpartition('.')[2], 'text/plain')}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: the terminal shows the checks."""


def serve(first: str, saves: Iterator[list[str]], check: Callable[[list[str]], list[Progress]]) -> None:
    """Show the course in the browser, `first` before all, and of what is saved the checks, until Ctrl-C."""
    page = Page(_course())
    threading.Thread(target=page.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{page.server_port}/{page.word}/{first}.html"
    print(f"The lesson: {address}", flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        door = Path(folder, "open.html")
        door.touch(mode=0o600)
        door.write_text(f'<meta http-equiv="refresh" content="0;url={address}">', "utf-8")
        webbrowser.open(door.as_uri())
        for changed in saves:
            page.update(checking=True)
            page.update(checking=False, lessons=page_state(check(changed)))
            page.draw(changed[0])
            print("\nThe page shows it. Save a file to check again; Ctrl-C ends.", flush=True)


def _course() -> dict[str, bytes]:
    """The pages of the course. A handout has them; a checkout makes them from its lessons as they are."""
    try:
        from autograder.pages import course
    except ImportError:
        pages = Path("course")
        found = (path for path in pages.rglob("*") if path.is_file())
        return {path.relative_to(pages).as_posix(): path.read_bytes() for path in found}
    print("Making the pages of the course …", flush=True)
    return course()
