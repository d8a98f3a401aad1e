"""A suite's tests and results as Otter's. Whatever is a number in a grade comes from here, and so from Otter.

The collected tests become Otter's exception-based test files, one per question. A generated test case holds no test: it
asks `result`, which `environment` has, how the pytest test of that name came out, and raises what it hears. Otter's own
words are replaced: it sums up public tests as "All test cases passed!", and says of a failed one in which line of the
generated file that was.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from autograder.checks.results import Test, TestResult, by_question, points_possible
from autograder.checks.telling import Audience, plain, scored
from autograder.course import Assignment
from autograder.grading import feedback, quiz
from autograder.grading.suite import Suite
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import Kind

if TYPE_CHECKING:  # Otter brings pandas and nbconvert, which take a second: it is loaded when something is graded
    from otter.test_files import GradingResults
    from otter.test_files.abstract_test import TestFile

MARKDOWN = {"output_format": "md"}
"""What tells Gradescope how to show the output."""


_HEADER = '''"""Question {question}, generated from the course's pytest suites."""

OK_FORMAT = False

from otter.test_files import test_case

name = {question!r}
points = None
'''

_CASE = """

@test_case(name={name!r}, points={points!r}, hidden={hidden!r})
def case_{number}(result):
    result({name!r})
"""


def test_files(tests: Iterable[Test]) -> dict[str, str]:
    """File name → content, one file a question. Otter runs the files by name: a number keeps the lesson's order."""
    questions: dict[str, list[Test]] = {}
    for test in tests:
        questions.setdefault(test.question, []).append(test)
    return {
        f"{number:02}_{question}.py": _test_file(question, group)
        for number, (question, group) in enumerate(questions.items(), start=1)
    }


def _test_file(question: str, tests: list[Test]) -> str:
    cases = [
        _CASE.format(name=test.name, points=test.points, hidden=test.hidden, number=number)
        for number, test in enumerate(tests, start=1)
    ]
    return _HEADER.format(question=question) + "".join(cases)


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
        from otter.test_files.exception_test import ExceptionTestFile

        self.files = [ExceptionTestFile.from_string(content, path=f"tests/{name}") for name, content in files.items()]
        for function in (case.body.test_func for file in self.files for case in file.test_cases):
            function.__signature__ = inspect.signature(function)  # which Otter asks for at every run

    def score(self, test_results: list[TestResult], at_once: list[TestResult]) -> GradingResults:
        """Run Otter's test files on the results."""
        from otter.test_files import GradingResults

        namespace = environment(passed(test_results))
        for file in self.files:
            file.run(namespace)
        word(self.files, test_results, at_once, self.assignment)
        return GradingResults(self.files)


def numbers(results: GradingResults) -> dict[str, Any]:
    """All numbers of a grade, and its Gradescope form: Otter's."""
    return {
        "score": float(results.total),
        "max_score": float(results.possible),
        "questions": {name: float(results.get_score(name)) for name in results.test_files},
        "gradescope": gradescope(results),
    }


def gradescope(results: GradingResults) -> dict[str, Any]:
    """The results in Gradescope's format, as Otter writes them."""
    converted: dict[str, Any] = results.to_gradescope_dict(_otters_defaults())
    return converted | MARKDOWN


@functools.cache
def _otters_defaults() -> Any:
    """Otter's configuration where an instructor has set none; made once, for it takes as long as many a call."""
    from otter.run import AutograderConfig

    return AutograderConfig({})


def word(
    files: Sequence[TestFile], test_results: list[TestResult], at_once: list[TestResult], assignment: Assignment
) -> None:
    """Have Otter's files sum up in other words, to staff and once published, or at once. Those begin with what is still
    to be decided."""
    groups, right = by_question(test_results), quiz.answers(assignment)
    later, now = _texts(test_results, Audience.LATER), _texts(at_once, Audience.AT_ONCE)
    later[ANSWERS] = plain(
        "\n".join(
            f"- {'✓' if result.passed else '✗'} {feedback.of_answer(result, right.get(quiz.key(result.test)))}"
            for result in groups.get(ANSWERS, [])
            if result.kind is not Kind.UNREADABLE
        )
    )
    head = f"{feedback.headline(test_results)}\n\n"
    for file in files:
        group = groups.get(file.name, [])
        words = f"{file.name}: {scored(group)} points\n\n{later.get(file.name, '')}".strip()
        public = f"{head}{file.name}: {_public_points(group)}\n\n{now.get(file.name, '')}".strip()
        file.summary = functools.partial(_summary, f"{words}\n", f"{public}\n")
        head = ""


def _texts(test_results: list[TestResult], audience: Audience) -> dict[str, str]:
    """What is told of each function."""
    if any(result.kind is Kind.UNREADABLE for result in test_results):
        return {}
    texts, others = feedback.sections(test_results, audience)
    return texts | {standing.name: f"{feedback.line(standing, audience)}." for standing in others}


def _public_points(test_results: list[TestResult]) -> str:
    public = [result for result in test_results if not result.test.hidden]
    rest = points_possible(test_results) - points_possible(public)
    head = f"{scored(public)} public points" if public else "no public points"
    return head + (f", {rest:g} still to be decided" if rest else "")


def _summary(later: str, now: str, public_only: bool = False) -> str:
    """In the place of a method of Otter's."""
    return now if public_only else later
