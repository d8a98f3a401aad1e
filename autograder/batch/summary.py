"""What a batch came to, and what in it needs a human."""

from __future__ import annotations

import csv
import statistics
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.batch.gradebook import Gradebook
from autograder.grading.review import NO_GRADE, Case, Cases
from autograder.grading.row import Row
from autograder.protocol.failure import Status
from autograder.submission import Submission
from autograder.submission.names import listed, printable

MANY = 10
"""Of each kind of thing that needs a human, so many are named; grades.csv and similarity.csv have the rest."""

ALIKE = "alike"


@dataclass
class AssignmentSummary:
    """What one assignment came to."""

    max_score: float = 0.0
    scores: array[float] = field(default_factory=lambda: array("d"))
    other_statuses: Counter[str] = field(default_factory=Counter)
    """submissions by status, of those that were not simply graded"""

    def add(self, row: Row) -> None:
        self.max_score = max(self.max_score, row.max_score)
        self.scores.append(row.score)
        if row.lost or row.status is not Status.GRADED:
            self.other_statuses[NO_GRADE if row.lost else row.status] += 1

    @property
    def line(self) -> tuple[str, str, str]:
        """Submissions, median, and what is not as usual."""
        count = f"{len(self.scores)} submission" + ("s" if len(self.scores) > 1 else "")
        median = f"median {statistics.median(self.scores):.3g} of {self.max_score:g}" if self.max_score else ""
        others = (f"{many} {status.replace('_', ' ')}" for status, many in self.other_statuses.most_common())
        return count, median, ", ".join(others)


@dataclass
class Summary:
    """What a batch came to."""

    graded: int = 0
    """submissions graded in this run"""
    reused: int = 0
    """submissions whose grade was there already"""
    assignments: dict[str, AssignmentSummary] = field(default_factory=dict)
    replaced: list[Submission] = field(default_factory=list)
    """submissions that do not count, because a later one does"""
    layouts: list[str] = field(default_factory=list)
    """how the folders were read"""
    set_aside: str = ""
    """what was done with a gradebook that could not be used"""
    corrected: int = 0
    unmatched: list[str] = field(default_factory=list)
    """lines of adjustments.csv that mean nobody, a sentence each"""
    skipped: list[str] = field(default_factory=list)
    """files that were passed over"""
    not_compared: list[str] = field(default_factory=list)
    """files that similarity could not look at"""
    seconds: float = 0.0
    needs_human: dict[str, list[str]] = field(default_factory=dict)
    """by kind, a sentence for each cause"""
    cases: Cases = field(default_factory=Cases)

    def add(self, row: Row) -> None:
        """Take in one submission."""
        self.reused += bool(row.key.suite)
        self.assignments.setdefault(row.submission.assignment, AssignmentSummary()).add(row)
        self.cases.add(row)

    def complete(self, book: Gradebook) -> None:
        """Fill in what concerns several submissions."""
        self.reused -= self.graded
        self.replaced = book.replaced()
        for case in self.cases:
            self.needs_human.setdefault(case.status, []).append(_sentence(case))
        if alike := [*_alike(book.out)]:
            self.needs_human[ALIKE] = alike

    def show(self, console: Console) -> None:
        """Print it."""
        lines = Table.grid(padding=(0, 2))
        for name, assignment in self.assignments.items():
            lines.add_row(name or "?", *assignment.line)
        console.print(lines)
        reused = f", {self.reused} known before" if self.reused else ""
        console.print(f"{self.graded} graded in {self.seconds:.1f} s{reused}.", highlight=False)
        for sentence in self._remarks():
            console.print(Text(sentence), soft_wrap=True)
        if self.needs_human:
            console.print("To look at yourself:", style="bold")
        for kind, sentences in self.needs_human.items():
            for sentence in sentences[:MANY]:
                console.print(Text(f"  {sentence}"), soft_wrap=True)
            if (more := len(sentences) - MANY) > 0:
                console.print(f"  and {more} more {kind.replace('_', ' ')}: see report.html", highlight=False)

    def _remarks(self) -> Iterator[str]:
        for layout in self.layouts:
            yield f"Read as {layout}."
        if self.set_aside:
            yield self.set_aside
        if self.replaced:
            names = [printable(f"{one.student} ({one.assignment}, {one.file})", 200) for one in self.replaced]
            yield f"{len(names)} replaced by a later submission: {listed(names, MANY)}."
        if self.corrected:
            yield f"{self.corrected} corrected by hand (adjustments.csv)."
        if self.unmatched:
            yield f"Not applied: {'; '.join(self.unmatched)}."
        for what, names in (("Skipped, as nobody's submission", self.skipped), ("Not compared", self.not_compared)):
            if names:
                yield f"{what}: {listed([printable(name) for name in names], MANY)}."


def _alike(out: Path) -> Iterator[str]:
    """Groups of submissions that are alike."""
    groups: dict[tuple[str, str], dict[str, None]] = {}
    with (out / "similarity.csv").open(encoding="utf-8", newline="") as file:
        for pair in csv.DictReader(file):
            both = dict.fromkeys((pair["student"], pair["other_student"]))
            groups.setdefault((pair["assignment"], pair["group"]), {}).update(both)
    for (assignment, group), students in groups.items():
        yield f"{assignment}: {printable(', '.join(students), 200)} are much the same (similarity.csv, group {group})"


def _sentence(case: Case) -> str:
    many = f"{len(case.students)} students: " if len(case.students) > 1 else ""
    status = "" if case.status == NO_GRADE else f" ({case.status.replace('_', ' ')})"
    return f"{case.assignment}, {many}{listed(case.students, MANY)}{status}: {case.why}"
