"""Code shared by all commands: printing, errors, options, checks that run first, and the self-test's table."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from autograder import course
from autograder.checks.output_encoding import print_anywhere

if TYPE_CHECKING:
    from rich.console import Console

CHECK_FAILED, WRONG_USE, WALL_DOWN, INTERRUPTED = 1, 2, 3, 130


def echo(text: object, err: bool = False) -> None:
    """Print a command's output.

    Names and messages in the output come from other people, so control characters are escaped as in JSON.
    """
    shown = (letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1] for letter in str(text))
    click.echo("".join(shown), err=err)


class CommandError(click.ClickException):
    """An error that ends the command with one sentence."""

    exit_code = WRONG_USE

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message. Under `make`, replace each option in it with the variable that a person types."""
        sentence = self.format_message()
        if os.environ.get("TYPED_MAKE"):
            sentence = re.sub(r"--(assignment|out|jobs)\b ?", lambda option: f"{option[1].upper()}=", sentence)
        echo(f"Error: {sentence}", err=True)


class WallDownError(CommandError):
    """An error that stops a command before anything runs, because the sandbox does not hold on this machine."""

    exit_code = WALL_DOWN


def known_assignment(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Return the names unchanged. Raise BadParameter if this term has no such assignment."""
    try:
        for name in [value] if isinstance(value, str) else value or ():
            course.find(name)
    except LookupError as error:
        raise click.BadParameter(str(error)) from error
    return value


class NonEmptyPath(click.Path):
    """A non-empty folder name: an empty one (from an unset variable) would mean the current folder."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the path. Fail if the name is empty."""
        if value == "":
            self.fail("the folder name is empty: name the folder", parameter, context)
        return super().convert(value, parameter, context)


PATH, FOLDER = click.Path(path_type=Path), NonEmptyPath(path_type=Path, file_okay=False)

OUT_ARGUMENT = click.argument("out", type=FOLDER)
ASSIGNMENT_OPTION = click.option(
    "--assignment",
    callback=known_assignment,
    metavar="NAME",
    help="The assignment, if no folder or file name contains it.",
)
REPEATABLE_ASSIGNMENT_OPTION = click.option(
    "--assignment",
    "assignments",
    multiple=True,
    callback=known_assignment,
    metavar="NAME",
    help="Only these assignments.",
)
ISOLATION_OPTION = click.option(
    "--isolation",
    type=click.Choice(["full", "none"]),
    default="full",
    show_default=True,
    help="`none` runs submissions without the sandbox: only for code that you trust, on systems without the locks.",
)


class Commands(click.Group):
    """A group of commands that prints an error as a sentence if a person can act on it."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the command line with output streams that can print any text."""
        print_anywhere()
        return super().main(*arguments, **options)

    def invoke(self, context: click.Context) -> Any:
        """Run a command, which exits with code 130 if it is interrupted at any point."""
        try:
            return super().invoke(context)
        except course.UserError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            echo("Stopped.", err=True)
            context.exit(INTERRUPTED)


def warn_if_incomplete(out: Path) -> None:
    """Print a warning if grades are missing from the last run."""
    from autograder.batch.gradebook import Gradebook

    with Gradebook.reading(out) as book:
        if sentence := book.incomplete():
            echo(f"Incomplete: {sentence}.", err=True)


def disabled_locks_after_test(isolation: str) -> Collection[str]:
    """Return the locks to disable. Raise WallDownError if the sandbox is required but does not hold."""
    if isolation == "none":
        from autograder.sandbox.confine import ALL_LOCKS

        echo("Warning: submissions run without isolation and can read and change what you can.", err=True)
        return ALL_LOCKS
    from autograder.sandbox import self_test

    try:
        self_test.require()
    except self_test.BrokenPromiseError as error:
        raise WallDownError(str(error)) from error
    return ()


def print_self_test_table(console: Console) -> bool:
    """Print each of the sandbox's promises with its locks, and the limits. Return True if every promise holds."""
    from rich.table import Table

    from autograder.sandbox import self_test
    from autograder.sandbox.limits import LIMITS

    findings = self_test.examine()
    table = Table(
        title=f"The wall, as {'root' if os.geteuid() == 0 else 'an ordinary user'}", title_justify="left", box=None
    )
    for heading in ("", "a submission", "kept by", ""):
        table.add_column(heading, overflow="fold")
    for finding in findings:
        table.add_row("[green]✓[/]" if finding.held else "[red]✗[/]", finding.promise, finding.locks, finding.breach)
    console.print(table)
    for sentence in dict.fromkeys(finding.fix for finding in findings if not finding.held):
        console.print(f"[red]To fix it:[/] {sentence}")
    limits = Table(title="The limits", title_justify="left", box=None, show_header=False)
    for amount, what in LIMITS.iter_amounts_and_descriptions():
        limits.add_row(amount, what)
    limits.columns[0].justify = "right"
    console.print(limits)
    return all(finding.held for finding in findings)
