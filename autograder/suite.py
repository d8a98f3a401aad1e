"""An assignment's pytest suite, collected once and run on any number of submissions.

The tests run here, in the trusted process; a submission's functions are called through its backend. The order is fixed:
public tests, then answers, then hidden tests, each part in a worker of its own, so that what a hidden test shows to a
submission can no longer change a public result.
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from _pytest.config import _prepareconfig
from hypothesis import is_hypothesis_test
from hypothesis.errors import UnsatisfiedAssumption

from autograder import catalogue, course
from autograder.checks import plugin
from autograder.checks.outcome import Outcome, Part, Test, describe, outcome
from autograder.checks.proxy import Backend, Submission
from autograder.checks.reference import Reference, recorded
from autograder.checks.wrong import BrokenTest
from autograder.course import Assignment
from autograder.rehearsal import Rehearsal, script, settled
from autograder.sandbox.ahead import Script, Step
from autograder.sandbox.backend import Sandboxed


class Suite:
    """The collected tests of one assignment."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self._desk = Desk(assignment)
        collected = collect(assignment, self._desk)
        for item in collected:
            if is_hypothesis_test(item.obj):
                _draw_examples(item)
        items = sorted(((describe(item), item) for item in collected), key=lambda pair: pair[0].part.value)
        self._items = dict(items)
        self._simple = {item for item in collected if _is_simple(item)}
        self.tests = list(self._items)

    def run(self, backend: Backend) -> list[Outcome]:
        """The outcome of every test on one submission."""
        return list(self.outcomes(backend))

    def outcomes(self, backend: Backend) -> Iterator[Outcome]:
        """The same, test by test as they run."""
        self._desk.backend = backend
        for test, item in self._items.items():
            yield outcome(test, self._raised_by(item))

    def run_behind_the_wall(self, submission: Sandboxed) -> list[Outcome]:
        """The outcome of every test, part by part, on one submission that is told what comes."""
        scripts, outcomes = self.scripts, []
        self._desk.backend = submission
        part = None
        for test, item in self._items.items():
            if test.part is not part:
                part = test.part
                submission.part(scripts[part])
            submission.test(test.name)
            outcomes.append(outcome(test, self._raised_by(item)))
        return outcomes

    @functools.cached_property
    def scripts(self) -> dict[Part, Script]:
        """What is known of the tests' requests before any test runs."""
        asked, asked_when_nudged = (self._rehearsed(nudged) for nudged in (False, True))
        requests = {test: settled(asked[test], asked_when_nudged[test]) for test in self.tests}
        return {part: script({test.name: requests[test] for test in self.tests if test.part is part}) for part in Part}

    def _rehearsed(self, nudged: bool) -> dict[Test, list[Step]]:
        backend = Rehearsal(self.assignment, nudged)
        return {one.test: backend.asked() for one in self.outcomes(backend)}

    def _raised_by(self, item: pytest.Function) -> BaseException | None:
        """Run one test. pytest would report on it as well, which takes longer than most tests do."""
        try:
            if item in self._simple:
                item.obj(**self._desk.arguments(item))
            else:
                _run_with_fixtures(item)
        except BaseException as error:
            return error
        return None


def _is_simple(item: pytest.Function) -> bool:
    """Whether a test asks for nothing but a submission, random inputs and its own parameters."""
    definitions = item._fixtureinfo.name2fixturedefs
    return all(one.func.__module__ in (plugin.__name__, "_pytest.python") for name in item.fixturenames for one in definitions.get(name, ()))


def _run_with_fixtures(item: pytest.Function) -> None:
    item._initrequest()  # a collected item is made to run once; this is what reruns of it begin with
    setup = item.session._setupstate
    try:
        setup.setup(item)
        item.runtest()
    finally:
        setup.teardown_exact(None)


