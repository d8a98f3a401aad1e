"""A suite's tests and results in Otter's form. Every number in a grade comes from Otter, through this module.

The collected tests become Otter's exception-based test files, one per question. A generated test case contains no test:
it calls `result` (from `environment`), which raises if the pytest test of that name did not pass. Otter's own summaries
are replaced, since they say "All test cases passed!" about public tests and cite lines of the generated file.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from autograder.checks.render import Audience, printable_lines, score_text
from autograder.checks.results import Test, TestResult, by_question, points_possible
from autograder.course import Assignment
from autograder.grading import feedback, quiz
from autograder.grading.optional import full_scale
from autograder.protocol.call import ANSWERS

if TYPE_CHECKING:  # Otter imports pandas and nbconvert, which take a second, so it is loaded only to make a grade
    from otter.test_files.abstract_test import TestFile

MARKDOWN = {"output_format": "md"}
"""Gradescope's setting for how it shows the output."""

_HEADER = '''"""Question {question}, generated from the course's pytest suites."""

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


def test_files(tests: Iterable[Test]) -> dict[str, str]:
    """Return file name to content, one file per question.

    Otter runs the files in alphabetical order, so a number in front keeps the lesson's order.
    """
    groups = by_question(map(TestResult, tests))
    return {
        f"{number:02}_{question}.py": _HEADER.format(question=question)
        + "".join(
            _CASE_TEMPLATE.format(
                name=result.test.name, points=result.test.points, hidden=result.test.hidden, number=case_number
            )
            for case_number, result in enumerate(group, start=1)
        )
        for number, (question, group) in enumerate(groups.items(), start=1)
    }


def environment(passed: Collection[str]) -> dict[str, Callable[[str], None]]:
    """Return the namespace of the generated test files: `result(name)` raises if that test did not pass."""

    def result(name: str) -> None:
        if name not in passed:
            raise LookupError(name)  # Otter catches any Exception

    return {"result": result}


def passed(test_results: list[TestResult]) -> set[str]:
    """Return the names of the tests that passed."""
    return {result.test.name for result in test_results if result.passed}


class Scorer:
    """Otter's test files of one suite, loaded once."""

    def __init__(self, assignment: Assignment, tests: Iterable[Test]) -> None:
        from otter.run import AutograderConfig
        from otter.test_files.exception_test import ExceptionTestFile

        self.assignment = assignment
        self.files = [ExceptionTestFile.from_string(text, path=name) for name, text in test_files(tests).items()]
        for function in (case.body.test_func for file in self.files for case in file.test_cases):
            function.__signature__ = inspect.signature(function)  # Otter reads it at every run
        self.defaults = AutograderConfig({})  # made once: it takes as long as some submissions

    def numbers(self, test_results: list[TestResult]) -> dict[str, Any]:
        """Return a grade's numbers and its Gradescope form, by running Otter's test files on the results."""
        from otter.test_files import GradingResults

        namespace = environment(passed(test_results))
        for file in self.files:
            file.run(namespace)
        set_summaries(self.files, test_results, self.assignment)
        results = GradingResults(self.files)
        numbers = {
            "score": float(results.total),
            "max_score": float(results.possible),
            "questions": {name: float(results.get_score(name)) for name in results.test_files},
            "gradescope": results.to_gradescope_dict(self.defaults) | MARKDOWN,
        }
        return full_scale(numbers) if self.assignment.optional else numbers


def set_summaries(files: Sequence[TestFile], test_results: list[TestResult], assignment: Assignment) -> None:
    """Replace the summaries of Otter's files.

    The immediate summary has the public points and the points still open. The summary for use after hidden results are
    published has the feedback text, with the right answers and their reasons.
    """
    groups, right = by_question(test_results), quiz.answers(assignment)
    texts = {function.name: text for function, text in feedback.function_texts(test_results, Audience.AFTER_RELEASE)}
    answers = []
    for result in groups.get(ANSWERS, []):
        key = quiz.key(result.test)
        text = f"✓ {key}." if result.passed else f"✗ {feedback.wrong_answer_text(result)}"
        answers.append(f"- {text} {right[key].sentence}")
    texts[ANSWERS] = printable_lines("\n".join(answers))
    for file in files:
        group = groups.get(file.name, [])
        public = [result for result in group if not result.test.hidden]
        rest = points_possible(group) - points_possible(public)
        summary = f"{file.name}: {score_text(public)} public points, {rest:g} still to be decided\n"
        full_summary = f"{file.name}: {score_text(group)} points\n\n{texts.get(file.name, '')}\n"
        file.summary = functools.partial(_summary, summary, full_summary)


def _summary(public: str, full: str, public_only: bool = False) -> str:
    """Return the summary that Otter requests."""
    return public if public_only else full
