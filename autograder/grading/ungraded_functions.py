"""Functions that are not graded this term, whose tests are left out."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.checks.results import Test
from autograder.checks.source import CallGraph
from autograder.course import Assignment, CourseError


def without_ungraded_tests(assignment: Assignment, tests: Sequence[Test], solution_call_graph: CallGraph) -> list[Test]:
    """Return the tests that count. Raise CourseError if a graded function builds on an optional one."""
    ungraded = assignment.ungraded_functions
    for graded in {test.question for test in tests} - ungraded:
        if needed := sorted(ungraded & solution_call_graph.dependencies(graded)):
            raise CourseError(
                f"course.toml: {needed[0]} of {assignment.name} cannot be optional, because {graded} builds on it"
            )
    return [test for test in tests if test.question not in ungraded]
