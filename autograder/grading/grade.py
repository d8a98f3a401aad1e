"""What grading one submission came to, and its form as JSON: as it travels, and as the gradebook keeps it.

Whoever only reads grades (the coordinator of a batch, the report) loads neither Otter nor a sandbox for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from autograder.checks.results import Phase, Test, TestResult
from autograder.protocol.call import Raised
from autograder.protocol.failure import STOPPED, Kind, Status

NOT_JUDGED = "this could not be graded by machine, through no fault of yours: the teaching staff will look at it"
"""What every test says of a lost submission."""


@dataclass(frozen=True)
class Grade:
    """What grading came to."""

    assignment: str
    status: Status
    test_results: list[TestResult]
    score: float = 0.0
    max_score: float = 0.0
    questions: dict[str, float] = field(default_factory=dict)
    """points by question"""
    gradescope: dict[str, Any] = field(default_factory=dict)
    """Gradescope's JSON, from Otter"""
    seconds: float = 0.0
    failure: Raised | None = None
    """what stopped the file while it was loaded"""
    public_feedback: str = ""
    """what its student may read at once, as Markdown: settled before the first hidden test"""
    feedback: str = ""
    """and once hidden results are published"""

    @property
    def not_run(self) -> str:
        """What every test says alike, where nothing of the file could be called; else nothing."""
        said = {result.message for result in self.test_results}
        kinds = {result.kind for result in self.test_results}
        return said.pop() if len(said) == 1 and not kinds.isdisjoint({Kind.UNREADABLE, *STOPPED}) else ""


def to_json(grade: Grade) -> str:
    """A grade as JSON, in ASCII: text of a submission may hold what UTF-8 cannot."""
    return json.dumps(grade, default=lambda value: value.name if isinstance(value, Enum) else vars(value))


def from_json(text: str | bytes) -> Grade:
    """What `to_json` wrote."""
    facts = json.loads(text)
    results = [_test_result(**result) for result in facts.pop("test_results")]
    failure = facts.pop("failure")
    known = failure and Raised(**failure | {"bases": tuple(failure["bases"])})
    return Grade(**facts | {"status": Status(facts["status"])}, test_results=results, failure=known)


def _test_result(test: dict[str, Any], kind: str | None, **rest: Any) -> TestResult:
    known = Kind[kind] if kind else None
    return TestResult(Test(**test | {"phase": Phase[test["phase"]]}), known, **rest)
