"""A suite's tests and results as Otter's. Whatever is a number in a grade comes from here, and so from Otter.

The collected tests become Otter's exception-based test files, one per question. A generated test case holds no test: it
asks `result`, which `environment` has, how the pytest test of that name came out, and raises what it hears. Otter's own
words are replaced: it sums up public tests as "All test cases passed!", and says of a failed one in which line of the
generated file that was.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from autograder.checks.render import Audience, plain, scored
from autograder.checks.results import Test, TestResult, by_question, points_possible
from autograder.course import Assignment
from autograder.grading import feedback, quiz
from autograder.protocol.call import ANSWERS

if TYPE_CHECKING:  # Otter brings pandas and nbconvert, which take a second: it is loaded when something is graded
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
    groups = by_question(map(TestResult, tests))
    return {
        f"{number:02}_{question}.py": _HEADER.format(question=question)
        + "".join(
            _CASE.format(name=one.test.name, points=one.test.points, hidden=one.test.hidden, number=place)
            for place, one in enumerate(group, start=1)
        )
        for number, (question, group) in enumerate(groups.items(), start=1)
    }


def environment(passed: Collection[str]) -> dict[str, Callable[[str], None]]:
    """What the generated test files run in: `result(name)` raises where that test did not pass."""

    def result(name: str) -> None:
        if name not in passed:
            raise LookupError(name)  # an Exception, which is all that Otter catches

    return {"result": result}


def passed(test_results: list[TestResult]) -> set[str]:
    """The names of the tests that passed."""
    return {result.test.name for result in test_results if result.passed}


class Scorer:
    """Otter's test files of one suite, loaded once."""

    def __init__(self, assignment: Assignment, tests: Iterable[Test]) -> None:
        from otter.run import AutograderConfig
        from otter.test_files.exception_test import ExceptionTestFile

        self.assignment = assignment
        self.files = [ExceptionTestFile.from_string(text, path=name) for name, text in test_files(tests).items()]
        for function in (case.body.test_func for file in self.files for case in file.test_cases):
            function.__signature__ = inspect.signature(function)  # which Otter asks for at every run
        self.defaults = AutograderConfig({})  # made once, for it takes as long as many a call

    def numbers(self, test_results: list[TestResult]) -> dict[str, Any]:
        """All numbers of a grade, and its Gradescope form as Otter writes it: Otter's test files run on the results."""
        from otter.test_files import GradingResults

        namespace = environment(passed(test_results))
        for file in self.files:
            file.run(namespace)
        word(self.files, test_results, self.assignment)
        results = GradingResults(self.files)
        return {
            "score": float(results.total),
            "max_score": float(results.possible),
            "questions": {name: float(results.get_score(name)) for name in results.test_files},
            "gradescope": results.to_gradescope_dict(self.defaults) | MARKDOWN,
        }


def word(files: Sequence[TestFile], test_results: list[TestResult], assignment: Assignment) -> None:
    """Have Otter's files sum up in other words: at once in points, what is still to be decided among them, and once
    hidden results are published in the words of the feedback, with the right answers and why."""
    groups, right = by_question(test_results), quiz.answers(assignment)
    texts = {function.name: text for function, text in feedback.sections(test_results, Audience.AFTER_RELEASE)}
    answers = []
    for one in groups.get(ANSWERS, []):
        key = quiz.key(one.test)
        said = f"✓ {key}." if one.passed else f"✗ {feedback.of_answer(one)}"
        answers.append(f"- {said} {right[key].sentence}")
    texts[ANSWERS] = plain("\n".join(answers))
    for file in files:
        group = groups.get(file.name, [])
        public = [result for result in group if not result.test.hidden]
        rest = points_possible(group) - points_possible(public)
        now = f"{file.name}: {scored(public)} public points, {rest:g} still to be decided\n"
        later = f"{file.name}: {scored(group)} points\n\n{texts.get(file.name, '')}\n"
        file.summary = lambda public_only=False, now=now, later=later: now if public_only else later