class Desk:
    """Hands the backend at hand to the tests: recorded values for public tests, live ones for hidden."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.public_tests = assignment.public_tests
        self._seed = course.seed()
        self.backend: Backend | None = None
        self.record: dict[str, list[dict[str, Any]]] | None = None

    def submission(self, assignment: str, item: pytest.Item) -> Submission:
        if self.backend is None or assignment != self.assignment.name:
            raise BrokenTest(f"{item.name} asks for {assignment}, and that is not what is being graded")
        return Submission(assignment, self.backend, self._reference(item))

    def arguments(self, item: pytest.Function) -> dict[str, Any]:
        """What a simple test asks for, by name."""
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        found = {}
        for name in item._fixtureinfo.argnames:
            if name in parameters:
                found[name] = parameters[name]
            else:
                found[name] = plugin.random_inputs(self, item) if name == "rng" else self.submission(name, item)
        return found

    def _reference(self, item: pytest.Item) -> Reference:
        if self.record is not None:
            return catalogue.Recorder(self.assignment, self.record.setdefault(item.name, []))
        if item.path == self.public_tests:
            return recorded(self.assignment.recorded, item.name)
        return catalogue.Live(self.assignment)

    def seed(self) -> int:
        return self._seed


class _SetDesk:
    """A plugin that tells the course's plugin whose submissions to hand out."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[plugin.DESK] = self.desk


def collect(assignment: Assignment, desk: Desk) -> list[pytest.Function]:
    """The tests of an assignment, collected by a pytest of our own: no configuration file, no output, no plugin that a machine happens to have."""
    unwanted = ["cacheprovider", "terminal", "capture", "logging", "faulthandler", "doctest", "junitxml", "warnings"]
    options = ["-c", "/dev/null", f"--rootdir={course.ROOT}", "--import-mode=importlib", "--strict-markers"]
    options += ["--disable-plugin-autoload", *(word for name in unwanted for word in ("-p", f"no:{name}"))]
    files = [str(assignment.public_tests), str(assignment.hidden_tests)]
    config = _configured([*options, *files], [plugin, _SetDesk(desk)])
    session = pytest.Session.from_config(config)
    config.hook.pytest_sessionstart(session=session)
    config.hook.pytest_collection(session=session)
    return [item for item in session.items if isinstance(item, pytest.Function)]


def _draw_examples(item: pytest.Function) -> None:
    """Draw a property's examples once, not for every submission anew: they are the same each time (see the plugin).

    Only where they are plain values; each test gets copies, so that none can change them for the next submission.
    """
    fixtures = item._fixtureinfo.argnames
    property_, test = item.obj.hypothesis, item.obj.hypothesis.inner_test
    drawn: list[dict[str, Any]] = []
    property_.inner_test = lambda **given: drawn.append({name: given[name] for name in given if name not in fixtures})
    item.obj(**dict.fromkeys(fixtures))
    property_.inner_test = test
    if not all(_is_plain(example) for example in drawn):
        return

    @functools.wraps(test)
    def on_drawn_examples(**given: Any) -> None:
        for example in drawn:
            with contextlib.suppress(UnsatisfiedAssumption):
                test(**given, **copy.deepcopy(example))

    item.obj = on_drawn_examples


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return type(value) in (bool, int, float, str, np.ndarray)


def _configured(arguments: list[str], plugins: list[object]) -> pytest.Config:
    config = _prepareconfig(arguments, plugins)
    config._do_configure()
    return config


def record(assignment: Assignment) -> dict[str, list[dict[str, Any]]]:
    """What the public tests ask of the reference solution: the content of the handout's `expected` files."""
    suite = Suite(assignment)
    calls: dict[str, list[dict[str, Any]]] = {}
    suite._desk.record = calls
    for one in suite.run(catalogue.Module(catalogue.solution(assignment))):
        if not one.passed:
            raise BrokenTest(f"the solution does not pass {one.test.name}: {one.message}")
    return {test.name: calls[test.name] for test in suite.tests if test.part is Part.PUBLIC and calls.get(test.name)}
