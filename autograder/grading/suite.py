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
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import is_hypothesis_test
from hypothesis.errors import UnsatisfiedAssumption

from autograder import course
from autograder.checks import fixtures, inputs
from autograder.checks.proxy import Backend, Reference, Refusal, StudentModule
from autograder.checks.results import Phase, Test, TestResult, describe, test_result
from autograder.course import Assignment
from autograder.hints import carried, catalogue
from autograder.hints.carried import Beside, Mistaken
from autograder.hints.observed import ObservedTest, Replayed, Restartable, is_looked_at
from autograder.hints.oracle import Oracle
from autograder.hints.recorded import GoldenValues
from autograder.hints.recorder import Recorder, with_hints
from autograder.protocol.call import ANSWERS, Call
from autograder.protocol.failure import REFUSALS, VALUES, BrokenTest
from autograder.protocol.status import TestStatus

RANDOM_INPUTS = "rng"
"""The one fixture of a suite besides the submission."""


class Suite:
    """The collected tests of one assignment."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.oracle = Oracle(assignment)
        self._context = GraderContext(self.oracle)
        items = [(describe(item), item) for item in collect(assignment, self._context)]
        items.sort(key=lambda pair: pair[0].phase.value)
        self._tests = {test: _Runnable(item, self._context) for test, item in items}

    @property
    def tests(self) -> list[Test]:
        """All tests, in the order in which they run."""
        return list(self._tests)

    def run(self, backend: Backend, *phases: Phase) -> list[TestResult]:
        """The result of every test on one submission; of some phases alone where these are named."""
        return [observed_test.result for observed_test in self.observe(backend, *phases)]

    def observe(self, backend: Backend, *phases: Phase) -> list[ObservedTest]:
        """As `run`, with all that the submission was seen to do."""
        self._context.backend = backend
        return [runnable.observe(test) for test, runnable in self._tests.items() if test.phase in (phases or Phase)]

    def carry(
        self,
        backend: Restartable,
        observed: Sequence[ObservedTest],
        evidence: Sequence[ObservedTest],
        keeping_state: frozenset[str] = frozenset(),
    ) -> list[ObservedTest]:
        """Run again what failed by a mistake that sits elsewhere, beside that mistake: what then passes earns its
        points.

        `evidence`: all that the submission was seen to do until now; `keeping_state`: the functions that depend on
        earlier calls.
        """
        beside = list(carried.mistaken(self.oracle, evidence, keeping_state))
        observed = [self._carried(backend, observed_test, beside) for observed_test in observed]
        if keeping_state:
            functions = self.oracle.blocks.lowest_first(keeping_state)
            observed = [
                self._asked_again(carried.Anew(self.oracle, backend, observed_test.calls), observed_test, functions)
                for observed_test in observed
            ]
        known = beside[0] if beside else Mistaken(self.oracle, ())
        observed = self._with_others_instead(backend, observed, known)
        failing = {each.result.test.question for each in observed if _may_come_from_below(each.result)}
        instead = carried.with_stand_ins(known, failing - {*known.functions, *keeping_state})
        return observed if instead is known else self._with_others_instead(backend, observed, instead)

    def _with_others_instead(
        self, backend: Restartable, observed: Sequence[ObservedTest], mistaken: Mistaken
    ) -> list[ObservedTest]:
        """Asked again with what stands instead of mistaken functions in the submission."""
        if not mistaken.cell:
            return list(observed)
        with backend.anew(mistaken.cell) as other:
            beside = Beside(other, {}, mistaken.where_shapes_are_right)
            return [self._asked_again(beside, observed_test, mistaken.functions) for observed_test in observed]

    def _carried(self, backend: Restartable, observed_test: ObservedTest, beside: Sequence[Mistaken]) -> ObservedTest:
        if not beside or not _may_come_from_below(observed_test.result):
            return observed_test
        test, seen = observed_test.result.test, observed_test.calls
        for mistaken in beside:
            is_own = test.question in mistaken.functions
            if is_own and observed_test.result.kind in REFUSALS:
                continue
            self._context.backend = Replayed(backend, seen) if is_own else Beside(backend, seen, mistaken)
            self._context.mistaken = mistaken if is_own else None
            result = self._tests[test].test_result(test)
            self._context.mistaken = None
            if result.passed:
                return self._given(observed_test, result, mistaken.functions)
            if result.is_mistake and result.kind not in VALUES and not is_own:
                return replace(observed_test, result=result)  # its own fault, which the other one hid
        return observed_test

    def _asked_again(self, backend: Backend, observed_test: ObservedTest, functions: Sequence[str]) -> ObservedTest:
        """A test of another function than these, in which they are right."""
        test = observed_test.result.test
        if test.question in functions or not _may_come_from_below(observed_test.result):
            return observed_test
        self._context.backend = backend
        result = self._tests[test].test_result(test)
        return self._given(observed_test, result, functions) if result.passed else observed_test

    def _given(self, observed_test: ObservedTest, result: TestResult, functions: Sequence[str]) -> ObservedTest:
        """A test that passes given the mistake of one of these functions: of the first that its own builds on, or
        is."""
        used = {result.test.question, *self.oracle.blocks.below(result.test.question)}
        function = next((function for function in functions if function in used), functions[0])
        return replace(observed_test, result=replace(result, function=function))

    def on_other_features(
        self, backend: Restartable, tests: Iterable[Test], evidence: Sequence[ObservedTest], draw: int
    ) -> list[ObservedTest]:
        """Some public tests on other features, in the draw of that number, beside the solution; carried as they were by
        this evidence."""
        with inputs.of_term(self._context.seed, draw), mock.patch.object(self._context, "recorded_values", False):
            self._context.backend = backend
            return self.carry(backend, [self._tests[test].observe(test) for test in tests], evidence)

    def asks_for_values(self, test: Test) -> bool:
        """Whether a test that passes says that values are right: not one of shapes, types and refusals."""
        return self._tests[test].asks_for_values(test)

    def uses_features(self, test: Test) -> bool:
        """Whether a test's inputs are others in another draw."""
        return self._tests[test].uses_features

    @functools.cached_property
    def public_calls(self) -> frozenset[bytes]:
        """What public tests ask of the solution."""
        return frozenset(call.encoded for call in self._calls(Phase.PUBLIC))

    @functools.cached_property
    def new_calls(self) -> dict[str, list[Call]]:
        """Function → the calls of hidden tests that no public one makes, and whose right value takes work."""
        new: dict[str, dict[bytes, Call]] = {}
        for call in self._calls(Phase.HIDDEN):
            right = self.oracle.predictions(call).of(None)
            takes_work = type(right) is not Refusal and not carried.is_trivial(right, call.args)
            if takes_work and call.encoded not in self.public_calls:
                new.setdefault(call.function, {})[call.encoded] = call
        return {function: list(calls.values()) for function, calls in new.items()}

    def _calls(self, phase: Phase) -> list[Call]:
        observed = self.observe(catalogue.Module(self.oracle.right), phase)
        calls = (call for observed_test in observed for call in observed_test.calls)
        return [call for call in calls if is_looked_at(call)]

    def record(self) -> dict[str, Any]:
        """What the public tests ask of the reference solution: the content of the handout's `expected` files."""
        calls: dict[str, list[dict[str, Any]]] = {}
        self._context.recorded_calls = calls
        for result in self.run(catalogue.Module(self.oracle.right), Phase.PUBLIC):
            if not result.passed:
                raise BrokenTest(f"the solution does not pass {result.test.name}: {result.message}")
        self._context.recorded_calls = None
        return with_hints(self.oracle, {name: asked for name, asked in calls.items() if asked})


