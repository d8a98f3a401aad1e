"""Pytest options, hooks and fixtures for the tests of the grader."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.course import Assignment, term_assignments
from tests.grader.support import example_counts
from tests.grader.support.browsing import browser, course_files, course_folder  # noqa: F401, fixtures
from tests.grader.support.fixtures_built_once import graded, handed_out, once, ready_wheel  # noqa: F401, fixtures
from tests.grader.support.warm_graders import warm_graders  # noqa: F401, a fixture

if TYPE_CHECKING:
    from autograder.grading.grader import Grader
    from autograder.grading.suite import Suite

SLOWEST_FILES = """
    site_browser batch pyodide_agreement site_endless site_firefox dask_cluster course_pages_browser module_search_path
    pyodide_release site_without_network_or_storage bytecode site laptop_checks handout gradescope_and_wheel attacks
    follow_through figures notebooks live_page_browser trivial_solutions new_assignment otter endless_loading
    sandbox_workers guess_per_process learn contained_faults self_test class_page_browser threat_model labs writer
    similarity bench
""".split()
"""The slowest test files, which run first and in this order, so that no slow file is still running alone at the end.
These files include every file that starts a kernel, a browser or a batch, and `--quick` skips them all."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out the files that take longest")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of workers: one more than there are processors, because some tests only wait for a browser or a
    kernel."""
    return len(os.sched_getaffinity(0)) + (0 if config.getoption("quick") else 1)


QUICK_ASSIGNMENT = "sinusoidal"
"""Assignment with the fastest suite, which represents all assignments with `--quick`."""


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all tests are collected; nothing of what is loaded is garbage
    example_counts.QUICK = bool(config.getoption("quick"))
    # A background job ignores Ctrl-C, and so would every command that a test starts from that job.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `--quick`, skip the slowest files without even importing them."""
    return (config.getoption("quick") and collection_path.stem.removeprefix("test_") in SLOWEST_FILES) or None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that uses `assignment` for every assignment of the course, or for one assignment with `--quick`."""
    if "assignment" in metafunc.fixturenames:
        is_quick = metafunc.config.getoption("quick")
        found = [one for one in term_assignments() if one.name == QUICK_ASSIGNMENT or not is_quick]
        metafunc.parametrize("assignment", found, ids=[one.name for one in found], scope="session")


SLOW_FIXTURES = {"browser", "course_files", "handed_out"}
"""Fixtures that take several seconds to build."""


def is_long(item: pytest.Item) -> bool:
    has_slow_fixture = not SLOW_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("long") is not None or has_slow_fixture


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the slowest files first, and keep the order within each file. With `--quick`, remove tests that are
    marked `long` or use a slow fixture."""
    if config.getoption("quick"):
        items[:] = [item for item in items if not is_long(item)]
    place = {name: number for number, name in enumerate(SLOWEST_FILES)}
    items.sort(key=lambda item: place.get(item.path.stem.removeprefix("test_"), len(SLOWEST_FILES)))


def pytest_collection_finish() -> None:
    """Freeze all loaded objects, so that garbage collection does not scan them, and collect garbage less often."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(autouse=True)
def path_of_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset PYTHONSAFEPATH, which an earlier grader may have set, because it is not set in a student's shell."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print which tests did not run and what they need."""
    reports = terminalreporter.stats.get("skipped", [])
    needs = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    for need, count in needs.most_common():
        terminalreporter.write_line(f"Not tried: {count} {'test' if count == 1 else 'tests'}. {need}")


@pytest.fixture(scope="session")
def suites() -> dict[str, Suite]:
    """Cache of suites, so that each suite is collected only once per session."""
    return {}


@pytest.fixture
def suite(assignment: Assignment, suites: dict[str, Suite]) -> Suite:
    """Collected suite of the current assignment."""
    from autograder.grading.suite import Suite

    if assignment.name not in suites:
        suites[assignment.name] = Suite(assignment)
    return suites[assignment.name]


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    """Yield a warm grader that all tests in a session share, as the submissions in a batch do."""
    from autograder.grading.grader import Grader

    with contextlib.closing(Grader()) as warm:
        yield warm
