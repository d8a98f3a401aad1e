"""Browser tests of the course in a tab: an empty file becomes a correct one, and no data leaves the site."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.course import find
from tests.grader.site.conftest import (
    PATH,
    RECORD_MESSAGES,
    SHORTER_LIMIT_SECONDS,
    SHORTER_WRITER_SECONDS,
    SOLUTION,
    STUB,
    WITHOUT_PICTURES,
    WITHOUT_PYTHON,
    Window,
    served,
    window,
    with_causal_mask,
)
from tests.grader.support.classroom import SAMPLES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.long

WITHOUT_PYTHON_WHILE_SET = f"if (sessionStorage.getItem('without Python')) {WITHOUT_PYTHON}"
"""Script that keeps a page's worker from starting anything while the window's storage says so."""

RECORD_REGISTRATIONS = """
  const { register } = ServiceWorkerContainer.prototype;
  window.registrations = [];
  ServiceWorkerContainer.prototype.register = function (...parts) {
    registrations.push(loaded.length > 0);
    return register.apply(this, parts);
  };
"""
"""Script that records, each time a service worker is registered, whether Python had already been loaded."""


@pytest.fixture(scope="module")
def tab(browser: Browser, site_with_shorter_limit: Path) -> Iterator[Window]:
    """Browser window with lesson 1 open, shared by the tests of this module."""
    with window(browser, site_with_shorter_limit) as opened:
        for script in (WITHOUT_PYTHON_WHILE_SET, WITHOUT_PICTURES, RECORD_REGISTRATIONS):
            opened.page.add_init_script(script)
        opened.open("attention")
        opened.wait_for("0 of 10 functions are right")
        yield opened


@pytest.fixture(scope="module")
def tab_for_self_study(browser: Browser, site_for_self_study: Path) -> Iterator[Window]:
    """Browser window with the lesson on RoPE open, in the edition for self-study."""
    with window(browser, site_for_self_study) as opened:
        opened.page.add_init_script(WITHOUT_PICTURES)
        opened.open("rope")
        opened.wait_for("functions are right")
        yield opened


@pytest.fixture(scope="module")
def tab_without_python(browser: Browser, site: Path) -> Iterator[Window]:
    """Browser window for tests of pages that need no Python."""
    with window(browser, site) as opened:
        opened.page.add_init_script(WITHOUT_PYTHON)
        opened.open("keep")
        yield opened


def test_the_first_verdict_does_not_wait_for_what_is_kept(tab: Window) -> None:
    tab.page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    assert tab.page.evaluate("registrations") == [True]


def test_a_wrong_function_is_explained_a_syntax_error_marked_and_a_right_file_green(tab: Window) -> None:
    """Work is saved, messages refer to the page instead of a shell, and pictures use the student's functions."""
    page = tab.page
    tab.write(with_causal_mask("    return np.zeros((length, length), dtype=bool)"))
    tab.wait_for("expected", "#live-causal_mask[data-mark='✗']")
    rule = page.locator(".standing p", has_text="✗").first.inner_text(timeout=5000).removeprefix("✗ ").partition(":")[0]
    assert rule in page.locator("#live-causal_mask").inner_text()
    page.locator(".standing a", has_text="line").first.click()
    page.evaluate("window.drawsPictures = true")
    page.wait_for_function(
        "() => { const { top, bottom } = document.getElementById('live-causal_mask').getBoundingClientRect();"
        " return top >= 0 && bottom <= innerHeight; }",
        timeout=5000,
    )
    tab.write(with_causal_mask("    return ("))
    tab.wait_for("never closed")
    assert 'File "attention.py", line' in page.locator(".standing").inner_text()
    page.locator(".standing p a", has_text="line").click()  # “Next: fix what stops the file at line …”
    assert page.locator(".cm-activeLine").inner_text().strip() == "return ("
    tab.wait_for_rest()
    assert page.locator(".python").inner_text() == ""  # no picture is drawn from a file that stops
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
    page.evaluate("window.drawsPictures = false")


