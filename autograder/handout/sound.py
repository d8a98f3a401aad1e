"""What an assignment must have before anything is made of it. What is missing or wrong is one sentence, never a traceback."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.checks.call import ANSWERS
from autograder.checks.failure import BrokenTest
from autograder.checks.test_result import Phase, Test
from autograder.course import ROOT, Assignment
from autograder.grading import catalogue
from autograder.grading.suite import Suite

POINTS, PUBLIC_POINTS = 20, 8
FEWEST_MISCONCEPTIONS = 5


def complaint(assignment: Assignment) -> str:
    """The first thing that is missing or wrong; nothing where all is well."""
    name = assignment.name
    for path in (assignment.lesson, assignment.public_tests, assignment.hidden_tests, assignment.misconceptions):
        if not path.is_file():
            return f"{path.relative_to(ROOT)} is missing: `autograder new` shows what it holds"
    try:
        solution = vars(catalogue.solution(assignment))
        entries = catalogue.entries(assignment)
        tests = Suite(assignment).tests
    except BrokenTest as error:
        return f"{name}: {error}"
    except Exception as error:  # the author's own code, which may be anything
        at = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        return f"{name}: its solution, catalogue or tests cannot be read ({type(error).__name__}: {error}{at})"
    return next(_complaints(assignment, solution, len(entries), tests), "")


def _complaints(assignment: Assignment, solution: dict[str, Any], entries: int, tests: list[Test]) -> Iterator[str]:
    hidden_file = assignment.hidden_tests.relative_to(ROOT)
    functions = {one for one, value in solution.items() if inspect.isfunction(value) and not one.startswith("_")}
    public, hidden = ([test for test in tests if test.phase is phase] for phase in (Phase.PUBLIC, Phase.HIDDEN))
    yield from _untested(functions, public, assignment.public_tests.relative_to(ROOT))
    yield from _untested(functions, hidden, hidden_file)
    asked = " ".join(test.name for test in tests)
    yield from (f"{hidden_file} does not ask for the answer {key}" for key in sorted(solution.get(ANSWERS, {})) if f"[{key}]" not in asked)
    total, won = (sum(test.points for test in some) for some in (tests, public))
    if (total, won) != (POINTS, PUBLIC_POINTS):
        wanted = f"they must add up to {POINTS}, {PUBLIC_POINTS} of them public"
        yield f"the tests of {assignment.name} are worth {total:g} points, {won:g} of them public: {wanted}"
    if entries < FEWEST_MISCONCEPTIONS:
        yield f"{assignment.misconceptions.relative_to(ROOT)} has {entries} entries: write at least {FEWEST_MISCONCEPTIONS}"


def _untested(functions: set[str], tests: list[Test], file: Path) -> Iterator[str]:
    tested = {test.question for test in tests}
    yield from (f"{file} has no test of {missing}: write one, marked with its name" for missing in sorted(functions - tested))
    yield from (f"{file} tests {unknown}, and the solution has no such function" for unknown in sorted(tested - functions))
