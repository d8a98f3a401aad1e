"""Otter's results in words that are true of a course with hidden tests. Every number in them stays Otter's.

Otter sums up public tests as "All test cases passed!", and says of a failed one in which line of the generated file that was.
"""

from __future__ import annotations

from collections.abc import Iterable

from otter.test_files.abstract_test import TestCaseResult, TestFile
from otter.test_files.exception_test import ExceptionTestFile

from autograder.checks.call import ANSWERS
from autograder.checks.test_result import TestResult
from autograder.course import Assignment
from autograder.grading import feedback, quiz


def worded(files: Iterable[TestFile], test_results: list[TestResult], public_results: list[TestResult], assignment: Assignment) -> list[Question]:
    """Otter's files, each with what these results say of its tests. What students see of them at once begins with what is still to be decided."""
    right = quiz.answers(assignment)
    words = {
        one.test.name: feedback.told_of_answer(one, right.get(quiz.key(one.test))) if one.test.question == ANSWERS else feedback.told(one)
        for one in feedback.coarse(test_results)
    }
    public_words = {one.test.name: feedback.told(one) for one in public_results if not one.test.hidden}
    questions = [Question(file, words, public_words) for file in files]
    for first in questions[:1]:
        first.public_head = f"{feedback.headline(*public_points(questions), sum(float(one.possible) for one in questions))}\n\n"
    return questions


class Question(ExceptionTestFile):  # type: ignore[misc]
    """The tests of one question, as Otter has run them, in other words."""

    def __init__(self, file: TestFile, words: dict[str, str], public_words: dict[str, str]) -> None:
        """Words and public words: test → what is told of it, to staff and once published, or at once."""
        self.__dict__.update(vars(file))
        self.words, self.public_words = words, public_words
        self.public_head = ""

    def summary(self, public_only: bool = False) -> str:
        """The points of the question, what did not pass, and of answers also why the right ones are."""
        words = self.public_words if public_only else self.words
        said = [(case.passed, words.get(case.test_case.name)) for case in self.test_case_results]
        told = [f"  {'✓' if passed else '✗'} {words}".replace("\n", "\n    ") for passed, words in said if words]
        # What several tests say alike, such as a likely cause, is said once.
        lines = dict.fromkeys([self._points(public_only), *(line for one in told for line in one.split("\n"))])
        return (self.public_head if public_only else "") + "\n".join(lines)

    def _points(self, public_only: bool) -> str:
        if not public_only:
            return f"{self.name}: {self.score:g} of {self.possible:g} points"
        won, public = public_points([self])
        head = f"{self.name}: {won:g} of {public:g} public points" if public else f"{self.name}: no public points"
        return head + (f", {self.possible - public:g} still to be decided" if self.possible > public else "")


def public_points(files: Iterable[TestFile]) -> tuple[float, float]:
    """Points won by public tests, and possible."""
    public = [case for file in files for case in file.test_case_results if not case.test_case.hidden]
    return _sum(case for case in public if case.passed), _sum(public)


def _sum(cases: Iterable[TestCaseResult]) -> float:
    return float(sum(case.test_case.points for case in cases))
