"""The student's file, loaded in this process, and one run of the tests on it.

The module is a pytest plugin, which also works with a plain `pytest` command. The `CheckPlace` limits how long a call
can take.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from autograder.checks import pytest_plugin
from autograder.checks.oracle import Oracle
from autograder.checks.proxy import StudentModule
from autograder.checks.pytest_plugin import TEST_CONTEXT, TestContext
from autograder.checks.quiz_answers import practice_results
from autograder.checks.results import TestResult, test_of, test_result
from autograder.checks.source import CallGraph, SourceFile
from autograder.hints.golden_values import GoldenValues
from autograder.hints.likely_causes import with_likely_causes
from autograder.laptop.terminal_or_tab import TERMINAL, TIMEOUT_MESSAGE_PART, CheckPlace, timeout_message
from autograder.protocol.call import ANSWERS, Call, Raised, Reply, perform
from autograder.protocol.failure_kinds import CallStopped, Kind
from autograder.protocol.load import load

PYTEST_OPTIONS = (
    "-qq --no-header --no-summary -o console_output_style=classic --override-ini=addopts= --import-mode=importlib"
    " --disable-plugin-autoload"
    " -p no:cacheprovider -p no:logging -p no:junitxml -p no:faulthandler -p no:unraisableexception"
).split()
"""Options for every pytest run. The terminal reporter stays active for the debugger but shows nothing. The
`unraisableexception` plugin is off because it would collect garbage twice, which takes longer than many checks."""

LOADING_STEP = "Your file"
"""Name of the step that loads the file; other steps are named after a test or function."""


class NoKeyboard(io.TextIOBase):
    """Standard input during a check, from which neither `input()` nor the methods of `sys.stdin` can read."""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        """Raise an error that tells the student to write the value into the code."""
        raise EOFError("a check has no keyboard, so nothing can be typed in: write the value into the code")

    read = readline


class LoadedFile:
    """A student's file, loaded in this process up to the line where it stops."""

    def __init__(self, name: str, path: Path, place: CheckPlace) -> None:
        self.place = place
        self.source = SourceFile(path)
        self.call_graph = CallGraph(self.source.functions)
        self.timed_out_functions = dict(place.timed_out_functions)
        """Messages about code that did not return and is not called again, keyed by function or LOADING_STEP."""
        self.failure: Raised | None
        if LOADING_STEP in self.timed_out_functions:
            self.module, self.failure = ModuleType(name), Raised("", (), self.timed_out_functions[LOADING_STEP])
        else:
            with place.limit_call(LOADING_STEP):
                self.module, self.failure = load(name, [self.source.text], str(path))
            if self.failure is not None and TIMEOUT_MESSAGE_PART in self.failure.message:
                self.timed_out_functions[LOADING_STEP] = timeout_message(LOADING_STEP, self.failure.at_line)
                self.failure = Raised("", (), self.timed_out_functions[LOADING_STEP], self.failure.line)
        _raise_interrupt(self.failure)

    @property
    def answers(self) -> Any:
        """The value of ANSWERS as the grader receives it; None if the file stops before ANSWERS."""
        return perform(self.module, Call(ANSWERS)).value

    def call(self, call: Call) -> Reply:
        """Make a call. Raise CallStopped if the function or one of its dependencies does not return in time."""
        for name in (call.function, *self.call_graph.dependencies(call.function)) if self.timed_out_functions else ():
            if name in self.timed_out_functions:
                raise CallStopped(Kind.TIMEOUT, self.timed_out_functions[name])
        with self.place.limit_call(call.function):
            reply = perform(self.module, call.copy())
        _raise_interrupt(reply.raised)
        if reply.raised is not None and TIMEOUT_MESSAGE_PART in reply.raised.message:
            self.timed_out_functions[call.function] = timeout_message(
                call.function, f"{reply.raised.at_line} of your file"
            )
            return self.call(call)
        return reply


def _raise_interrupt(raised: Raised | None) -> None:
    """Raise KeyboardInterrupt to stop the checks after Ctrl-C in a student's code or `q` in the debugger."""
    if raised is not None and raised.kind in ("KeyboardInterrupt", "BdbQuit", "Exit"):
        raise KeyboardInterrupt