DAMAGED_MEMORY = ["", "{", "null", "1", '"text"', '{"attention": null}', '{"attention": 1, "__proto__": {"rope": 2}}']


def test_what_saved_work_puts_into_the_memory_of_the_pages_stops_no_page(tab_without_python: Window) -> None:
    """A zip of somebody else's work can contain any text where pages keep answers."""
    page = tab_without_python.page
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    for text in DAMAGED_MEMORY:
        page.evaluate("(text) => localStorage.setItem('whereabouts', text)", text)
        tab_without_python.open("attention")
        page.evaluate("document.querySelector('.dial form').dispatchEvent(new Event('input', { bubbles: true }))")
        assert "moved" in page.evaluate("localStorage.getItem('whereabouts')"), text
    page.evaluate("localStorage.removeItem('whereabouts')")
    tab_without_python.open("attention")
    assert errors == []


@pytest.mark.parametrize("way", ["Start again", "Open"])
def test_what_is_written_is_replaced_only_after_a_question(tab: Window, way: str, tmp_path: Path) -> None:
    page, other = tab.page, tmp_path / "other.py"
    other.write_text("x = 1\n", "utf-8")
    before = with_causal_mask("    return None")
    tab.write(before)
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
        opened = "Opened other.py as attention.py: 0 functions, kept in this browser."
        assert page.locator(".opened").inner_text() == (opened if answer and way == "Open" else "")
        assert page.evaluate("read('file attention')") == expected
    tab.write(before)
    assert page.locator(".opened").inner_text() == ""


AT_THE_EDGE = """async (line) => {
  window.heights = [];
  new ResizeObserver(([{ contentRect }]) => heights.push(contentRect.height))
    .observe(document.querySelector(".standing"));
  code.show(line);
  await new Promise((drawn) => setTimeout(drawn, 100));
  while (!document.querySelector(".cm-cursor-primary")) await new Promise(requestAnimationFrame);
  const [caret, editor] = [".cm-cursor-primary", ".cm-scroller"].map((which) => document.querySelector(which));
  editor.scrollTop -= editor.getBoundingClientRect().bottom - caret.getBoundingClientRect().bottom - 8;
}"""
"""Script that puts the caret on a line at the lower edge of the editor, and records the heights of the box above."""

VISIBLE = """() => {
  const [caret, editor] = [".cm-cursor-primary", ".cm-scroller"].map(
    (which) => document.querySelector(which)?.getBoundingClientRect());
  return Boolean(caret) && caret.top >= editor.top && caret.bottom <= editor.bottom;
}"""
"""Script that returns true if the caret is inside the visible part of the editor."""


@pytest.mark.parametrize("width", [1280, 390])
def test_the_caret_stays_on_the_screen_when_the_box_above_grows(tab: Window, width: int) -> None:
    """A caret at the lower edge stays visible when the text moves, and the box above the editor does not
    shrink while a check runs."""
    page = tab.page
    page.set_viewport_size({"width": width, "height": 900})
    tab.write(STUB)
    tab.wait_for("0 of 10 functions are right")
    tab.wait_for_rest()
    page.evaluate("document.body.classList.add('writes')")
    body = "    return np.zeros((length, length), dtype=bool)" + "\n    #" * 99
    for text in (with_causal_mask(body), with_causal_mask(f"{body}\n    x = (1")):
        tab.write(text)
        page.evaluate(AT_THE_EDGE, text[: text.index("    #")].count("\n") + 40)
        assert page.evaluate(VISIBLE)
        tab.wait_for_rest()
        heights = page.evaluate("heights")
        assert heights == sorted(heights) and heights[-1] > heights[0] + 20
        page.wait_for_function(VISIBLE, timeout=5000)
    page.set_viewport_size({"width": 1280, "height": 900})


