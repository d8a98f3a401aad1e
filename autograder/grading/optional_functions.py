"""Functions that this term does not grade: their tests are left out, and the rest make up the full score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autograder.checks.results import POINTS, Test
from autograder.checks.source import CallGraph
from autograder.course import Assignment, CourseError

SCORE_STEP = 0.25
"""A scaled score is rounded to a multiple of this number of points."""


def without_optional_tests(assignment: Assignment, tests: Sequence[Test], call_graph: CallGraph) -> list[Test]:
    """Return the tests that count. Raise CourseError if a graded function builds on an optional function."""
    optional = assignment.optional_functions
    for graded in {test.question for test in tests} - optional:
        if needed := sorted(optional & call_graph.dependencies(graded)):
            raise CourseError(
                f"course.toml: {needed[0]} of {assignment.name} cannot be optional, because {graded} builds on it"
            )
    return [test for test in tests if test.question not in optional]


def full_scale(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Return Otter's numbers with the score scaled to full marks, and rounded to a quarter of a point.

    The points of the questions do not change. Gradescope adds up the points of all tests, so the points of
    each test are scaled, and an additional entry rounds the total.
    """
    possible = numbers["max_score"]
    if possible in (0, POINTS):
        return dict(numbers)
    share = numbers["score"] / possible
    score = round(POINTS * share / SCORE_STEP) * SCORE_STEP
    tests = [_scaled(entry, POINTS / possible) for entry in numbers["gradescope"]["tests"]]
    rounding = {"name": "Rounding", "score": score - POINTS * share, "visibility": "after_published"}
    gradescope = numbers["gradescope"] | {"tests": [*tests, rounding]}
    return {**numbers, "score": score, "max_score": float(POINTS), "gradescope": gradescope}


def _scaled(entry: Mapping[str, Any], factor: float) -> dict[str, Any]:
    points = {key: entry[key] * factor for key in ("score", "max_score") if entry.get(key) is not None}
    return {**entry, **points}
