"""Fixtures for site tests: a built site, a local server, and a browser window that records all requests."""

from __future__ import annotations

import contextlib
import fnmatch
import hashlib
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autograder import handout
from autograder.course import UserError, find
from autograder.files import write_files
from autograder.site import build
from tests.grader.support.browsing import WALL_TIMEOUT_SECONDS
from tests.grader.support.fixtures_built_once import Once
from tests.grader.support.requirements import skip_or_fail
from tests.grader.tools import fetch_pyodide

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PATH = "of/a/teacher/"
"""Folder of the site on its host, because a site may be below the top level."""

STUB = find("attention").stub.read_text("utf-8")
SOLUTION = find("attention").solution.read_text("utf-8")

WITHOUT_PYTHON = "Worker = class { postMessage() {} };"
"""Script that keeps a page's worker from starting anything, because a start of Python takes seconds."""

WITHOUT_PICTURES = """
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...more) {
  if (message.kind !== "draw" || window.drawsPictures) return post.call(this, message, ...more);
  const pictures = { "made_up.svg": "<svg/>" };
  setTimeout(() => this.onmessage({ data: { kind: "step", id: message.id, pictures } }));
  setTimeout(() => this.onmessage({ data: { kind: "done", id: message.id } }));
};
"""
"""Script that answers each request for pictures with one that no lesson shows, unless `window.drawsPictures` is true.
Loading what draws pictures takes seconds, and so does drawing the pictures of a lesson after each check."""

RECORD_MESSAGES = """() => {
  window.sent = [];
  window.sending ??= Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...more) {
    sent.push(message.kind);
    sending.call(this, message, ...more);
  };
}"""
"""Script that records the kind of each message sent to a worker; the first message to any worker is of the
kind “start”."""


@pytest.fixture(scope="session")
def node() -> None:
    """Node.js, which runs Pyodide without a browser and fetches its core."""
    if shutil.which("npm") is None:
        skip_or_fail("The tests of the course in a tab need Node.js: apt-get install nodejs npm.")


@pytest.fixture(scope="session")
def pyodide(node: None, once: Once) -> Path:
    """Folder with the Pyodide that browser tests use, fetched by the first test process that needs it."""
    try:
        folder: Path = once("pyodide", fetch_pyodide.fetch)
    except (UserError, subprocess.CalledProcessError) as error:
        skip_or_fail(f"The tests of the course in a tab need Pyodide, which cannot be fetched: {error}")
    return folder


FilesByArchive = Mapping[str, Mapping[str, bytes]]
"""Files in each archive: a dict from archive names to dicts from paths to contents."""


@pytest.fixture(scope="session")
def compiled_once(once: Once, handed_out: dict[str, bytes]) -> Callable[[FilesByArchive, Path], FilesByArchive]:
    """Return a replacement for `build.compiled` that compiles the modules of both editions of the site together, only
    once for all sites in a test run, because each start of Pyodide takes seconds."""
    compiled = build.compiled
    files = build._uncompiled_site_files(handed_out, True)
    course_of_both_editions = build._chosen(files, r"autograder/.*\.py")

    def compiled_once(archives: FilesByArchive, pyodide: Path) -> FilesByArchive:
        every = {**archives, "course": course_of_both_editions}
        assert archives["course"].items() <= course_of_both_editions.items()
        contents = ((f"{archive}/{path}", files[path]) for archive, files in every.items() for path in files)
        digest = hashlib.sha256(b"".join(path.encode() + content for path, content in sorted(contents)))
        modules = once(f"modules-{digest.hexdigest()}", lambda: compiled(every, pyodide))
        course = {path: content for path, content in modules["course"].items() if path[:-1] in archives["course"]}
        return {**modules, "course": course}

    return compiled_once


BuildSite = Callable[[str, bool], Path]


@pytest.fixture(scope="session")
def build_site(
    pyodide: Path,
    once: Once,
    compiled_once: object,
    handed_out: dict[str, bytes],
    tmp_path_factory: pytest.TempPathFactory,
) -> BuildSite:
    """Return a function that copies one of the two editions of the site; each edition is built only once for
    all test processes."""

    def build_site(name: str, self_study: bool) -> Path:
        def built() -> dict[str, bytes]:
            with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
                patch.setattr(handout, "contents", lambda: handed_out)
                patch.setattr(build, "compiled", compiled_once)
                out = build.build(Path(folder, "site"), str(pyodide), self_study)
                files = (path for path in out.rglob("*") if path.is_file())
                return {path.relative_to(out).as_posix(): path.read_bytes() for path in files}

        site = tmp_path_factory.mktemp(name) / PATH
        write_files({site / path: content for path, content in once(f"site-{name}", built).items()})
        return site

    return build_site


@pytest.fixture(scope="session")
def site(build_site: BuildSite) -> Path:
    """Instructor's edition of the site."""
    return build_site("instructor", False)


