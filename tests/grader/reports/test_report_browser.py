"""The report in a browser: it opens at once, sorts, fits the screen and the page, and is quiet."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from autograder.batch import run
from tests.grader.support import gradebooks
from tests.grader.support.browsing import Opened

A4 = 688
"""width of an A4 page without its margins, in pixels"""

CONTRASTS = """() => {
  const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  const shade = (colour) => {
    const [r, g, b] = colour.match(/\\d+/g).map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = shade(getComputedStyle(document.documentElement).backgroundColor);
  const ink = Array.from(document.querySelectorAll("h1, h1 span, p, dt, dd, td, th, figcaption, svg text"), (one) =>
    shade(getComputedStyle(one)[one.tagName === "text" ? "fill" : "color"]));
  return [paper, Math.min(...ink.map((one) => (Math.max(one, paper) + 0.05) / (Math.min(one, paper) + 0.05)))];
}"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of 60, and three with long and hostile names whose code is alike."""
    out = tmp_path_factory.mktemp("small")
    submission_files = gradebooks.made_up_class(60, distinct=40)
    grade = gradebooks.grade("rope", 0.0, random.Random(0))
    for name in ("W" * 300, "<script>console.error('no')</script>", "=1+1"):
        submission_files.append((gradebooks.submission_file(name, "rope", gradebooks.CODE), grade))
    gradebooks.write(out, submission_files)
    run.write_report(out)
    return out / "report.html"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2,000 students, every assignment; of each question two tests, since the page shows questions."""
    out = tmp_path_factory.mktemp("large")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gradebooks, "TESTS", 2)
        gradebooks.write(out, gradebooks.made_up_class(2000))
    run.write_report(out)
    return out / "report.html"


def column(page: Page, region: str, place: int) -> list[str]:
    cells = page.locator(f"[aria-label='{region}'] tbody tr td:nth-child({place})")
    return [text.strip() for text in cells.all_text_contents()]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_screen_and_is_quiet(browser: Browser, small: Path, width: int, scheme: str) -> None:
    """Nothing sticks out to the side, nothing is logged, nothing is fetched, and the text stands out from the paper."""
    with Opened(browser, small, width, scheme) as opened:
        opened.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.requests == [small.as_uri()]
        paper, contrast = opened.page.evaluate(CONTRASTS)
        assert (paper < 0.1) == (scheme == "dark")
        assert contrast >= 4.5
        assert not opened.complaints


def test_on_a_telephone_the_columns_that_matter_are_seen_first(browser: Browser, small: Path) -> None:
    """Without scrolling to the side: who, and what happened or how much."""
    wanted = {
        "Submissions to look at": ["student", "what happened"],
        "Scores by student": ["student", "sum"],
        "Questions": ["question", "complete, %", "how it went"],
        "Misconceptions": ["submissions", "%", "hint"],
    }
    with Opened(browser, small, 420) as opened:
        for region, names in wanted.items():
            headings = opened.page.locator(f"[aria-label='{region}'] th")
            assert headings.all_text_contents()[: len(names)] == names
            box = headings.nth(len(names) - 1).bounding_box()
            assert box is not None and box["x"] + box["width"] <= 420, (region, box)
        assert not opened.complaints


BROKEN = """() => Array.from(document.querySelectorAll("td, th")).flatMap((cell) => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let text; (text = texts.nextNode()); ) {
    for (const word of text.data.matchAll(/[^\\s_-]{2,20}(?![^\\s_-])/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set(Array.from(range.getClientRects(), (box) => Math.round(box.top))).size;
      if (lines > 1 && !/\\S{21}/.test(cell.textContent)) broken.push(word[0]);
    }
  }
  return broken;
})"""


def test_on_a_telephone_no_word_is_broken_and_names_stay_in_sight(browser: Browser, small: Path) -> None:
    with Opened(browser, small, 420) as opened:
        page = opened.page
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate(BROKEN) == []
        students = page.locator("[aria-label='Scores by student']")
        students.scroll_into_view_if_needed()
        students.evaluate("(one) => { one.scrollLeft = 300; }")
        box, table = students.locator("tbody td").first.bounding_box(), students.bounding_box()
        assert box is not None and table is not None and abs(box["x"] - table["x"]) < 2


def test_a_class_is_filtered_by_name_and_a_name_leads_to_the_feedback(browser: Browser, small: Path) -> None:
    with Opened(browser, small) as opened:
        page = opened.page
        rows = page.locator("#students tbody tr")
        name = str(rows.nth(7).locator("td").first.text_content())
        page.locator("#filter").fill(name[:-1].upper())
        shown = [str(row.locator("td").first.text_content()) for row in rows.all() if row.is_visible()]
        assert name in shown and all(name[:-1] in one for one in shown) and len(shown) < rows.count()
        page.locator("#filter").fill("")
        assert rows.first.is_visible() and rows.last.is_visible()
        links = [str(link.get_attribute("href")) for link in rows.locator("a").all()]
        assert all(link.startswith("feedback/") and "://" not in link for link in links) and len(set(links)) == len(
            links
        )
        assert not opened.complaints


def test_tables_sort_by_mouse_and_keyboard(browser: Browser, small: Path) -> None:
    """Names as text, scores as numbers, a second time the other way round; what is empty stays last."""
    with Opened(browser, small) as opened:
        page, region = opened.page, "Scores by student"
        rope = 2 + 1 + gradebooks.COURSE.index("rope")
        heading = page.locator(f"[aria-label='{region}'] th").nth(rope - 1)
        heading.locator("button").focus()
        for key, direction in (("Enter", "ascending"), ("Space", "descending")):
            page.keyboard.press(key)
            assert heading.get_attribute("aria-sort") == direction
            cells = column(page, region, rope)
            empty = cells.count("")
            assert empty and not any(cells[-empty:])
            scores = [float(cell.removeprefix("!")) for cell in cells if cell]
            assert scores == sorted(scores, reverse=direction == "descending")
        page.locator(f"[aria-label='{region}'] th button").first.click()
        names = column(page, region, 1)
        assert [name for name in names if name.startswith("Ada")] == sorted(
            name for name in names if name.startswith("Ada")
        )
        assert page.locator(f"[aria-label='{region}'] th[aria-sort=ascending]").all_text_contents() == ["student"]
        assert heading.get_attribute("aria-sort") == "none"
        assert not opened.complaints


def test_every_button_sorts_its_own_table(browser: Browser, small: Path) -> None:
    """Each heading with a button takes over from the one before, and no row is lost."""
    with Opened(browser, small) as opened:
        page = opened.page
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        rows = page.locator("tbody tr").count()
        for button in page.locator("th button").all():
            button.click()
            assert button.locator("xpath=..").get_attribute("aria-sort") in ("ascending", "descending")
            assert button.locator("xpath=../../th[@aria-sort='ascending' or @aria-sort='descending']").count() == 1
        assert page.locator("tbody tr").count() == rows
        assert not opened.complaints


def test_on_paper_every_table_is_whole(browser: Browser, small: Path) -> None:
    """Printed, no table scrolls, none is wider than the page, and the paper is white whatever the screen was."""
    with Opened(browser, small, A4, "dark") as opened:
        opened.page.emulate_media(media="print", color_scheme="dark")
        cut = (
            "Array.from(document.querySelectorAll('.table')).filter((one) => one.scrollHeight > one.clientHeight +"
            " 1).length"
        )
        assert opened.page.evaluate(cut) == 0
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= A4
        assert opened.page.evaluate(CONTRASTS)[0] == 1
        paper = opened.page.pdf(format="A4")
        assert paper.startswith(b"%PDF") and paper.count(b"/Type /Page\n") >= 3


WORK = """(button) => {
  const counted = { looked: 0, moved: 0 };
  const { cells } = Object.getOwnPropertyDescriptors(HTMLTableRowElement.prototype);
  const count = { get() { counted.looked += this.parentElement.tagName === "TBODY"; return cells.get.call(this); } };
  Object.defineProperty(HTMLTableRowElement.prototype, "cells", { ...cells, ...count });
  const watch = new MutationObserver(() => {});
  watch.observe(document, { childList: true, subtree: true });
  button.click();
  for (const record of watch.takeRecords()) counted.moved += record.addedNodes.length;
  return counted;
}"""
"""How often a click looks into a row, and how often it moves one."""


def test_a_large_class_stays_small_and_opens_at_once(browser: Browser, large: Path) -> None:
    """Below 3 MB, in few elements; and a click that sorts looks at each row once and moves it once."""
    assert large.stat().st_size < 3_000_000
    with Opened(browser, large) as opened:
        assert opened.page.locator("*").count() < 50_000
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 1280
        last = opened.page.locator("[aria-label='Scores by student'] th").last
        assert last.locator("button").evaluate(WORK) == {"looked": 2000, "moved": 2000}
        assert len(column(opened.page, "Scores by student", 1)) == 2000
        assert not opened.complaints