def test_what_code_prints_has_no_links_and_a_message_has_one(tab: Window) -> None:
    """A line number that a student's code prints is not a link; line 0 is never a link."""
    tab.write(
        with_causal_mask("    print('see line 7')\n    raise ValueError('line 0')") + "\nprint('line 3', 'line 0')\n"
    )
    tab.wait_for("line 0", "#live-causal_mask[data-mark='✗']")
    tab.wait_for("line 3 line 0")
    tab.wait_for_rest()
    links = tab.page.locator(".standing a[data-click=line], #live-causal_mask a[data-click=line]").all_inner_texts()
    raised = STUB[: STUB.index('raise NotImplementedError("causal_mask')].count("\n") + 2
    begun = STUB[: STUB.index("def causal_mask(")].count("\n") + 1
    assert sorted(links) == sorted([f"line {raised}"] * 2 + [f"line {begun}"])
    tab.write(f"{STUB}\nx = ('line 9'\n")
    tab.wait_for("never closed")
    tab.wait_for_rest()
    last = STUB.count("\n") + 2
    assert tab.page.locator(".standing a[data-click=line]").all_inner_texts() == [f"line {last}"] * 2


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("input('n? ')", "a check has no keyboard"),
        ("breakpoint()", "a browser tab has no debugger: print the values instead"),
    ],
)
def test_a_tab_says_what_it_lacks(tab: Window, body: str, sentence: str) -> None:
    tab.write(with_causal_mask(f"    {body}"))
    tab.wait_for(sentence, "#live-causal_mask[data-mark='✗']")


def test_a_key_checks_and_escape_then_tab_leaves_the_editor(tab: Window) -> None:
    page = tab.page
    tab.wait_for_rest()
    page.evaluate(RECORD_MESSAGES)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nfor i in range(2):\n")
    assert page.evaluate("code.text().endsWith('for i in range(2):\\n    ')")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.classList.contains('cm-content')")
    page.keyboard.type("pass")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => sent.includes('check')")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.classList.contains('cm-content')")
    tab.wait_for_rest()


def test_one_text_is_checked_once(tab: Window) -> None:
    """If a check is requested while another check runs, or while pictures are drawn, the same text is not
    checked a second time."""
    page = tab.page
    tab.wait_for_rest()  # opening the page checks the saved text
    page.evaluate(RECORD_MESSAGES)
    page.evaluate("window.drawsPictures = true")
    tab.write(SOLUTION + "\n# once\n")
    page.evaluate("check(); check()")
    tab.wait_for_rest()
    page.evaluate("check()")
    page.wait_for_timeout(1000)  # longer than the delay before changed text is checked
    assert page.evaluate("sent.filter((kind) => kind === 'check').length") == 1
    page.evaluate("window.drawsPictures = false")


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

    raise ValueError(f"reached: {[name for name in ('fetch', 'XMLHttpRequest', 'caches') if hasattr(js, name)]}")
