"""What grading one submission came to, and its form in the gradebook.

Kept apart from `grading` so that what only reads grades (the coordinator of a batch, feedback, the report) loads neither
Otter nor a sandbox.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from autograder.checks.call import Raised
from autograder.checks.failure import Kind
from autograder.checks.status import Status, TestStatus
from autograder.checks.test_result import Phase, Test, TestResult

NOT_JUDGED = "not run: the grader could not judge this submission, and the teaching staff will look at it"
"""What every test says of a submission over which the grader itself failed, where it judges others."""


@dataclass(frozen=True)
class Grade:
    """What grading came to."""

    status: Status
    score: float
    max_score: float
    questions: dict[str, float]
    """points by question"""
    test_results: list[TestResult]
    gradescope: dict[str, Any]
    """Gradescope's JSON, from Otter"""
    seconds: float
    stopped: Status | None = None
    """the status as far as it was settled before the first hidden test: what a student may know of it at once"""
    failure: Raised | None = None
    """what stopped the file while it was loaded"""
    printed: str = field(default="", repr=False)
    """what it printed during public tests"""
    settled: dict[str, TestResult] = field(default_factory=dict)
    """the public tests of which hidden ones tell more, by name: as far as they were settled before the first hidden test"""

    @property
    def public_results(self) -> list[TestResult]:
        """The public tests, as a student may know of them at once."""
        return [self.settled.get(one.test.name, one) for one in self.test_results if not one.test.hidden]


def to_json(grade: Grade) -> str:
    """A grade as JSON, in ASCII: text of a submission may hold what UTF-8 cannot."""
    return json.dumps(grade, default=_plain)


def _plain(value: Any) -> Any:
    return value.name if isinstance(value, Enum) else vars(value)


def from_json(text: str) -> Grade:
    """What `to_json` wrote."""
    data = json.loads(text)
    test_results, failure = data.pop("test_results"), data.pop("failure")
    data["status"], stopped = Status(data["status"]), data.pop("stopped")
    data |= {"stopped": stopped and Status(stopped), "failure": failure and _raised(**failure)}
    settled = {name: _test_result(**one) for name, one in data.pop("settled").items()}
    return Grade(**data, test_results=[_test_result(**one) for one in test_results], settled=settled)


def _test_result(test: dict[str, Any], status: str, kind: str | None, called: list[str], **rest: Any) -> TestResult:
    phase = Phase[test.pop("phase")]
    known = None if kind is None else Kind[kind]
    return TestResult(Test(**test, phase=phase), TestStatus(status), kind=known, called=tuple(called), **rest)


def _raised(bases: list[str], **rest: Any) -> Raised:
    return Raised(bases=tuple(bases), **rest)
