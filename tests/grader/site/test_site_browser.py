"""Browser tests of the course in a tab: an empty file becomes a correct one, and no data leaves the site."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from autograder.course import find
from tests.grader.site.conftest import RECORD_MESSAGES, SOLUTION, STUB, Window, served, window, with_causal_mask
from tests.grader.support.classroom import SAMPLES

pytestmark = pytest.mark.long


def test_a_wrong_function_is_explained_a_syntax_error_marked_and_a_right_file_green(tab: Window) -> None:
    """Work is saved, messages mention the page instead of a shell, and pictures use the student's
    functions."""
    page = tab.page
    tab.write(with_causal_mask("    return np.zeros((length, length), dtype=bool)"))
    tab.wait_for("expected", "#live-causal_mask[data-mark='✗']")
    rule = page.locator(".standing p", has_text="✗").first.inner_text(timeout=5000).removeprefix("✗ ").partition(":")[0]
    assert rule in page.locator("#live-causal_mask").inner_text()
    page.locator(".standing a", has_text="line").first.click()
    page.wait_for_function(
        "() => { const { top, bottom } = document.getElementById('live-causal_mask').getBoundingClientRect();"
        " return top >= 0 && bottom <= innerHeight; }",
        timeout=5000,
    )
    tab.write(with_causal_mask("    return ("))
    tab.wait_for("never closed")
    assert 'File "attention.py", line' in page.locator(".standing").inner_text()
    page.locator(".cm-lint-marker-error").wait_for(state="attached")
    page.evaluate("say('SyntaxError: of an earlier text')")
    page.locator(".standing button").click()
    assert not page.locator(".standing").is_visible()
    tab.write(SOLUTION)
    tab.wait_for("All functions are right! Now press “Download attention.py” and hand that file in")
    assert page.locator(".standing").is_visible()
    assert "earlier text" not in page.locator(".python").inner_text()
    following = page.locator(".standing a", has_text="lesson 2, naive")
    assert following.get_attribute("href") == "naive.html"
    # The browser measures both at once, since a new picture makes the text of the box anew.
    assert page.evaluate(
        "() => { const [box, link] = ['.standing', '.standing a[href=\"naive.html\"]'].map("
        "(which) => document.querySelector(which).getBoundingClientRect()); return link.bottom <= box.bottom; }"
    )
    assert page.locator(".live").count() == page.locator(".live[data-mark='✓']").count() == 10
    assert not re.search(r"make |python -m|\.venv|assignments/", page.locator(".standing").inner_text())
    page.locator("figure .own .mine").first.wait_for(state="attached")
    with page.expect_download() as download:
        page.locator("button", has_text="Download attention.py").click()
    assert Path(download.value.path()).read_text("utf-8") == SOLUTION
    assert json.loads(page.evaluate("localStorage.getItem('whereabouts file attention')")) == SOLUTION


@pytest.mark.parametrize("way", ["Start again", "Open"])
def test_what_is_written_is_replaced_only_after_a_question(tab: Window, way: str, tmp_path: Path) -> None:
    page, other = tab.page, tmp_path / "other.py"
    other.write_text("x = 1\n", "utf-8")
    before = page.evaluate("code.text()")
    for answer, expected in ((False, before), (True, "x = 1\n" if way == "Open" else STUB)):
        page.evaluate("(answer) => { window.confirm = (question) => (window.asked = question, answer); }", answer)
        if way == "Open":
            page.locator(".coding input[type=file]").set_input_files(other)
        else:
            page.locator(".coding button", has_text=way).click()
        page.wait_for_function("() => window.asked")
        assert page.evaluate("window.asked") == "Replace what you wrote in attention.py? It will be lost."
        page.evaluate("window.asked = undefined")
        page.wait_for_function("(text) => code.text() === text", arg=expected, timeout=5000)
    tab.write(before)


def test_a_key_checks_and_escape_then_tab_leaves_the_editor(tab: Window) -> None:
    page = tab.page
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nfor i in range(2):\n")
    assert page.evaluate("code.text().endsWith('for i in range(2):\\n    ')")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.classList.contains('cm-content')")
    page.keyboard.type("pass")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => running !== undefined")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.classList.contains('cm-content')")
    tab.wait_for_rest()


def test_one_text_is_checked_once(tab: Window) -> None:
    """Requesting a check during a check or while pictures are drawn does not check the same text twice."""
    page = tab.page
    tab.wait_for_rest()  # opening the page checks the saved text
    page.evaluate(RECORD_MESSAGES)
    tab.write(SOLUTION + "\n# once\n")
    page.evaluate("check(); check()")
    tab.wait_for_rest()
    page.evaluate("check()")
    page.wait_for_timeout(1000)  # longer than the delay before changed text is checked
    assert page.evaluate("sent.filter((kind) => kind === 'check').length") == 1


def test_nothing_is_asked_for_but_the_site_and_nothing_complains(tab: Window) -> None:
    allowed = (tab.address, "blob:", "data:")
    assert [url for url in tab.requests if not url.startswith(allowed)] == []
    quiet = [text for text in tab.complaints if "fatal error" not in text and "RangeError" not in text]
    assert [text for text in quiet if "Content Security Policy" in text] == []


WORKER = """
    (url) => new Promise((resolve) => {
      const code = `fetch("${url}").then(({ status }) => postMessage(status), () => postMessage("refused"))`;
      const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
      worker.onmessage = ({ data }) => resolve(data);
    })
