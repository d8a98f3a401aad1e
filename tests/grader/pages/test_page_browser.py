"""The course in a browser: from a folder, without a network, quiet, and readable in every width, on paper and without
scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from autograder import course
from tests.grader.support.browsing import Opened

LESSONS = [one.name for one in course.assignments()]
NAMES = ["index", "setup", *LESSONS, "glossary", "numpy", "sources"]
A4 = 688
"""width of an A4 page without its margins, in pixels"""


@pytest.fixture(scope="module")
def opened(browser: Browser, course_folder: Path, request: pytest.FixtureRequest) -> Iterator[Opened]:
    """A page of the course, loaded once for all of its tests. Each test says itself how wide it is and which theme it
    has."""
    with Opened(browser, course_folder / f"{request.param}.html") as one:
        yield one


on_every_page = pytest.mark.parametrize("opened", NAMES, indirect=True)

# The pages


@on_every_page
def test_a_page_fits_is_quiet_and_stays_at_home(opened: Opened, course_folder: Path) -> None:
    """With all questions answered, on a phone and a desk, in both themes: nothing sticks out, no formula
    scrolls, no text lies on another, is cut or is hardly seen, nothing is logged, nothing is asked of a network, and
    axe finds no barrier. No formula is empty or has a colour of its own (so axe need not ask inside), no root is cut or
    followed by a gap."""
    page = opened.page
    page.evaluate(ANSWERED)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for width, scheme in ((390, "dark"), (1440, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media="screen", color_scheme=scheme)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(WRONG_FORMULAS) == []
        assert page.evaluate(WRONG_ROOTS) == []
        assert page.evaluate("seen.over(document.querySelector('main'))") == [], width
        assert page.evaluate("seen.cut(document.body)") == [], width
        assert page.evaluate("seen.faint(document.body)") == [], scheme
        assert page.evaluate(TOO_WIDE) == [], width
        if width == 390 or (width == 1440 and opened.page.url.endswith("rope.html")):
            # What stands beside the text where there is room is the same on every page.
            page.evaluate("document.querySelector('.explained')?.showPopover()")
            found = Axe().run(page, context={"exclude": [["math"]]}, options=BARRIERS)
            assert found.violations_count == 0, f"{width} {scheme}: {found.generate_report()}"
            page.evaluate("document.querySelector('.explained')?.hidePopover()")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.evaluate("dispatchEvent(new Event('resize'))")
    assert page.evaluate(CUT_CODE) == []
    assert all(url.startswith(course_folder.as_uri()) or url.startswith("data:") for url in opened.requests)
    assert not opened.complaints


CUT_CODE = """() => Array.from(document.querySelectorAll("main .scroll:has(> pre)"))
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""

ANSWERED = """() => document.querySelectorAll(".ask").forEach((form, number) => {
  const given = form.querySelector("[name=given]");
  if (given.type === "radio") given.checked = true;
  else given.value = number % 2 ? form.dataset.right : "-77";
  form.requestSubmit();
})"""

TOO_WIDE = """() => {
  const isCut = (list) => {
    const room = list.clientWidth;
    list.style.maxWidth = "none";
    const wanted = list.clientWidth;
    list.style.maxWidth = "";
    return wanted > room;
  };
  const formulas = Array.from(document.querySelectorAll(".formula")).filter((one) => one.scrollWidth > one.clientWidth);
  return [...formulas,
  ...Array.from(document.querySelectorAll("select")).filter(isCut)].map((one) => one.textContent.trim());
}"""
"""formulas that scroll, and lists of which a choice is cut"""

# Contrast is measured by `seen.faint`, in pictures too; axe takes four times as long for it.
BARRIERS = {"preload": False, "resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": False}}}


def test_every_picture_can_be_read_in_both_themes_and_on_a_phone(browser: Browser, course_folder: Path) -> None:
    """No text of a picture lies on another, is cut or is hardly seen; on a phone none is smaller than 9 pixels."""
    pictures = {path.relative_to(course_folder).as_posix(): path for path in (course_folder / "figures").rglob("*.svg")}
    drawn = {name: path.read_text("utf-8") for name, path in pictures.items()}
    with Opened(browser, course_folder / "setup.html", width=A4) as opened:
        for scheme in ("light", "dark"):
            opened.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            for name, (unread, smallest, wide) in opened.page.evaluate(READ, drawn).items():
                assert unread == [[], [], []], (scheme, name)
                has_narrow = (pictures[name].parent / "narrow" / pictures[name].name).is_file()
                assert has_narrow or smallest * PHONE / max(PHONE, wide) * 4 / 3 >= 9, name