"""
"""Body of a function that looks for a way to request an address."""


def test_the_policy_lets_nothing_out(tab: Window, site: Path) -> None:
    """The page and its worker can contact only the site's own host, and Python code in the worker can contact
    no host."""
    page, without_policy = tab.page, tab.context.new_page()
    with served(site) as other:
        without_policy.goto(f"{tab.address}codemirror-license.txt")
        assert without_policy.evaluate(WORKER, other) == 200
        without_policy.close()
        assert page.evaluate(WORKER, tab.address) == 200
        assert page.evaluate(WORKER, other) == "refused"
        assert page.evaluate("(url) => fetch(url).then(() => 'sent', () => 'refused')", other) == "refused"
        tab.write(with_causal_mask(ASKS))
        tab.wait_for("reached: []", "#live-causal_mask")


def test_all_work_goes_out_as_a_zip_comes_back_and_prints(tab: Window, tmp_path: Path) -> None:
    page = tab.page
    page.evaluate("window.drawsPictures = true")
    tab.write(SOLUTION)
    tab.wait_for("10 of 10 functions are right")
    page.locator("figure .own .mine").first.wait_for(state="attached")
    tab.wait_for_rest()
    captions = page.locator("figure:has(.own) figcaption").all_inner_texts()
    tab.open("keep")
    tab.wait_for("10 of 10 functions are right", "#keep")
    tab.wait_for("def causal_mask", "#keep")
    page.set_viewport_size({"width": 390, "height": 900})
    shown = page.locator("#keep figure")
    assert shown.locator("figcaption").all_inner_texts() == [f"Drawn from your functions: {each}" for each in captions]
    assert len(captions) > 1
    # A browser loads the narrow layouts after the change of width; their letters have nearly their drawn size.
    scales = "[...document.querySelectorAll('#keep img')].map((one) => one.complete && one.width / one.naturalWidth)"
    page.wait_for_function(f"() => {scales}.every((scale) => scale > 0.85)")
    page.set_viewport_size({"width": 1280, "height": 900})
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
    page.evaluate("sessionStorage.setItem('without Python', 'yes')")  # opening needs no Python
    page.evaluate("window.confirm = (question) => { window.asked = question; return false; }")
    page.locator("input[type=file]").set_input_files(saved)
    page.wait_for_function("() => window.asked")
    assert page.evaluate("window.asked") == "Replace what you wrote in attention.py? It will be lost."
    assert page.evaluate("read('file attention')") == newer
    page.reload()
    tab.wait_for("Pictures of an earlier text are left out.", "#keep")
    assert page.locator("#keep figure").count() == 0
    page.evaluate("localStorage.clear()")
    page.reload()
    assert page.locator("#keep pre").count() == 0
    page.locator("input[type=file]").set_input_files(saved)
    tab.wait_for("Opened work.zip: 1 of 14 lessons, kept in this browser.", ".opened")
    assert page.evaluate("read('file attention')") == SOLUTION
    page.evaluate("sessionStorage.clear()")
    page.reload()
    tab.wait_for("10 of 10 functions are right", "#keep")
    page.evaluate("sessionStorage.setItem('without Python', 'yes')")  # a lesson shows saved results
    tab.open("attention")
    assert page.evaluate("state.lessons.attention.right") == 10
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("name", ["attention", "keep", "writer"])
def test_no_page_has_a_barrier(tab: Window, name: str) -> None:
    """The tested pages are the writer, the overview and a lesson with its editor open."""
    from axe_playwright_python.sync_playwright import Axe

    page = tab.page
    # A lesson and the overview show saved results. A later test uses Python on the page of the writer.
    page.evaluate("(value) => sessionStorage.setItem('without Python', value)", "" if name == "writer" else "yes")
    tab.open_unless_open(name)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        if name == "attention":
            page.locator(".cm-content").wait_for(state="attached")
            if width == 390:
                page.locator(".view").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page, context={"exclude": [["math"]]}, options={"resultTypes": ["violations"]})
        serious = [one for one in found.response["violations"] if one["impact"] in ("serious", "critical")]
        assert serious == [], found.generate_report()
    page.set_viewport_size({"width": 1280, "height": 900})


def zip_of(files: dict[str, bytes]) -> bytes:
    """Return a zip that contains the files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "lessons"),
    [
        (b"no zip at all", []),
        (b"", []),
        (zip_of({}), []),
        (zip_of({"__proto__.py": b"x", "notes.py": b"x", "rope.py.txt": b"x", "rope.py/": b""}), []),
        (zip_of({"rope.py": b"x" * 2**21}), []),
        (zip_of({"rope.py": b"x = 1\n", "memory.json": b"not JSON"}), []),
        (
            zip_of({"work (1)/assignments/rope/rope.py": "x = 'é'\n".encode(), "grids.py": b"y = 2\n"}),
            ["rope", "grids"],
        ),
        (zip_of({"rope.py": "x = 'é'\n".encode(), "memory.json": b"null"}), ["rope"]),
        (zip_of({"rope.py": "x = 'é'\n".encode(), "memory.json": b'{"page": 1, "tries": 1, "written": 1}'}), ["rope"]),
    ],
    ids="text,empty,zip without files,other names,too large,other memory,another folder,no memory,numbers".split(","),
)
def test_only_the_lessons_in_a_zip_are_opened(tab_without_python: Window, content: bytes, lessons: list[str]) -> None:
    page = tab_without_python.page
    tab_without_python.open_unless_open("keep")
    page.evaluate("localStorage.clear()")
    page.reload()
    chosen = {"name": "a.zip", "mimeType": "application/zip", "buffer": content}
    page.locator("input[type=file]").set_input_files(files=[chosen])  # type: ignore[list-item]
    words = f"Opened a.zip: {len(lessons)} of 14 lessons," if lessons else "a.zip is not a zip of your work."
    tab_without_python.wait_for(words, ".opened")
    assert page.evaluate("Object.keys(files())") == lessons
    assert not lessons or page.evaluate("files().rope") == "x = 'é'\n"


