"""Browser tests of the course pages: without a network, the pages log no errors and are readable at every
width, on paper and without scripts.

Each page is loaded once, in the same window, to check that it fits and that its dials compute the solutions' numbers.
Code shared by all pages is tested on one page: keyboard and mouse input, readable text, accessibility and printing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas
import pytest

from autograder import course
from tests.grader.pages import dial_numbers
from tests.grader.support.browsing import Opened, default_font_size
from tests.grader.support.dials import DIALS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

LESSONS = [one.name for one in course.term_assignments()]
PAGES = ["index", *LESSONS, *(path.stem for path in (course.ROOT / "assignments").glob("[a-z]*.md"))]
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
A4_WIDTH_PIXELS = 688
"""Width of an A4 page without margins, in pixels."""


@pytest.fixture(scope="module")
def tab(browser: Browser, course_folder: Path) -> Iterator[Opened]:
    """Open one browser window for all tests in this module."""
    with Opened(browser, course_folder / "index.html") as one:
        one.page.add_init_script(path=Path(__file__).with_name("asked.js"))
        yield one


def open_page(tab: Opened, path: Path) -> Opened:
    """Open a course page in the state in which a new reader sees it."""
    tab.page.evaluate("localStorage.clear()")
    tab.page.goto("about:blank")  # otherwise, the page before would be laid out twice more
    tab.page.emulate_media(media="screen", color_scheme="light", reduced_motion="no-preference", forced_colors="none")
    tab.page.set_viewport_size(DESKTOP)
    tab.page.goto(path.as_uri())
    return tab


@pytest.fixture
def opened(tab: Opened, course_folder: Path, request: pytest.FixtureRequest) -> Opened:
    """Course page opened for a single test."""
    return open_page(tab, course_folder / f"{request.param}.html")


def on_pages(*pages: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("opened", pages, indirect=True)


@pytest.fixture(scope="module")
def loaded(tab: Opened, course_folder: Path, request: pytest.FixtureRequest) -> Opened:
    """Course page opened once for several consecutive tests."""
    return open_page(tab, course_folder / f"{request.param}.html")


def on_loaded_pages(*pages: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("loaded", pages, indirect=True, scope="module")


# Pages


@on_loaded_pages("index", *LESSONS, "glossary")
def test_the_header_is_a_line_that_names_the_page_and_its_neighbours(loaded: Opened) -> None:
    """On a wide screen, the header is one line high. On a phone, the search box is on a separate line, and menus lead
    to every page. A menu stays within the window."""
    page = loaded.page
    name = page.url.rpartition("/")[2].removesuffix(".html")
    shown = [one for one in page.locator(".top .near").all_inner_texts() if one]
    title = page.locator("h1").inner_text()
    assert all(re.search("[A-Za-z]{3}", one) for one in shown)
    assert name == "index" or any(title.startswith(one) for one in shown)
    for width, lines in ((1280, 1), (390, 2)):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.querySelector('.top').offsetHeight") <= 48 * lines
        assert page.evaluate("seen.over(document.querySelector('.top'))") == []
        assert page.locator(".lessons, .top [popovertarget=all-lessons]").locator("visible=true").count() == 1
        assert page.evaluate("asked.menusThatFit()") == [True] * page.locator(".opens").locator("visible=true").count()
    menus = page.locator(".menu a").evaluate_all("(links) => links.map((one) => one.getAttribute('href'))")
    assert sorted(menus) == sorted(f"{one}.html" for one in PAGES if one != "index")


@on_loaded_pages("index", "context_extension")
def test_each_menu_opens_and_closes_by_keyboard(loaded: Opened) -> None:
    for width in (1280, 390):
        loaded.page.set_viewport_size({"width": width, "height": 900})
        buttons = loaded.page.locator(".opens").locator("visible=true").all()
        assert buttons
        for button in buttons:
            button.press("Enter")
            assert loaded.page.locator(".menu:popover-open").count() == 1
            loaded.page.keyboard.press("Escape")
            assert loaded.page.locator(".menu:popover-open").count() == 0


@on_loaded_pages("index", "context_extension")
def test_no_font_makes_the_header_overlap(loaded: Opened) -> None:
    for width in range(320, 1400, 40):
        loaded.page.set_viewport_size({"width": width, "height": 900})
        assert loaded.page.evaluate("asked.unreadHeader(['-.05em', '0', '.1em', '.2em'])") == [], width


@on_loaded_pages("context_extension")
def test_a_page_has_the_font_size_that_its_reader_has_set_and_fits(loaded: Opened) -> None:
    """Widths at which the layout changes follow the font size too."""
    page = loaded.page
    with default_font_size(page, 24):
        sizes = "(one) => parseFloat(getComputedStyle(one).fontSize)"
        size = page.evaluate(f"({sizes})(document.body)")
        code = page.evaluate(f"Array.from(document.querySelectorAll('pre'), {sizes})")
        assert size >= 24
        assert min(code, default=size) >= 0.85 * size  # the script shrinks long lines to this, browsers would to 0.81
        for width in (320, 640, 1280, 1600, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


@on_loaded_pages(*PAGES)
def test_a_page_is_quiet_stays_at_home_and_fits_and_its_dials_compute_what_the_solutions_do(
    loaded: Opened, course_folder: Path
) -> None:
    """With all questions answered and all sections open, nothing overflows on a phone, in a window zoomed until it
    is 320 pixels wide, or on paper, and no code is cut off on a desktop. No formula is empty or too wide, and no
    root is cut off or followed by a gap."""
    page = loaded.page
    page.set_viewport_size(DESKTOP)
    name = page.url.rpartition("/")[2].removesuffix(".html")
    for dial in [one.name for one in DIALS if one.page == name]:
        assert_dial_shows_solution(page, name, dial)
    page.evaluate("asked.answer()")
    assert page.evaluate("asked.wider('main .scroll:has(> pre)')") == []
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("[...asked.wider('.formula'), ...asked.empty(), ...asked.wrongRoots()]") == []
    page.emulate_media(media="print")
    page.set_viewport_size({"width": A4_WIDTH_PIXELS, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= A4_WIDTH_PIXELS
    assert page.evaluate("asked.wider('main pre, main .scroll, main .formula')") == []
    assert all(url.startswith(course_folder.as_uri()) or url.startswith("data:") for url in loaded.requests)
    assert not loaded.complaints


@on_pages("index", "alibi", "glossary")
def test_a_page_has_no_barrier_and_can_be_read_and_printed(opened: Opened) -> None:
    """One page of each kind is tested in a narrow window with the dark theme and in a wide window with the
    light theme. No text overlaps, is cut off or has low contrast, also if the reader's system sets the colours and
    an earlier choice of theme differs from them, and axe finds no accessibility problem. A
    printed page has a white background and open sections."""
    from axe_playwright_python.sync_playwright import Axe

    page = opened.page
    page.evaluate("asked.answer()")
    for width, scheme in ((390, "dark"), (1440, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for fault in ("over", "cut", "faint"):
            assert page.evaluate(f"seen.{fault}(document.body)") == [], (width, fault)
        page.evaluate("document.querySelector('.explained')?.showPopover()")
        found = Axe().run(page, context={"exclude": [["math"]]}, options=AXE_OPTIONS)
        assert found.violations_count == 0, f"{width} {scheme}: {found.generate_report()}"
        page.evaluate("document.querySelector('.explained')?.hidePopover()")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    page.emulate_media(color_scheme="dark", forced_colors="active")
    assert page.evaluate("seen.faint(document.body)") == []
    page.emulate_media(media="print", color_scheme="dark", forced_colors="none")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")  # as if the reader had pressed the theme button
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false; })")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("asked.closed()") == []
    assert page.pdf(format="A4").startswith(b"%PDF")


# Axe does not check contrast here, because `seen.faint` also measures contrast in pictures and is four times
# as fast.
AXE_OPTIONS = {"preload": False, "resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": False}}}


@on_pages("setup")
def test_every_picture_can_be_read_in_both_themes_and_on_a_phone(opened: Opened, course_folder: Path) -> None:
    """No text in a picture overlaps, is cut off or has low contrast, and text on a phone is at least 9 pixels
    high. A picture and its narrow version have the same colours, so only the wide version is checked for
    contrast."""
    folder = course_folder / "figures"
    drawn = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.svg")}
    wide = {name: picture for name, picture in drawn.items() if "/" not in name}
    for scheme, which, faults in (("light", drawn, "over cut"), ("light", wide, "faint"), ("dark", wide, "faint")):
        opened.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for name, unread, pixels in opened.page.evaluate("(them) => asked.pictures(them)", [which, faults.split()]):
            assert unread == [] and (pixels >= 9 or f"narrow/{name}" in drawn), (name, scheme, pixels)


@on_pages("rope")
def test_a_lesson_works_by_keyboard_and_a_chosen_theme_stays(opened: Opened, course_folder: Path) -> None:
    """The first dial is a few Tab presses away, code can be copied, terms are explained, and the current
    section is marked."""
    page, background = opened.page, "getComputedStyle(document.documentElement).backgroundColor"
    for key in ("Tab", "Tab", "Enter", "Tab"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.closest('.dial') !== null")
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.locator(".copy").first.press("Enter")
    assert page.evaluate("window.copied") == page.locator(".copy + .scroll code").first.inner_text().rstrip("\n")
    assert_term_is_explained(page)
    page.evaluate("document.getElementById('apply_rope').scrollIntoView()")
    page.wait_for_function("document.querySelectorAll('.contents [data-here]').length === 1")
    light = page.evaluate(background)
    page.locator("#theme").press("Enter")
    dark = page.evaluate(background)
    page.goto((course_folder / "sources.html").as_uri())
    assert page.evaluate(background) == dark != light
    page.locator("#theme").click()
    assert page.evaluate(background) == light


@on_pages("attention", "rope")
def test_beside_an_editor_no_code_leaves_its_column(opened: Opened) -> None:
    opened.page.add_style_tag(path=course.ROOT / "autograder" / "site" / "style" / "tab.css")
    opened.page.evaluate("document.querySelector('.page').insertAdjacentHTML('beforeend', '<div class=coding></div>')")
    for width in (1000, 1280, 1600):
        opened.page.set_viewport_size({"width": width, "height": 900})
        column, *blocks = opened.page.locator("main, main .scroll:has(> pre)").evaluate_all(
            "(them) => them.map((one) => one.getBoundingClientRect().right)"
        )
        assert blocks and max(blocks) <= column + 0.5


def assert_term_is_explained(page: Page) -> None:
    page.locator("button.term", has_text="query").first.press("Enter")
    assert page.locator("#term-query").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#term-query").is_visible()


def test_without_scripts_everything_can_be_read(browser: Browser, course_folder: Path) -> None:
    """Without scripts, text, formulas, figures, terms and docstrings are readable. Without scripts, a dial
    explains why it does not move, hides its controls, and shows its answer in a section that the reader can
    open."""
    with Opened(browser, course_folder / "rope.html", moves=False) as opened:
        page = opened.page
        assert page.locator(".dial .still").first.is_visible()
        assert page.locator(".dial form").first.is_hidden() and page.locator("#theme").is_hidden()
        for part, inside in ((".docstring", "pre"), (".answer", "p")):
            assert not page.locator(f"{part} {inside}").first.is_visible()
            page.locator(f"{part} summary").first.press("Enter")
            assert page.locator(f"{part} {inside}").first.is_visible()
        assert page.locator("math").first.is_visible() and page.locator("main figure img").first.is_visible()
        assert_term_is_explained(page)


@on_pages("glossary")
def test_a_search_finds_what_people_ask_for_without_a_server(opened: Opened) -> None:
    """Each row of queries.csv contains a query, the beginning of the link that it should find, and the number of top
    results that must include this link. Each search result shows a line from the section that it leads to."""
    page = opened.page
    expected = pandas.read_csv(Path(__file__).with_name("queries.csv"))
    page.keyboard.press("/")
    found = page.evaluate("(queries) => asked.searched(queries)", [*expected["asked"]])
    for (query, link, among), links in zip(expected.itertuples(index=False), found, strict=True):
        assert any(one.startswith(link) for one in links[:among]), (query, links)
    assert not page.locator("#found").is_visible()
    for query, line in (("what is a head", "One of several attentions"), ("cu_seqlens", "cu_seqlens")):
        page.locator("#search").fill(query)
        assert line in page.locator("#found li").first.locator("small").inner_text()
        lines = page.locator("#found small").all()
        assert lines and all((box := one.bounding_box()) and 0 < box["height"] < 30 for one in lines)
    page.locator("#search").fill("")
    page.keyboard.type("zzqxj")
    assert page.locator("#found").inner_text() == "Nothing found."


CALCULATION = "Write a number or a calculation, for example 0.25, 1/4 or sqrt(2)."


@on_pages("naive")
def test_a_question_takes_an_answer_which_is_remembered_and_shown_on_the_first_page(
    opened: Opened, course_folder: Path
) -> None:
    """A reader can answer with a calculation instead of a number. The page says whether a wrong number is too small or
    too large, and shows the reason only for a correct answer. A returning student finds the saved answer in the answer
    box."""
    page = opened.page
    number = page.locator("[data-ask=position_that_leaves_one_percent]")
    for answer, verdict in (
        ("98", "Not right: your number is too small."),
        ("100", "Not right: your number is too large."),
        ("-sqrt(10^4) / (1 + 100%", CALCULATION),
        ("many", CALCULATION),
        ("constructor", CALCULATION),
        ("(2**3 − 1) × 10 + 50% * 4/2 + exp(0) * √9^2 + 1,900/100", "Right."),
    ):
        number.locator("[name=given]").fill(answer)
        page.keyboard.press("Enter")
        assert number.locator(".verdict").inner_text() == verdict
        reason = page.locator("[data-ask=position_that_leaves_one_percent] + .answer p")
        assert reason.is_visible() == (verdict == "Right.")
    assert "1 of" in str(page.locator(".top .menu [data-of=naive]").get_attribute("title"))
    page.goto((course_folder / "index.html").as_uri())
    assert "1 of" in page.locator(".lessons [data-of=naive]").inner_text()
    lines = page.locator(".lessons li").all_inner_texts()
    assert len(lines) == len(LESSONS) and all(re.search(r" hours? · 20 points", line) for line in lines)
    page.goto((course_folder / "naive.html").as_uri())
    assert number.locator(".verdict").inner_text() == "Right." and not opened.complaints
    assert number.locator("[name=given]").input_value() == "99"


# Dials


def assert_dial_shows_solution(page: Page, lesson: str, name: str) -> None:
    """Assert that a dial shows the solution's numbers at any setting, within 1e-9, and that each handle has
    an effect. In a narrow window with the dark theme and in a wide window with the light theme, no text
    overlaps, is cut off or has low contrast."""
    section = page.locator(f"[data-dial={name}]")
    section.locator("svg").wait_for()
    begin, values = section.evaluate("(dial) => asked.controls(dial)")
    alone = [begin | {key: value} for key, its in values.items() for value in its]
    combinations = list(itertools.product(*values.values()))
    chosen = np.random.default_rng(0).choice(len(combinations), min(8, len(combinations)), replace=False)
    tried = [begin, *alone, *(dict(zip(values, combinations[place], strict=True)) for place in chosen)]
    examined = section.evaluate("(dial, tried) => asked.examined(dial, tried)", tried)
    assert examined["still"] == [], name
    for settings, shown in zip(tried, examined["shown"], strict=True):
        expected = dial_numbers.expected(name, settings, lesson)
        assert shown["is_drawn"] and shown["numbers"].keys() == expected.keys(), (name, settings)
        for what, value in expected.items():
            at = f"{name} {what} at {settings}"
            np.testing.assert_allclose(shown["numbers"][what], value, rtol=1e-9, atol=1e-9, err_msg=at)
        assert not re.search(r"(?<![\d.,−])1 (?!is|was|has)[a-z]+s\b", shown["says"]), shown["says"]  # as in "1 tokens"
    assert len({one["says"] for one in examined["shown"]}) > 3
    ends = [{key: its[place] for key, its in values.items()} for place in (0, len(values) % 2, -1)]
    assert section.evaluate("(dial, ends) => asked.unread(dial, ends)", ends) == [], name


WAIT_FOR_DRAWING = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Script that waits for two animation frames, because a picture is redrawn at most once per frame."""
DIAL_STATE = "(one) => JSON.stringify(one.numbers) + one.says + one.querySelector('svg').outerHTML"


