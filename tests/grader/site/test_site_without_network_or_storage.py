"""Browser tests of a tab in which a part of the course cannot be loaded, in which nothing is stored, or beside which
another tab shows the same lesson."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.grader.site.conftest import SOLUTION, STUB, WITHOUT_PYTHON, Failures, Window, window, with_causal_mask

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.long

WITHOUT_SERVICE_WORKER = "delete Navigator.prototype.serviceWorker;"
"""Script for a page whose requests a test intercepts: a service worker would make some of them itself."""

WITHOUT_STORAGE = f"""
  Object.defineProperty(window, "localStorage", {{ get() {{ throw new DOMException("insecure", "SecurityError"); }} }});
  delete window.caches;
  {WITHOUT_SERVICE_WORKER}
"""
"""Script that takes from a page what a browser lacks that is set to store nothing or that opens a site without
HTTPS."""


@pytest.fixture(scope="module")
def window_without_python(browser: Browser, site: Path) -> Iterator[Window]:
    """Browser window for tests of pages that need no Python, because the first page of a window costs most."""
    with window(browser, site) as opened:
        opened.page.add_init_script(WITHOUT_PYTHON)
        yield opened


@pytest.fixture
def tab_without_python(window_without_python: Window) -> Window:
    """Browser window of the usual size that stores nothing yet."""
    tab = window_without_python
    tab.page.set_viewport_size({"width": 1280, "height": 900})
    tab.open("keep")
    tab.page.evaluate("localStorage.clear(); caches.delete('whereabouts-work')")
    return tab


def errors_of(tab: Window) -> list[str]:
    """Return a list to which each error of the page will be appended."""
    errors: list[str] = []
    tab.page.on("pageerror", lambda error: errors.append(str(error)))
    return errors


PARTS_OF_PYTHON: Failures = {
    "worker-*": None,
    "worker-*.js": 200,
    "libraries-*": 503,
    "libraries-*.zip": 200,
    "pyodide.js": None,
    "pyodide.asm.wasm": 503,
    "python_stdlib.zip": None,
    "numpy-*": 503,
}
"""A failure for each way in which a start of Python loads a file. With status 200, the server sends a web page in the
file's place, as a network does that asks for a login."""


def test_a_part_of_python_or_of_pictures_that_cannot_be_loaded_is_told(browser: Browser, site: Path) -> None:
    """The next check loads the part of Python, and no result depends on the pictures."""
    failures: Failures = {}
    with window(browser, site, failures=failures) as tab:
        tab.page.add_init_script(WITHOUT_SERVICE_WORKER)
        for part, status in PARTS_OF_PYTHON.items():
            failures.clear()
            failures[part] = status
            tab.requests.clear()
            if tab.page.url == "about:blank":
                tab.open("attention")
            else:
                tab.page.locator(".coding button", has_text="Check").click()
            tab.wait_for("Python cannot start (", ".python")
            tab.wait_for("Check the network, then press “Check” or reload this page.", ".python")
            assert not re.search("Traceback|instantiation failed", tab.page.locator(".python").inner_text())
            tab.page.locator(".standing").wait_for(state="hidden")
            is_numpy_requested = any("/numpy-" in url for url in tab.requests)
            assert is_numpy_requested == (part == "numpy-*")  # nothing is loaded after what cannot be loaded
        failures.clear()
        failures["pillow-*"] = None
        tab.page.locator(".coding button", has_text="Check").click()
        tab.wait_for("0 of 10 functions are right")
        tab.page.locator("main figure").first.scroll_into_view_if_needed()
        pictures_failed = "Loading pictures (9 MB, once) failed ("
        tab.wait_for(pictures_failed, ".python")
        tab.wait_for_rest()
        tab.page.workers[-1].evaluate("delete PICTURES.loading")  # as if Python had started anew
        failures.clear()
        failures["pictures-*"] = 503
        tab.write(SOLUTION)
        tab.wait_for("10 of 10 functions are right")
        tab.wait_for(pictures_failed, ".python")
        tab.wait_for_rest()
        assert ".zip: 503). Check the network" in tab.page.locator(".python").inner_text()
        assert tab.page.locator(".live[data-mark='✓']").count() == 10