ROPE = find("rope").solution.read_text("utf-8")
LATER = "np.shape(x)[-2] > 1"
"""Condition that is false while the writer checks whether a function is implemented, and true afterwards."""


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("raise ValueError('boom')", "apply_rope: your apply_rope_half instead, because yours raises ValueError: boom"),
        (f"if {LATER}: x = np.zeros(7)[9]", "apply_rope raised IndexError at line {} of rope.py: index 9 is out of"),
        (
            f"while {LATER}: pass",
            f"apply_rope did not return within {SHORTER_WRITER_SECONDS} seconds at line {{}} of rope.py.",
        ),
        (
            "import itertools; sum(itertools.count())",
            f"apply_rope did not return within {SHORTER_LIMIT_SECONDS} seconds.",
        ),
        (f"if {LATER}: return np.zeros(3)", "The results of your functions do not fit together (ValueError: "),
    ],
    ids=["raises when tried", "raises", "never returns", "never returns in C", "wrong shape"],
)
def test_the_writer_names_the_function_that_it_cannot_use(tab: Window, lines: str, sentence: str) -> None:
    page, head = tab.page, next(line for line in ROPE.splitlines() if line.startswith("def apply_rope("))
    wrong = ROPE.replace(head, f"{head}\n    {lines}")
    tab.open_unless_open("writer")
    page.evaluate("(text) => { localStorage.clear(); keep('file rope', text); }", wrong)
    page.locator("button", has_text="Write on").click()
    tab.wait_for(sentence.format(wrong[: wrong.index(lines)].count("\n") + 1), ".writer pre")
    assert "Error" not in page.locator(".python").inner_text()


def test_the_writer_writes_with_the_functions_in_the_editor(tab: Window) -> None:
    """Correct functions reproduce the course's text, and an experiment shows how a change breaks the text."""
    page = tab.page
    tab.open_unless_open("writer")
    page.evaluate("(text) => { localStorage.clear(); keep('file rope', text); }", ROPE)
    page.locator("button", has_text="Write on").click()
    waiting = "getComputedStyle(document.querySelector('.writer pre:empty'), '::before').content"
    assert page.evaluate(waiting) == '"Waiting …"'
    tab.wait_for("The provided functions write the same text.", ".writer pre")
    kept = page.context.new_page()
    kept.add_init_script(WITHOUT_PYTHON)
    for text, note in (
        (None, "Written by your functions as shown here."),
        ("x", "Written before your last change."),
    ):
        page.evaluate("(text) => text && keep('file naive', text)", text)
        kept.goto(f"{tab.address}keep.html")
        kept.locator("#keep p", has_text=note).wait_for()
    kept.close()
    assert "apply_rope: yours, rope.py" in page.locator(".writer pre").first.inner_text()
    page.locator(".writer button", has_text="Try it").nth(1).click()
    tab.wait_for("the other layout", ".writer pre")
    page.evaluate("(text) => keep('file model', text)", find("model").solution.read_text("utf-8"))
    page.locator(".writer button", has_text="Try it").last.click()
    tab.wait_for("your model.py:\nThe score of a query and a key at position 0 to 1.", ".writer pre")