READ = """(drawn) => {
  document.head.innerHTML = "";  // a picture brings its own style
  Object.assign(document.documentElement.style, { background: "light-dark(#fff, #16181b)", colorScheme: "light dark" });
  const read = (svg) => {
    document.body.innerHTML = svg;
    const picture = document.querySelector("svg");
    const sizes = Array.from(picture.querySelectorAll("text"), (one) => parseFloat(getComputedStyle(one).fontSize));
    const unread = ["over", "cut", "faint"].map((kind) => seen[kind](picture));
    return [unread, Math.min(...sizes), picture.viewBox.baseVal.width];
  };
  return Object.fromEntries(Object.entries(drawn).map(([name, svg]) => [name, read(svg)]));
}"""
PHONE = 358 * 3 / 4
"""room for a picture in a window of 390 pixels, in points"""

WRONG_FORMULAS = """() => Array.from(document.querySelectorAll("math"))
  .filter((one) => one.getBoundingClientRect().width < 2 || one.querySelector("merror") ||
    Array.from(one.querySelectorAll("*")).some(
      (part) => getComputedStyle(part).color !== getComputedStyle(one.parentElement).color))
  .map((one) => one.getAttribute("alttext"))"""

# The font has one sign of the root, 1.2 em high: with larger ones Chromium leaves their width free behind every root.
WRONG_ROOTS = """() => Array.from(document.querySelectorAll("msqrt")).filter((one) => {
  const [root, inside] = [one.getBoundingClientRect(), one.lastElementChild.getBoundingClientRect()];
  return root.right > inside.right + 0.5 || root.height > 1.5 * parseFloat(getComputedStyle(one).fontSize);
}).map((one) => one.textContent)"""


def test_the_theme_can_be_chosen_and_stays(browser: Browser, course_folder: Path) -> None:
    with Opened(browser, course_folder / "index.html") as opened:
        page = opened.page
        shade = "getComputedStyle(document.documentElement).backgroundColor"
        light = page.evaluate(shade)
        page.locator("#theme").click()
        dark = page.evaluate(shade)
        assert light != dark
        page.goto((course_folder / "rope.html").as_uri())
        assert page.evaluate(shade) == dark
        page.locator("#theme").click()
        assert page.evaluate(shade) == light


def test_a_lesson_works_by_keyboard(browser: Browser, course_folder: Path) -> None:
    """The first dial is a few stops of the tabulator key away; code is copied; a term is explained; the section in
    which one is is marked."""
    with Opened(browser, course_folder / "rope.html") as opened:
        page = opened.page
        for key in ("Tab", "Tab", "Enter", "Tab"):
            page.keyboard.press(key)
        assert page.evaluate("document.activeElement.closest('.dial') !== null")
        page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        button = page.locator(".copy").first
        assert button.evaluate("(one) => one.tabIndex") == 0
        button.press("Enter")
        assert page.evaluate("window.copied") == page.locator(".copy + .scroll code").first.inner_text().rstrip("\n")
        explains_a_term(page)
        page.evaluate("document.getElementById('apply_rope').scrollIntoView()")
        page.wait_for_function("document.querySelectorAll('.contents [data-here]').length === 1")


def explains_a_term(page: Page) -> None:
    page.locator("button.term", has_text="query").first.press("Enter")
    assert page.locator("#term-query").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#term-query").is_visible()


def test_without_scripts_everything_can_be_read(browser: Browser, course_folder: Path) -> None:
    """Text, formulas, figures, terms and docstrings are there; a dial says why it does not move, shows no dead
    controls, and tells its answer to whoever opens it."""
    with Opened(browser, course_folder / "rope.html", moves=False) as opened:
        page = opened.page
        assert page.locator(".dial .still").first.is_visible()
        assert page.locator(".dial form").first.is_hidden() and page.locator("#theme").is_hidden()
        for part, inside in ((".docstring", "pre"), (".answer", "p")):
            assert not page.locator(f"{part} {inside}").first.is_visible()
            page.locator(f"{part} summary").first.press("Enter")
            assert page.locator(f"{part} {inside}").first.is_visible()
        assert page.locator("math").first.is_visible() and page.locator("main figure img").first.is_visible()
        explains_a_term(page)


@on_every_page
def test_on_paper_nothing_is_cut(opened: Opened) -> None:
    """Printed, the paper is white, nothing is wider than the page, and closed parts are open."""
    page = opened.page
    page.set_viewport_size({"width": A4, "height": 900})
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")  # chosen by the button
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= A4
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    page.evaluate("document.documentElement.dataset.theme = ''")
    assert page.evaluate(CUT) == []
    assert page.evaluate(CLOSED) == []
    assert page.pdf(format="A4").startswith(b"%PDF")


CUT = """() => [
  ...Array.from(document.querySelectorAll("main pre, main .scroll, main .formula"))
    .filter((one) => one.scrollWidth > one.clientWidth + 1),
  ...Array.from(document.querySelectorAll("main .picture svg"))
    .filter((one) => one.clientHeight > one.parentElement.clientHeight + 1),
].map((one) => one.textContent)"""
CLOSED = """() => Array.from(document.querySelectorAll("main details:not([open]) > :not(summary, .copy)"))
  .filter((one) => one.getBoundingClientRect().height < 1).map((one) => one.textContent)"""


