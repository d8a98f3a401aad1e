"""The course's pytest plugin: a mark for tests, a fixture for each assignment, and readable failure messages.

`@pytest.mark.question("apply_rope", points=2)` states a test's question and points. For each assignment, a fixture of
the same name provides the submission. The `TestContext` decides where the submission's code runs: in the test process
(`laptop.in_process_test_run`) or in the grader's worker.
"""

from __future__ import annotations

import functools
import zlib
from abc import ABC, abstractmethod
from collections.abc import Generator
from types import ModuleType
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from autograder.checks.proxy import StudentModule
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure_kinds import UNFINISHED, FailedTestError

hypothesis.settings.register_profile(
    "whereabouts",
    # Use the same examples on every machine and in every run (see `pytest_collection_modifyitems`), because a grade
    # must not depend on luck.
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=4,
    # Searching for a smaller failing example would waste time: the message names the rule, not the example.
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=list(hypothesis.HealthCheck),
)


# Hypothesis mixes constants from all modules loaded in this process into its examples, and writes them to a folder in
# the working directory. However, examples must be the same in every process, and nothing may be written.
if hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = lambda: Constants()


TEST_CONTEXT = pytest.StashKey["TestContext"]()


class TestContext(ABC):
    """A pytest plugin for one run, which provides each test's submission."""

    __test__ = False
    seed = 0
    """Seed for the random inputs of hidden tests."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Register this object as the context of the run."""
        config.stash[TEST_CONTEXT] = self

    @abstractmethod
    def submission(self, assignment: str, item: pytest.Item) -> StudentModule:
        """Return the submission for one test."""


def pytest_configure(config: pytest.Config) -> None:
    """Register the `question` mark and a fixture for each assignment."""
    config.addinivalue_line("markers", "question(name, points): the question that a test belongs to, and its points")
    hypothesis.settings.load_profile("whereabouts")
    names = sorted(path.stem.removeprefix("test_") for path in (config.rootpath / "tests" / "public").glob("test_*.py"))
    fixtures = ModuleType("whereabouts_assignments")
    vars(fixtures).update({name: _fixture(name) for name in names})
    config.pluginmanager.register(fixtures, fixtures.__name__)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Seed each Hypothesis test with the term's seed and the test's name.

    Without a seed, Hypothesis would read and tokenise the source of each test in every run.
    """
    for item in items:
        function: Any = getattr(item, "function", None)
        if hypothesis.is_hypothesis_test(function):
            term, test = _term_seed_if_hidden(config.stash[TEST_CONTEXT], item), zlib.crc32(item.name.encode("utf-8"))
            hypothesis.seed(term * 2**32 + test)(function)


def functions_tested_in_file(item: pytest.Item) -> tuple[str, ...]:
    """Return the functions with tests in the file of `item`, including tests that are not selected."""
    return _functions_tested_in(item.module) if isinstance(item, pytest.Function) else ()


@functools.cache
def _functions_tested_in(module: ModuleType) -> tuple[str, ...]:
    """Return the functions with tests in a module; cached, because every test asks for them."""
    tests = vars(module).values()
    marks = (mark for test in tests for mark in getattr(test, "pytestmark", ()) if mark.name == "question")
    return tuple(sorted({mark.args[0] for mark in marks} - {ANSWERS}))


def _fixture(assignment: str) -> Any:
    @pytest.fixture(name=assignment)
    def submission(request: pytest.FixtureRequest) -> StudentModule:
        return request.config.stash[TEST_CONTEXT].submission(assignment, request.node)

    return submission


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Return a generator for the random inputs of one test."""
    return random_generator(request.config.stash[TEST_CONTEXT], request.node)


def random_generator(context: TestContext, item: pytest.Item) -> np.random.Generator:
    """Return a generator that depends only on the term's seed (for a hidden test) and the test's name."""
    return np.random.default_rng(_seed_sequence(_term_seed_if_hidden(context, item), item.name))


@functools.cache
def _seed_sequence(term_seed: int, test: str) -> np.random.SeedSequence:
    """Return a test's seed sequence; cached, because creating one is slower than drawing from it."""
    return np.random.SeedSequence([term_seed, *test.encode("utf-8")])


def _term_seed_if_hidden(context: TestContext, item: pytest.Item) -> int:
    """Return the term's seed for a hidden test, and 0 for a public test.

    A public test draws the same values in every term, both on a student's machine and in the grader.
    """
    return context.seed if item.path.parent.name == "hidden" else 0


def submission_of(item: pytest.Item) -> StudentModule | None:
    """Return the submission of a running test."""
    arguments = getattr(item, "funcargs", None) or {}
    return next((value for value in arguments.values() if isinstance(value, StudentModule)), None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Report failures as messages without a traceback, and tests of unwritten functions as skipped."""
    wrong = call.excinfo.value if call.excinfo is not None and isinstance(call.excinfo.value, FailedTestError) else None
    if wrong is not None:
        # Formatting a traceback that nobody sees takes longer than the test.
        submission = submission_of(item)
        message = f"{submission.last_call}\n{wrong}" if submission and submission.last_call else str(wrong)
        item.repr_failure = lambda excinfo, style=None: message  # type: ignore[method-assign]
    report = yield
    if wrong is not None and wrong.kind in UNFINISHED:
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1] or 0, wrong.message)
    return report
