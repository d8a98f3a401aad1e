"""Tests of the course's prose: links, commands, and claims on the page about choosing a method."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from assignments.context_extension import lab as context
from assignments.extrapolation import lab_results
from assignments.modern import lab as modern
from autograder import course
from autograder.course import Assignment

FOLDER = course.ROOT / "assignments"
PAGES = [*sorted(FOLDER.glob("*.md")), *sorted(FOLDER.glob("*/README.md"))]
MAX_WORDS = {13: 33_700, 14: 36_500}
"""Maximum number of words, counted by `wc -w`, in the first 13 lessons and in the first 14."""
_NOT_PROSE = re.compile(r"(?ms)^```.*?^```|<!--.*?-->|!\[[^\]]*\]\([^)]*?\"[^\"]*\"\)|`[^`\n]*`|^#[^\n]*$|^    [^\n]*$")
SETUP = """\
python3 -m venv .venv
.venv/bin/python -m pip install -r requirements.txt
.venv/bin/python -m autograder.checks attention
"""


def prose(page: Path) -> str:
    return _NOT_PROSE.sub(" ", page.read_text("utf-8"))


def number_of(lesson: Path) -> str:
    title = re.match(r"# (\d+)\. ", lesson.read_text("utf-8"))
    assert title, lesson
    return title[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(FOLDER).as_posix())
def test_a_lesson_is_named_by_a_link_to_it(page: Path) -> None:
    """A lesson is mentioned only by a link, because a link's number can follow the plan of a term. The check
    of lesson numbers skips captions, headings and code."""
    text = prose(page)
    links = re.findall(r"\[[Ll]esson\s+(\d+)\]\(([^)#]+)[^)]*\)", text)
    assert [(number, target) for number, target in links if number_of(page.parent / target) != number] == []
    assert re.findall(r"[Ll]essons?\s+\d+", re.sub(r"\[[^\]]*\]\([^)]*\)", " ", text)) == []


def test_a_lesson_says_first_what_to_write_and_how_to_check_it(assignment: Assignment) -> None:
    beginning = " ".join(assignment.lesson.read_text("utf-8").partition("\n## ")[0].split())
    name = assignment.name
    assert f"Write `{name}.py`; check it with `.venv/bin/python -m autograder.checks {name}`" in beginning
    assert "[how to work](../README.md#how-to-work)" in beginning


def test_the_course_is_set_up_by_the_same_three_lines_everywhere() -> None:
    handout = course.ROOT / "autograder" / "handout" / "template" / "README.md.template"
    for page in (FOLDER / "README.md", FOLDER / "setup.md", handout):
        assert SETUP in re.sub(r"(?m)^ +", "", page.read_text("utf-8")), page


@pytest.mark.parametrize("count", MAX_WORDS)
def test_the_lessons_are_short_enough_to_read(count: int) -> None:
    lessons = course.term_assignments()[:count]
    assert sum(len(lesson.lesson.read_text("utf-8").split()) for lesson in lessons) <= MAX_WORDS[count]


def test_what_the_page_on_choosing_claims_was_measured() -> None:
    page = " ".join((FOLDER / "choosing.md").read_text("utf-8").split())
    far = lab_results.saved_far()

    def reached(method: str, change: str, then: str = "usual", length: int = 128, log_n: int = 0) -> float:
        rows = [row.accuracy for row in far if (*row[:4], row.length) == (method, change, then, log_n, length)]
        assert rows
        return float(np.mean(rows))

    measured = lab_results.saved()
    usual = lab_results.by_length(measured, "copy 3 back", "sinusoidal")[128].mean()
    start = reached("sinusoidal", "usual", "start_below 128")
    assert f"here {usual:.2f} at 8 times the trained length; {start:.2f} with a random start in training" in page

    assert "here 1 to 64 times the trained length" in page
    assert "here 64 times the trained length, if scores grow with ln n" in page
    at_64_times = {"length": 64 * 16, "log_n": 1}
    assert reached("rope", "base 4", **at_64_times) > 0.9 > 0.5 > reached("rope", "usual")
    assert min(reached("shaw", "usual", **at_64_times), reached("t5", "usual", **at_64_times)) > 0.9

    assert "here 8 times the trained length for copying 1 back; 3 back not at all" in page
    alibi = {task: lab_results.by_length(measured, task, "alibi")[128].mean() for task in lab_results.TASKS}
    assert alibi["copy 1 back"] > 0.9 and alibi["copy 3 back"] < 0.3

    assert "here 16 times the trained length for near tokens; not for the order of far tokens" in page
    rerope = {run: context.accuracies(context.saved(), run, "ReRoPE")[256].mean() for run in context.SUMMARY_TASKS}
    assert min(rerope["copy 3 back"], rerope["copy 1 back"]) > 0.9 > 0.6 > rerope["latest passkey"]

    first, every = (
        modern.accuracies(modern.saved(), "copy 3 back", schedule)[64].mean()
        for schedule in ("the first layer", "every layer")
    )
    assert f"here {first:.2f} in copying at 4 times the trained length; {every:.2f} with RoPE everywhere" in page
