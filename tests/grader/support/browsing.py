"""A browser for page tests: the system's browser without a window, the course's pages, and a page that records all its
problems."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.grader.support.fixtures_built_once import Once
from tests.grader.support.requirements import skip_or_fail

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WALL_TIMEOUT_SECONDS = 180_000
"""Timeout in milliseconds for a browser, longer than any machine needs, so that pytest can name the test that
waits."""

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--wasm-tiering-budget=400000000",
]
"""Options for less work in the background. The last one makes the browser optimize only the WebAssembly that runs for
longest: by default, it spends as much time on optimizing Pyodide as Pyodide takes to start."""

SEEN = Path(__file__).with_name("seen.js")


def executable() -> str | None:
    """Return the path of the system's browser, or None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def launched() -> Iterator[Browser]:
    """Start the system's browser, and close it afterwards."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=executable(), args=QUIET, timeout=0)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's browser."""
    if executable() is None:
        skip_or_fail("The tests of pages need a browser: apt-get install chromium.")
    with launched() as running:
        yield running


@pytest.fixture(scope="session")
def course_files(once: Once) -> dict[str, bytes]:
    """Content of each course page by its path below `course/`; tests must not change it."""
    from autograder.pages import course_files

    files: dict[str, bytes] = once("course", course_files)
    return files


@pytest.fixture(scope="session")
def course_folder(course_files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the pages of the course and nothing else, as in `dist/course/`."""
    from autograder.files import write_files

    folder = tmp_path_factory.mktemp("course")
    write_files({folder / name: content for name, content in course_files.items()})
    return folder


@contextlib.contextmanager
def default_font_size(page: Page, pixels: int) -> Iterator[None]:
    """Show a page as in a browser whose reader has set this default font size."""
    session = page.context.new_cdp_session(page)
    session.send("Page.setFontSizes", {"fontSizes": {"standard": pixels}})
    yield
    session.send("Page.setFontSizes", {"fontSizes": {"standard": 16}})
    session.detach()


class Opened:
    """A page that is open in the browser, with a record of its problems and its requests to other hosts."""

    def __init__(
        self, browser: Browser, path: Path, width: int = 1280, scheme: str = "light", moves: bool = True
    ) -> None:
        self.page: Page = browser.new_page(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]
            java_script_enabled=moves,
            offline=True,
        )
        self.page.set_default_timeout(WALL_TIMEOUT_SECONDS)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.add_init_script(path=SEEN)
        self.page.goto(path.as_uri())

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.page.close()
