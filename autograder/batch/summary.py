"""The on-screen summary of a batch, including the cases that need manual review."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.grading import needs_review
from autograder.grading.needs_review import NO_GRADE_STATUS, Case
from autograder.grading.row import Row
from autograder.protocol.failure_kinds import SubmissionStatus
from autograder.submission.untrusted_names import printable, semicolon_list

MAX_LISTED = 10
"""Maximum number of names in a sentence; any others are only counted."""


@dataclass
class AssignmentSummary:
    """The scores for one assignment."""

    max_score: float = 0.0
    scores: list[float] = field(default_factory=list)
    other_statuses: Counter[str] = field(default_factory=Counter)  # of submissions whose status is not `graded`

    def add(self, row: Row) -> None:
        """Add one submission."""
        self.max_score = max(self.max_score, row.grade.max_score)
        self.scores.append(row.score)
        if row.machine_failure or row.grade.status is not SubmissionStatus.GRADED:
            self.other_statuses[NO_GRADE_STATUS if row.machine_failure else row.grade.status] += 1

    @property
    def table_cells(self) -> tuple[str, str, str]:
        """Return the number of submissions, the median score, and the count of each status other than `graded`."""
        count = f"{len(self.scores)} submission" + ("s" if len(self.scores) > 1 else "")
        median = f"median {statistics.median(self.scores):.3g} of {self.max_score:g}" if self.max_score else ""
        others = (f"{many} {status.replace('_', ' ')}" for status, many in self.other_statuses.most_common())
        return count, median, ", ".join(others)


@dataclass
class Summary:
    """The result of a batch."""

    newly_graded: int = 0  # number of submissions graded in this run
    total_graded: int = 0  # number of submissions graded in this run or an earlier one
    assignments: dict[str, AssignmentSummary] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)  # sentences
    cases: dict[Case, list[str]] = field(default_factory=dict)  # the students in each case

    @property
    def graded_before(self) -> int:
        """Return the number of submissions that already had a grade."""
        return self.total_graded - self.newly_graded

    def add(self, row: Row) -> None:
        """Add one submission."""
        self.total_graded += bool(row.key.grading)
        self.assignments.setdefault(row.submission.assignment, AssignmentSummary()).add(row)
        if (case := needs_review.case(row)) is not None:
            self.cases.setdefault(case, []).append(printable(row.student))

    def add_names(self, heading: str, names: Sequence[str]) -> None:
        """Add a remark that lists these names, if there are any."""
        if names:
            many = f"{len(names)}: " if len(names) > MAX_LISTED else ""
            self.remarks.append(
                f"{heading}: {many}{semicolon_list([printable(name, 200) for name in names], MAX_LISTED)}."
            )

    def show(self, console: Console, seconds: float) -> None:
        """Print the summary of the batch."""
        lines = Table.grid(padding=(0, 2))
        for name, assignment in self.assignments.items():
            lines.add_row(name or "?", *assignment.table_cells)
        console.print(lines)
        graded_before = f", {self.graded_before} graded before" if self.graded_before else ""
        console.print(f"{self.newly_graded} graded in {seconds:.1f} s{graded_before}.", highlight=False)
        for sentence in self.remarks:
            console.print(Text(sentence), soft_wrap=True)
        for status, cases in groupby(needs_review.by_status_and_frequency(self.cases), lambda item: item[0].status):
            sentences = [_sentence(case, students) for case, students in cases]
            if (more := len(sentences) - MAX_LISTED) > 0:
                sentences[MAX_LISTED:] = [f"and {more} more: see report.html"]
            console.print(f"To review by hand, {status.replace('_', ' ')}:", style="bold")
            for sentence in sentences:
                console.print(Text(f"  {sentence}"), soft_wrap=True)


def _sentence(case: Case, students: list[str]) -> str:
    many = f"{len(students)} students: " if len(students) > 1 else ""
    return f"{case.assignment}, {many}{semicolon_list(students, MAX_LISTED)}: {case.why}"
