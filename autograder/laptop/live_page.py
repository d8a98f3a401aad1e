"""The server for `python -m autograder.checks --page`: the course pages, with the results of the latest checks.

The server listens only on this machine, and answers only requests whose path begins with a random token. The browser
reads the address from a file that no other user can read, since a machine's users can see one another's command lines.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import tempfile
import threading
import webbrowser
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from autograder.laptop.page_results import page_results
from autograder.laptop.progress_after_run import AssignmentProgress

RESULTS_POLLING_SCRIPT = b"""<script>
let last;
const follow = async () => {
  const state = await fetch("state.json", { cache: "no-store" }).then((reply) => reply.text()).catch(() => "null");
  if (state !== last) dispatchEvent(new CustomEvent("checked", { detail: JSON.parse((last = state)) }));
  setTimeout(follow, 700);
};
addEventListener("DOMContentLoaded", follow);
</script></head>"""
"""The script that fetches the results, which `pages/script/live.js` then shows on every page."""

PICTURES_TIMEOUT_SECONDS = 20
"""Maximum time to draw a lesson's pictures."""

MEDIA_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


class PageServer(ThreadingHTTPServer):
    """A server for the course's files and, in `state.json`, the results."""

    def __init__(self, files: dict[str, bytes], port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.token = secrets.token_urlsafe(16)
        self.files = {name: content.replace(b"</head>", RESULTS_POLLING_SCRIPT, 1) for name, content in files.items()}
        self.state: dict[str, Any] = {"lessons": {}, "pictures": {}}
        self.update(checking=True)

    def update(self, **changes: Any) -> None:
        """Change the state that the pages show. Changing one lesson does not affect the others."""
        for name, value in changes.items():
            self.state[name] = self.state[name] | value if isinstance(value, dict) else value
        self.files["state.json"] = json.dumps(self.state).encode()

    def draw_pictures(self, lesson: str, source: Path) -> None:
        """Draw a lesson's pictures in a separate process, so that the student's code can crash only that process.

        A picture that has changed gets a new address, so that browsers reload it.
        """
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "assignments.figures", str(source), folder, lesson]
            with suppress(subprocess.TimeoutExpired):
                subprocess.run(command, timeout=PICTURES_TIMEOUT_SECONDS, stdout=DEVNULL, stderr=DEVNULL, check=False)
            drawn = {path.relative_to(folder).as_posix(): path.read_bytes() for path in Path(folder).rglob("*.svg")}
        self.files |= {f"mine/{name}": picture for name, picture in drawn.items()}
        addresses = {name: f"mine/{name}?{zlib.crc32(picture)}" for name, picture in drawn.items()}
        self.update(pictures={lesson: addresses})

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore browsers that close the connection before the end of a reply."""


class _Handler(BaseHTTPRequestHandler):
    server: PageServer

    def do_GET(self) -> None:
        token, _, name = self.path.partition("?")[0].removeprefix("/").partition("/")
        content = self.server.files.get(name) if token == self.server.token else None
        if content is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"{MEDIA_TYPES.get(name.rpartition('.')[2], 'text/plain')}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Log nothing, because the terminal shows the results."""


def serve(
    first_page: str,
    saved_lessons: Iterator[list[str]],
    check: Callable[[Sequence[str]], list[AssignmentProgress]],
    port: int = 0,
) -> None:
    """Open the page `first_page` of the course in a browser, and check after each save until Ctrl-C.

    `port` is the port to listen on; 0 picks a free one.
    """
    server = PageServer(_course_files(), port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/{server.token}/{first_page}.html"
    print(f"The lesson: {address}", flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        door = Path(folder, "open.html")
        door.touch(mode=0o600)
        door.write_text(f'<meta http-equiv="refresh" content="0;url={address}">', "utf-8")
        webbrowser.open(door.as_uri())
        for changed in saved_lessons:
            server.update(checking=True)
            all_progress = check(changed)
            lessons = page_results(all_progress)
            server.update(checking=False, lessons=lessons)
            if lessons[changed[0]]["runs"]:
                server.draw_pictures(changed[0], all_progress[0].source.path.parent)
            print("\nThe page shows the result. Save a file to check again; Ctrl-C stops.", flush=True)


def _course_files() -> dict[str, bytes]:
    """Return the contents of the pages, keyed by path.

    Handouts include the pages; in a checkout, they are built from the lessons.
    """
    if find_spec("autograder.pages") is None:
        folder = Path("course")
        paths = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    from autograder.pages import course_files

    print("Building the course's pages …", flush=True)
    return course_files()