"""
"""Script that requests an address from a web worker that is started like Python's worker."""

ASKS = """
    import js

    def status(url):
        request = js.XMLHttpRequest.new()
        request.open("GET", url, False)
        try:
            request.send()
        except Exception:
            return "refused"
        return request.status

    raise ValueError(f"the site: {{status('{site}')}}, another host: {{status('{other}')}}")
"""
"""Body of a function that requests two addresses."""


def test_the_policy_lets_nothing_out(tab: Window, site: Path) -> None:
    """The page, its worker and the Python code in the worker cannot contact any other host."""
    page = tab.page
    with served(site) as other:
        page.goto(f"{tab.address}codemirror-license.txt")  # a document without a policy
        assert page.evaluate(WORKER, other) == 200
        tab.open("attention")
        assert page.evaluate(WORKER, tab.address) == 200
        assert page.evaluate(WORKER, other) == "refused"
        assert page.evaluate("(url) => fetch(url).then(() => 'sent', () => 'refused')", other) == "refused"
        tab.write(with_causal_mask(ASKS.format(site=tab.address, other=other)))
        tab.wait_for("the site: 200, another host: refused", "#live-causal_mask")


@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_has_a_barrier(tab: Window, width: int) -> None:
    """The tested pages are a lesson with its editor open, the overview and the writer."""
    page = tab.page
    page.set_viewport_size({"width": width, "height": 900})
    for name in ("attention", "keep", "writer"):
        tab.open(name)
        if name == "attention":
            page.locator(".cm-content").wait_for(state="attached")
            if width == 390:
                page.locator(".view").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page, context={"exclude": [["math"]]}, options={"resultTypes": ["violations"]})
        serious = [one for one in found.response["violations"] if one["impact"] in ("serious", "critical")]
        assert serious == [], found.generate_report()
    page.set_viewport_size({"width": 1280, "height": 900})


