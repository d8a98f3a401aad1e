"""Scores that changed since the last run, and why: changes.csv and one line on the screen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from autograder.csv_tables import write_csv
from autograder.grading.row import Row
from autograder.submission.untrusted_names import csv_cell, printable, utf8_safe

CHANGES_FILE = "changes.csv"
GONE_REASON = "a submission that is gone"
COLUMNS = ["student", "assignment", "from", "to", "why"]


class RecordedScore(NamedTuple):
    """A score from one run, stored for comparison with a later run."""

    assignment: str
    student_key: str
    student: str
    grading: str
    code: str
    tests: float
    """points from the tests"""
    adjustments: str
    """JSON: manual corrections"""
    tests_at_correction: float
    """points from the tests when these corrections were first applied"""
    score: float


class Changes:
    """A comparison of this run with the last completed run."""

    def __init__(self, last_scores: Iterable[RecordedScore]) -> None:
        self._earlier = {(score.assignment, score.student_key): score for score in last_scores}
        self._lines: list[list[str]] = []
        self._reasons: Counter[str] = Counter()
        self.scores: list[RecordedScore] = []
        """scores of this run"""
        self.outdated_adjustments: list[str] = []
        """a message for each correction that was first applied when the tests awarded different points"""
        self.withdrawn_count = 0
        """number of corrections from the last run that this run does not apply"""

    def add(self, row: Row) -> None:
        """Compare one submission's score with its score in the last run."""
        submission = row.submission
        before = self._earlier.pop((submission.assignment, utf8_safe(submission.student_key)), None)
        if not submission.assignment or row.machine_failure:
            return
        adjustments, tests = json.dumps([asdict(line) for line in row.adjustments]), row.grade.score
        is_same_correction = before is not None and before.adjustments == adjustments
        at_correction = before.tests_at_correction if before and is_same_correction else tests
        key = (submission.assignment, utf8_safe(submission.student_key), utf8_safe(row.student))
        now = RecordedScore(*key, row.key.grading, row.key.code, tests, adjustments, at_correction, row.score)
        self.scores.append(now)
        if row.adjustments and now.tests_at_correction != tests:
            self.outdated_adjustments.append(
                f"{printable(row.student)}, {submission.assignment}: when the correction was made, the tests gave"
                f" {at_correction:g} points, and now they give {tests:g}"
            )
        if before is not None:
            self.withdrawn_count += _withdrawn_correction_count(before, now)
        if before is not None and before.score != now.score:
            self._note(before._replace(student=now.student), f"{now.score:.10g}", _reason(before, now))

    def _note(self, before: RecordedScore, now: str, why: str) -> None:
        self._reasons[why] += 1
        self._lines.append([csv_cell(before.student), before.assignment, f"{before.score:.10g}", now, why])

    def write(self, out: Path) -> None:
        """Write OUT/changes.csv, one line per changed score; call this once every submission has been added."""
        for gone in self._earlier.values():
            self._note(gone, "", GONE_REASON)
        write_csv(out / CHANGES_FILE, [COLUMNS, *self._lines])

    @property
    def sentence(self) -> str:
        """Return a message saying how many scores changed and why, or an empty string if none did."""
        if not self._lines:
            return ""
        reasons = ", ".join(f"{count} by {why}" for why, count in self._reasons.most_common())
        return f"{len(self._lines)} score{'s' * (len(self._lines) > 1)} changed: {reasons} ({CHANGES_FILE})."


def _reason(before: RecordedScore, now: RecordedScore) -> str:
    reasons = []
    if before.code != now.code:
        reasons.append("another submission")
    elif before.tests != now.tests:
        reasons.append("a changed test" if before.grading != now.grading else "another grading")
    if before.adjustments != now.adjustments:
        reasons.append(
            "a correction that was withdrawn" if _withdrawn_correction_count(before, now) else "a correction"
        )
    return " and ".join(reasons)


def _withdrawn_correction_count(before: RecordedScore, now: RecordedScore) -> int:
    """Return how many corrections the submission has lost since the last run."""
    return max(0, len(json.loads(before.adjustments)) - len(json.loads(now.adjustments)))