def wait_until_kept(page: Page) -> None:
    """Wait until the service worker has cached every file from which Python was loaded."""
    are_kept = "async () => (await Promise.all(loaded.map((url) => caches.match(url)))).every(Boolean)"
    for _ in range(600):  # `wait_for_function` does not wait for what an async function returns
        if page.evaluate(are_kept):
            return
        page.wait_for_timeout(200)
    pytest.fail("The service worker does not keep what Python was loaded from.")


def test_the_next_visit_needs_no_network_and_an_update_waits(tab: Window, site_with_shorter_limit: Path) -> None:
    page = tab.page
    page.evaluate("localStorage.clear()")
    wait_until_kept(page)
    tab.context.set_offline(True)
    tab.open("naive")
    tab.wait_for("0 of 8 functions are right")
    tab.context.set_offline(False)
    script = site_with_shorter_limit / "service-worker.js"
    before = script.read_text("utf-8")
    try:
        script.write_text(before.replace('VERSION = "', 'VERSION = "new'), "utf-8")
        page.evaluate("navigator.serviceWorker.getRegistration().then((registration) => registration.update())")
        page.locator(".offer button").wait_for()
        page.evaluate("sessionStorage.setItem('without Python', 'yes')")  # no test uses the page afterwards
        with page.expect_navigation():
            page.locator(".offer button").click()
    finally:
        script.write_text(before, "utf-8")


def test_learning_alone_has_hidden_tests_reasons_and_solutions(tab_for_self_study: Window) -> None:
    tab = tab_for_self_study
    tab.write((SAMPLES / "rope" / "rotated_values.py").read_text("utf-8"))
    tab.wait_for("Likely cause: You rotated the values as well", "#live-rope_attention[data-mark='✗']")
    tab.wait_for(">>> rope_attention(", "#live-rope_attention[data-mark='✗']")
    tab.wait_for(
        "Your rope_attention is not right yet. Once you have read the solution", "#live-rope_attention summary"
    )
    tab.write(ROPE.replace('"rotates_values": False', '"rotates_values": True'))
    tab.wait_for("✗ rotates_values: True is not right. The right answer is False;")


FORGED = """
import js
from autograder.site import tab

reached = [name for name in ("postMessage", "caches", "fetch", "self") if hasattr(js, name)]
box = f'<p>Forged: {reached}</p><meta http-equiv="refresh" content="0;url=ADDRESS"><link rel="prefetch" href="ADDRESS">'
box += '<img src="ADDRESS"><iframe src="ADDRESS"></iframe><form action="ADDRESS"><p>in a form</p></form>'
lesson = {"right": 0, "next": "apply_rope", "returns": False, "summary": box, "functions": {"apply_rope": ["✗", box]}}
tab.page_results = lambda *arguments: {"rope": lesson}
"""


def test_a_file_from_somebody_else_sends_nothing_and_leaves_the_page_as_it_is(
    tab_for_self_study: Window, tmp_path: Path
) -> None:
    """A file runs in the same process as the checks, so it can forge their results, but it can do nothing else.

    No test uses the window afterwards, because all its later results are forged.
    """
    tab, page = tab_for_self_study, tab_for_self_study.page
    address = page.url
    with served(tmp_path / PATH) as elsewhere:
        tab.write(ROPE + FORGED.replace("ADDRESS", f"{elsewhere}stolen"))
        for where in (".standing", "#live-apply_rope"):
            tab.wait_for("Forged: []", where)
        page.wait_for_timeout(1000)  # in which the page would open another address
    assert page.url == address and not [url for url in tab.requests if "stolen" in url]
    assert page.locator(".live :is(meta, link, img, iframe, form), .standing :is(meta, link, img)").count() == 0
