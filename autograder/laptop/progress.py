"""One run of the tests, and where a student stands by it."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import pytest

from autograder.checks import fixtures
from autograder.checks.answers import Practice
from autograder.checks.proxy import stops
from autograder.checks.results import TestResult, describe, test_result
from autograder.checks.source import Source
from autograder.checks.standing import Standing, State, standings
from autograder.hints.explain import with_causes
from autograder.laptop.local_context import SECONDS, InProcess, LocalContext
from autograder.protocol.call import ANSWERS

LESSON = "README.md"

OPTIONS = (
    "-qq --no-header --no-summary -o console_output_style=classic --override-ini=addopts= --import-mode=importlib"
    f" --disable-plugin-autoload -p pytest_timeout --timeout={SECONDS}"
    " -p no:cacheprovider -p no:logging -p no:junitxml -p no:faulthandler"
).split()
"""pytest's own reporter is there for its debugger, and shows nothing."""

FILE = "(file)"
"""Stands for the name of a test in what the file prints while it is loaded."""


@dataclass(frozen=True)
class Progress:
    """One assignment as its student has it now."""

    name: str
    file: InProcess
    test_results: list[TestResult]
    printed: Mapping[str, str]
    """test → what the student's code printed in it"""
    forms: Mapping[str, str]
    """question → the form of its answer, where that is known"""
    practice: Mapping[str, Practice]
    """the questions without points"""
    alone: bool
    """whether hidden tests were run too"""

    @property
    def source(self) -> Source:
        return self.file.source

    @property
    def lesson(self) -> Path:
        return self.source.path.with_name(LESSON)

    @property
    def answers(self) -> Any:
        """The value of ANSWERS, where the file came as far as that."""
        return vars(self.file.module).get(ANSWERS)

    @property
    def problem(self) -> str:
        """Why the file does not run to its end; empty where it does, or leaves out no more than an import."""
        failure = self.file.failure
        stopped = stops(failure) if failure is not None and not failure.left_out else ""
        return self.source.problem or stopped[:1].upper() + stopped[1:]

    @cached_property
    def standings(self) -> list[Standing]:
        """The functions in the order in which the lesson's page has them."""
        headings = re.findall(r"(?m)^### .*$", self.lesson.read_text("utf-8")) if self.lesson.is_file() else []
        names = re.findall(r"`(\w+)", " ".join(headings))
        found = standings(self.test_results, self.file.blocks)
        return sorted(found, key=lambda one: names.index(one.name) if one.name in names else len(names))

    @property
    def right(self) -> list[str]:
        """The functions that are right."""
        return [standing.name for standing in self.standings if standing.is_right]

    @property
    def next_function(self) -> str | None:
        """What to work on: the first function in the lesson's order that is not right and waits for no other."""
        waiting = (State.WAITING, State.BUILT_ON)
        unfinished = [standing for standing in self.standings if not standing.is_right]
        return next((one.name for one in sorted(unfinished, key=lambda one: one.state in waiting)), None)


class Run(LocalContext):
    """A run of tests: hands out the files, and collects how tests came out and what was printed in them."""

    folders: ClassVar[tuple[str, ...]] = ("public",)

    def __init__(self, root: Path = Path()) -> None:
        super().__init__(root)
        self.test_results: dict[str, list[TestResult]] = {}
        """by assignment"""
        self.printed: dict[str, dict[str, str]] = {}
        """by assignment and test"""
        self.raised: BaseException | None = None
        """what ended the current test"""

    def start(self, names: Sequence[str]) -> None:
        """Run the tests of some assignments. Raises KeyboardInterrupt."""
        tests = [str(self.root / "tests" / folder / f"test_{name}.py") for name in names for folder in self.folders]
        status = pytest.main([f"--rootdir={self.root}", *OPTIONS, *tests], plugins=[fixtures, self])
        if status == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            raise RuntimeError(f"the tests could not be run ({status})")
        for name in names:
            self.test_results[name] = with_causes(self.known[name], self.test_results[name])

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self) -> tuple[str, str, str]:
        return "", "", ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Function, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "setup":
            self.raised = None
        if call.excinfo is not None and self.raised is None:
            self.raised = call.excinfo.value
        if call.when == "teardown":
            name = item.path.stem.removeprefix("test_")
            result = test_result(describe(item), self.raised, fixtures.submission_of(item))
            self.test_results.setdefault(name, []).append(result)
            for title, text in report.sections:
                test = FILE if title.endswith("setup") else item.name
                printed = self.printed.setdefault(name, {})
                printed[test] = printed.get(test, "") + text
        return report

    def questions(self, name: str) -> tuple[Mapping[str, str], Mapping[str, Practice]]:
        """What a handout tells of an assignment's questions: the form of each answer, and those without points."""
        told = self.root / "tests" / "public" / "questions.json"
        asked = json.loads(told.read_text("utf-8")).get(name, {}) if told.is_file() else {}
        practice = {key: Practice(**question) for key, question in asked.get("practice", {}).items()}
        return asked.get("forms", {}), practice

    def progress(self, name: str) -> Progress:
        """What came of one assignment."""
        printed, (forms, practice) = self.printed.get(name, {}), self.questions(name)
        is_alone = "hidden" in self.folders
        return Progress(name, self.loaded[name], self.test_results[name], printed, forms, practice, is_alone)


def known_assignments() -> list[str]:
    """The assignments whose public tests are in this folder, in the lessons' order."""
    names = [path.stem.removeprefix("test_") for path in Path("tests", "public").glob("test_*.py")]
    return sorted(names, key=lambda name: (lesson_number(name), name))


def lesson_number(name: str) -> int:
    """Lessons say their number in their title, `# 5. RoPE …`."""
    lesson = Path("assignments", name, LESSON)
    match = re.match(r"# (\d+)\.", lesson.read_text("utf-8")) if lesson.is_file() else None
    return int(match[1]) if match else 10**6
