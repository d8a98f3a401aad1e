"""Does the wall hold on this machine? A line for each promise with the lock that keeps it, and the limits."""

from __future__ import annotations

import os
from dataclasses import fields

from rich.console import Console
from rich.table import Table

from autograder.sandbox import self_test
from autograder.sandbox.limits import LIMITS, MIB, Limits


def print_table(console: Console) -> bool:
    """Print what holds, by which lock, and the limits. Returns whether everything holds."""
    findings = self_test.examine()
    table = Table(
        title=f"The wall, as {'root' if os.geteuid() == 0 else 'an ordinary user'}", title_justify="left", box=None
    )
    for heading in ("", "a submission", "kept by", ""):
        table.add_column(heading, overflow="fold")
    for finding in findings:
        table.add_row("[green]✓[/]" if finding.held else "[red]✗[/]", finding.promise, finding.lock, finding.detail)
    console.print(table)
    for sentence in dict.fromkeys(finding.fix for finding in findings if not finding.held):
        console.print(f"[red]To fix it:[/] {sentence}")
    console.print(_limits_table())
    return all(finding.held for finding in findings)


def _limits_table() -> Table:
    table = Table(title="The limits", title_justify="left", box=None, show_header=False)
    for amount, what in (
        (f"{LIMITS.call_seconds:g} s", "one call, and loading the file"),
        (
            f"{LIMITS.submission_seconds:g} s",
            "all calls of a submission; processor time of a worker, and of the tests themselves",
        ),
        (f"{LIMITS.memory // MIB} MiB", "memory"),
        (f"{LIMITS.tasks}", "threads; no process but its own"),
        (f"{LIMITS.files // MIB} MiB", "files, in a scratch folder that is new for every worker"),
        (f"{LIMITS.file_count}", "files in it"),
        (f"{LIMITS.open_files}", "open descriptors"),
        (f"{LIMITS.output // 1024} KiB", "kept of what it prints"),
        (f"{LIMITS.numbers}", "numbers in one result"),
        (f"{LIMITS.message // MIB} MiB", "one reply"),
        (f"{LIMITS.replacements}", "replacements of a worker that ended"),
        (f"{LIMITS.slow_calls}", "calls of a function that did not return; then it is not called again"),
    ):
        table.add_row(amount, what)
    assert table.row_count == len(fields(Limits)), "every limit has its line"
    table.columns[0].justify = "right"
    return table
