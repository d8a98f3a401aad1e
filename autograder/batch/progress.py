"""How a batch is getting on: one bar in a terminal, a line now and then in a log."""

from __future__ import annotations

import time
from collections import Counter

from rich import progress
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

SECONDS_BETWEEN_LINES = 10.0


class Progress(progress.Progress):
    """Counts submissions as they are graded and shows the count, the rate, the time left and the statuses."""

    def __init__(self, console: Console, total: int) -> None:
        super().__init__(
            TextColumn("Grading"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[statuses]}"),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self.total = total
        self.done = 0
        self.counts: Counter[str] = Counter()
        self._begin = self._said = time.monotonic()
        self._bar = self.add_task("", total=total, rate="", statuses="")

    def graded(self, status: str, submission_files: int) -> None:
        """So many submissions share a grade that has come."""
        self.done += submission_files
        self.counts[status] += submission_files
        if self.console.is_terminal:
            self.update(self._bar, completed=self.done, rate=self._rate(), statuses=self._statuses())
        elif time.monotonic() - self._said >= SECONDS_BETWEEN_LINES:
            self._said = time.monotonic()
            left = (self.total - self.done) * self._seconds() / self.done
            line = f"{self.done} of {self.total} graded, {self._rate()}, {left:.0f} s left: {self._statuses()}"
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _seconds(self) -> float:
        return time.monotonic() - self._begin

    def _rate(self) -> str:
        return f"{self.done / max(self._seconds(), 0.001):.1f} a second"

    def _statuses(self) -> str:
        return ", ".join(f"{count} {status}" for status, count in self.counts.most_common())