def test_a_stub_that_cannot_be_loaded_replaces_no_work(browser: Browser, site: Path) -> None:
    failures: Failures = {}
    with window(browser, site, failures=failures) as tab:
        tab.page.add_init_script(WITHOUT_PYTHON)
        tab.page.on("dialog", lambda dialog: dialog.accept())
        tab.open("attention")
        tab.write("x = 1\n")
        reasons: dict[int | None, str] = {
            503: "attention.py: 503",
            200: "attention.py: a web page",
            None: "Failed to fetch",
        }
        for failures["attention.py"], reason in reasons.items():
            tab.page.locator("[data-click=restart]").click()
            tab.wait_for(f"{reason}. Nothing has changed; try again.", ".opened")
            assert tab.page.evaluate("code.text()") == "x = 1\n"
        failures.clear()
        tab.page.locator("[data-click=restart]").click()
        tab.page.wait_for_function("(stub) => code.text() === stub", arg=STUB)


def test_a_worker_script_that_ends_half_way_is_told(browser: Browser, site: Path) -> None:
    with window(browser, site) as tab:
        tab.page.add_init_script(WITHOUT_SERVICE_WORKER)
        half = {"body": "const half = (", "content_type": "text/javascript"}
        tab.page.route("**/worker-*", lambda route: route.fulfill(**half))
        tab.open("attention")
        tab.wait_for("Python cannot start (Uncaught SyntaxError", ".python")
        tab.page.locator(".standing").wait_for(state="hidden")


def test_a_page_without_its_script_says_what_to_do(browser: Browser, site: Path) -> None:
    """A page kept from before a new version of the site names scripts that no longer exist."""
    with window(browser, site, failures={"page-*": 404}) as tab:
        for name, words, where in (
            ("attention", "If no editor appears here, reload this page.", ".python"),
            ("keep", "If your work does not appear here, reload this page.", "#keep"),
        ):
            tab.open(name)
            assert tab.page.locator(where).inner_text() == words


CACHES_THAT_FAIL = "CacheStorage.prototype.match = async () => { throw new Error('no cache'); };\n"
IS_KEPT = "(name) => caches.match(name).then(Boolean)"
INSTALLED_STATE = """async () => {
  const { installing } = await navigator.serviceWorker.register("service-worker.js");
  return new Promise((done) => (installing.onstatechange = () => done(installing.state)));
}"""
"""Script that returns the state of a new service worker after its installation."""


def test_no_web_page_is_kept_in_the_place_of_a_file(browser: Browser, site: Path) -> None:
    """Otherwise it would be in the place of the file on all later visits. The next attempt keeps the file."""
    failures: Failures = {"libraries-*": 200}
    numpy = next(site.glob("pyodide-*/numpy-*")).relative_to(site).as_posix()
    with window(browser, site, failures=failures) as tab:
        tab.page.add_init_script(WITHOUT_PYTHON)
        tab.open("keep")
        assert tab.page.evaluate(INSTALLED_STATE) == "redundant"
        failures.clear()
        assert tab.page.evaluate(INSTALLED_STATE) == "installed"
        tab.page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        keep = "(urls) => { loaded = urls.map((url) => new URL(url, location).href); keepLoaded(); }"
        for status in (200, None):
            failures["numpy-*"] = status
            sent = len(tab.requests)
            with tab.context.expect_event("request", lambda request: "/numpy-" in request.url):
                tab.page.evaluate(keep, [numpy])
            tab.page.wait_for_timeout(300)
            assert len(tab.requests) > sent and not tab.page.evaluate(IS_KEPT, numpy)
        failures.clear()
        tab.page.evaluate(keep, [numpy])
        while not tab.page.evaluate(IS_KEPT, numpy):
            tab.page.wait_for_timeout(100)


def test_a_site_opens_though_the_caches_of_the_browser_fail(browser: Browser, site: Path) -> None:
    script = site / "service-worker.js"
    before = script.read_text("utf-8")
    try:
        script.write_text(CACHES_THAT_FAIL + before, "utf-8")
        with window(browser, site) as tab:
            tab.page.add_init_script(WITHOUT_PYTHON)
            tab.open("keep")
            assert tab.page.evaluate(INSTALLED_STATE) == "installed"
            tab.page.wait_for_function("() => navigator.serviceWorker.controller !== null")
            tab.open("attention")
            tab.page.locator(".cm-content").wait_for(state="attached")
    finally:
        script.write_text(before, "utf-8")


