"""A person's word on a grade: a correction of points with a reason, or a comment. The tests' own score stays beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Adjustment:
    """What one person said once of one student's grade in one assignment."""

    number: int
    """by which it can be undone"""
    student: str
    assignment: str
    points: float | None
    """added to the score"""
    score: float | None
    """what the score is set to"""
    reason: str
    comment: str
    by: str
    at: str
    """when, in ISO's format"""

    @property
    def what(self) -> str:
        """What changes, in words."""
        if self.score is not None:
            return f"score set to {self.score:g}"
        if self.points is not None:
            return f"{self.points:+g} point{'' if abs(self.points) == 1 else 's'}"
        return "comment"

    @property
    def sentence(self) -> str:
        """All of it, for the student as well."""
        said = " ".join(filter(None, (self.reason, self.comment)))
        return f"{self.what} by {self.by} on {datetime.fromisoformat(self.at):%Y-%m-%d}{f': {said}' if said else ''}"


def adjusted(score: float, max_score: float, adjustments: Iterable[Adjustment]) -> float:
    """The score that counts: every adjustment in its order, and never below 0 or above full marks."""
    for one in adjustments:
        score = one.score if one.score is not None else score + (one.points or 0.0)
    return min(max(score, 0.0), max_score)