def _may_come_from_below(result: TestResult) -> bool:
    """Whether a test failed in a way in which the mistake of another function shows."""
    has_failed = result.status in (TestStatus.FAILED, TestStatus.WAITING)
    return has_failed and result.kind in VALUES | REFUSALS and result.test.question != ANSWERS


class GraderContext(fixtures.TestContext):
    """Gives each test the submission that is being graded: with golden values for public tests, an oracle for hidden
    ones."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        # Asked for every test of every submission: made out once.
        self.name = oracle.assignment.name
        self._public_tests, self._golden_values = oracle.assignment.public_tests, oracle.assignment.golden_values
        self.seed = course.seed()
        self.backend: Backend | None = None
        self.mistaken: Mistaken | None = None
        """beside what a function's dtype and loops are judged, where its values are known to be wrong"""
        self.recorded_values = True
        """whether public tests compare with the values recorded for the handout's inputs"""
        self.recorded_calls: dict[str, list[dict[str, Any]]] | None = None

    def submission(self, assignment: str, item: pytest.Item) -> StudentModule:
        """What the fixture named after the assignment gives a test."""
        if self.backend is None or assignment != self.name:
            raise BrokenTest(f"{item.name} asks for {assignment}, and that is not what is being graded")
        return StudentModule(assignment, self.backend, self._reference(item), self.mistaken)

    def _reference(self, item: pytest.Item) -> Reference:
        if self.recorded_calls is not None:
            return Recorder(self.oracle, self.recorded_calls.setdefault(item.name, []))
        if item.path == self._public_tests and self.recorded_values:
            return GoldenValues(self._golden_values, item.name)
        return self.oracle


