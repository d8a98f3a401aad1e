"""Otter's results in words that are true of a course with hidden tests. Every number in them stays Otter's.

Otter sums up public tests as "All test cases passed!", and says of a failed one in which line of the generated file that was.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from otter.run import AutograderConfig
from otter.test_files import GradingResults
from otter.test_files.abstract_test import TestCaseResult
from otter.test_files.exception_test import ExceptionTestFile

from autograder.checks.call import ANSWERS
from autograder.checks.test_result import TestResult
from autograder.course import Assignment
from autograder.grading import feedback, quiz

PUBLIC = "Public Tests"
"""Otter's name for the summary that students see at once."""


def put_into_words(results: GradingResults, test_results: list[TestResult], public_results: list[TestResult], assignment: Assignment) -> None:
    """Have these results speak of their results: Otter hands them over to be changed, and asks them for words afterwards."""
    right = quiz.answers(assignment)
    words = {
        one.test.name: feedback.told_of_answer(one, right.get(quiz.key(one.test))) if one.test.question == ANSWERS else feedback.told(one)
        for one in feedback.coarse(test_results)
    }
    public_words = {one.test.name: feedback.told(one) for one in public_results if not one.test.hidden}
    for file in results.results.values():
        file.__class__ = _Question
        for case in file.test_case_results:
            case.message = words[case.test_case.name]
            case.public_message = public_words.get(case.test_case.name, "")
    results.__class__ = _Results


class _Question(ExceptionTestFile):  # type: ignore[misc]
    """The tests of one question."""

    def summary(self, public_only: bool = False) -> str:
        """The points of the question, what did not pass, and of answers also why the right ones are."""
        said = [(case, case.public_message if public_only else case.message) for case in self.test_case_results]
        told = [f"  {'✓' if case.passed else '✗'} {words}".replace("\n", "\n    ") for case, words in said if words]
        # What several tests say alike, such as a likely cause, is said once.
        return "\n".join(dict.fromkeys([self._points(public_only), *(line for one in told for line in one.split("\n"))]))

    def _points(self, public_only: bool) -> str:
        if not public_only:
            return f"{self.name}: {self.score:g} of {self.possible:g} points"
        won, public = public_points([self])
        head = f"{self.name}: {won:g} of {public:g} public points" if public else f"{self.name}: no public points"
        return head + (f", {self.possible - public:g} still to be decided" if self.possible > public else "")


class _Results(GradingResults):  # type: ignore[misc]
    """The results of one submission."""

    def summary(self, public_only: bool = False) -> str:
        """All questions."""
        return "\n".join(file.summary(public_only) for file in self.results.values()) or super().summary(public_only)

    def to_gradescope_dict(self, ag_config: AutograderConfig) -> dict[str, Any]:
        """As Otter has it; the summary of public tests begins with what is still to be decided."""
        converted: dict[str, Any] = super().to_gradescope_dict(ag_config)
        converted["output_format"] = "md"
        for test in converted["tests"]:
            if test["name"] == PUBLIC:
                head = feedback.headline(*public_points(self.results.values()), float(self.possible))
                test["output"] = f"{head}\n\n{test['output']}"
        return converted


def public_points(files: Iterable[ExceptionTestFile]) -> tuple[float, float]:
    """Points won by public tests, and possible."""
    public = [case for file in files for case in file.test_case_results if not case.test_case.hidden]
    return _sum(case for case in public if case.passed), _sum(public)


def _sum(cases: Iterable[TestCaseResult]) -> float:
    return float(sum(case.test_case.points for case in cases))
