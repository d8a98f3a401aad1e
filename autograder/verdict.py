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
from autograder.checks.outcome import Outcome, Part, Test
from autograder.checks.wrong import Kind


@dataclass(frozen=True)
class Verdict:
    """What grading came to."""

    status: str
    """graded, import_error, timeout, killed, or unreadable where nothing could be run"""
    score: float
    max_score: float
    questions: dict[str, float]
    """points by question"""
    outcomes: list[Outcome]
    gradescope: dict[str, Any]
    """Gradescope's JSON, from Otter"""
    seconds: float
    failure: Raised | None = None
    """what stopped the file while it was loaded"""
    printed: str = field(default="", repr=False)
    """what it printed during public tests"""


def to_json(verdict: Verdict) -> str:
    """A verdict as JSON, in ASCII: text of a submission may hold what UTF-8 cannot."""
    return json.dumps(verdict, default=_plain)


def _plain(value: Any) -> Any:
    return value.name if isinstance(value, Enum) else vars(value)


def from_json(text: str) -> Verdict:
    """What `to_json` wrote."""
    data = json.loads(text)
    outcomes, failure = data.pop("outcomes"), data.pop("failure")
    return Verdict(**data, outcomes=[_outcome(**one) for one in outcomes], failure=failure and _raised(**failure))


def _outcome(test: dict[str, Any], kind: str | None, **rest: Any) -> Outcome:
    part = Part[test.pop("part")]
    return Outcome(test=Test(**test, part=part), kind=None if kind is None else Kind[kind], **rest)


def _raised(bases: list[str], **rest: Any) -> Raised:
    return Raised(bases=tuple(bases), **rest)
