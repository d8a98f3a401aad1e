"""An assignment's pytest suite, which is collected once and run on any number of submissions.

The tests run in the trusted process and call a submission's functions through a backend. The order is fixed: public
tests, then answers, then hidden tests, so that the feedback on public tests is final before a submission receives its
first hidden input.

pytest collects the tests but does not run them, because its report on a test would take longer than most tests. Each
test must therefore be a plain function of the submission, random inputs and its own parameters. For any other test, the
suite raises an error that names the test.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import os
import sys
import types
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any
from unittest import mock

import pytest
from hypothesis import is_hypothesis_test
from hypothesis.errors import UnsatisfiedAssumption

from autograder import course
from autograder.checks import pytest_plugin
from autograder.checks.oracle import Oracle
from autograder.checks.proxy import Backend, StudentModule
from autograder.checks.results import Phase, Test, TestResult, point_problems, test_of, test_result
from autograder.course import Assignment, CourseError
from autograder.grading.ungraded_functions import without_ungraded_tests
from autograder.hints import catalogue
from autograder.hints.golden_values import GoldenRecorder, RecordingBackend
from autograder.hints.reference_oracle import Reference
from autograder.protocol.call import Call, Reply
from autograder.protocol.failure_kinds import BrokenTestError

RNG_FIXTURE = "rng"
"""Name of the fixture for random inputs, the only one that a test may use besides the submission."""


class Suite(pytest_plugin.TestContext):
    """The collected tests of one assignment, and the context that gives them the submission being graded."""

    backend: Backend

    def __init__(self, assignment: Assignment, only_graded: bool = False) -> None:
        """Collect all tests or, with `only_graded`, the tests that count this term.

        With `only_graded`, raise CourseError if the points of all tests do not add up to full marks.
        """
        self.assignment = assignment
        self.seed = course.seed()
        items = [(test_of(item), item) for item in collect(assignment, self)]
        items.sort(key=lambda pair: pair[0].phase.value)
        self._tests = {test: _RunnableTest(item, self) for test, item in items}
        self.reference = Reference(assignment)
        if only_graded:
            if problem := next(point_problems(assignment.name, self.tests), ""):
                raise CourseError(f"{problem}. Nothing was graded, and nobody's grade was changed")
            counting = without_ungraded_tests(assignment, self.tests, self.reference.call_graph)
            self._tests = {test: self._tests[test] for test in counting}
        self.oracle: Oracle = self.reference
        """The source of the correct values that tests expect."""
        self._calls_to_solution: dict[Test, Sequence[Call]] = {}

    @property
    def tests(self) -> list[Test]:
        """The suite's tests, in the order in which they run."""
        return list(self._tests)

    def submission(self, assignment: str, item: pytest.Item) -> StudentModule:
        """Return the submission being graded, in the form that tests use."""
        return StudentModule(assignment, self.backend, self.oracle, pytest_plugin.functions_tested_in_file(item))

    def run(self, backend: Backend, *phases: Phase) -> list[TestResult]:
        """Run the tests of some phases (by default, all) on one submission."""
        return [self.run_test(backend, test) for test in self._tests if test.phase in (phases or Phase)]

    def run_test(self, backend: Backend, test: Test) -> TestResult:
        """Run one test on a submission."""
        self.backend = backend
        return self._tests[test].run(test)

    def calls_to_solution(self, test: Test) -> Sequence[Call]:
        """Return the calls that a test makes to the solution, in order."""
        if test not in self._calls_to_solution:
            recorder = _CallRecorder(self.reference.solution)
            self.run_test(recorder, test)
            self._calls_to_solution[test] = recorder.calls
        return self._calls_to_solution[test]

    def record_golden_values(self) -> dict[str, Any]:
        """Run the public tests, and return what they record for the handout's file of golden values."""
        self.oracle = recorder = GoldenRecorder(self.reference)
        for test in self.tests:
            if test.phase is Phase.PUBLIC:
                recorder.test = test.name
                self.run_test(RecordingBackend(recorder, catalogue.ModuleBackend(self.reference.solution)), test)
        self.oracle = self.reference
        return recorder.content()


class _CallRecorder(catalogue.ModuleBackend):
    """The solution as a backend that keeps a copy of each call, because tests can modify arguments later."""

    def __init__(self, solution: types.ModuleType) -> None:
        super().__init__(solution)
        self.calls: list[Call] = []

    def call(self, call: Call) -> Reply:
        self.calls.append(call.copy())
        return super().call(call)


