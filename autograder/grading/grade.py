"""What grading one submission came to, and its form in the gradebook.

Kept apart from `grading` so that what only reads grades (the coordinator of a batch, feedback, the report) loads
neither Otter nor a sandbox.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from autograder.checks.results import Phase, Test, TestResult, by_question, points_possible, points_won
from autograder.protocol.call import Raised
from autograder.protocol.failure import STOPPED, VALUES, Kind, Status

NOT_JUDGED = "not run: the grader could not judge this submission, and the teaching staff will look at it"
"""What every test says of a submission over which the grader itself failed, where it judges others."""


@dataclass(frozen=True)
class Grade:
    """What grading came to."""

    status: Status
    stopped: Status | None
    """the status as far as it was decided before the first hidden test; None where nothing had ended it"""
    at_once: list[TestResult]
    """settled before the first hidden test, without any: what a student may know at once. Nothing said later changes
    it"""
    test_results: list[TestResult]
    score: float
    max_score: float
    questions: dict[str, float]
    """points by question"""
    gradescope: dict[str, Any]
    """Gradescope's JSON, from Otter"""
    seconds: float
    failure: Raised | None = None
    """what stopped the file while it was loaded"""
    printed: str = field(default="", repr=False)
    """what it printed during public tests"""

    @property
    def never_loaded(self) -> str:
        """What every test says alike, where the file did not finish loading and nothing could be called; else
        nothing."""
        results = self.at_once
        said = {result.message for result in results if result.kind in STOPPED}
        alike = len(said) == 1 and all(result.message in said for result in results)
        return said.pop() if alike and NOT_JUDGED not in said else ""

    @property
    def by_heart(self) -> list[str]:
        """The functions that pass all of their public tests and give wrong values in most of their hidden ones,
        whatever these are called. What passes with right values below has passed."""
        return [name for name, group in by_question(self.test_results).items() if _is_by_heart(group)]

    @property
    def given(self) -> tuple[float, list[str]]:
        """The points of tests that pass with right values in the place of wrong functions, and these functions."""
        given = [result for result in self.test_results if result.passed and result.given]
        return points_won(given), list(dict.fromkeys(result.given for result in given if result.given))


def _is_by_heart(test_results: list[TestResult]) -> bool:
    phases = (Phase.PUBLIC, Phase.HIDDEN)
    public, hidden = ([one for one in test_results if one.test.phase is phase] for phase in phases)
    lost = points_possible(one for one in hidden if one.kind in VALUES)
    return bool(public) and all(one.passed for one in public) and lost > points_possible(hidden) / 2


def to_json(grade: Grade) -> str:
    """A grade as JSON, in ASCII: text of a submission may hold what UTF-8 cannot."""
    return json.dumps(grade, default=_plain)


def _plain(value: Any) -> Any:
    return value.name if isinstance(value, Enum) else vars(value)


def from_json(text: str) -> Grade:
    """What `to_json` wrote."""
    data = json.loads(text)
    status, stopped, failure = (data.pop(name) for name in ("status", "stopped", "failure"))
    for part in ("at_once", "test_results"):
        data[part] = [_test_result(**result) for result in data[part]]
    return Grade(
        **data,
        status=Status(status),
        stopped=stopped and Status(stopped),
        failure=failure and Raised(**failure | {"bases": tuple(failure["bases"])}),
    )


def _test_result(test: dict[str, Any], kind: str | None, **rest: Any) -> TestResult:
    phase, known = Phase[test.pop("phase")], None if kind is None else Kind[kind]
    return TestResult(Test(**test, phase=phase), known, **rest)
