"""Results → Otter's results. Whatever is a number in a grade comes from here, and so from Otter."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from otter.run import AutograderConfig
from otter.test_files import GradingResults
from otter.test_files.exception_test import ExceptionTestFile

from autograder.checks.test_result import TestResult
from autograder.grading.otter_files import test_files
from autograder.grading.suite import Suite
from autograder.grading.wording import worded

MARKDOWN = {"output_format": "md"}
"""What tells Gradescope how to show the output."""


class NotPassed(Exception):
    """Raised in Otter's test cases for a test that did not pass: an Exception, which is all that Otter catches."""


def environment(passed: Collection[str]) -> dict[str, Callable[[str], None]]:
    """What the generated test files run in: `result(name)` raises where that test did not pass."""

    def result(name: str) -> None:
        if name not in passed:
            raise NotPassed(name)

    return {"result": result}


def passed(test_results: list[TestResult]) -> set[str]:
    """The names of the tests that passed."""
    return {test_result.test.name for test_result in test_results if test_result.passed}


class Scorer:
    """Otter's test files of one suite, loaded once."""

    def __init__(self, suite: Suite) -> None:
        self.assignment = suite.assignment
        files = test_files(suite.tests)
        self.files = [ExceptionTestFile.from_string(content, path=f"tests/{name}") for name, content in files.items()]

    def score(self, test_results: list[TestResult], public_results: list[TestResult]) -> GradingResults:
        """Run Otter's test files on the results."""
        found = environment(passed(test_results))
        for file in self.files:
            file.run(found)
        return GradingResults(worded(self.files, test_results, public_results, self.assignment))


def gradescope(results: GradingResults) -> dict[str, Any]:
    """The results in Gradescope's format, as Otter writes them."""
    converted: dict[str, Any] = results.to_gradescope_dict(AutograderConfig({}))
    return converted | MARKDOWN
