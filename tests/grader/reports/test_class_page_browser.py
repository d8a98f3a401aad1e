"""Browser tests of the report: its tables sort, it fits the screen and paper, and it logs no errors. Most tests share
one class and one open page."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder import bounded_processes
from autograder.batch import output_files
from autograder.grading.grade import to_json
from autograder.grading.row import GradeKey, Row
from autograder.reports.feedback_zip import html_page
from tests.grader.support import made_up_gradebooks
from tests.grader.support.browsing import Opened, default_font_size

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

A4_WIDTH_PIXELS = 688
"""Width of an A4 page without margins, in pixels."""

PAPER_AND_CONTRAST = """() => {
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
CUT_TABLE_COUNT = (
    "Array.from(document.querySelectorAll('.table')).filter((one) => one.scrollHeight > one.clientHeight + 1).length"
)
CLASS_SIZE = 60


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Report on a class with three extra students, who have long or hostile names and similar code.

    This process compares the submissions; `test_similarity` covers separate processes."""
    out = tmp_path_factory.mktemp("class")
    submission_files = made_up_gradebooks.made_up_class(CLASS_SIZE, distinct=10)
    grade = made_up_gradebooks.grade("rope", 0.0, random.Random(0))
    for name in ("W" * 300, "<script>console.error('no')</script>", "=1+1"):
        submission_files.append((made_up_gradebooks.submission_file(name, made_up_gradebooks.CODE), grade))
    made_up_gradebooks.write(out, submission_files)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded_processes, "map_bounded", map)
        output_files.write_report_and_similarity(out)
    return out / "report.html"


@pytest.fixture(scope="module")
def opened(browser: Browser, report: Path) -> Iterator[Opened]:
    """Report page with every section open, shared by tests that must leave it unchanged."""
    with Opened(browser, report) as opened:
        opened.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        yield opened
        assert opened.requests == [report.as_uri()] and not opened.complaints


def page_at_width(opened: Opened, width: int, scheme: str = "light", media: str = "screen") -> Page:
    opened.page.set_viewport_size({"width": width, "height": 900})
    opened.page.emulate_media(media=media, color_scheme=scheme)  # type: ignore[arg-type]
    return opened.page


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_screen_and_is_quiet(opened: Opened, width: int, scheme: str) -> None:
    """No element overflows sideways, and all text has enough contrast."""
    page = page_at_width(opened, width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper, contrast = page.evaluate(PAPER_AND_CONTRAST)
    assert (paper < 0.1) == (scheme == "dark") and contrast >= 4.5


def test_a_reader_with_a_larger_font_or_own_colours_can_read_it(opened: Opened) -> None:
    """Colours that the system sets do not empty the key to the bars."""
    page = page_at_width(opened, 320)
    with default_font_size(page, 24):
        assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") > 20
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.emulate_media(forced_colors="active")
    for part in ("complete", "mistaken", "unwritten"):
        colour = page.locator(f".key.{part}").evaluate("(key) => getComputedStyle(key, '::before').backgroundColor")
        assert colour == page.locator(f".bar .{part}").first.evaluate("(bar) => getComputedStyle(bar).fill")
    page.emulate_media(forced_colors="none")


def test_feedback_with_a_long_name_fits_a_telephone(browser: Browser) -> None:
    submission = made_up_gradebooks.submission_file("ada", assignment="context_extension")
    grade = made_up_gradebooks.grade("context_extension", 0.0, random.Random(0))
    row = Row(submission, GradeKey("context_extension", "", ""), "ada", encoded_grade=to_json(grade).encode())
    page = browser.new_page(viewport={"width": 320, "height": 900})
    page.set_content(html_page(row))
    assert page.locator("h1", has_text="context_extension").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.close()


def test_on_a_telephone_what_matters_is_seen_first(opened: Opened) -> None:
    """In a narrow window, the most important columns are visible without horizontal scrolling."""
    expected = {
        "Submissions to review": ["student", "what happened"],
        "Scores by student": ["student", "sum"],
        "Questions": ["question", "complete, %", "how it went"],
        "Misconceptions": ["submissions", "%", "hint"],
    }
    page = page_at_width(opened, 420)
    for region, names in expected.items():
        headings = page.locator(f"[aria-label='{region}'] th")
        assert headings.all_text_contents()[: len(names)] == names
        box = headings.nth(len(names) - 1).bounding_box()
        assert box is not None and box["x"] + box["width"] <= 420, (region, box)


def test_on_paper_every_table_is_whole(opened: Opened) -> None:
    """On paper, no table scrolls or is wider than the page, and the background is white even with the dark
    theme."""
    page = page_at_width(opened, A4_WIDTH_PIXELS, "dark", "print")
    assert page.evaluate(CUT_TABLE_COUNT) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= A4_WIDTH_PIXELS
    assert page.evaluate(PAPER_AND_CONTRAST)[0] == 1
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF") and paper.count(b"/Type /Page\n") >= 3


def test_a_class_is_filtered_by_name_and_a_name_leads_to_the_feedback(opened: Opened) -> None:
    page = page_at_width(opened, 1280)
    visible = "(rows) => rows.filter((row) => row.offsetParent).map((row) => row.cells[0].textContent)"
    rows = page.locator("#students tbody tr")
    everybody = rows.evaluate_all(visible)
    page.locator("#filter").fill(everybody[7][:-1].upper())
    shown = rows.evaluate_all(visible)
    assert everybody[7] in shown and len(shown) < len(everybody) == CLASS_SIZE + 3
    assert all(everybody[7][:-1] in one for one in shown)
    page.locator("#filter").fill("")
    assert rows.evaluate_all(visible) == everybody
    links = rows.locator("a").evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
    assert all(link.startswith("feedback/") and "://" not in link for link in links) and len({*links}) == len(links)


def test_tables_sort_by_mouse_and_keyboard(opened: Opened) -> None:
    """Names sort as text and scores as numbers, a second click reverses the order, and empty cells stay last.
    Sorting by a different column replaces the previous order, and no row is lost."""
    page, table = page_at_width(opened, 1280), "[aria-label='Scores by student']"
    number = made_up_gradebooks.COURSE.index("rope") + 2
    heading = page.locator(f"{table} th").nth(number)
    heading.locator("button").focus()

    def column(position: int) -> list[str]:
        return [text.strip() for text in page.locator(f"{table} tbody tr td:nth-child({position})").all_text_contents()]

    for key, direction in (("Enter", "ascending"), ("Space", "descending")):
        page.keyboard.press(key)
        assert heading.get_attribute("aria-sort") == direction
        cells = column(number + 1)
        empty = cells.count("")
        assert empty and not any(cells[-empty:])
        scores = [float(cell.removeprefix("!")) for cell in cells if cell]
        assert scores == sorted(scores, reverse=direction == "descending")
    page.locator(f"{table} th button").first.click()
    names = [name for name in column(1) if name.startswith("Ada")]
    assert names == sorted(names) and heading.get_attribute("aria-sort") == "none"
    for one in page.locator("section").all():
        button = one.locator("th button").last
        if button.count():
            button.click()
            assert button.locator("xpath=..").get_attribute("aria-sort") in ("ascending", "descending")
            assert button.locator("xpath=../../th[@aria-sort='ascending' or @aria-sort='descending']").count() == 1
    assert len(column(1)) == CLASS_SIZE + 3


def test_a_large_class_stays_small(opened: Opened, report: Path) -> None:
    """The page needs so little per student that a class of 2,000 stays below 3 MB and 50,000 elements."""
    per_student = opened.page.locator("#students tbody *").count() / (CLASS_SIZE + 3)
    assert per_student * 2000 < 40_000
    text = report.read_text("utf-8")
    assert len(text[text.index('id="students"') :].encode()) / (CLASS_SIZE + 3) * 2000 < 2_500_000