class _Runnable:
    """A collected test that runs again and again."""

    def __init__(self, item: pytest.Function, context: GraderContext) -> None:
        self.item = item
        self.context = context
        self.parameters: dict[str, Any] = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        self.fixtures = [name for name in item.fixturenames if name not in (*self.parameters, "request")]
        unknown = set(self.fixtures) - {context.name, RANDOM_INPUTS}
        if unknown or item.cls is not None:
            asks = f"asks for the fixture {', '.join(sorted(unknown))}" if unknown else "is a method"
            raise BrokenTest(
                f"{item.name} {asks}: a test is a function of {context.name}, {RANDOM_INPUTS} and its parameters"
            )
        self.uses_features = "features(" in inspect.getsource(item.function)
        """whether its inputs change with `inputs.of_term`"""
        self._asks_for_values: bool | None = None
        self.function: Callable[..., Any] = (
            _on_drawn_examples(item, self.fixtures) if is_hypothesis_test(item.obj) else item.obj
        )

    def asks_for_values(self, test: Test) -> bool:
        """Whether the test fails where each value is another than the right one."""
        if self._asks_for_values is None:
            self.context.backend = catalogue.OtherValues(self.context.oracle.right)
            self._asks_for_values = not self.test_result(test).passed
        return self._asks_for_values

    def test_result(self, test: Test) -> TestResult:
        """Run the test; how it came out."""
        return self.observe(test).result

    def observe(self, test: Test) -> ObservedTest:
        """As `test_result`, with the calls that it made."""
        given = {name: self._fixture(name) for name in self.fixtures}
        submission = given.get(self.context.name)
        raised = None
        try:
            self.function(**given, **self.parameters)
        except BaseException as error:
            raised = error
        return ObservedTest.of(test_result(test, raised, submission), submission)

    def _fixture(self, name: str) -> Any:
        return (
            fixtures.random_inputs(self.context, self.item)
            if name == RANDOM_INPUTS
            else self.context.submission(name, self.item)
        )


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
    if not drawn or not all(map(_is_plain, drawn)):
        raise BrokenTest(f"{item.name} draws something other than numbers, texts, arrays and collections of them")

    @functools.wraps(test)
    def run(**given: Any) -> None:
        for example in drawn:
            with contextlib.suppress(UnsatisfiedAssumption):
                test(**given, **copy.deepcopy(example))

    return run


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return type(value) in (bool, int, float, str, np.ndarray)


def collect(assignment: Assignment, context: GraderContext) -> list[pytest.Function]:
    """The tests of an assignment. Raises BrokenTest where pytest cannot collect them."""
    collector = _Collector()
    status = run_pytest(assignment, context, collector)
    if status != pytest.ExitCode.OK:
        why = "; ".join(collector.failures) or f"pytest ended with {status!r}"
        raise BrokenTest(f"the tests of {assignment.name} cannot be collected: {why}")
    names = Counter(item.name for item in collector.items)
    if twice := [name for name, times in names.items() if times > 1]:
        # A score is kept by the test's name: one of the two would decide about both.
        raise BrokenTest(f"{assignment.name} has two tests named {twice[0]}: name one of them otherwise")
    return collector.items


def run_pytest(assignment: Assignment, context: GraderContext, *plugins: object) -> int | pytest.ExitCode:
    """A pytest of our own on an assignment's tests: no configuration file, no output, no plugin that a machine happens
    to have."""
    unwanted = ["cacheprovider", "terminal", "capture", "logging", "faulthandler", "doctest", "junitxml", "warnings"]
    unwanted += ["unraisableexception"]  # it collects garbage ten times, which takes as long as collecting the tests
    options = ["-c", "/dev/null", f"--rootdir={course.ROOT}", "--import-mode=importlib", "--strict-markers"]
    options += ["--disable-plugin-autoload", *(word for name in unwanted for word in ("-p", f"no:{name}"))]
    files = [str(assignment.public_tests), str(assignment.hidden_tests)]
    return pytest.main([*options, *files], plugins=[fixtures, context, *plugins])


class _Collector:
    """A pytest plugin that takes the tests in the place of running them, and keeps what pytest would have printed."""

    def __init__(self) -> None:
        self.items: list[pytest.Function] = []
        self.failures: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failures.append(report.longreprtext.strip().splitlines()[-1])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        self.items = [item for item in session.items if isinstance(item, pytest.Function)]
        return None if self.failures else True  # pytest itself then says that it was interrupted
