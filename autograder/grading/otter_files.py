"""The collected pytest tests of an assignment as Otter's exception-based test files, one a question.

A generated test case holds no test: it asks `result`, which the grader puts into the environment, how the pytest test of
that name came out, and raises what it hears.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograder.checks.test_result import Test

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
    return {f"{number:02}_{question}.py": _test_file(question, group) for number, (question, group) in enumerate(questions.items(), start=1)}


def _test_file(question: str, tests: list[Test]) -> str:
    cases = [_CASE.format(name=test.name, points=test.points, hidden=test.hidden, number=number) for number, test in enumerate(tests, start=1)]
    return _HEADER.format(question=question) + "".join(cases)
