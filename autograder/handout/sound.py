"""What an assignment must have before anything is made of it. What is missing or wrong is one sentence, never a traceback."""

from __future__ import annotations

import inspect

from autograder.checks.call import ANSWERS
from autograder.checks.failure import BrokenTest
from autograder.checks.test_result import Phase
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
        line = error.lineno if isinstance(error, SyntaxError) else None
        at = f", line {line}" if line else ""
        return f"{name}: its solution, catalogue or tests cannot be read ({type(error).__name__}: {error}{at})"
    functions = {one for one, value in solution.items() if inspect.isfunction(value) and not one.startswith("_")}
    for phase in (Phase.PUBLIC, Phase.HIDDEN):
        tested = {test.question for test in tests if test.phase is phase}
        where = assignment.public_tests if phase is Phase.PUBLIC else assignment.hidden_tests
        for missing in sorted(functions - tested):
            return f"{where.relative_to(ROOT)} has no test of {missing}: write one, marked with its name"
        for unknown in sorted(tested - functions):
            return f"{where.relative_to(ROOT)} tests {unknown}, and the solution has no such function"
    asked = {key for key in solution.get(ANSWERS, {}) if not any(f"[{key}]" in test.name for test in tests)}
    for key in sorted(asked):
        return f"{assignment.hidden_tests.relative_to(ROOT)} does not ask for the answer {key}"
    public = sum(test.points for test in tests if test.phase is Phase.PUBLIC)
    every = sum(test.points for test in tests)
    if every != POINTS or public != PUBLIC_POINTS:
        return (
            f"the tests of {name} are worth {every:g} points, {public:g} of them public: they must add up to {POINTS}, {PUBLIC_POINTS} of them public"
        )
    if len(entries) < FEWEST_MISCONCEPTIONS:
        return f"{assignment.misconceptions.relative_to(ROOT)} has {len(entries)} entries: write at least {FEWEST_MISCONCEPTIONS}"
    return ""
