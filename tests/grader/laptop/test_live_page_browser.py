"""Browser tests of the live lesson page: a student saves a file, sees a mistake, fixes it, and sees
success."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from autograder.course import find
from autograder.files import write_files
from tests.grader.support.browsing import WALL_TIMEOUT_SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def write_student_file(handout: Path, body: str) -> None:
    """Write the student's file with a new body for the first function."""
    path, stub = handout / "assignments" / "attention" / "attention.py", find("attention").stub.read_text("utf-8")
    path.write_text(re.sub(r'    raise NotImplementedError\("causal_mask[^\n]*', body, stub), "utf-8")


@pytest.fixture(scope="module")
def handout(handed_out: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Handout with two lessons, in which the student has implemented only one function, and that one incorrectly."""
    folder = tmp_path_factory.mktemp("handout")
    write_files({folder / name: content for name, content in handed_out.items()})
    for path in (folder / "tests" / "public").glob("test_*.py"):
        if path.stem not in ("test_attention", "test_naive"):
            path.unlink()
    write_student_file(folder, "    print('here I am')\n    return np.zeros((length, length), dtype=bool)")
    return folder


@pytest.fixture(scope="module")
def address(handout: Path) -> Iterator[str]:
    """Start the live page and yield the address that the command prints for lesson 1."""
    env = os.environ | {"BROWSER": "true", "PYTHONPATH": str(handout), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "autograder.checks", "attention", "--page"]
    restore_ctrl_c = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # in case the test run ignores Ctrl-C
    with subprocess.Popen(
        command,
        cwd=handout,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=restore_ctrl_c,
    ) as process:
        try:
            assert process.stdout is not None
            first_line = process.stdout.readline()
            yield first_line.split()[-1]
            process.send_signal(signal.SIGINT)
            assert process.wait() == 130
        finally:
            process.kill()


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(WALL_TIMEOUT_SECONDS)
    console_messages: list[str] = []
    page.on("console", lambda message: console_messages.append(message.text))
    page.goto(address)
    yield page
    page.close()
    assert console_messages == []


def test_write_save_see_red_fix_save_see_green(handout: Path, page: Page, address: str) -> None:
    """The student sees a wrong value, then a syntax error, and then works on another lesson in the same
    window. The N key leads to the next function, the map shows progress, and pictures use the student's
    functions."""
    box, function_status = page.locator("#live-causal_mask[data-mark='✗']"), page.locator(".standing")
    box.wait_for()
    assert "here I am" in box.inner_text() and "expected" in box.inner_text()
    page.locator(".standing", has_text="0 of 10 functions are right").wait_for()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.keyboard.press("n")
    page.wait_for_function(
        "() => { const box = document.getElementById('live-causal_mask').getBoundingClientRect();"
        " return box.top >= 0 && box.bottom <= innerHeight; }"
    )
    student_picture = page.locator("figure:has(img[src*=token_shuffle]) .mine")
    student_picture.wait_for(state="attached")
    student_picture.scroll_into_view_if_needed()
    page.wait_for_function("(image) => image.naturalWidth > 0", arg=student_picture.element_handle())
    write_student_file(handout, "    return (")
    page.locator(".standing pre", has_text="never closed").wait_for()
    assert "\n" in page.locator(".standing pre").inner_text()  # Python prints its caret on the line below the code.
    assert re.search(r"attention\.py:(?!1\.)\d+\.", function_status.inner_text())
    for name, functions in {"attention": 10, "naive": 8}.items():
        page.goto(address.replace("attention.html", f"{name}.html"))
        (handout / "assignments" / name / f"{name}.py").write_bytes(find(name).solution.read_bytes())
        page.locator(".standing", has_text=f"All functions are right! Now hand in {name}.py").wait_for()
        assert page.locator(".live").count() == page.locator(".live[data-mark='✓']").count() == functions
        assert f"{functions} of {functions} functions" in str(
            page.locator(f".top .menu [data-of={name}]").get_attribute("title")
        )


def test_the_box_hides_no_part_of_the_text_in_any_width_and_can_be_closed(page: Page, address: str) -> None:
    """On a wide screen, the progress box stays visible beside the lesson."""
    page.goto(address)
    page.locator(".standing", has_text="functions are right").or_(page.locator(".standing[data-done=true]")).wait_for()
    for width in (1600, 1280, 1000, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.locator(".dial").first.evaluate("(dial) => dial.scrollIntoView({ block: 'end' })")
        box, text = (page.locator(which).bounding_box() for which in (".standing", "main"))
        assert box is not None and text is not None
        beside = box["x"] + box["width"] <= text["x"]
        assert beside or box["y"] + box["height"] <= text["y"], width
        if beside:
            assert 0 <= box["y"] < 844
        assert beside or width < 1080
        contents = page.locator(".contents summary").bounding_box()
        assert contents is not None and contents["y"] >= box["y"] + box["height"], width
    page.locator(".standing button").click()
    assert not page.locator(".standing").is_visible()


def response_status(address: str, path: str, method: str = "GET") -> int:
    where = urlsplit(address)
    connection = http.client.HTTPConnection(str(where.hostname), where.port)
    connection.request(method, path)
    status = connection.getresponse().status
    connection.close()
    return status


def test_it_answers_nobody_else_and_hands_out_nothing_else(address: str) -> None:
    """The server rejects a wrong secret word, a path outside the folder, a request for a list of files, and any method
    except reading. The secret word does not appear on any process's command line."""
    where = urlsplit(address)
    secret = where.path.split("/")[1]
    assert where.hostname == "127.0.0.1" and len(secret) > 20
    assert response_status(address, where.path) == 200
    refused_names = (
        "../Makefile",
        "%2e%2e/Makefile",
        "/etc/passwd",
        "../open.html",
        "%2e%2e/open.html",
        "mine/",
        "nothing.html",
    )
    for path in [f"/{secret}/{name}" for name in refused_names] + [
        "/",
        "/attention.html",
        f"/{secret}x/attention.html",
    ]:
        assert response_status(address, path) == 404, path
    assert response_status(address, where.path, "POST") == 501
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if os.access(path, os.R_OK)]
    assert lines and not any(secret.encode() in line for line in lines)