FOUND = {
    "delta rule": "state.html#delta_step",
    "kv cache": "glossary.html#cache",
    "Qwen": "grids.html#mrope_frequencies",
    "theta": "glossary.html#base",
    "how to submit": "index.html#how-to-work",
    "passkey": "context_extension.html#what-we-measured",
    "left padding": "batches.html",
    "Colab": "index.html#how-to-work",
    "sqrt d": "rope.html#rope_scores",
    "mamba": "state.html#",
    "rotery": "rope.html",
    "rotary embedding": "rope.html",
    "softmax": "attention.html#softmax",
    "llama 3": "context_extension.html#llama3_frequencies",
    "yarn": "context_extension.html#yarn_frequencies",
    "ntk scaling": "context_extension.html#ntk_base",
    "alibi slopes": "alibi.html#alibi_slopes",
    "relative bias T5": "relative.html#t5_bias",
    "bucket": "relative.html#t5_bucket",
    "image patches": "grids.html",
    "2d rope": "grids.html#sinusoidal_2d",
    "gpt-2 table": "learned.html#init_table",
    "learned embeddings": "learned.html#lookup",
    "causal mask": "attention.html#causal_mask",
    "extrapolation results": "extrapolation.html#",
    "attention sinks": "glossary.html#attention-sink",
    "sliding window": "modern.html#sliding_window_mask",
    "linear attention": "state.html#linear_attention",
    "forgetting gate": "state.html#forgetting_attention",
    "copy task": "context_extension.html#what-we-measured",
    "install": "setup.html",
    "python version": "setup.html",
    "points hidden tests": "index.html#your-points",
    "float32 dtype": "numpy.html#dtype-float32-and-float64",
    "no positional encoding": "sinusoidal.html",
    "interleaved half layout": "rope.html#interleaved_to_half",
    "decode one token": "rope.html#decode_step",
    "wavelength": "sinusoidal.html#wavelengths",
    "binary positions": "naive.html#binary_positions",
    "clock hands": "sinusoidal.html",
    "hugging face": "sources.html#code-that-was-compared",
    "retnet": "state.html#retention",
    "cope": "state.html#cope_positions",
    "dynamic ntk": "context_extension.html#dynamic_ntk_base",
    "dilution": "glossary.html#dilution",
    "apply_rope_half": "rope.html#apply_rope_half",
}
"""What people type, and the beginning of a link that must be among the first five."""


def test_a_search_finds_what_people_ask_for_without_a_server(browser: Browser, course_folder: Path) -> None:
    with Opened(browser, course_folder / "attention.html") as opened:
        page = opened.page
        page.keyboard.press("/")
        missed = {}
        for asked, link in FOUND.items():
            page.locator("#search").fill(asked)
            links = page.evaluate(
                "Array.from(document.querySelectorAll('#found a'), (one) => one.getAttribute('href'))"
            )[:5]
            if not any(one.startswith(link) for one in links):
                missed[asked] = links
        assert not missed
        page.locator("#search").fill("")
        assert not page.locator("#found").is_visible()
        page.keyboard.type("zzqxj")
        assert page.locator("#found").inner_text() == "Nothing found."
        assert not opened.complaints


def test_progress_is_remembered_and_shown_in_the_navigation_and_on_the_first_page(
    browser: Browser, course_folder: Path
) -> None:
    with Opened(browser, course_folder / "naive.html") as opened:
        page = opened.page
        answer = page.locator("[data-ask=position_that_leaves_one_percent]")
        answer.locator("[name=given]").fill("99")
        answer.locator("button").click()
        assert answer.locator(".verdict").inner_text() == "Right."
        assert "1 of" in str(page.locator(".top [data-of=naive]").get_attribute("title"))
        page.goto((course_folder / "index.html").as_uri())
        assert "1 of" in page.locator(".lessons [data-of=naive]").inner_text()
        lines = page.locator(".lessons li").all_inner_texts()
        assert len(lines) == len(LESSONS) and all(re.search(r" hours? · 20 points", line) for line in lines)
        page.goto((course_folder / "naive.html").as_uri())
        assert answer.locator(".verdict").inner_text() == "Right."


@pytest.mark.parametrize("name", ["rope", "attention"])
def test_a_term_is_marked_once_and_never_in_sources(course_folder: Path, name: str) -> None:
    page = (course_folder / f"{name}.html").read_text("utf-8")
    marked = re.findall(r'popovertarget="([^"]+)"', page)
    assert marked and len(marked) == len(set(marked))
    assert "popovertarget" not in (course_folder / "sources.html").read_text("utf-8")
