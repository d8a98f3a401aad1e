"""How a batch is getting on: one bar in a terminal, a line now and then in a log."""

from __future__ import annotations

import time
from collections import Counter

from rich import progress
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

SECONDS_BETWEEN_LINES = 10.0


class ProgressBar(progress.Progress):
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
        self._begin = self._last_line = time.monotonic()
        self._bar = self.add_task("", total=total, rate="", statuses="")

    def graded(self, status: str, submission_files: int) -> None:
        """So many submissions share a grade that has come."""
        self.done += submission_files
        self.counts[status] += submission_files
        now = time.monotonic()
        rate = f"{self.done / max(now - self._begin, 0.001):.1f} a second"
        statuses = ", ".join(f"{count} {status}" for status, count in self.counts.most_common())
        if self.console.is_terminal:
            self.update(self._bar, completed=self.done, rate=rate, statuses=statuses)
        elif now - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = now
            left = (self.total - self.done) * (now - self._begin) / self.done
            line = f"{self.done} of {self.total} graded, {rate}, {left:.0f} s left: {statuses}"
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)
