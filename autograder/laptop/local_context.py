"""The student's file, loaded in this process, and one run of the tests on it.

The module is a pytest plugin, also for a plain `pytest` command. The host ends a call that does not return.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from autograder.checks import fixtures
from autograder.checks.answers import practice_results
from autograder.checks.fixtures import TEST_CONTEXT, TestContext
from autograder.checks.oracle import Oracle
from autograder.checks.proxy import StudentModule
from autograder.checks.results import TestResult, test_of, test_result
from autograder.checks.source import CallGraph, Source
from autograder.hints.explain import with_likely_causes
from autograder.hints.golden import GoldenValues
from autograder.laptop.host import TERMINAL, TIMEOUT_MESSAGE_PART, Host, timeout_message
from autograder.protocol.call import ANSWERS, Call, Raised, Reply, load, perform
from autograder.protocol.failure import CallStopped, Kind

PYTEST_OPTIONS = (
    "-qq --no-header --no-summary -o console_output_style=classic --override-ini=addopts= --import-mode=importlib"
    " --disable-plugin-autoload"
    " -p no:cacheprovider -p no:logging -p no:junitxml -p no:faulthandler -p no:unraisableexception"
).split()
"""Options for every run of pytest. The terminal reporter stays for the debugger, but shows nothing. Pytest's
`unraisableexception` would collect garbage twice, which takes longer than many checks."""

LOADING = "Your file"
"""Name that stands for the loading of the file among names of tests or functions."""


class NoKeyboard(io.TextIOBase):
    """Input of a check, from which `input()` and the methods of `sys.stdin` can read nothing."""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        """Raise an error that says what to do instead."""
        raise EOFError("a check has no keyboard, so nothing can be typed in: write the value into the code")

    read = readline


class LoadedFile:
    """A student's file in this process, loaded up to the line where it stops."""

    def __init__(self, name: str, path: Path, host: Host) -> None:
        self.host = host
        self.source = Source(path)
        self.call_graph = CallGraph(self.source.functions)
        self.timed_out_functions = dict(host.timed_out_functions)
        """Function, or LOADING → a sentence, for code that did not return and is no longer called."""
        self.failure: Raised | None
        if LOADING in self.timed_out_functions:
            self.module, self.failure = ModuleType(name), Raised("", (), self.timed_out_functions[LOADING])
        else:
            with host.limit_call(LOADING):
                self.module, self.failure = load(name, [self.source.text], str(path))
            if self.failure is not None and TIMEOUT_MESSAGE_PART in self.failure.message:
                self.timed_out_functions[LOADING] = timeout_message(LOADING, self.failure.at_line)
                self.failure = Raised("", (), self.timed_out_functions[LOADING], self.failure.line)
        _raise_interrupt(self.failure)

    @property
    def answers(self) -> Any:
        """The value of ANSWERS; None if the file stops before ANSWERS."""
        return vars(self.module).get(ANSWERS)

    def call(self, call: Call) -> Reply:
        """Make a call. Raise CallStopped if the function, or a dependency, does not return in time."""
        for name in (call.function, *self.call_graph.dependencies(call.function)) if self.timed_out_functions else ():
            if name in self.timed_out_functions:
                raise CallStopped(Kind.TIMEOUT, self.timed_out_functions[name])
        with self.host.limit_call(call.function):
            reply = perform(self.module, call.copy())
        _raise_interrupt(reply.raised)
        if reply.raised is not None and TIMEOUT_MESSAGE_PART in reply.raised.message:
            self.timed_out_functions[call.function] = timeout_message(
                call.function, f"{reply.raised.at_line} of your file"
            )
            return self.call(call)
        return reply


def _raise_interrupt(raised: Raised | None) -> None:
    """Raise KeyboardInterrupt for Ctrl-C in a student's code and for `q` in the debugger, which both end the checks."""
    if raised is not None and raised.kind in ("KeyboardInterrupt", "BdbQuit", "Exit"):
        raise KeyboardInterrupt