@on_pages("rope")
def test_a_dial_moves_by_mouse_by_key_and_by_itself_unless_less_motion_is_requested(opened: Opened) -> None:
    """The “Start again” button restores the dial's initial state."""
    page, section = opened.page, opened.page.locator("[data-dial=shift]")
    page.set_viewport_size({"width": 1280, "height": 1400})
    restart, slider = section.locator("button[type=reset]"), section.locator("[name=m]")
    restart.press("Enter")
    page.evaluate(WAIT_FOR_DRAWING)
    begin = section.evaluate(DIAL_STATE)

    def changed() -> bool:
        page.evaluate(WAIT_FOR_DRAWING)
        now = section.evaluate(DIAL_STATE)
        restart.press("Enter")
        page.evaluate(WAIT_FOR_DRAWING)
        assert section.evaluate(DIAL_STATE) == begin
        return bool(now != begin)

    slider.press("ArrowUp")
    assert changed()
    section.locator("[data-step='m n']").first.press("Enter")
    assert changed()
    section.locator("[data-drag=headQ]").scroll_into_view_if_needed()
    box = section.locator("[data-drag=headQ]").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y - 60, steps=2)
    page.evaluate(WAIT_FOR_DRAWING)
    page.mouse.up()
    assert changed()
    play, before = section.locator("[data-play]"), section.locator("output").all_inner_texts()
    play.click()
    section.locator(f"output:text-is('{int(before[0]) + 2}')").first.wait_for()
    play.click()
    assert play.inner_text() == "▶ play" and not opened.complaints
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    assert play.is_hidden()


