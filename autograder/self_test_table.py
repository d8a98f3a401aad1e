"""A table of the sandbox's self-test, with the lock that keeps each promise, and a table of the limits."""

from __future__ import annotations

import os

from rich.console import Console
from rich.table import Table

from autograder.sandbox import self_test
from autograder.sandbox.limits import LIMITS


def print_table(console: Console) -> bool:
    """Print each promise with its lock, and the limits. Return True if every promise holds."""
    findings = self_test.examine()
    table = Table(
        title=f"The wall, as {'root' if os.geteuid() == 0 else 'an ordinary user'}", title_justify="left", box=None
    )
    for heading in ("", "a submission", "kept by", ""):
        table.add_column(heading, overflow="fold")
    for finding in findings:
        table.add_row("[green]✓[/]" if finding.held else "[red]✗[/]", finding.promise, finding.locks, finding.detail)
    console.print(table)
    for sentence in dict.fromkeys(finding.fix for finding in findings if not finding.held):
        console.print(f"[red]To fix it:[/] {sentence}")
    limits = Table(title="The limits", title_justify="left", box=None, show_header=False)
    for amount, what in LIMITS.iter_amounts_and_descriptions():
        limits.add_row(amount, what)
    limits.columns[0].justify = "right"
    console.print(limits)
    return all(finding.held for finding in findings)
