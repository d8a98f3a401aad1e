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
    yield from _unknown_mistakes(assignment, functions, answers)
    lesson = assignment.lesson.read_text("utf-8")
    yield from (
        f"{assignment.lesson.relative_to(ROOT)} does not speak of `{function}`"
        for function in sorted(functions)
        if f"`{function}" not in lesson
    )
    yield from _lost_by_the_solution(assignment, suite)


def _untested(assignment: Assignment, functions: set[str], answers: dict[str, Any], tests: list[Test]) -> Iterator[str]:
    """Functions and answers without a test, and tests of what is no function."""
    for phase, path in ((Phase.PUBLIC, assignment.public_tests), (Phase.HIDDEN, assignment.hidden_tests)):
        file, tested = path.relative_to(ROOT), {test.question for test in tests if test.phase is phase}
        yield from (
            f"{file} has no test of {missing}: write one, marked with its name"
            for missing in sorted(functions - tested)
        )
        yield from (
            f"{file} tests {unknown}, and the solution has no such function" for unknown in sorted(tested - functions)
        )
    asked = " ".join(test.name for test in tests)
    hidden = assignment.hidden_tests.relative_to(ROOT)
    yield from (f"{hidden} does not ask for the answer {key}" for key in sorted(answers) if f"[{key}]" not in asked)


def _unknown_mistakes(assignment: Assignment, functions: set[str], answers: dict[str, Any]) -> Iterator[str]:
    """Of the catalogue: what is about nothing, and whether there is enough."""
    file, entries = assignment.misconceptions.relative_to(ROOT), catalogue.entries(assignment)
    yield from (
        f"{file} has a mistake of {entry.function}, and the solution has no such function"
        for entry in entries
        if entry.function not in functions
    )
    wrong = catalogue.wrong_answers(assignment)
    yield from (
        f"{file} has a wrong answer to {answer.key}, and the solution has no such question"
        for answer in wrong
        if answer.key not in answers
    )
    if len(entries) < FEWEST_MISCONCEPTIONS:
        yield f"{file} has {len(entries)} entries: write at least {FEWEST_MISCONCEPTIONS}"


def _lost_by_the_solution(assignment: Assignment, suite: Suite) -> Iterator[str]:
    """Tests that the solution does not pass. Public ones are asked when their values are recorded."""
    results = suite.run(catalogue.Module(catalogue.solution(assignment)), Phase.ANSWERS, Phase.HIDDEN)
    yield from (
        f"{assignment.name}: the solution does not pass {result.test.name}: {result.message}"
        for result in results
        if not result.passed
    )
