"""Tests of staff review: suspicious files are named, and honest mistakes are not treated as suspicious."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autograder.checks.results import Phase, Test, TestResult
from autograder.course import Assignment
from autograder.grading.follow_through import follow_through
from autograder.grading.grade import Grade
from autograder.grading.needs_review import iter_suspicions
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.hints.catalogue import Misconception
from autograder.hints.likely_causes import with_unfiltered_causes
from autograder.protocol.failure_kinds import Kind, SubmissionStatus
from autograder.submission import read_submission
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.fixtures_built_once import Graded
from tests.grader.support.in_process_submission import Loaded


def with_mistake(suite: Suite, entry: Misconception, called: dict[Test, set[str]]) -> Grade:
    """Return the grade of a solution with one mistake, using only the tests that can detect memorized values.

    The grade omits likely causes, and the correct values of wrong functions, if no failed test needs an explanation.
    """
    call_graph = suite.reference.call_graph
    affected = {
        test
        for test, functions in called.items()
        if any(entry.function in {name, *call_graph.dependencies(name)} for name in functions)
    }
    backend = Loaded(catalogue.solution_with_mistake(suite.assignment, entry))
    with np.errstate(all="ignore"):
        # A function that fails a public test is not memorized, whatever the results of its other tests.
        public, undecided, failed = [], [], set()
        for test in called:  # public tests come first
            if test in affected and test.question not in failed:
                result = suite.run_test(backend, test)
                (undecided if test.phase is Phase.HIDDEN else public).append(result)
                if not result.passed and test.phase is not Phase.HIDDEN:
                    failed.add(test.question)
        grade = Grade(suite.assignment.name, SubmissionStatus.GRADED, [*public, *undecided])
        if not list(iter_suspicions(grade)):
            return grade
        public = follow_through(suite, backend, public)
        undecided = follow_through(suite, backend, undecided, public)
        return replace(grade, test_results=with_unfiltered_causes(suite.reference, [*public, *undecided]))


def test_of_a_hundred_honest_files_less_than_one_is_named(assignment: Assignment, suite: Suite, graded: Graded) -> None:
    """The honest files are all gradable samples, plus one file per known mistake."""
    right = suite.run(catalogue.ModuleBackend(suite.reference.solution))
    called = {result.test: {call.function for call in result.calls} for result in right}
    grades = {entry.name: with_mistake(suite, entry, called) for entry in catalogue.entries(assignment)}
    for path in (SAMPLES / assignment.name).glob("*.py"):
        if read_submission(path, assignment.name, [assignment.name]).problem is None:
            grades[path.name] = graded(path)[1]
    named = {name: sentences for name, grade in grades.items() if (sentences := list(iter_suspicions(grade)))}
    assert 100 * len(named) < len(grades), named


@pytest.mark.parametrize("first_timeout", [Phase.PUBLIC, Phase.HIDDEN])
def test_a_function_is_not_memorized_because_another_function_never_returned(first_timeout: Phase) -> None:
    """After an endless loop in public tests, later tests do not run. A timeout only in hidden tests is suspicious."""
    endless = TestResult(Test("endless", "apply_rope", 1.0, first_timeout, "It rotates."), Kind.TIMEOUT)
    public = TestResult(Test("seen", "rotate_half", 1.0, Phase.PUBLIC, "It rotates."))
    not_run = TestResult(Test("unseen", "rotate_half", 1.0, Phase.HIDDEN, "It rotates."), Kind.TIMEOUT)
    grade = Grade("rope", SubmissionStatus.TIMEOUT, [endless, public, not_run])
    assert [*iter_suspicions(grade)] == [
        f"{name}: right in public tests but not in hidden ones, as if memorized"
        for name in ["rotate_half"][: first_timeout is Phase.HIDDEN]
    ]
