"""What a batch came to, and what in it needs a human."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.batch.gradebook import Gradebook
from autograder.checks.status import Status
from autograder.grading.review import ALL_PASS, first_thing, needs_a_person
from autograder.grading.row import Row
from autograder.reports import similarity
from autograder.submission.names import printable

SMALL = 100
"""Up to so many submissions are listed one by one."""

MANY = 10
"""Of each kind of thing that needs a human, so many are named; grades.csv and similarity.csv have the rest."""

LOST, ALIKE = "without a grade", "alike"


@dataclass
class Summary:
    """What a batch came to."""

    graded: int = 0
    """submissions graded in this run"""
    reused: int = 0
    """submissions whose grade was there already"""
    waiting: int = 0
    """submissions without a grade yet, where the run was interrupted"""
    counts: dict[str, int] = field(default_factory=dict)
    """submissions by status"""
    superseded: int = 0
    seconds: float = 0.0
    needs_human: dict[str, list[str]] = field(default_factory=dict)
    """by kind, a sentence for each"""
    rows: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    """student, assignment, score, status and the first thing to look at; of small batches only"""

    def show(self, console: Console) -> None:
        """Print it."""
        if self.rows:
            console.print(_table(self.rows))
        statuses = ", ".join(f"{count} {status}" for status, count in self.counts.items()) or "nothing"
        reused = f", {self.reused} known before" if self.reused else ""
        console.print(f"{self.graded} graded in {self.seconds:.1f} s{reused}: {statuses}.", highlight=False)
        if self.superseded:
            console.print(f"{self.superseded} superseded by a later submission: see superseded.csv.", highlight=False)
        if self.needs_human:
            console.print("To look at yourself:", style="bold")
        for kind, sentences in self.needs_human.items():
            for sentence in sentences[:MANY]:
                console.print(Text(f"  {sentence}"), soft_wrap=True)
            if len(sentences) > MANY:
                console.print(f"  and {len(sentences) - MANY} more {kind}", highlight=False)


def complete(summary: Summary, book: Gradebook, stubs: set[str]) -> None:
    """Fill in what the gradebook, and similarity.csv beside it, say.

    `stubs` are the codes of stubs: that several students hand one in unchanged says nothing.
    """
    summary.counts = book.counts()
    summary.superseded = len(book.superseded())
    small = sum(summary.counts.values()) <= SMALL
    summary.reused = -summary.graded
    found: dict[str, list[str]] = {kind: [] for kind in (LOST, *Status, ALIKE)}
    for row in book.rows():
        summary.reused += bool(row.key.suite)
        if small:
            summary.rows.append(_line(row))
        if needs_a_person(row):
            found[LOST if row.lost else row.status].append(f"{_who(row)}: {first_thing(row)}")
    for group in book.identical():
        if group[0].key.code not in stubs:
            names = ", ".join(printable(row.submission.student) for row in group)
            found[ALIKE].append(f"{group[0].submission.assignment}: {names} handed in identical code")
    found[ALIKE] += _alike(book)
    summary.needs_human = {kind: sentences for kind, sentences in found.items() if sentences}


def _alike(book: Gradebook) -> Iterator[str]:
    """Groups of submissions that are alike and not all identical: those are named already."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for pair in similarity.read(book.path.parent) or []:
        groups.setdefault((pair["assignment"], pair["group"]), []).append(pair)
    for (assignment, group), pairs in groups.items():
        if any(float(pair[share]) < 1 for pair in pairs for share in ("share", "other_share")):
            students = dict.fromkeys(pair[side] for pair in pairs for side in ("student", "other_student"))
            yield f"{assignment}: {printable(', '.join(students), 200)} handed in much the same (similarity.csv, group {group})"


def _who(row: Row) -> str:
    one = row.submission
    return f"{one.assignment or printable(one.file)}, {printable(one.student)} ({row.status})"


def _line(row: Row) -> tuple[str, str, str, str, str]:
    one = row.submission
    score = f"{row.score:g}/{row.max_score:g}" if row.max_score else "0"
    return printable(one.student, 40), one.assignment or "?", score, row.status, first_thing(row)


def _table(rows: list[tuple[str, str, str, str, str]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("student", "assignment", "score", "status", "first thing to look at"):
        table.add_column(name, justify="right" if name == "score" else "left", overflow="fold")
    for student, assignment, score, status, first in rows:
        style = "green" if first == ALL_PASS else "" if status == Status.GRADED else "red"
        table.add_row(Text(student), assignment, score, Text(status, style=style), Text(first))
    return table
