"""Fixtures of the machinery's own tests."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from autograder.course import Assignment, assignments
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from tests.grader.support.browsing import browser, course_files, course_folder  # noqa: F401, fixtures
from tests.grader.support.once import graded, handed_out, once  # noqa: F401, fixtures
from tests.grader.support.quick_python import quick_kernels, quick_python  # noqa: F401, fixtures
from tests.grader.support.warm_graders import cold_graders, warm_graders  # noqa: F401, fixtures

LONGEST = """
    platforms otter batch dials_browser page_browser cluster wall_as_another_user progress one_submission_decides
    handout new_assignment figures attacks notebooks report_browser live_browser
""".split()
"""The files that take longest, in this order: one that is begun last keeps one processor busy and the others idle."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `assignment` runs for every assignment of the course."""
    if "assignment" in metafunc.fixturenames:
        found = assignments()
        metafunc.parametrize("assignment", found, ids=[one.name for one in found], scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first; within a file the order stays."""
    place = {f"test_{name}": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.stem, len(LONGEST)))


def pytest_collection_finish() -> None:
    """What is loaded stays: pytest collects garbage ten times for each suite of the course, and looks through all of it."""
    gc.collect()
    gc.freeze()


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
