"""Browser tests of functions and files that never return: a message names each of them, and the next check works."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.grader.site.conftest import (
    RECORD_MESSAGES,
    SHORTER_LIMIT_SECONDS,
    SOLUTION,
    WITHOUT_PICTURES,
    Window,
    window,
    with_causal_mask,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.long

TOO_LATE = f"did not return within {SHORTER_LIMIT_SECONDS} seconds"

WITHOUT_END = {
    "    while True:\n        pass": (0, f"{TOO_LATE} at line"),
    "    import itertools\n    return sum(itertools.count())": (1, TOO_LATE),
    "    import os\n    os._exit(0)": (1, "ended Python"),
    "    return [0.0] * 10**9": (0, "raised MemoryError at line"),
    "    return causal_mask(length)": (0, "raised RecursionError at line"),
    "    x = []\n    for _ in range(20000):\n        x = [x]\n    return repr(x)": (1, "ended Python"),
}
"""Expected number of new starts of Python and expected message for each body of a function."""

MOST_SECONDS = 15
"""Maximum seconds until a message names the function, although an ordinary check takes at most 1.5 seconds."""


@pytest.fixture(scope="module")
def tab(browser: Browser, site_with_shorter_limit: Path) -> Iterator[Window]:
    """Browser window with lesson 1 open and a shorter limit on each call."""
    with window(browser, site_with_shorter_limit) as opened:
        opened.page.add_init_script(WITHOUT_PICTURES)
        opened.open("attention")
        opened.wait_for("0 of 10 functions are right")
        yield opened


def slowness(tab: Window) -> float:
    """Return the ratio of a check's duration here to its duration on an idle machine."""
    tab.wait_for_rest()
    start = time.monotonic()
    tab.write(SOLUTION + "\n# measured\n")
    tab.page.wait_for_function("() => checked === code.text()")
    return (time.monotonic() - start) / 2.2  # The time includes a pause of 0.7 s.


@pytest.mark.parametrize(
    ("text", "restarts", "sentence"),
    [
        ("x = 1\nwhile True: x += 1\n", 0, f"Your file {TOO_LATE} at line 2"),
        ("import itertools\nx = sum(itertools.count())\n", 1, f"Your file {TOO_LATE}"),
    ],
    ids=["file", "file in C"],
)
def test_no_picture_runs_what_does_not_return_so_the_next_check_need_not_wait(
    tab: Window, text: str, restarts: int, sentence: str
) -> None:
    page = tab.page
    tab.wait_for_rest()
    page.evaluate(RECORD_MESSAGES)
    tab.write(text)
    tab.wait_for(sentence, "body")
    page.wait_for_function("(text) => checked === text", arg=text)
    tab.wait_for_rest()
    tab.write(f"{SOLUTION}\n# after {text!r}\n")
    tab.wait_for("10 of 10 functions are right")
    tab.wait_for_rest()
    assert page.evaluate("isSeen")  # a picture is on the screen
    assert page.evaluate("sent") == ["check", *["start", "check"] * restarts, "check", "draw"]


@pytest.mark.parametrize("body", WITHOUT_END, ids=lambda body: body.split()[-1])
def test_what_never_returns_is_named_the_rest_is_judged_and_the_next_check_works(tab: Window, body: str) -> None:
    """A function that raises an exception is drawn with the others; one that does not return is not called again."""
    restarts, sentence = WITHOUT_END[body]
    text = with_causal_mask(body).replace('raise NotImplementedError("softmax is not written yet")', "return axis")
    tab.wait_for_rest()  # so that the time is that of a check alone
    tab.page.evaluate(RECORD_MESSAGES)
    tab.write(text)
    start = time.monotonic()
    tab.wait_for(sentence, "#live-causal_mask[data-mark='✗']")
    seconds = time.monotonic() - start
    tab.wait_for("✗ softmax", "#live-softmax")
    tab.wait_for_rest()
    assert sentence.partition(" at line")[0] in tab.page.locator("#live-causal_mask").inner_text()
    tab.write(f"{SOLUTION}\n# after {body!r}\n")
    tab.wait_for("10 of 10 functions are right")
    tab.wait_for_rest()
    assert tab.page.evaluate("isSeen")  # a picture is on the screen
    drawn = ["draw"] * sentence.startswith("raised")
    assert tab.page.evaluate("sent") == ["check", *["start", "check"] * restarts, *drawn, "check", "draw"]
    assert seconds < MOST_SECONDS or seconds < MOST_SECONDS * slowness(tab)
