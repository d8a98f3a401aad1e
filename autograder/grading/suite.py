"""An assignment's pytest suite, collected once and run on any number of submissions.

The tests run here, in the trusted process; a submission's functions are called through its backend. The order is fixed:
public tests, then answers, then hidden tests, so that what a student is told of the public part can be settled before a
submission meets its first hidden input.

pytest collects, and its own runner is left out: it would report on every test, which takes longer than most tests do.
So a test of a suite is a plain function of the submission, random inputs and its own parameters; any other is refused
by name.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import os
from collections import Counter
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
from hypothesis import is_hypothesis_test
from hypothesis.errors import UnsatisfiedAssumption

from autograder import course
from autograder.checks import fixtures
from autograder.checks.proxy import Backend, Definition, StudentModule
from autograder.checks.results import Phase, Test, TestResult, describe, test_result
from autograder.course import Assignment
from autograder.hints import catalogue
from autograder.hints.golden import GoldenRecorder
from autograder.hints.reference import Reference
from autograder.protocol.failure import BrokenTest

RANDOM_INPUTS = "rng"
"""The one fixture of a suite besides the submission."""


class Suite(fixtures.TestContext):
    """The collected tests of one assignment; it gives each of them the submission that is being graded, beside the
    solution."""

    backend: Backend

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.seed = course.seed()
        self.reference = Reference(assignment)
        self.definition: Definition = self.reference
        """what the tests compare with"""
        items = [(describe(item), item) for item in collect(assignment, self)]
        items.sort(key=lambda pair: pair[0].phase.value)
        self._tests = {test: _Runnable(item, self) for test, item in items}

    @property
    def tests(self) -> list[Test]:
        """All tests, in the order in which they run."""
        return list(self._tests)

    def submission(self, assignment: str, item: pytest.Item) -> StudentModule:
        return StudentModule(assignment, self.backend, self.definition, fixtures.graded_functions(item))

    def run(self, backend: Backend, *phases: Phase) -> list[TestResult]:
        """The result of every test on one submission; of some phases alone where these are named."""
        return [self.run_again(backend, test) for test in self._tests if test.phase in (phases or Phase)]

    def run_again(self, backend: Backend, test: Test) -> TestResult:
        """The result of one test."""
        self.backend = backend
        return self._tests[test].run(test)

    def record(self) -> dict[str, Any]:
        """What the public tests ask of the reference solution: the content of the handout's `expected` files."""
        self.definition = recorder = GoldenRecorder(self.reference)
        for test in self.tests:
            if test.phase is Phase.PUBLIC:
                recorder.test = test.name
                self.run_again(catalogue.Module(self.reference.right), test)
        self.definition = self.reference
        return recorder.content()


class _Runnable:
    """A collected test that runs again and again."""

    def __init__(self, item: pytest.Function, suite: Suite) -> None:
        self.item = item
        self.suite = suite
        self.name = suite.assignment.name
        self.parameters: dict[str, Any] = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        self.fixtures = [name for name in item.fixturenames if name not in (*self.parameters, "request")]
        if not {self.name, RANDOM_INPUTS}.issuperset(self.fixtures):
            asks = f"{self.name}, {RANDOM_INPUTS} and its parameters"
            raise BrokenTest(f"{item.name} asks for {', '.join(self.fixtures)}: a test is a function of {asks}")
        self.function = _on_drawn_examples(item, self.fixtures) if is_hypothesis_test(item.obj) else item.obj

    def run(self, test: Test) -> TestResult:
        """How the test comes out, with the calls that it made."""
        submission = self.suite.submission(self.name, self.item)
        given: dict[str, Any] = {self.name: submission}
        if RANDOM_INPUTS in self.fixtures:
            given[RANDOM_INPUTS] = fixtures.random_inputs(self.suite, self.item)
        raised = None
        try:
            self.function(**{name: given[name] for name in self.fixtures}, **self.parameters)
        except BaseException as error:
            raised = error
        return test_result(test, raised, submission)


def _on_drawn_examples(item: pytest.Function, fixtures: list[str]) -> Callable[..., Any]:
    """A property that runs on examples drawn once, not anew for every submission: they are the same each time (see the
    plugin).

    Hypothesis documents `inner_test` as what integrations replace. Each run gets copies, so that none can change the
    next one's.
    """
    test = item.obj.hypothesis.inner_test
    drawn: list[dict[str, Any]] = []

    def take(**given: Any) -> None:
        drawn.append({name: given[name] for name in given if name not in fixtures})

    with mock.patch.object(item.obj.hypothesis, "inner_test", take):
        item.obj(**dict.fromkeys(fixtures))

    @functools.wraps(test)
    def run(**given: Any) -> None:
        for example in drawn:
            with contextlib.suppress(UnsatisfiedAssumption):
                test(**given, **copy.deepcopy(example))

    return run


def collect(assignment: Assignment, suite: Suite) -> list[pytest.Function]:
    """The tests of an assignment, by a pytest of our own: no configuration file, no output, no plugin that a machine
    happens to have. Raises BrokenTest where it cannot collect them."""
    unwanted = ["cacheprovider", "terminal", "capture", "logging", "faulthandler", "doctest", "junitxml", "warnings"]
    unwanted += ["unraisableexception"]  # it collects garbage ten times, which takes as long as collecting the tests
    options = ["--collect-only", "--import-mode=importlib", "--strict-markers", "--disable-plugin-autoload"]
    options += ["-c", "/dev/null", f"--rootdir={course.ROOT}", *(f"-pno:{name}" for name in unwanted)]
    files = [str(assignment.public_tests), str(assignment.hidden_tests)]
    collector = _Collector()
    os.environ.pop("PYTEST_ADDOPTS", None)  # of whoever started this, for a pytest of theirs
    status = pytest.main([*options, *files], plugins=[fixtures, suite, collector])
    if status != pytest.ExitCode.OK:
        why = "; ".join(collector.failures) or f"pytest ended with {status!r}"
        raise BrokenTest(f"the tests of {assignment.name} cannot be collected: {why}")
    names = Counter(item.name for item in collector.items)
    if twice := [name for name, times in names.items() if times > 1]:
        # A score is kept by the test's name: one of the two would decide about both.
        raise BrokenTest(f"{assignment.name} has two tests named {twice[0]}: name one of them otherwise")
    return collector.items


class _Collector:
    """A pytest plugin that keeps the tests, and what pytest would have printed."""

    def __init__(self) -> None:
        self.items: list[pytest.Function] = []
        self.failures: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failures.append(report.longreprtext.strip().splitlines()[-1])

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = [item for item in session.items if isinstance(item, pytest.Function)]