class LocalContext(TestContext):
    """A pytest plugin for one run; it loads the student's files for the tests, and collects results and output."""

    folders: Sequence[str] = ("public",)
    """The folders with the tests to run."""

    def __init__(self, root: Path = Path(), place: CheckPlace = TERMINAL) -> None:
        self.root, self.place = root, place
        self.files: dict[str, LoadedFile] = {}
        self.oracles: dict[str, Oracle] = {}
        """The oracle of each assignment."""
        self.test_results: dict[str, list[TestResult]] = {}
        self.printed: dict[tuple[str, str], str] = {}
        """The output of the student's code, keyed by assignment and test."""
        self.raised: BaseException | None = None
        """The exception that stopped the current test."""

    @property
    def runs_hidden_tests(self) -> bool:
        """True if hidden tests also run, as in self-study."""
        return "hidden" in self.folders

    def load_file(self, assignment: str) -> LoadedFile:
        """Load the student's file for an assignment."""
        return LoadedFile(assignment, self.place.student_file(self.root, assignment), self.place)

    def oracle(self, assignment: str, test: str) -> Oracle:
        """Return the source of correct values for one test."""
        if assignment not in self.oracles:
            self.oracles[assignment] = self.load_oracle(assignment)
        oracle = self.oracles[assignment]
        return oracle.go_to_test(test) if isinstance(oracle, GoldenValues) else oracle

    def load_oracle(self, assignment: str) -> Oracle:
        """Load an assignment's recorded values."""
        return GoldenValues(self.root / "tests" / "public" / "expected" / f"{assignment}.json")

    def answer_forms_and_practice(self, assignment: str) -> dict[str, Any]:
        """Return the `forms` of the answers and the `practice` questions recorded in the handout."""
        path = self.root / "tests" / "public" / "questions.json"
        return dict(json.loads(path.read_text("utf-8")).get(assignment, {})) if path.is_file() else {}

    def answer_feedback(self, assignment: str) -> Iterator[tuple[bool, str]]:
        """For each answer that can be judged on this machine, yield whether it is right, and a message."""
        answers = self.files[assignment].answers
        if isinstance(answers, dict):
            yield from practice_results(answers, self.answer_forms_and_practice(assignment).get("practice", {}))

    def worked_solution(self, assignment: str, function: str) -> str | None:
        """Return a worked solution; None if the student's machine has none."""

    def submission(self, assignment: str, item: pytest.Item) -> StudentModule:
        """Return the student's module for one test."""
        if assignment not in self.files:
            self.files[assignment] = self.load_file(assignment)
        oracle, tested_functions = self.oracle(assignment, item.name), pytest_plugin.functions_tested_in_file(item)
        return StudentModule(assignment, self.files[assignment], oracle, tested_functions)

    def run_tests(self, assignments: Sequence[str]) -> None:
        """Run the tests of some assignments. This can raise KeyboardInterrupt."""
        tests = [
            str(self.root / "tests" / folder / f"test_{name}.py") for name in assignments for folder in self.folders
        ]
        options = [f"--rootdir={self.root}", *PYTEST_OPTIONS, *self.place.pytest_options]
        status = pytest.main([*options, *tests], plugins=[pytest_plugin, self])
        if status == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        for name in assignments:
            self.test_results[name] = self._results_with_likely_causes(name)

    def _results_with_likely_causes(self, assignment: str) -> list[TestResult]:
        oracle, results, file = self.oracles[assignment], self.test_results[assignment], self.files[assignment]
        return with_likely_causes(oracle, results, lambda: file.call_graph)

    @pytest.hookimpl
    def pytest_sessionstart(self) -> None:
        """Make code that asks for input fail with a message for students instead of pytest's message for test authors.

        pytest restores standard input at the end of the run.
        """
        sys.stdin = NoKeyboard()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self) -> tuple[str, str, str]:
        """Show nothing about test results."""
        return "", "", ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Function, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Collect a test's result and output after its teardown."""
        report = yield
        error = call.excinfo.value if call.excinfo is not None else None
        self.raised = error if call.when == "setup" else self.raised or error
        if call.when == "teardown":
            name = item.path.stem.removeprefix("test_")
            result = test_result(test_of(item), self.raised, pytest_plugin.submission_of(item))
            self.test_results.setdefault(name, []).append(result)
            for title, text in report.sections:
                key = name, LOADING_STEP if title.endswith("setup") else item.name
                self.printed[key] = self.printed.get(key, "") + text
        return report


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register a local context if the run has no other, as with a plain `pytest` command."""
    config.stash.setdefault(TEST_CONTEXT, LocalContext(config.rootpath))
