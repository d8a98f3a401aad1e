"""Validation of an assignment before anything is generated from it, with a message about the first problem."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from autograder.checks.results import Phase, point_problems
from autograder.course import ROOT, Assignment, CourseError
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure_kinds import BrokenTestError


def first_problem(assignment: Assignment) -> str:
    """Return a message about the first missing or incorrect part, or an empty string if the assignment is valid."""
    try:
        return next(_problems(assignment), "")
    except CourseError as error:
        return str(error)
    except BrokenTestError as error:
        return f"{assignment.name}: {error}"
    except Exception as error:  # the author's own code, which can raise anything
        at = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        what = f"{type(error).__name__}: {error}{at}"
        return f"{assignment.name}: its solution, catalogue or tests cannot be read ({what})"


def _problems(assignment: Assignment) -> Iterator[str]:
    phases = {Phase.PUBLIC: assignment.public_tests, Phase.HIDDEN: assignment.hidden_tests}
    for path in (assignment.lesson, *phases.values(), assignment.misconceptions):
        if not path.is_file():
            yield f"{path.relative_to(ROOT)} is missing: `autograder new` shows what it contains"
    solution, suite = catalogue.solution(assignment), Suite(assignment)
    functions = {name for name, value in vars(solution).items() if inspect.isfunction(value) and name[0] != "_"}
    lesson, mistakes = (path.relative_to(ROOT) for path in (assignment.lesson, assignment.misconceptions))
    for phase, path in phases.items():
        file, tested = path.relative_to(ROOT), {test.question for test in suite.tests if test.phase is phase}
        yield from (f"{file} has no test for {name}: write one, marked with its name" for name in functions - tested)
        yield from (f"{file} tests {name}, but the solution has no such function" for name in tested - functions)
    test_names, hidden = " ".join(test.name for test in suite.tests), assignment.hidden_tests.relative_to(ROOT)
    untested = (key for key in getattr(solution, ANSWERS, {}) if f"[{key}]" not in test_names)
    yield from (f"{hidden} does not test the answer {key}" for key in untested)
    yield from point_problems(assignment.name, suite.tests)
    if assignment.ungraded_functions:
        Suite(assignment, only_graded=True)  # raise CourseError if a function cannot be optional
    mistaken_functions = {entry.function for entry in catalogue.entries(assignment)}
    yield from (
        f"{mistakes} has a mistake in {name}, which the solution does not have"
        for name in mistaken_functions - functions
    )
    yield from (f"{mistakes} has no mistake in {name}: write one" for name in functions - mistaken_functions)
    lesson_text = assignment.lesson.read_text("utf-8")
    yield from (f"{lesson} does not mention `{name}`" for name in functions if f"`{name}" not in lesson_text)
    for result in suite.run(catalogue.ModuleBackend(solution)):
        if not result.passed:
            yield f"{assignment.name}: the solution does not pass {result.test.name}: {result.message}"