@pytest.fixture(scope="session")
def site_for_self_study(build_site: BuildSite) -> Path:
    """Self-study edition of the site."""
    return build_site("self-study", True)


SHORTER_LIMIT_SECONDS = 1
"""Limit of a call on a site used to test functions that never return, since each test waits until the time is up. A
call in the solution takes less than a thirtieth of it, even on a busy machine."""

SHORTER_WRITER_SECONDS = 2
"""Limit of one of the writer's steps on the same site, of which the slowest takes a tenth on a busy machine."""


@pytest.fixture(scope="module")
def site_with_shorter_limit(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy of the instructor's edition that limits a call to 1 second and the writer's steps to 2 seconds instead of
    5, and that replaces Python 1 second later instead of 2."""
    copy = tmp_path_factory.mktemp("shorter-limit") / PATH
    shutil.copytree(site, copy)
    (worker,) = copy.glob("worker-*.js")
    limits = (
        "from autograder.laptop import terminal_or_tab;"
        f" terminal_or_tab.LOCAL_TIMEOUT_SECONDS = {SHORTER_LIMIT_SECONDS};"
        " from autograder.site import tab;"
        f" tab.STEP_TIMEOUTS_BY_JOB['generate'] = ('The writer', {SHORTER_WRITER_SECONDS})"
    )
    text = worker.read_text("utf-8").replace("tab = python", f'python.runPython("{limits}"); tab = python')
    assert limits in text
    worker.write_text(text, "utf-8")
    (page,) = copy.glob("page-*.js")
    text = page.read_text("utf-8").replace("GRACE_SECONDS = 2", "GRACE_SECONDS = 1")
    assert "GRACE_SECONDS = 1" in text
    page.write_text(text, "utf-8")
    return copy


Failures = dict[str, int | None]
"""Failures of a server by patterns of file names: the status of its response, which is then a web page, or None if the
connection ends without a response. A test may change them while the server runs."""


class _Quiet(SimpleHTTPRequestHandler):
    def __init__(self, *arguments: Any, failures: Failures | None, **named: Any) -> None:
        self.failures = failures
        super().__init__(*arguments, **named)

    def do_GET(self) -> None:
        """Send the file, or fail."""
        name = self.path.rpartition("/")[2]
        for pattern, status in (self.failures or {}).items():
            if fnmatch.fnmatch(name, pattern):
                if status is not None:
                    self.send_error(status)
                return
        super().do_GET()

    def end_headers(self) -> None:
        """Let pages from any host read the response, so that only a page's own policy can prevent access, and let no
        browser keep what a server that can fail has sent."""
        self.send_header("Access-Control-Allow-Origin", "*")
        if self.failures is not None:
            self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Write no log."""


@contextlib.contextmanager
def served(site: Path, failures: Failures | None = None) -> Iterator[str]:
    """Serve a built site on this machine and yield its address."""
    root = site.parents[PATH.count("/") - 1]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=root, failures=failures))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{PATH}"
    server.shutdown()
    server.server_close()


class Window:
    """Browser window on a site, which records requested addresses and console messages."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context, self.address = context, address
        self.requests: list[str] = []
        self.complaints: list[str] = []
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("console", lambda message: self.complaints.append(message.text))
        self.page: Page = context.new_page()
        self.page.set_default_timeout(WALL_TIMEOUT_SECONDS)

    def open(self, name: str) -> None:
        """Open a page on the site."""
        self.page.goto(f"{self.address}{name}.html")

    def open_unless_open(self, name: str) -> None:
        """Open a page on the site unless it is already open, since each page load restarts Python."""
        if not self.page.url.endswith(f"/{name}.html"):
            self.open(name)

    def write(self, text: str) -> None:
        """Put text into the editor."""
        self.page.locator(".cm-content").wait_for(state="attached")
        self.page.evaluate("(text) => code.open(text)", text)

    def wait_for(self, words: str, where: str = ".standing") -> None:
        """Wait until part of the page contains the specified words."""
        self.page.locator(where, has_text=words).first.wait_for(state="attached")

    def wait_for_rest(self) -> None:
        """Wait until the latest code has been checked and its pictures have been drawn."""
        self.page.wait_for_function("() => checked === code.text() && jobs.size === 0")


@contextlib.contextmanager
def window(browser: Browser, site: Path, width: int = 1280, failures: Failures | None = None) -> Iterator[Window]:
    """Open a browser window on a site."""
    with served(site, failures) as address:
        context = browser.new_context(viewport={"width": width, "height": 900}, accept_downloads=True)
        yield Window(context, address)
        context.close()


def with_causal_mask(body: str) -> str:
    """Return the stub of lesson 1 with a new body for the first function."""
    text = re.sub(r'    raise NotImplementedError\("causal_mask[^\n]*', lambda _: body, STUB)
    assert text != STUB
    return text
