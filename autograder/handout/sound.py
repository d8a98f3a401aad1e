"""What an assignment must have before anything is made of it. What is missing or wrong is one sentence, never a
traceback."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from autograder.checks.results import Phase, Test, wrong_points
from autograder.course import ROOT, Assignment
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.hints.oracle import Oracle
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import BrokenTest

FEWEST_MISCONCEPTIONS = 5


def complaint(assignment: Assignment) -> str:
    """The first thing that is missing or wrong; nothing where all is well."""
    name = assignment.name
    for path in (assignment.lesson, assignment.public_tests, assignment.hidden_tests, assignment.misconceptions):
        if not path.is_file():
            return f"{path.relative_to(ROOT)} is missing: `autograder new` shows what it holds"
    try:
        solution = vars(catalogue.solution(assignment))
        catalogue.entries(assignment)
        suite = Suite(assignment)
    except BrokenTest as error:
        return f"{name}: {error}"
    except Exception as error:  # the author's own code, which may be anything
        at = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        return f"{name}: its solution, catalogue or tests cannot be read ({type(error).__name__}: {error}{at})"
    return next(_complaints(assignment, solution, suite), "")


def _complaints(assignment: Assignment, solution: dict[str, Any], suite: Suite) -> Iterator[str]:
    functions = {name for name, value in solution.items() if inspect.isfunction(value) and not name.startswith("_")}
    answers = solution.get(ANSWERS, {})
    yield from _untested(assignment, functions, answers, suite.tests)
    yield from wrong_points(assignment.name, suite.tests)
    yield from _unknown_mistakes(suite.oracle, functions, answers)
    lesson = assignment.lesson.read_text("utf-8")
    for function in sorted(functions):
        if f"`{function}" not in lesson:
            yield f"{assignment.lesson.relative_to(ROOT)} does not speak of `{function}`"
    yield from _lost_by_the_solution(assignment, suite)


def _untested(assignment: Assignment, functions: set[str], answers: dict[str, Any], tests: list[Test]) -> Iterator[str]:
    """Functions and answers without a test, and tests of what is no function."""
    for phase, path in ((Phase.PUBLIC, assignment.public_tests), (Phase.HIDDEN, assignment.hidden_tests)):
        file, tested = path.relative_to(ROOT), {test.question for test in tests if test.phase is phase}
        for missing in sorted(functions - tested):
            yield f"{file} has no test of {missing}: write one, marked with its name"
        for unknown in sorted(tested - functions):
            yield f"{file} tests {unknown}, and the solution has no such function"
    asked = " ".join(test.name for test in tests)
    for key in sorted(answers):
        if f"[{key}]" not in asked:
            yield f"{assignment.hidden_tests.relative_to(ROOT)} does not ask for the answer {key}"


def _unknown_mistakes(oracle: Oracle, functions: set[str], answers: dict[str, Any]) -> Iterator[str]:
    """Of the catalogue: what is about nothing, and whether there is enough."""
    file = oracle.assignment.misconceptions.relative_to(ROOT)
    for entry in oracle.entries:
        if entry.function not in functions:
            yield f"{file} has a mistake of {entry.function}, and the solution has no such function"
    for answer in oracle.wrong_answers:
        if answer.key not in answers:
            yield f"{file} has a wrong answer to {answer.key}, and the solution has no such question"
    if len(oracle.entries) < FEWEST_MISCONCEPTIONS:
        yield f"{file} has {len(oracle.entries)} entries: write at least {FEWEST_MISCONCEPTIONS}"


def _lost_by_the_solution(assignment: Assignment, suite: Suite) -> Iterator[str]:
    """Tests that the solution does not pass. Public ones are asked when their values are recorded."""
    for result in suite.run(catalogue.Module(catalogue.solution(assignment)), Phase.ANSWERS, Phase.HIDDEN):
        if not result.passed:
            yield f"{assignment.name}: the solution does not pass {result.test.name}: {result.message}"
