"""Outcomes → Otter's results. Whatever is a number in a grade comes from here, and so from Otter."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from otter.run import AutograderConfig
from otter.test_files import GradingResults
from otter.test_files.exception_test import ExceptionTestFile

from autograder.checks.outcome import Outcome
from autograder.otter.generate import test_files
from autograder.otter.words import put_into_words
from autograder.suite import Suite


class NotPassed(Exception):
    """Raised in Otter's test cases for a test that did not pass: an Exception, which is all that Otter catches."""


def environment(passed: Collection[str]) -> dict[str, Callable[[str], None]]:
    """What the generated test files run in: `outcome(name)` raises where that test did not pass."""

    def outcome(name: str) -> None:
        if name not in passed:
            raise NotPassed(name)

    return {"outcome": outcome}


def passed(outcomes: list[Outcome]) -> set[str]:
    """The names of the tests that passed."""
    return {outcome.test.name for outcome in outcomes if outcome.passed}


class Scorer:
    """Otter's test files of one suite, loaded once."""

    def __init__(self, suite: Suite) -> None:
        files = test_files(suite.tests)
        self.files = [ExceptionTestFile.from_string(content, path=f"tests/{name}") for name, content in files.items()]

    def score(self, outcomes: list[Outcome]) -> GradingResults:
        """Run Otter's test files on the outcomes."""
        found = environment(passed(outcomes))
        for file in self.files:
            file.run(found)
        results = GradingResults(self.files)
        put_into_words(results, outcomes)
        return results


def gradescope(results: GradingResults) -> dict[str, Any]:
    """The results in Gradescope's format, as Otter writes them."""
    converted: dict[str, Any] = results.to_gradescope_dict(AutograderConfig({}))
    return converted
