"""Fixtures: a built site, a server for it on this machine, and a browser window that records all its requests."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autograder import handout
from autograder.site import build
from tests.grader.support.browsing import WALL_TIMEOUT_SECONDS
from tests.grader.tools import fetch_pyodide

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PATH = "of/a/teacher/"
"""The site's folder on the host, because a site need not be at the top."""


@pytest.fixture(scope="session")
def pyodide() -> Path:
    """Folder of the Pyodide that browser tests use."""
    if not fetch_pyodide.READY.is_file():
        pytest.skip("These tests need Pyodide: python -m tests.grader.tools.fetch_pyodide fetches it.")
    return fetch_pyodide.FOLDER


def _built(root: Path, pyodide: Path, handed_out: dict[str, bytes], self_study: bool) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(handout, "contents", lambda: handed_out)
        return build.build(root / PATH, str(pyodide), self_study)


@pytest.fixture(scope="session")
def site(pyodide: Path, handed_out: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An instructor's site."""
    return _built(tmp_path_factory.mktemp("site"), pyodide, handed_out, self_study=False)


@pytest.fixture(scope="session")
def site_for_self_study(pyodide: Path, handed_out: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The edition for self-study."""
    return _built(tmp_path_factory.mktemp("alone"), pyodide, handed_out, self_study=True)


class _Quiet(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        """Let pages from any other host read an answer, so that only their own policy can prevent it."""
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Write no log."""


@contextlib.contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a built site and yield its address."""
    root = site.parents[PATH.count("/") - 1]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=root))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{PATH}"
    server.shutdown()
    server.server_close()


class Window:
    """A window on a site, with the addresses that its browser requested and the errors in its console."""

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

    def write(self, text: str) -> None:
        """Put a text into the editor."""
        self.page.locator(".cm-content").wait_for(state="attached")
        self.page.evaluate("(text) => code.open(text)", text)

    def wait_for(self, words: str, where: str = ".standing") -> None:
        """Wait until a part of the page shows a text."""
        self.page.locator(where, has_text=words).first.wait_for(state="attached")

    def wait_for_rest(self) -> None:
        """Wait until the code has been checked and its pictures drawn."""
        self.page.wait_for_function("() => checked === code.text() && jobs.size === 0")


@contextlib.contextmanager
def window(browser: Browser, site: Path, width: int = 1280) -> Iterator[Window]:
    """Open a window on a site."""
    with served(site) as address:
        context = browser.new_context(viewport={"width": width, "height": 900}, accept_downloads=True)
        yield Window(context, address)
        context.close()
