"""What a batch came to, and what in it needs a human."""

from __future__ import annotations

import statistics
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.batch.gradebook import Gradebook, Taken
from autograder.grading.review import ALL_PASS, NO_GRADE, Case, Cases, first_thing
from autograder.grading.row import Row
from autograder.protocol.status import Status
from autograder.reports import similarity
from autograder.submission.names import listed, printable

MANY = 10
"""Of each kind of thing that needs a human, so many are named; grades.csv and similarity.csv have the rest."""

BESIDES = 10
"""Lines of a terminal that are wanted for what is not the table."""

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
    waiting: int = 0
    """submissions without a grade yet, where the run was interrupted"""
    assignments: dict[str, AssignmentSummary] = field(default_factory=dict)
    superseded: int = 0
    layout: str = ""
    """how the folder was read"""
    taken: Taken = field(default_factory=Taken)
    """what it replaced"""
    idle: list[str] = field(default_factory=list)
    """corrections that apply to nobody now, a sentence each"""
    skipped: list[str] = field(default_factory=list)
    """files that were passed over"""
    seconds: float = 0.0
    needs_human: dict[str, list[str]] = field(default_factory=dict)
    """by kind, a sentence for each cause"""
    rows: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    """student, assignment, score, status and the first thing to look at, of who is in the folder; where they fit, or
    were asked for"""

    def complete(self, book: Gradebook, stubs: set[str], most: int) -> None:
        """Fill in what the gradebook, and similarity.csv beside it, say. Up to `most` submissions are listed one by
        one.

        `stubs` are the codes of stubs: that several students hand one in unchanged says nothing.
        """
        self.superseded = len(book.superseded())
        self.idle = [
            f"{printable(adjustment.student)}, {adjustment.assignment}: {printable(adjustment.sentence, 200)}"
            for adjustment in book.idle_adjustments()
        ]
        self.reused = -self.graded
        cases = Cases()
        for row in book.rows():
            self.reused += bool(row.key.suite)
            self.assignments.setdefault(row.submission.assignment, AssignmentSummary()).add(row)
            if len(self.rows) <= most and row.submission.who in self.taken.people:
                self.rows.append(_line(row))
            cases.add(row)
        if len(self.rows) > most:
            self.rows.clear()
        for case in cases:
            self.needs_human.setdefault(case.status, []).append(_sentence(case))
        if alike := [*_identical(book, stubs), *_alike(book)]:
            self.needs_human[ALIKE] = alike

    def show(self, console: Console) -> None:
        """Print it."""
        if self.layout:
            console.print(f"Read as {self.layout}.", markup=False, highlight=False, soft_wrap=True)
        if self.rows:
            console.print(_table(self.rows))
            console.print()
        lines = Table.grid(padding=(0, 2))
        for name, assignment in self.assignments.items():
            lines.add_row(name or "?", *assignment.line)
        console.print(lines)
        reused = f", {self.reused} known before" if self.reused else ""
        console.print(f"{self.graded} graded in {self.seconds:.1f} s{reused}.", highlight=False)
        if self.superseded:
            console.print(f"{self.superseded} superseded by a later submission: see superseded.csv.", highlight=False)
        for sentence in self._replaced():
            console.print(Text(sentence), soft_wrap=True)
        if self.skipped:
            names = listed([printable(name) for name in self.skipped], MANY)
            console.print(Text(f"Skipped, as nobody's submission or an editor's copy: {names}."), soft_wrap=True)
        self._show_needs_human(console)

    def _replaced(self) -> Iterator[str]:
        """What became of what was there before: nothing of anybody goes unnamed."""
        kept = "Kept, though the folder does not hold it any more (--assignment says that it is replaced)"
        withdrawn = "Taken out, since the folder does not hold it any more"
        for what, rows in ((withdrawn, self.taken.withdrawn), (kept, self.taken.kept)):
            for assignment in sorted({assignment for assignment, _ in rows}):
                students = [printable(student) for name, student in sorted(rows) if name == assignment]
                yield f"{what}: {len(students)} of {assignment}: {listed(students, MANY)}."
        if self.taken.attached:
            names = [f"{printable(file)} ({printable(student)})" for file, student in self.taken.attached]
            yield f"Named after students of another folder, and taken as theirs: {listed(names, MANY)}."
        for assignment, student, file, instead in self.taken.outdone[:MANY]:
            yield (
                f"{printable(student)}, {assignment}: {printable(instead, 200)} counts now, and no longer"
                f" {printable(file, 200)}."
            )
        if len(self.taken.outdone) > MANY:
            yield f"and {len(self.taken.outdone) - MANY} more that count from this folder: see superseded.csv."
        if self.idle:
            yield f"Corrected by hand, and now there is no submission for it: {'; '.join(self.idle[:MANY])}."

    def _show_needs_human(self, console: Console) -> None:
        if self.needs_human:
            console.print("To look at yourself:", style="bold")
        for kind, sentences in self.needs_human.items():
            for sentence in sentences[:MANY]:
                console.print(Text(f"  {sentence}"), soft_wrap=True)
            if (more := len(sentences) - MANY) > 0:
                console.print(f"  and {more} more {kind.replace('_', ' ')}: see report.html", highlight=False)


def _identical(book: Gradebook, stubs: set[str]) -> Iterator[str]:
    """Groups of submissions with the same code."""
    for rows in book.identical():
        if rows[0].key.code not in stubs:
            students = ", ".join(printable(row.student) for row in rows)
            yield f"{rows[0].submission.assignment}: {students} handed in identical code"


def _alike(book: Gradebook) -> Iterator[str]:
    """Groups of submissions that are alike and not all one file: those are named already."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for pair in similarity.read(book.out) or []:
        groups.setdefault((pair["assignment"], pair["group"]), []).append(pair)
    for (assignment, group), pairs in groups.items():
        if any(pair["sha256"] != pair["other_sha256"] for pair in pairs):
            sides = dict.fromkeys(pair[side] for pair in pairs for side in ("student", "other_student"))
            students = printable(", ".join(sides), 200)
            yield f"{assignment}: {students} are much the same (similarity.csv, group {group})"


def _sentence(case: Case) -> str:
    many = f"{len(case.students)} students: " if len(case.students) > 1 else ""
    status = "" if case.status == NO_GRADE else f" ({case.status.replace('_', ' ')})"
    return f"{case.assignment}, {many}{listed(case.students, MANY)}{status}: {case.why}"


def _line(row: Row) -> tuple[str, str, str, str, str]:
    submission = row.submission
    score = f"{row.score:g}/{row.max_score:g}" if row.max_score else "0"
    return printable(row.student, 40), submission.assignment or "?", score, row.status, first_thing(row)


def _table(rows: list[tuple[str, str, str, str, str]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("student", "assignment", "score", "status", "first thing to look at"):
        table.add_column(name, justify="right" if name == "score" else "left", overflow="fold")
    for student, assignment, score, status, first in rows:
        style = "green" if first == ALL_PASS else "" if status == Status.GRADED else "red"
        table.add_row(Text(student), assignment, score, Text(status, style=style), Text(first))
    return table
