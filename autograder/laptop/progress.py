"""Where a student stands, from the public tests alone: the points of every function, and what there is to do next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import pytest

from autograder.checks import fixtures
from autograder.checks.proxy import stops
from autograder.checks.results import TestResult, describe, test_result
from autograder.checks.source import Blocks, Source
from autograder.checks.standing import Standing, State, standings
from autograder.hints.explain import with_causes
from autograder.laptop.in_process import SECONDS
from autograder.laptop.local_context import LocalContext
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import Kind

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
    path: Path
    test_results: list[TestResult]
    printed: dict[str, str]
    """test → what the student's code printed in it"""
    stopped: str
    """why the file does not run to its end; empty where it does, or leaves out no more than an import"""
    answers: object = None
    """the value of ANSWERS, where the file came as far as that"""
    alone: bool = False
    """whether hidden tests were run too"""

    @property
    def is_finished(self) -> bool:
        return len(self.right) == len(self.standings) > 0

    @property
    def is_untouched(self) -> bool:
        return all(result.is_unwritten and result.kind is not Kind.NOT_REACHED for result in self.test_results)

    @cached_property
    def source(self) -> Source:
        return Source(self.path)

    @cached_property
    def standings(self) -> list[Standing]:
        """The functions in the order in which the lesson's page has them."""
        lesson = self.path.with_name(LESSON)
        headings = re.findall(r"(?m)^### .*$", lesson.read_text(encoding="utf-8")) if lesson.is_file() else []
        names = re.findall(r"`(\w+)", " ".join(headings))
        found = standings(self.test_results, Blocks(self.source.text))
        return sorted(found, key=lambda one: names.index(one.name) if one.name in names else len(names))

    @property
    def right(self) -> list[str]:
        """The functions that are right."""
        return [standing.name for standing in self.standings if standing.is_right]

    @property
    def next_function(self) -> str | None:
        """What to work on: the first function in the lesson's order that is not right and waits for no other."""
        unfinished = [standing for standing in self.standings if not standing.is_right]
        free = [
            standing.name
            for standing in unfinished
            if standing.state in (State.MISTAKEN, State.UNFINISHED, State.UNREACHED)
        ]
        return next(iter(free or [standing.name for standing in unfinished]), None)


class Run(LocalContext):
    """A run of tests: hands out the submissions, and collects how tests came out and what they printed."""

    folders: ClassVar[tuple[str, ...]] = ("public",)

    def __init__(self, root: Path, question: str | None = None) -> None:
        """`question`: the one function whose tests are run; all of them where none is named."""
        super().__init__(root)
        self.question = question
        self.test_results: dict[str, list[TestResult]] = {}
        """by assignment"""
        self.printed: dict[str, dict[str, str]] = {}
        """by assignment and test"""
        self.item: pytest.Function | None = None
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

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self) -> tuple[str, str, str]:
        return "", "", ""

    def progress(self, name: str) -> Progress:
        """What came of one assignment."""
        file = self.loaded[name]
        return Progress(
            name,
            self.file(name).relative_to(self.root),
            self.test_results[name],
            self.printed.get(name, {}),
            stops(file.failure) if file.failure is not None and not file.failure.left_out else "",
            vars(file.module).get(ANSWERS),
            "hidden" in self.folders,
        )

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        items[:] = [item for item in items if self.question in (None, describe(item).question)]

    def pytest_runtest_setup(self, item: pytest.Function) -> None:
        self.item, self.raised = item, None

    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> None:
        if call.excinfo is not None and self.raised is None:
            self.raised = call.excinfo.value

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        titles = (f"Captured stdout {report.when}", f"Captured stderr {report.when}")
        printed = "".join(text for title, text in report.sections if title in titles)
        if printed.strip() and self.item is not None and report.when != "teardown":
            test = self.item.name if report.when == "call" else FILE
            self.printed.setdefault(_assignment(self.item), {})[test] = printed

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Function) -> None:
        result = test_result(describe(item), self.raised, fixtures.submission_of(item))
        self.test_results.setdefault(_assignment(item), []).append(result)

    def pytest_sessionfinish(self) -> None:
        for name, known in self.known.items():
            self.test_results[name] = with_causes(known, self.test_results.get(name, []))


def _assignment(item: pytest.Item) -> str:
    return item.path.stem.removeprefix("test_")


def known_assignments() -> list[str]:
    """The assignments whose public tests are in this folder, in the lessons' order."""
    names = [path.stem.removeprefix("test_") for path in Path("tests", "public").glob("test_*.py")]
    return sorted(names, key=lambda name: (lesson_number(name), name))


def lesson_number(name: str) -> int:
    """Lessons say their number in their title, `# 5. RoPE …`."""
    lesson = Path("assignments", name, LESSON)
    match = re.match(r"# (\d+)\.", lesson.read_text(encoding="utf-8")) if lesson.is_file() else None
    return int(match[1]) if match else 10**6


def tested_functions(name: str) -> list[str]:
    """The functions that an assignment asks for."""
    tests = Path("tests", "public", f"test_{name}.py").read_text(encoding="utf-8")
    return list(dict.fromkeys(re.findall(r'question\("(\w+)"', tests)))