@on_pages("batches")
def test_texts_of_a_packed_row_have_a_colour_each(opened: Opened) -> None:
    """Tokens and the keys that a query uses have the colour of the text to which they belong."""
    drawing = opened.page.locator("#dial-packed svg")
    drawing.wait_for()
    fills = drawing.locator("rect[y='22']").evaluate_all("(them) => them.map((one) => getComputedStyle(one).fill)")
    assert len(fills) == 12 and len(set(fills)) == 3
    used = "rect:not(.hole, .cell, .touch)"
    assert set(fills) == set(drawing.locator(used).evaluate_all("(a) => a.map((one) => getComputedStyle(one).fill)"))


@on_pages("context_extension")
def test_a_measured_curve_appears_only_after_its_own_prediction_which_is_remembered(opened: Opened) -> None:
    section = opened.page.locator("#dial-guess")
    section.locator("svg").wait_for()
    group, shown, curves = section.locator("[name=group]"), section.locator("[name=shown]"), "path.one"
    first, second, *_ = [str(one.get_attribute("value")) for one in group.locator("option").all()]
    group.select_option(first)
    shown.check()
    assert section.locator(curves).count() == 0
    section.locator(".says", has_text="First move a point").wait_for()
    section.locator("[name=at1]").fill("80")
    assert section.locator(curves).count() > 3
    group.select_option(second)
    assert not shown.is_checked() and section.locator(curves).count() == 0
    group.select_option(first)
    assert section.locator("[name=at1]").input_value() == "80" and section.locator(curves).count() == 0
