"""What an assignment must have before anything is made of it. What is missing or wrong is one sentence, never a traceback."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

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
    return next(_complaints(assignment), "")


def _complaints(assignment: Assignment) -> Iterator[str]:
    parts = (assignment.lesson, assignment.public_tests, assignment.hidden_tests, assignment.misconceptions)
    for path in parts:
        if not path.is_file():
            yield f"{path.relative_to(ROOT)} is missing: `autograder new` shows what it holds"
    name = assignment.name
    public_file, hidden_file, catalogue_file = (path.relative_to(ROOT) for path in parts[1:])
    try:
        solution = vars(catalogue.solution(assignment))
        entries = catalogue.entries(assignment)
        tests = Suite(assignment).tests
    except BrokenTest as error:
        yield f"{name}: {error}"
        return
    except Exception as error:  # the author's own code, which may be anything
        at = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        yield f"{name}: its solution, catalogue or tests cannot be read ({type(error).__name__}: {error}{at})"
        return
    functions = {one for one, value in solution.items() if inspect.isfunction(value) and not one.startswith("_")}
    public, hidden = ([test for test in tests if test.phase is phase] for phase in (Phase.PUBLIC, Phase.HIDDEN))
    for file, some in ((public_file, public), (hidden_file, hidden)):
        tested = {test.question for test in some}
        yield from (f"{file} has no test of {missing}: write one, marked with its name" for missing in sorted(functions - tested))
        yield from (f"{file} tests {unknown}, and the solution has no such function" for unknown in sorted(tested - functions))
    asked = " ".join(test.name for test in tests)
    yield from (f"{hidden_file} does not ask for the answer {key}" for key in sorted(solution.get(ANSWERS, {})) if f"[{key}]" not in asked)
    total, won = (sum(test.points for test in some) for some in (tests, public))
    if total != POINTS or won != PUBLIC_POINTS:
        yield f"the tests of {name} are worth {total:g} points, {won:g} of them public: they must add up to {POINTS}, {PUBLIC_POINTS} of them public"
    if len(entries) < FEWEST_MISCONCEPTIONS:
        yield f"{catalogue_file} has {len(entries)} entries: write at least {FEWEST_MISCONCEPTIONS}"
