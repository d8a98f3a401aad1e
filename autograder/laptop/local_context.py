"""A student's file in this process, on their own machine: loaded, handed to the tests, and how these came out.

A pytest plugin, also under a plain `pytest`. pytest-timeout ends a call that does not return.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from autograder.checks import fixtures
from autograder.checks.fixtures import TEST_CONTEXT, TestContext
from autograder.checks.oracle import Oracle
from autograder.checks.proxy import StudentModule
from autograder.checks.results import TestResult, describe, test_result
from autograder.checks.source import CallGraph, Source
from autograder.hints.explain import with_causes
from autograder.hints.golden import GoldenValues
from autograder.protocol.call import Call, Raised, Reply, load, perform
from autograder.protocol.failure import Kind, Stopped

SECONDS = 5
"""Time of one test here, and of one call when it is graded."""

OPTIONS = (
    "-qq --no-header --no-summary -o console_output_style=classic --override-ini=addopts= --import-mode=importlib"
    " --disable-plugin-autoload -p pytest_timeout"
    " -p no:cacheprovider -p no:logging -p no:junitxml -p no:faulthandler"
).split()
"""pytest's own reporter is there for its debugger, and shows nothing."""

FILE = "(file)"
"""Stands for the name of a test in what the file prints while it is loaded."""


class InProcess:
    """A student's file, as far as it could be loaded."""

    def __init__(self, name: str, path: Path) -> None:
        self.source = Source(path)
        self.call_graph = CallGraph(self.source.functions)
        self.module, self.failure = load(name, [self.source.text], str(path))
        self.stuck: dict[str, str] = {}
        """function → what to say of it: it did not return, and is not called again"""
        _stop_if_interrupted(self.failure)

    def call(self, call: Call) -> Reply:
        for name in (call.function, *self.call_graph.below(call.function)) if self.stuck else ():
            if name in self.stuck:
                raise Stopped(Kind.TIMEOUT, self.stuck[name])
        reply = perform(self.module, call.copy())
        _stop_if_interrupted(reply.raised)
        if reply.raised is not None and "from pytest-timeout" in reply.raised.message:
            late = f"{call.function} did not return within {SECONDS} seconds{reply.raised.at_line} of your file"
            self.stuck[call.function] = f"{late}. Is there a loop that never ends?"
            return self.call(call)
        return reply


def _stop_if_interrupted(raised: Raised | None) -> None:
    """Ctrl-C while a student's code runs is meant for the checks, and so is `q` in the debugger."""
    if raised is not None and raised.kind in ("KeyboardInterrupt", "BdbQuit", "Exit"):
        raise KeyboardInterrupt


class LocalContext(TestContext):
    """Hands the student's files to the tests; in a run of its own it collects how they came out, and what they
    printed."""

    folders: Sequence[str] = ("public",)

    def __init__(self, root: Path = Path()) -> None:
        self.root = root
        self.files: dict[str, InProcess] = {}
        self.oracles: dict[str, Oracle] = {}
        """Assignment to its oracle."""
        self.test_results: dict[str, list[TestResult]] = {}
        self.printed: dict[tuple[str, str], str] = {}
        """assignment and test → what the student's code printed in it"""
        self.raised: BaseException | None = None
        """what ended the current test"""

    def load(self, assignment: str) -> InProcess:
        """The student's file."""
        return InProcess(assignment, self.root / "assignments" / assignment / f"{assignment}.py")

    def oracle(self, assignment: str, test: str) -> Oracle:
        """Return what one test compares with."""
        if assignment not in self.oracles:
            self.oracles[assignment] = GoldenValues(self.root / "tests" / "public" / "expected" / f"{assignment}.json")
        oracle = self.oracles[assignment]
        return oracle.of(test) if isinstance(oracle, GoldenValues) else oracle

    def questions(self, assignment: str) -> dict[str, Any]:
        """What a handout tells of the questions: `forms` of the answers, and those for `practice`."""
        told = self.root / "tests" / "public" / "questions.json"
        return dict(json.loads(told.read_text("utf-8")).get(assignment, {})) if told.is_file() else {}

    def submission(self, assignment: str, item: pytest.Item) -> StudentModule:
        if assignment not in self.files:
            self.files[assignment] = self.load(assignment)
        oracle, graded = self.oracle(assignment, item.name), fixtures.graded_functions(item)
        return StudentModule(assignment, self.files[assignment], oracle, graded)

    def start(self, names: Sequence[str]) -> None:
        """Run the tests of some assignments. Raises KeyboardInterrupt."""
        tests = [str(self.root / "tests" / folder / f"test_{name}.py") for name in names for folder in self.folders]
        options = [f"--rootdir={self.root}", f"--timeout={SECONDS}", *OPTIONS]
        status = pytest.main([*options, *tests], plugins=[fixtures, self])
        if status == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        for name in names:
            self.test_results[name] = with_causes(self.oracles[name], self.test_results[name])

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self) -> tuple[str, str, str]:
        return "", "", ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Function, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        error = call.excinfo.value if call.excinfo is not None else None
        self.raised = error if call.when == "setup" else self.raised or error
        if call.when == "teardown":
            name = item.path.stem.removeprefix("test_")
            result = test_result(describe(item), self.raised, fixtures.submission_of(item))
            self.test_results.setdefault(name, []).append(result)
            for title, text in report.sections:
                key = name, FILE if title.endswith("setup") else item.name
                self.printed[key] = self.printed.get(key, "") + text
        return report


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Where nobody else hands out submissions, as under a plain `pytest`, this context does."""
    config.stash.setdefault(TEST_CONTEXT, LocalContext(config.rootpath))
