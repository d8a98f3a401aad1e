"""All dials of the course, each with the page that contains it."""

from __future__ import annotations

from typing import NamedTuple

from autograder.course import ROOT, term_assignments
from autograder.pages import dials


class Dial(NamedTuple):
    """A dial and the page that contains it."""

    page: str
    name: str


TEXTS = {"index": ROOT / "assignments" / "README.md"} | {
    assignment.name: assignment.lesson for assignment in term_assignments()
}
DIALS = [Dial(page, name) for page, text in TEXTS.items() for name in dials.named(text.read_text("utf-8"))]
