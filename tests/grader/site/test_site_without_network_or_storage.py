"""Browser tests of a tab in which a part of the course cannot be loaded, in which nothing is stored, or beside which
another tab shows the same lesson."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.grader.site.conftest import SOLUTION, STUB, Failures, Window, window, with_causal_mask

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.long

WITHOUT_PYTHON = "Worker = class { postMessage() {} };"
"""Script that starts nothing in the worker of a page, because a start of Python takes seconds."""

WITHOUT_SERVICE_WORKER = "delete Navigator.prototype.serviceWorker;"
"""Script for a page whose requests a test intercepts: a service worker would make some of them itself."""

WITHOUT_STORAGE = f"""
  Object.defineProperty(window, "localStorage", {{ get() {{ throw new DOMException("insecure", "SecurityError"); }} }});
  delete window.caches;
  {WITHOUT_SERVICE_WORKER}
"""
"""Script that takes from a page what a browser lacks that is set to store nothing or that opens a site without
HTTPS."""


def errors_of(tab: Window) -> list[str]:
    """Return a list to which each error of the page will be appended."""
    errors: list[str] = []
    tab.page.on("pageerror", lambda error: errors.append(str(error)))
    return errors


PARTS_OF_PYTHON: Failures = {
    "worker-*": None,
    "libraries-*": 503,
    "pyodide.js": None,
    "pyodide.asm.wasm": 503,
    "python_stdlib.zip": None,
    "numpy-*": 503,
}
"""A failure for each way in which a start of Python loads a file."""


def test_a_part_of_python_that_cannot_be_loaded_is_told_and_loaded_by_the_next_check(
    browser: Browser, site: Path
) -> None:
    failures: Failures = {}
    with window(browser, site, failures=failures) as tab:
        for part, status in PARTS_OF_PYTHON.items():
            failures.clear()
            failures[part] = status
            if tab.page.url == "about:blank":
                tab.open("attention")
            else:
                tab.page.locator(".coding button", has_text="Check").click()
            tab.wait_for("Python cannot start (", ".python")
            tab.wait_for("Check the network, then press “Check” or reload this page.", ".python")
            tab.page.locator(".standing").wait_for(state="hidden")
        failures.clear()
        tab.page.locator(".coding button", has_text="Check").click()
        tab.wait_for("0 of 10 functions are right")
        assert "cannot start" not in tab.page.locator(".python").inner_text()


def test_a_stub_that_cannot_be_loaded_replaces_no_work(browser: Browser, site: Path) -> None:
    failures: Failures = {}
    with window(browser, site, failures=failures) as tab:
        tab.page.add_init_script(WITHOUT_PYTHON)
        tab.page.on("dialog", lambda dialog: dialog.accept())
        tab.open("attention")
        tab.write("x = 1\n")
        failures["attention.py"] = 503
        tab.page.locator("[data-click=restart]").click()
        tab.wait_for("attention.py: 503.", ".opened")
        assert tab.page.evaluate("code.text()") == "x = 1\n"
        failures.clear()
        tab.page.locator("[data-click=restart]").click()
        tab.page.wait_for_function("(stub) => code.text() === stub", arg=STUB)


@pytest.mark.parametrize("part", ["pictures-*", "pillow-*"])
def test_pictures_that_cannot_be_loaded_change_no_result(browser: Browser, site: Path, part: str) -> None:
    with window(browser, site) as tab:
        tab.page.add_init_script(WITHOUT_SERVICE_WORKER)
        tab.context.route(f"**/{part}", lambda route: route.abort())
        tab.open("attention")
        tab.wait_for("0 of 10 functions are right")
        tab.write(SOLUTION)
        tab.wait_for("10 of 10 functions are right")
        tab.page.locator("main figure").first.scroll_into_view_if_needed()
        tab.wait_for("Loading pictures (9 MB, once) failed (", ".python")
        tab.wait_for_rest()
        assert tab.page.locator(".live[data-mark='✓']").count() == 10


def test_a_browser_that_stores_nothing_says_so_and_everything_else_works(browser: Browser, site: Path) -> None:
    """No check waits while pictures are loading."""
    with window(browser, site) as tab:
        tab.page.add_init_script(WITHOUT_STORAGE)
        errors = errors_of(tab)
        held: list[Route] = []
        tab.context.route("**/matplotlib-*", lambda route: held.append(route))
        tab.open("attention")
        tab.wait_for("0 of 10 functions are right")
        tab.page.locator("main figure").first.scroll_into_view_if_needed()
        tab.wait_for("Loading pictures (9 MB, once)", ".python")
        tab.write(SOLUTION)
        tab.wait_for("10 of 10 functions are right")
        held.pop().continue_()
        tab.page.locator("figure .own .mine").first.wait_for(state="attached")
        tab.wait_for_rest()
        not_stored = "This browser does not store your work: download it before you leave."
        assert tab.page.locator(".python").inner_text() == not_stored  # also after the progress of loading pictures
        tab.open("keep")
        tab.page.locator("#keep p").wait_for()
        assert errors == []


def test_work_without_https_is_shown_without_pictures(browser: Browser, site: Path) -> None:
    """A browser has no caches on a page from another machine in a classroom, which it loads without HTTPS."""
    with window(browser, site) as tab:
        tab.page.add_init_script(f"{WITHOUT_PYTHON} delete window.caches; {WITHOUT_SERVICE_WORKER}")
        tab.open("keep")
        tab.page.evaluate("(text) => keep('file attention', text)", SOLUTION)
        tab.page.reload()
        tab.wait_for("def causal_mask", "#keep")


def test_two_tabs_on_one_lesson_lose_no_work(browser: Browser, site: Path) -> None:
    """The newest text replaces the older text in the other tab, and nothing is written back."""
    with window(browser, site) as tab:
        tab.context.add_init_script(WITHOUT_PYTHON)
        texts = [with_causal_mask(f"    return {number}") for number in range(3)]
        tab.open("attention")
        tab.write(texts[0])
        other = tab.context.new_page()
        other.goto(tab.page.url)
        other.wait_for_function("(text) => code?.text() === text", arg=texts[0])
        for writer, reader, text in ((other, tab.page, texts[1]), (tab.page, other, texts[2])):
            writer.evaluate("(text) => code.open(text)", text)
            reader.wait_for_function("(text) => code.text() === text", arg=text)
            reader.locator(".opened", has_text="Opened what another tab wrote as attention.py").wait_for()
            assert reader.evaluate("read('file attention')") == writer.evaluate("code.text()") == text
        other.evaluate("localStorage.setItem('whereabouts file attention', JSON.stringify('x'.repeat(9)))")
        tab.page.wait_for_function("() => code.text() === 'x'.repeat(9)")
        other.evaluate("keep('file naive', 'y = 1')")
        tab.page.wait_for_timeout(300)
        assert tab.page.evaluate("code.text()") == "x" * 9


@pytest.mark.parametrize("width", [1280, 360])
def test_the_first_link_of_a_lesson_leads_to_its_editor(browser: Browser, site: Path, width: int) -> None:
    with window(browser, site, width) as tab:
        tab.page.add_init_script(WITHOUT_PYTHON)
        tab.open("attention")
        tab.page.locator(".cm-content").wait_for(state="attached")
        tab.page.keyboard.press("Tab")
        assert tab.page.evaluate("document.activeElement.textContent") == "Skip to your code"
        tab.page.keyboard.press("Enter")
        tab.page.keyboard.type("# begun\n")
        assert tab.page.evaluate("code.text()") == f"# begun\n{STUB}"
        assert tab.page.locator(".cm-content").is_visible()
