"""The grade of one submission, and the JSON form in which grades are sent and stored.

This module loads neither Otter nor the sandbox, because a batch's coordinator and the reports only read grades.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from autograder.checks.results import Phase, Test, TestResult
from autograder.course import ROOT, Assignment
from autograder.protocol.call import Raised
from autograder.protocol.failure_kinds import STOPPED, Kind, SubmissionStatus
from autograder.submission.untrusted_names import printable

GRADER_FAILURE_MESSAGE = (
    "this could not be graded by machine, through no fault of yours: the teaching staff will look at it"
)
"""Message of every test result if no grader could judge the submission."""


@dataclass(frozen=True)
class Grade:
    """The result of grading one submission."""

    assignment: str
    status: SubmissionStatus
    test_results: list[TestResult]
    score: float = 0.0
    max_score: float = 0.0
    questions: dict[str, float] = field(default_factory=dict)
    """Points by question."""
    gradescope: dict[str, Any] = field(default_factory=dict)
    """The result as Otter writes it for Gradescope."""
    seconds: float = 0.0
    """Time that grading took."""
    failure: Raised | None = None
    """The exception that stopped the file while it was being loaded."""
    public_feedback: str = ""
    """Markdown that the student may read immediately; final before the first hidden test runs."""
    full_feedback: str = ""
    """Markdown that the student may read once hidden results are published."""

    @property
    def reason_not_run(self) -> str:
        """The message shared by all tests if no function could be called, or an empty string otherwise."""
        messages = {result.message for result in self.test_results}
        kinds = {result.kind for result in self.test_results}
        return messages.pop() if len(messages) == 1 and not kinds.isdisjoint({Kind.UNREADABLE, *STOPPED}) else ""


def to_json(grade: Grade) -> str:
    """Return a grade as ASCII JSON, because a submission's text can have characters that UTF-8 cannot represent."""
    return json.dumps(grade, default=lambda value: value.name if isinstance(value, Enum) else vars(value))


def from_json(text: str | bytes) -> Grade:
    """Return the grade in a text written by `to_json`."""
    fields = json.loads(text)
    results = [_test_result(**result) for result in fields.pop("test_results")]
    failure = fields.pop("failure")
    raised = failure and Raised(**failure | {"bases": tuple(failure["bases"])})
    return Grade(**fields | {"status": SubmissionStatus(fields["status"])}, test_results=results, failure=raised)


def _test_result(test: dict[str, Any], kind: str | None, **rest: Any) -> TestResult:
    return TestResult(Test(**test | {"phase": Phase[test["phase"]]}), Kind[kind] if kind else None, **rest)


def sentences_on_changed_test_points(earlier: Grade, solution_grade: Grade) -> list[str]:
    """Return a message for each test whose points differ between two grades, with both numbers."""
    before = {result.test.name: result.test.points for result in earlier.test_results}
    tests = (result.test for result in solution_grade.test_results)
    return [
        f"{test.name} is worth {test.points:g} and was worth {before[test.name]:g}"
        for test in tests
        if test.points != before.get(test.name, test.points)
    ]


def fault_of_suite(assignment: Assignment, solution_grade: Grade) -> str:
    """Return a message about tests that the reference solution fails, or an empty string if it passes all of them.

    A test that even the solution fails would lower every submission's score.
    """
    failed = [result for result in solution_grade.test_results if not result.passed]
    if not failed:
        return ""
    first, more = failed[0], f" and {len(failed) - 1} more tests" if len(failed) > 1 else ""
    path = assignment.hidden_tests if first.test.hidden else assignment.public_tests
    reason = printable(first.message, 300).rstrip(".")
    return (
        f"the reference solution of {assignment.name} does not pass {first.test.name} in"
        f" {path.relative_to(ROOT)}{more} ({reason}): correct the test or {assignment.solution.relative_to(ROOT)}."
        f" Nothing was graded, and nobody's grade was changed"
    )