def test_all_work_goes_out_as_a_zip_comes_back_and_prints(tab: Window, tmp_path: Path) -> None:
    page = tab.page
    tab.open("attention")
    tab.write(SOLUTION)
    tab.wait_for("10 of 10 functions are right")
    tab.open("keep")
    tab.wait_for("10 of 10 functions are right", "#keep")
    tab.wait_for("def causal_mask", "#keep")
    assert page.title() == "My work · Whereabouts"
    assert page.evaluate("new Date().getFullYear().toString()") in page.locator("#keep p").first.inner_text()
    with page.expect_download() as download:
        page.locator("button", has_text="Save all my work").click()
    saved = tmp_path / "work.zip"
    download.value.save_as(saved)
    with zipfile.ZipFile(saved) as archive:
        assert "assignments/attention/attention.py" in archive.namelist()
    newer = f"{SOLUTION}\n# newer\n"
    page.evaluate("(text) => keep('file attention', text)", newer)
    page.evaluate("window.confirm = (question) => { window.asked = question; return false; }")
    page.locator("input[type=file]").set_input_files(saved)
    page.wait_for_function("() => window.asked")
    assert page.evaluate("window.asked") == "Replace what you wrote in attention.py? It will be lost."
    assert page.evaluate("read('file attention')") == newer
    page.evaluate("localStorage.clear()")
    page.reload()
    assert page.locator("#keep pre").count() == 0
    page.locator("input[type=file]").set_input_files(saved)
    tab.wait_for("10 of 10 functions are right", "#keep")
    tab.open("attention")
    assert page.evaluate("state.lessons.attention.right") == 10
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_the_writer_writes_with_the_functions_in_the_editor(tab: Window) -> None:
    """Correct functions reproduce the course's text, and an experiment shows how a change breaks the text."""
    page = tab.page
    page.evaluate("(text) => keep('file rope', text)", find("rope").solution.read_text("utf-8"))
    tab.open("writer")
    page.locator("button", has_text="Write on").click()
    waiting = "getComputedStyle(document.querySelector('.writer pre:empty'), '::before').content"
    assert page.evaluate(waiting) == '"Waiting …"'
    tab.wait_for("The provided functions write the same text.", ".writer pre")
    for text, note in (
        (None, "Written by your functions as shown here."),
        ("x", "Written before your last change."),
    ):
        page.evaluate("(text) => text && keep('file naive', text)", text)
        kept = page.context.new_page()
        kept.goto(f"{tab.address}keep.html")
        kept.locator("#keep p", has_text=note).wait_for()
        kept.close()
    assert "apply_rope: yours, rope.py" in page.locator(".writer pre").first.inner_text()
    page.locator(".writer button", has_text="Try it").nth(1).click()
    tab.wait_for("the other layout", ".writer pre")
    page.evaluate("(text) => keep('file model', text)", find("model").solution.read_text("utf-8"))
    page.locator(".writer button", has_text="Try it").last.click()
    tab.wait_for("your model.py:\nThe score of a query and a key at position 0 to 1.", ".writer pre")


def test_the_next_visit_needs_no_network_and_an_update_waits(browser: Browser, site: Path) -> None:
    with window(browser, site) as opened:
        page = opened.page
        opened.open("attention")
        opened.wait_for("0 of 10 functions are right")
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        page.wait_for_function(
            "async () => (await caches.match(new URL(CONFIG.pyodide + 'pyodide.asm.wasm', SITE).href)) !== undefined"
        )
        opened.context.set_offline(True)
        opened.open("naive")
        opened.wait_for("0 of 8 functions are right")
        opened.context.set_offline(False)
        script = site / "service-worker.js"
        before = script.read_text("utf-8")
        try:
            script.write_text(before.replace('VERSION = "', 'VERSION = "new'), "utf-8")
            page.evaluate("navigator.serviceWorker.getRegistration().then((registration) => registration.update())")
            page.locator(".offer button").wait_for()
            with page.expect_navigation():
                page.locator(".offer button").click()
        finally:
            script.write_text(before, "utf-8")


def test_learning_alone_has_hidden_tests_reasons_and_solutions(browser: Browser, site_for_self_study: Path) -> None:
    with window(browser, site_for_self_study) as opened:
        opened.open("rope")
        opened.wait_for("functions are right")
        opened.write((SAMPLES / "rope" / "rotated_values.py").read_text("utf-8"))
        opened.wait_for("Likely cause: You rotated the values as well", "#live-rope_attention[data-mark='✗']")
        opened.wait_for("The call was decode_step(", "#live-decode_step[data-mark='✗']")
        opened.wait_for(
            "Your decode_step is not right yet. Once you have read the solution", "#live-decode_step summary"
        )
        opened.write(
            find("rope").solution.read_text("utf-8").replace('"rotates_values": False', '"rotates_values": True')
        )
        opened.wait_for("✗ rotates_values: True. The right answer is False;")
