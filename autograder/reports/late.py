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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

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

    def score(self, row: Row, notes: list[str], otherwise: datetime | None = None) -> float:
        """The score to export; `notes` grows by a sentence where that is not the row's own or cannot be told.

        When it was handed in says the platform that it came from, or else the one that the score goes to.
        """
        one = row.submission
        if one.assignment not in self.deadlines:
            return row.score
        handed_in = datetime.fromtimestamp(one.handed_in, UTC) if one.handed_in else otherwise
        if handed_in is None:
            notes.append(f"{row.student}, {one.assignment}: nothing says when it was handed in, so nothing was taken off")
            return row.score
        deadline = self.deadlines[one.assignment] + self.extensions.get(one.student, 0.0) * _DAY
        days = max(math.ceil((handed_in - deadline) / _DAY), 0)  # every day that has begun counts
        score = row.score * max(1 - self.percent_per_day * days / 100, 0.0)
        if days:
            notes.append(f"{row.student}, {one.assignment}: {days} day{'s' if days > 1 else ''} late, {score:.10g} of {row.score:.10g} points count")
        return score


def rule(path: Path) -> LateRule:
    """The rule in a file. Raises LateRuleError."""
    try:
        settings = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LateRuleError(f"{path} cannot be read: {error}") from error
    for wrong in _complaints(settings):
        raise LateRuleError(f"{path}{wrong}")
    # A time without a zone is this machine's.
    deadlines = {name: deadline.astimezone() for name, deadline in settings.get("deadlines", {}).items()}
    return LateRule(float(settings["percent_per_day"]), deadlines, settings.get("extensions", {}))


def _complaints(settings: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the settings."""
    if unknown := settings.keys() - {"percent_per_day", "deadlines", "extensions"}:
        yield f" has {', '.join(sorted(unknown))}: it holds percent_per_day, [deadlines] and [extensions]"
    percent = settings.get("percent_per_day")
    if not (isinstance(percent, int | float) and 0 <= percent <= 100):
        yield ": percent_per_day is a number from 0 to 100"
    for name, deadline in settings.get("deadlines", {}).items():
        if not isinstance(deadline, datetime):
            yield f": the deadline of {name} is a date and a time such as 2026-11-30T23:59:00+01:00"
        try:
            course.find(name)
        except LookupError as error:
            yield f": {error}"
    for student, days in settings.get("extensions", {}).items():
        if not isinstance(days, int | float):
            yield f": the extension of {student} is a number of days"
