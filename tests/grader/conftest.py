"""Fixtures of the machinery's own tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.course import Assignment, assignments
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from tests.grader.browsing import browser  # noqa: F401, a fixture


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `assignment` runs for every assignment of the course."""
    if "assignment" in metafunc.fixturenames:
        found = assignments()
        metafunc.parametrize("assignment", found, ids=[one.name for one in found], scope="session")


@pytest.fixture(scope="session")
def suites() -> dict[str, Suite]:
    """Collected suites, each once a session."""
    return {}


@pytest.fixture
def suite(assignment: Assignment, suites: dict[str, Suite]) -> Suite:
    """The collected suite of the assignment at hand."""
    if assignment.name not in suites:
        suites[assignment.name] = Suite(assignment)
    return suites[assignment.name]


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    """One warm grader for the whole session, as a batch has it."""
    with Grader() as warm:
        yield warm