def test_what_storage_holds_by_mistake_stops_no_page(tab_without_python: Window) -> None:
    tab = tab_without_python
    errors = errors_of(tab)
    store = "([key, value]) => localStorage.setItem(`whereabouts ${key}`, value)"
    for value in ("not JSON", "5", '{"text": 1}'):
        for key in ("file attention", "file naive", "tries", "written"):
            tab.page.evaluate(store, [key, value])
        tab.open("attention")
        tab.page.wait_for_function("(stub) => code?.text() === stub", arg=STUB)
        tab.open("keep")
        tab.page.locator("#keep > p").first.wait_for()
    for pictures in ("not JSON", '{"text": "x = 1\\n"}'):
        tab.page.evaluate("keep('file attention', 'x = 1\\n')")
        tab.page.evaluate(store, ["result attention", pictures])
        put = "(text) => pictureCache().then((cache) => cache.put('pictures/attention', new Response(text)))"
        tab.page.evaluate(put, pictures)
        tab.page.reload()
        tab.wait_for("x = 1", "#keep pre")
    assert errors == []


def test_nothing_replaces_what_a_full_browser_could_not_store(tab_without_python: Window) -> None:
    """Neither the browser's back button nor a new version requested in another tab."""
    tab = tab_without_python
    tab.open("attention")
    tab.write("x = 1\n")
    tab.page.evaluate("void (Storage.prototype.setItem = () => { throw new DOMException('full'); })")
    tab.write("x = 2\n")
    tab.wait_for("This browser does not store your work: download it before you leave.", ".python")
    tab.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    worker = "{ controller: {}, register: async () => ({}) }"
    tab.page.evaluate(
        f"{{ const worker = {worker}; withoutNetwork({{ serviceWorker: worker }}); worker.oncontrollerchange(); }}"
    )
    tab.page.wait_for_timeout(500)  # in which the page would be loaded anew
    assert tab.page.evaluate("code.text()") == "x = 2\n"


def test_work_opened_while_work_is_checked_is_checked_instead(browser: Browser, site: Path) -> None:
    with window(browser, site) as tab:
        tab.page.add_init_script("window.sent = []; Worker = class { postMessage(job) { sent.push(job); } };")
        tab.open("keep")
        tab.page.evaluate("for (const name of ['attention', 'rope']) keep(`file ${name}`, 'older');")
        tab.page.reload()
        tab.page.wait_for_function("() => sent.some(({ kind }) => kind === 'check')")
        tab.page.evaluate("keep('file rope', 'newer')")
        tab.page.evaluate("heard.done({ lesson: {}, errors: [], tries: null }, sent.at(-1).id)")
        tab.page.wait_for_function("() => sent.at(-1).task?.name === 'rope'")
        assert tab.page.evaluate("sent.at(-1).task.files.rope") == "newer"


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
        assert "matplotlib" in tab.page.evaluate("loaded.join()")  # so that a service worker keeps it
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


def test_two_tabs_on_one_lesson_lose_no_work(tab_without_python: Window) -> None:
    """The newest text replaces the older text in the other tab, and nothing is written back."""
    tab = tab_without_python
    texts = [with_causal_mask(f"    return {number}") for number in range(3)]
    tab.open("attention")
    tab.write(texts[0])
    other = tab.context.new_page()
    other.add_init_script(WITHOUT_PYTHON)
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
    other.close()


@pytest.mark.parametrize("width", [1280, 360])
def test_the_first_link_of_a_lesson_leads_to_its_editor(tab_without_python: Window, width: int) -> None:
    tab = tab_without_python
    tab.page.set_viewport_size({"width": width, "height": 900})
    tab.open("attention")
    tab.page.locator(".cm-content").wait_for(state="attached")
    tab.page.keyboard.press("Tab")
    assert tab.page.evaluate("document.activeElement.textContent") == "Skip to your code"
    tab.page.keyboard.press("Enter")
    tab.page.keyboard.type("# begun\n")
    assert tab.page.evaluate("code.text()") == f"# begun\n{STUB}"
    assert tab.page.locator(".cm-content").is_visible()
