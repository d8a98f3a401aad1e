"""A suite's tests and results in Otter's format. All numbers in a grade come from Otter, through this module.

The collected tests become exception-based Otter test files, one per question. A generated test case does not test
anything itself: it calls `result` (from `otter_namespace`), which raises an exception if the pytest test of that name
did not pass. This module also replaces Otter's summaries, which report "All test cases passed!" when only public tests
have passed, and quote the generated file.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from autograder.checks.result_markdown import Audience, points_text, printable_lines
from autograder.checks.results import POINTS, Test, TestResult, by_question, points_possible
from autograder.course import Assignment
from autograder.grading import answer_key, feedback
from autograder.grading.otter_namespace import otter_namespace
from autograder.protocol.call import ANSWERS

if TYPE_CHECKING:  # Otter imports pandas and nbconvert, which takes a second, so it is loaded only for grading
    from otter.test_files.abstract_test import TestFile

GRADESCOPE_MARKDOWN_SETTING = {"output_format": "md"}
"""The Gradescope setting that displays output as Markdown."""

SCORE_STEP = 0.25
"""Scaled scores are rounded to a multiple of this number of points."""

_TEST_FILE_HEADER = '''"""Question {question}, generated from the course's pytest suites."""

OK_FORMAT = False

from otter.test_files import test_case

name = {question!r}
points = None
'''

_CASE_TEMPLATE = """

@test_case(name={name!r}, points={points!r}, hidden={hidden!r})
def case_{number}(result):
    result({name!r})
"""


def otter_files_by_name(tests: Iterable[Test]) -> dict[str, str]:
    """Return the contents of the Otter test files, one per question, keyed by name.

    Otter runs the files in alphabetical order, so each name begins with the position of its question in the lesson.
    """
    groups = by_question(map(TestResult, tests))
    return {
        f"{number:02}_{question}.py": _TEST_FILE_HEADER.format(question=question)
        + "".join(
            _CASE_TEMPLATE.format(
                name=result.test.name, points=result.test.points, hidden=result.test.hidden, number=case_number
            )
            for case_number, result in enumerate(group, start=1)
        )
        for number, (question, group) in enumerate(groups.items(), start=1)
    }


def passed_test_names(test_results: list[TestResult]) -> set[str]:
    """Return the names of the tests that passed."""
    return {result.test.name for result in test_results if result.passed}


class OtterScorer:
    """A scorer that loads a suite's Otter test files only once."""

    def __init__(self, assignment: Assignment, tests: Iterable[Test]) -> None:
        from otter.run import AutograderConfig
        from otter.test_files.exception_test import ExceptionTestFile

        self.assignment = assignment
        self.files = [
            ExceptionTestFile.from_string(text, path=name) for name, text in otter_files_by_name(tests).items()
        ]
        for function in (case.body.test_func for file in self.files for case in file.test_cases):
            function.__signature__ = inspect.signature(function)  # Otter reads the signature on every run
        self.defaults = AutograderConfig({})  # created once, because creation takes as long as some gradings

    def grade_fields(self, test_results: list[TestResult]) -> dict[str, Any]:
        """Run Otter's test files on the results. Return the grade's points and the result for Gradescope."""
        from otter.test_files import GradingResults

        namespace = otter_namespace(passed_test_names(test_results))
        for file in self.files:
            file.run(namespace)
        set_summaries(self.files, test_results, self.assignment)
        results = GradingResults(self.files)
        grade_fields = {
            "score": float(results.total),
            "max_score": float(results.possible),
            "questions": {name: float(results.get_score(name)) for name in results.test_files},
            "gradescope": results.to_gradescope_dict(self.defaults) | GRADESCOPE_MARKDOWN_SETTING,
        }
        return scaled_to_full_marks(grade_fields) if self.assignment.ungraded_functions else grade_fields


def set_summaries(files: Sequence[TestFile], test_results: list[TestResult], assignment: Assignment) -> None:
    """Replace the summaries of Otter's test files.

    The public summary gives the public points and the points that still depend on hidden tests. The full summary, which
    students see once hidden results are published, gives the feedback text, and the right answers with reasons.
    """
    groups, right = by_question(test_results), answer_key.answers(assignment)
    texts = {function.name: text for function, text in feedback.function_texts(test_results, Audience.AFTER_RELEASE)}
    answers = []
    for result in groups.get(ANSWERS, []):
        key = answer_key.quiz_question_key(result.test)
        text = f"✓ {key}." if result.passed else f"✗ {feedback.wrong_quiz_answer_text(result)}"
        answers.append(f"- {text} {right[key].sentence}")
    texts[ANSWERS] = printable_lines("\n".join(answers))
    for file in files:
        group = groups.get(file.name, [])
        public = [result for result in group if not result.test.hidden]
        rest = points_possible(group) - points_possible(public)
        summary = f"{file.name}: {points_text(public)} public points, {rest:g} still to be decided\n"
        full_summary = f"{file.name}: {points_text(group)} points\n\n{texts.get(file.name, '')}\n"
        file.summary = functools.partial(_public_or_full_summary, summary, full_summary)


def _public_or_full_summary(public: str, full: str, public_only: bool = False) -> str:
    """Return the public summary if `public_only` is true; otherwise, the full summary."""
    return public if public_only else full


def scaled_to_full_marks(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Return Otter's numbers with the score scaled to full marks and rounded to a quarter of a point.

    The points for questions do not change. Gradescope adds up the points of all tests, so each test's points are
    scaled, and an additional entry rounds the total.
    """
    possible = numbers["max_score"]
    if possible in (0, POINTS):
        return dict(numbers)
    share = numbers["score"] / possible
    score = round(POINTS * share / SCORE_STEP) * SCORE_STEP
    tests = [_scaled(entry, POINTS / possible) for entry in numbers["gradescope"]["tests"]]
    rounding = {"name": "Rounding", "score": score - POINTS * share, "visibility": "after_published"}
    gradescope = numbers["gradescope"] | {"tests": [*tests, rounding]}
    return {**numbers, "score": score, "max_score": float(POINTS), "gradescope": gradescope}


def _scaled(entry: Mapping[str, Any], factor: float) -> dict[str, Any]:
    points = {key: entry[key] * factor for key in ("score", "max_score") if entry.get(key) is not None}
    return {**entry, **points}