class LocalContext(TestContext):
    """The source of the student's files for the tests, and the collector of results and output in a run."""

    folders: Sequence[str] = ("public",)
    """The folders of the tests to run."""

    def __init__(self, root: Path = Path(), host: Host = TERMINAL) -> None:
        self.root, self.host = root, host
        self.files: dict[str, LoadedFile] = {}
        self.oracles: dict[str, Oracle] = {}
        """Assignment → its oracle."""
        self.test_results: dict[str, list[TestResult]] = {}
        self.printed: dict[tuple[str, str], str] = {}
        """Assignment and test → the output of the student's code in that test."""
        self.raised: BaseException | None = None
        """The exception that ended the current test."""

    @property
    def runs_hidden_tests(self) -> bool:
        """True if hidden tests also run, as in self-study."""
        return "hidden" in self.folders

    def load_file(self, assignment: str) -> LoadedFile:
        """Load the student's file for an assignment."""
        return LoadedFile(assignment, self.host.student_file(self.root, assignment), self.host)

    def oracle(self, assignment: str, test: str) -> Oracle:
        """Return the source of right values for one test."""
        if assignment not in self.oracles:
            self.oracles[assignment] = self.load_oracle(assignment)
        oracle = self.oracles[assignment]
        return oracle.start_test(test) if isinstance(oracle, GoldenValues) else oracle

    def load_oracle(self, assignment: str) -> Oracle:
        """Load an assignment's recorded values."""
        return GoldenValues(self.root / "tests" / "public" / "expected" / f"{assignment}.json")

    def answer_forms_and_practice(self, assignment: str) -> dict[str, Any]:
        """Return the `forms` of the answers and the `practice` questions, as recorded in the handout."""
        path = self.root / "tests" / "public" / "questions.json"
        return dict(json.loads(path.read_text("utf-8")).get(assignment, {})) if path.is_file() else {}

    def answer_feedback(self, assignment: str) -> Iterator[tuple[bool, str]]:
        """Yield True or False and a sentence for each answer that can be judged on this machine."""
        answers = self.files[assignment].answers
        if isinstance(answers, dict):
            yield from practice_results(answers, self.answer_forms_and_practice(assignment).get("practice", {}))

    def solution(self, assignment: str, function: str) -> str | None:
        """Return a worked solution; None if the student's machine has none."""

    def submission(self, assignment: str, item: pytest.Item) -> StudentModule:
        """Return the student's module for one test."""
        if assignment not in self.files:
            self.files[assignment] = self.load_file(assignment)
        oracle, graded = self.oracle(assignment, item.name), fixtures.graded_functions_in_file(item)
        return StudentModule(assignment, self.files[assignment], oracle, graded)

    def run_tests(self, assignments: Sequence[str]) -> None:
        """Run the tests of some assignments. May raise KeyboardInterrupt."""
        tests = [
            str(self.root / "tests" / folder / f"test_{name}.py") for name in assignments for folder in self.folders
        ]
        options = [f"--rootdir={self.root}", *PYTEST_OPTIONS, *self.host.pytest_options]
        status = pytest.main([*options, *tests], plugins=[fixtures, self])
        if status == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        for name in assignments:
            self.test_results[name] = self._results_with_causes(name)

    def _results_with_causes(self, assignment: str) -> list[TestResult]:
        oracle, results, file = self.oracles[assignment], self.test_results[assignment], self.files[assignment]
        return with_likely_causes(oracle, results, lambda: file.call_graph)

    @pytest.hookimpl
    def pytest_sessionstart(self) -> None:
        """Let code that asks for input fail with a message for a student, instead of pytest's for the author of a test.

        At its end, pytest restores the input.
        """
        sys.stdin = NoKeyboard()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self) -> tuple[str, str, str]:
        """Show nothing about a test's result."""
        return "", "", ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Function, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Collect the result and the output of a test after the teardown."""
        report = yield
        error = call.excinfo.value if call.excinfo is not None else None
        self.raised = error if call.when == "setup" else self.raised or error
        if call.when == "teardown":
            name = item.path.stem.removeprefix("test_")
            result = test_result(test_of(item), self.raised, fixtures.submission_of(item))
            self.test_results.setdefault(name, []).append(result)
            for title, text in report.sections:
                key = name, LOADING if title.endswith("setup") else item.name
                self.printed[key] = self.printed.get(key, "") + text
        return report


def context_class(self_study: bool) -> Callable[..., LocalContext]:
    """Return the class for a run: with public tests or, in self-study, hidden tests as well."""
    if not self_study:
        return LocalContext
    from autograder.laptop.self_study import SelfStudyContext

    return SelfStudyContext


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register a local context if the run has no other context, as for a plain `pytest` command."""
    config.stash.setdefault(TEST_CONTEXT, LocalContext(config.rootpath))
