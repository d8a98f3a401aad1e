"""Tests of the catalogue of mistakes: each mistake loses points and is named as the likely cause, and its
hint reveals no code."""

from __future__ import annotations

import inspect
import re
import warnings

import numpy as np
import pytest

from autograder import course
from autograder.checks import expect
from autograder.checks.oracle import Returned
from autograder.checks.proxy import StudentModule
from autograder.course import Assignment
from autograder.grading import answer_key
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.hints.likely_causes import with_unfiltered_causes
from autograder.hints.reference_oracle import Reference
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, perform
from autograder.protocol.failure_kinds import FailedTestError


def test_nobody_is_warned_of_what_the_solution_makes_of_a_submission_s_nan() -> None:
    """A warning from numpy about an infinite argument would show the student a line of the solution."""
    infinite = np.array([[np.inf, 0.0], [-np.inf, np.inf]])
    with warnings.catch_warnings(action="error"):
        Reference(course.find("rope")).expected(Call("rope_scores", (infinite, infinite, np.arange(2), np.arange(2))))


def test_entries_say_what_they_are(assignment: Assignment) -> None:
    entries = catalogue.entries(assignment)
    assert len({entry.name for entry in entries}) == len(entries)
    for entry in entries:
        assert entry.origin and entry.hint.endswith((".", "?", "!")), entry.name
        assert not re.search(r"(?i)\blessons?\s+\d", entry.hint), "the course plan decides about numbers"


def test_every_known_mistake_loses_points_and_is_named(assignment: Assignment, suite: Suite) -> None:
    """The tests of the mistaken function name this mistake and no other, unless two mistakes share a hint."""
    entries = catalogue.entries(assignment)
    for entry in entries:
        backend = catalogue.ModuleBackend(catalogue.solution_with_mistake(assignment, entry))
        own = [suite.run_test(backend, test) for test in suite.tests if test.question == entry.function]
        causes = [result.hint for result in with_unfiltered_causes(suite.reference, own) if result.hint]
        assert not all(result.passed for result in own), f"{entry.name} passes every test"
        assert entry.hint in causes, f"no test names {entry.name} as the cause, but {causes}"
        others = {other.hint for other in entries} - {entry.hint}
        assert not any(hint in cause for cause in causes for hint in others), f"{entry.name} is named as {causes}"


def test_the_oracle_predicts_what_a_file_with_the_mistake_returns(suites: dict[str, Suite]) -> None:
    """The values and their dtypes are the same, although the oracle runs only the mistaken function."""
    suite = suites.setdefault("rope", Suite(course.find("rope")))
    calls = [call for test in suite.tests for call in suite.calls_to_solution(test) if call.function != ANSWERS]
    compared = set()
    for entry in suite.reference.entries:
        module = catalogue.solution_with_mistake(suite.assignment, entry)
        for call in (call for call in calls if call.function == entry.function):
            predicted = suite.reference.outcome_with(call.encoded, entry)
            if isinstance(predicted, Returned):
                assert codec.encode(predicted.value) == perform(module, call.copy()).encoded, entry.name
                compared.add(entry.name)
    assert len(compared) > 0.9 * len(suite.reference.entries)


def test_a_hint_gives_no_code_away(assignment: Assignment) -> None:
    for entry in catalogue.entries(assignment):
        source = inspect.getsource(entry.implementation)
        code_lines = [line.strip() for line in source.split("\n") if "=" in line or "return" in line]
        assert not any(line in entry.hint for line in code_lines if len(line) > 12), entry.name


def test_every_answer_has_its_reason(assignment: Assignment) -> None:
    answers = answer_key.answers(assignment)
    assert answers.keys() == vars(catalogue.solution(assignment))["ANSWERS"].keys()
    assert all(answer.reason for answer in answers.values())


def test_known_wrong_answers_are_wrong_and_named(assignment: Assignment, suite: Suite) -> None:
    """Each known wrong answer has its own hint. Only questions about numbers have hints, because a hint on a
    yes-or-no question would give away the answer."""
    solution = catalogue.solution(assignment)
    right = dict(vars(solution)["ANSWERS"])
    known = catalogue.wrong_answers(assignment)
    for key, value, hint in ((key, *item) for key, numbers in known.items() for item in numbers.items()):
        assert not isinstance(right[key], bool), key
        vars(solution)["ANSWERS"] = right | {key: value}
        submission = StudentModule(assignment.name, catalogue.ModuleBackend(solution), suite.reference)
        with pytest.raises(FailedTestError) as caught:
            expect.answer(submission, key)
        assert caught.value.hint == hint and hint.endswith((".", "?"))


def test_every_number_that_is_asked_for_has_a_known_wrong_answer(assignment: Assignment, suite: Suite) -> None:
    """Practice questions without points need no hints."""
    asked = [answer_key.quiz_question_key(test) for test in suite.tests if test.question == "ANSWERS" and test.points]
    numbers = {key for key in asked if not answer_key.answers(assignment)[key].is_yes_or_no}
    assert numbers <= catalogue.wrong_answers(assignment).keys()
