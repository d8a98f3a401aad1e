"""Late work, for scores on their way to a platform: a rule in a file of settings, and nothing is taken off without one.

    percent_per_day = 10                          # of the points won, for every day that has begun

    [deadlines]
    rope = 2026-11-30T23:59:00+01:00

    [extensions]                                  # days more for a student, by the name that grades.csv has
    "ada@example.edu" = 2

The score in the gradebook, in grades.csv and in the feedback is never touched.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from autograder import course
from autograder.course import UserError
from autograder.grading.row import Row

_DAY = timedelta(days=1)


class LateRuleError(UserError):
    """The file of settings cannot be used. The message is a sentence for a person."""


@dataclass(frozen=True)
class LateRule:
    """What is taken off for each day; without deadlines, nothing."""

    percent_per_day: float = 0.0
    deadlines: Mapping[str, datetime] = field(default_factory=dict)
    extensions: Mapping[str, float] = field(default_factory=dict)

    def days(self, student: str, assignment: str, handed_in: datetime) -> int:
        """How many days late something is, every day that has begun counted."""
        deadline = self.deadlines.get(assignment)
        if deadline is None:
            return 0
        return max(math.ceil((handed_in - deadline - self.extensions.get(student, 0.0) * _DAY) / _DAY), 0)

    def score(self, row: Row, handed_in: datetime | None) -> tuple[float, str]:
        """The score to export, and a sentence where that is not the row's own or cannot be told."""
        one = row.submission
        if one.assignment not in self.deadlines:
            return row.score, ""
        if handed_in is None:
            return row.score, f"{row.student}, {one.assignment}: nothing says when it was handed in, so nothing was taken off"
        days = self.days(one.student, one.assignment, handed_in)
        if not days:
            return row.score, ""
        score = row.score * max(1 - self.percent_per_day * days / 100, 0.0)
        return score, f"{row.student}, {one.assignment}: {days} day{'s' if days > 1 else ''} late, {score:.10g} of {row.score:.10g} points count"


def handed_in(row: Row) -> datetime | None:
    """When the platform says that a submission came; None where it does not."""
    seconds = row.submission.handed_in
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


def rule(path: Path) -> LateRule:
    """The rule in a file. Raises LateRuleError."""
    try:
        said = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LateRuleError(f"{path} cannot be read: {error}") from error
    unknown = said.keys() - {"percent_per_day", "deadlines", "extensions"}
    if unknown:
        raise LateRuleError(f"{path} has {', '.join(sorted(unknown))}: it holds percent_per_day, [deadlines] and [extensions]")
    percent, deadlines, extensions = said.get("percent_per_day"), said.get("deadlines", {}), said.get("extensions", {})
    if not (isinstance(percent, int | float) and 0 <= percent <= 100):
        raise LateRuleError(f"{path}: percent_per_day is a number from 0 to 100")
    for name, deadline in deadlines.items():
        if not isinstance(deadline, datetime):
            raise LateRuleError(f"{path}: the deadline of {name} is a date and a time such as 2026-11-30T23:59:00+01:00")
        try:
            course.find(name)
        except LookupError as error:
            raise LateRuleError(f"{path}: {error}") from error
    wrong = next((student for student, days in extensions.items() if not isinstance(days, int | float)), None)
    if wrong is not None:
        raise LateRuleError(f"{path}: the extension of {wrong} is a number of days")
    # A time without a zone is this machine's.
    return LateRule(float(percent), {name: deadline.astimezone() for name, deadline in deadlines.items()}, extensions)