class _RunnableTest:
    """A collected test that can be run on one submission after another."""

    def __init__(self, item: pytest.Function, suite: Suite) -> None:
        self.item = item
        self.suite = suite
        self.name = suite.assignment.name
        self.parameters: dict[str, Any] = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        self.fixtures = [name for name in item.fixturenames if name not in (*self.parameters, "request")]
        if not {self.name, RNG_FIXTURE}.issuperset(self.fixtures):
            allowed = f"{self.name}, {RNG_FIXTURE} and its parameters"
            raise BrokenTestError(f"{item.name} requests {', '.join(self.fixtures)}: a test may use only {allowed}")
        self.function = _with_examples_drawn_once(item, self.fixtures) if is_hypothesis_test(item.obj) else item.obj

    def run(self, test: Test) -> TestResult:
        """Return the result of the test, with the calls that the test made."""
        submission = self.suite.submission(self.name, self.item)
        values: dict[str, Any] = {self.name: submission}
        if RNG_FIXTURE in self.fixtures:
            values[RNG_FIXTURE] = pytest_plugin.random_generator(self.suite, self.item)
        raised = None
        try:
            self.function(**{name: values[name] for name in self.fixtures}, **self.parameters)
        except BaseException as error:
            raised = error
        return test_result(test, raised, submission)


def _with_examples_drawn_once(item: pytest.Function, fixtures: list[str]) -> Callable[..., Any]:
    """Return a property test whose examples are drawn once and are the same for every submission (see `pytest_plugin`).

    Hypothesis documents `inner_test` as its hook for integrations. Each run gets copies of the examples, so that no
    submission can change them for the next.
    """
    test = item.obj.hypothesis.inner_test
    drawn: list[dict[str, Any]] = []

    def take(**arguments: Any) -> None:
        drawn.append({name: arguments[name] for name in arguments if name not in fixtures})

    with mock.patch.object(item.obj.hypothesis, "inner_test", take):
        item.obj(**dict.fromkeys(fixtures))

    @functools.wraps(test)
    def run(**arguments: Any) -> None:
        for example in drawn:
            with contextlib.suppress(UnsatisfiedAssumption):
                test(**arguments, **copy.deepcopy(example))

    return run


def collect(assignment: Assignment, suite: Suite) -> list[pytest.Function]:
    """Collect an assignment's tests using pytest without a configuration file, output or installed plugins.

    Raise BrokenTestError if pytest exits with any status other than OK, or if two tests share a name.
    """
    unwanted = ["cacheprovider", "terminal", "capture", "logging", "faulthandler", "doctest", "junitxml", "warnings"]
    unwanted += ["unraisableexception"]  # runs the garbage collector ten times, which doubles pytest's time
    options = ["--collect-only", "--import-mode=importlib", "--strict-markers", "--disable-plugin-autoload"]
    options += ["-c", "/dev/null", f"--rootdir={course.ROOT}", *(f"-pno:{name}" for name in unwanted)]
    files = [str(assignment.public_tests), str(assignment.hidden_tests)]
    collector = _Collector()
    os.environ.pop("PYTEST_ADDOPTS", None)  # those options are for the user's own pytest runs
    status = pytest.main([*options, *files], plugins=[pytest_plugin, suite, collector])
    if status != pytest.ExitCode.OK:
        _forget_modules(files)
        why = "; ".join(collector.failures) or f"pytest ended with {pytest.ExitCode(status).name}"
        raise BrokenTestError(f"the tests of {assignment.name} cannot be collected: {why}")
    if empty := {*files} - {str(item.path) for item in collector.items}:
        raise BrokenTestError(f"{min(empty)} has no test")
    names = Counter(item.name for item in collector.items)
    if twice := [name for name, times in names.items() if times > 1]:
        # A score is stored under the test's name, so one of the two tests would decide both scores.
        raise BrokenTestError(f"{assignment.name} has two tests named {twice[0]}: rename one of them")
    return collector.items


def _forget_modules(files: Collection[str]) -> None:
    """Forget test modules whose import failed midway, so that the next collection imports them afresh."""
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) in files:
            del sys.modules[name]


class _Collector:
    """A pytest plugin that keeps the collected tests, and the errors that pytest would have printed."""

    def __init__(self) -> None:
        self.items: list[pytest.Function] = []
        self.failures: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Store the last line of a collection error."""
        if report.failed:
            self.failures.append(report.longreprtext.strip().splitlines()[-1])

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the collected tests."""
        self.items = [item for item in session.items if isinstance(item, pytest.Function)]


@functools.cache
def all_tests(assignment: Assignment) -> list[Test]:
    """Return all tests of an assignment, collected once."""
    return Suite(assignment).tests
