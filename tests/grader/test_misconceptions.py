"""The suites are tested by the catalogue: every known mistake loses points, and is named."""

from __future__ import annotations

import inspect

from autograder import course
from autograder.course import Assignment
from autograder.grading import catalogue, causes
from autograder.grading.suite import Suite


def test_every_known_mistake_loses_points_and_is_named(assignment: Assignment, suite: Suite) -> None:
    """And no other of the same function with it: on the suite's own inputs any two differ, or share a hint."""
    source = assignment.solution.read_text("utf-8")
    for entry in catalogue.entries(assignment):
        results = causes.named(assignment, suite.observe(catalogue.Module(catalogue.mistaken(assignment, entry))), [source])
        assert any(not one.passed for one in results), f"{entry.name} passes every test"
        told = [one.hint for one in results if one.hint and one.test.question == entry.function]
        assert entry.hint in told, f"no test says what is behind {entry.name}, but {told}"
        known = {one.hint for one in catalogue.entries(assignment)} - {entry.hint}
        assert not any(hint in one for one in told for hint in known), f"{entry.name} is told as {told}"


def test_an_assignment_has_at_least_five_known_mistakes(assignment: Assignment) -> None:
    assert len(catalogue.entries(assignment)) >= 5


def test_the_course_has_at_least_sixty() -> None:
    assert sum(len(catalogue.entries(assignment)) for assignment in course.assignments()) >= 60


def test_entries_say_what_they_are(assignment: Assignment) -> None:
    entries = catalogue.entries(assignment)
    assert len({entry.name for entry in entries}) == len(entries)
    for entry in entries:
        assert entry.origin and entry.hint.endswith((".", "?", "!")), entry.name


def test_a_hint_gives_no_code_away(assignment: Assignment) -> None:
    for entry in catalogue.entries(assignment):
        source = inspect.getsource(entry.implementation)
        code_lines = [line.strip() for line in source.split("\n") if "=" in line or "return" in line]
        assert not any(line in entry.hint for line in code_lines if len(line) > 12), entry.name
