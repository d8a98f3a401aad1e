"""Firefox tests of the course in a tab: a mistake with its cause, an endless loop, a correct file, and a
saved zip."""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from autograder.course import find
from tests.grader.site.conftest import SHORTER_LIMIT_SECONDS, WITHOUT_PICTURES, served
from tests.grader.support import firefox

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(firefox.executable() is None, reason="This test needs Firefox: apt-get install firefox-esr."),
]

SOLUTION = re.sub(r"\n    # (BEGIN|END) SOLUTION", "", find("rope").solution.read_text("utf-8"))
OPENED = """(() => {
  const chosen = new DataTransfer();
  const bytes = Uint8Array.from(atob("ZIP"), (character) => character.charCodeAt(0));
  chosen.items.add(new File([bytes], "work.zip"));
  const input = document.querySelector("input[data-change=restore]");
  input.files = chosen.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
})()"""
"""Script that selects a zip file on the page for saved work."""


def says(where: str, words: str) -> str:
    """Return a JavaScript condition that is true if part of the page contains the specified words."""
    return f"document.querySelector({json.dumps(where)})?.textContent.includes({json.dumps(words)})"


def test_a_lesson_from_a_mistake_to_green_and_all_work_from_a_zip(site_with_shorter_limit: Path) -> None:
    with served(site_with_shorter_limit) as address, firefox.launched() as window:
        window.open(f"{address}rope.html")
        window.evaluate(WITHOUT_PICTURES)
        window.wait_for(says(".standing", "0 of 13 functions are right"))
        mistaken = SOLUTION.replace("np.arange(0, head_dim, 2)", "np.arange(head_dim // 2)")
        assert mistaken != SOLUTION
        window.evaluate(f"code.open({json.dumps(mistaken)})")
        window.wait_for(says("#live-rope_frequencies[data-mark='✗']", "Likely cause"))
        window.evaluate(f"code.open({json.dumps(SOLUTION + 'while True: pass')})")
        window.wait_for(says(".standing", f"Your file did not return within {SHORTER_LIMIT_SECONDS} seconds"))
        window.evaluate("window.drawsPictures = true")
        window.evaluate(f"code.open({json.dumps(SOLUTION)})")
        window.wait_for(says(".standing", "13 of 13 functions are right"))
        window.wait_for("document.querySelector('figure .own .mine')")
        window.evaluate("localStorage.clear()")
        window.open(f"{address}keep.html")
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("assignments/rope/rope.py", SOLUTION)
        window.evaluate(OPENED.replace("ZIP", base64.b64encode(packed.getvalue()).decode("ascii")))
        window.wait_for(says(".opened", "Opened work.zip: 1 of 14 lessons"))
        window.wait_for(f"document.querySelector('#keep pre')?.textContent === {json.dumps(SOLUTION)}")
