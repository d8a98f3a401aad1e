"""Draw the pictures of README.md: `python -m tests.grader.tools.readme_pictures`, with Chromium and Node.js.

`page.png` shows lesson 1 in a browser tab, with the editor. `feedback.png` shows a wrong function of lesson 5, with its
likely cause, beside a dial. `report.png` shows the report of the sample class.

`pictures.json`, beside the pictures, contains hashes of the files from which they are drawn, so a test can
tell when a picture is out of date.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.batch.run import grade
from autograder.course import ROOT, find
from autograder.site import build
from tests.grader.site.conftest import Window, window
from tests.grader.support.browsing import NAMES, QUIET
from tests.grader.tools import fetch_pyodide

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FOLDER = ROOT / "docs" / "pictures"
HASHES = FOLDER / "pictures.json"

SOURCES = {
    "page.png": [
        "autograder/site/script/page.js",
        "autograder/site/style/tab.css",
        "autograder/pages/style/course.css",
    ],
    "feedback.png": [
        "autograder/site/script/page.js",
        "autograder/site/style/tab.css",
        "autograder/checks/result_markdown.py",
    ],
    "report.png": ["autograder/reports/page_template/report.html", "autograder/reports/class_page.py"],
}
"""Files that determine how each picture looks."""


def hashes() -> dict[str, str]:
    """Return the current hash of the files behind each picture."""
    return {
        picture: hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in names)).hexdigest()[:16]
        for picture, names in SOURCES.items()
    }


@contextmanager
def launched() -> Iterator[Browser]:
    """Start the system's browser."""
    from playwright.sync_api import sync_playwright

    executable = next(filter(None, map(shutil.which, NAMES)))
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=executable, args=QUIET, timeout=0)
        yield browser
        browser.close()


def draw_page(tab: Window) -> None:
    """Draw lesson 1 with two correct functions and a wrong one."""
    solution = find("attention").solution.read_text("utf-8")
    stub = find("attention").stub.read_text("utf-8")
    body = re.search(r"def causal_mask.*?# BEGIN SOLUTION\n(.*?)    # END SOLUTION", solution, re.DOTALL)
    assert body
    text = re.sub(r'    raise NotImplementedError\("causal_mask[^\n]*\n', lambda _: body[1], stub)
    tab.open("attention")
    tab.write(text)
    tab.wait_for("1 of 10 functions")
    tab.wait_for_rest()
    tab.page.locator("#causal_mask").scroll_into_view_if_needed()
    tab.page.evaluate("document.querySelector('#causal_mask').scrollIntoView({block: 'start'})")
    tab.page.screenshot(path=FOLDER / "page.png")


def draw_feedback(tab: Window) -> None:
    """Draw lesson 5 with an exponent half as large as it should be."""
    solution = find("rope").solution.read_text("utf-8")
    tab.open("rope")
    right = re.sub(r"\n    # (BEGIN|END) SOLUTION", "", solution)
    tab.write(right.replace("np.arange(0, head_dim, 2)", "np.arange(head_dim // 2)"))
    tab.wait_for("Likely cause", "#live-rope_frequencies")
    tab.wait_for_rest()
    tab.page.evaluate("document.querySelector('#live-rope_frequencies').scrollIntoView({block: 'center'})")
    tab.page.screenshot(path=FOLDER / "feedback.png")


def draw_report(browser: Browser, out: Path) -> None:
    """Draw the report of the sample class."""
    grade([ROOT / "tests" / "submissions"], out)
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto((out / "report.html").as_uri())
    page.screenshot(path=FOLDER / "report.png")


def main() -> None:
    """Draw all pictures and record their sources."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, launched() as browser:
        site = build.build(Path(name) / "of" / "a" / "teacher", str(fetch_pyodide.fetch()), False)
        with window(browser, site) as tab:
            draw_page(tab)
            draw_feedback(tab)
        draw_report(browser, Path(name) / "results")
    HASHES.write_text(json.dumps(hashes(), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
