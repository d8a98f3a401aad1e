"""The command line: `autograder grade | check | build | handout | report | similarity | canvas | doctor | bench`.

Each command imports what it needs when it runs, so that the quick ones are quick. Exit codes: 0 done, 1 some check failed
(`check`), 2 wrong use or nothing to grade, 3 the wall does not hold here.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import IO, Any, TextIO

import click

from autograder import course

CHECK_FAILED, WRONG_USE, WALL_DOWN = 1, 2, 3


def _say(text: object, err: bool = False) -> None:
    """All that a command prints itself. Names and messages in it are somebody else's choice: a character that would do something
    to the terminal is spelled out, as JSON spells it."""
    click.echo("".join(character if character.isprintable() or character == "\n" else _spelled(character) for character in str(text)), err=err)


def _spelled(character: str) -> str:
    return json.dumps(character)[1:-1]


class Refusal(click.ClickException):
    """Ends the command with one sentence."""

    exit_code = WRONG_USE

    def show(self, file: IO[Any] | None = None) -> None:
        _say(f"Error: {self.format_message()}", err=True)


class WallDown(Refusal):
    """The wall does not hold here, and nothing was run."""

    exit_code = WALL_DOWN


def _assignment(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        try:
            course.find(value)
        except LookupError as error:
            raise click.BadParameter(str(error)) from error
    return value


assignment_option = click.option(
    "--assignment", callback=_assignment, metavar="NAME", help="Which assignment plain files are; else their folder or name says it."
)
isolation_option = click.option(
    "--isolation",
    type=click.Choice(["full", "none"]),
    default="full",
    show_default=True,
    help="`none` runs submissions without the wall: only for code that you trust, on systems without the locks.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Grades the Whereabouts course on positional encodings."""


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
@assignment_option
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("results"), show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Grader processes; default: one a core.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, tcp://host:port, to grade on a cluster.")
@click.option("--regrade", is_flag=True, help="Grade again what the gradebook already has.")
@isolation_option
def grade(
    folder: Path, assignment: str | None, out: Path, jobs: int | None, scheduler: str | None, regrade: bool, isolation: str
) -> None:
    """Grade every submission in FOLDER."""
    from rich.console import Console

    from autograder.batch import coordinator
    from autograder.batch.jobs import BatchError
    from autograder.submission import NothingToGrade

    configuration = coordinator.RunConfiguration(
        folder,
        out,
        assignment=assignment,
        jobs=jobs or len(os.sched_getaffinity(0)),
        scheduler=scheduler,
        disabled_locks=_disabled_locks(isolation),
        regrade=regrade,
    )
    try:
        coordinator.grade(configuration, Console())
    except (NothingToGrade, BatchError) as error:
        raise Refusal(str(error)) from error


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@assignment_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@isolation_option
def check(file: Path, assignment: str | None, as_json: bool, isolation: str) -> None:
    """Grade one submission and show every test, hidden ones too: for teaching staff."""
    from autograder.grading.grader import Grader
    from autograder.reports import one_submission
    from autograder.submission import NothingToGrade, read_file

    disabled_locks = _disabled_locks(isolation)
    known = [one.name for one in course.assignments()]
    try:
        submission = read_file(file, assignment, known)
    except NothingToGrade as error:
        raise Refusal(str(error)) from error
    if not submission.assignment:
        assert submission.problem is not None
        raise Refusal(submission.problem.instructor)
    grade = None
    if submission.problem is None:
        with Grader(disabled_locks) as grader:
            grade = grader.grade(course.find(submission.assignment), submission.cells)
    if as_json:
        _say(json.dumps(one_submission.as_json(submission, grade), indent=2, ensure_ascii=False))
    else:
        one_submission.print_table(submission, grade)
    if grade is None or any(not one.passed for one in grade.test_results):
        sys.exit(CHECK_FAILED)


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("dist/autograder"), show_default=True)
@click.option("--config", type=click.File(encoding="utf-8"), help="Your own part of Otter's configuration: a file of JSON.")
@isolation_option
def build(names: tuple[str, ...], out: Path, config: TextIO | None, isolation: str) -> None:
    """Build the zips for `otter run`, `otter grade` and Gradescope: all assignments, or those named."""
    from autograder.otter import package

    try:
        chosen = [course.find(name) for name in names] or course.assignments()
        settings = json.load(config) if config is not None else None
        for path in package.build(chosen, out, settings, isolation):
            _say(path)
    except (LookupError, json.JSONDecodeError, package.PackageError) as error:
        raise Refusal(str(error)) from error


@main.command()
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), default=Path("dist/handout.zip"), show_default=True)
def handout(out: Path) -> None:
    """Bring stubs and recorded values up to date, and build what students get."""
    from autograder import handout as room

    try:
        for path in room.regenerate():
            _say(f"updated {path}")
        _say(room.build(out))
    except room.HandoutError as error:
        raise Refusal(str(error)) from error


@main.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
def report(out: Path) -> None:
    """Write OUT/report.html again from the gradebook of a finished run."""
    from autograder.batch import postprocessing
    from autograder.batch.gradebook import GradebookError

    try:
        _say(postprocessing.write_report(out))
    except GradebookError as error:
        raise Refusal(str(error)) from error


@main.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
def similarity(out: Path) -> None:
    """List what is worth reading side by side among the submissions of a finished run."""
    from rich.console import Console

    from autograder.batch import postprocessing
    from autograder.batch.gradebook import GradebookError
    from autograder.reports import similarity as room

    console = Console()
    try:
        with console.status("Comparing what was handed in"):
            pairs = postprocessing.write_similarity(out)
            report_file = postprocessing.write_report(out)
    except GradebookError as error:
        raise Refusal(str(error)) from error
    room.print_table(pairs, console)
    _say(f"Written to {out / room.FILE} and {report_file}.")


@main.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--roster", type=click.Path(path_type=Path), required=True, help="The gradebook that Canvas exports.")
@click.option("--column", "columns", multiple=True, metavar="NAME=TITLE", help="Canvas's title, where that is not the name.")
def canvas(out: Path, roster: Path, columns: tuple[str, ...]) -> None:
    """Write OUT/canvas.csv, for Canvas's gradebook import, from the gradebook of a finished run."""
    from autograder.batch.gradebook import Gradebook, GradebookError
    from autograder.reports import canvas as room
    from autograder.submission.names import printable

    titles = dict(column.partition("=")[::2] for column in columns)
    try:
        with Gradebook.reading(out) as book:
            written = room.write(out, book, roster, titles)
    except (GradebookError, room.RosterError) as error:
        raise Refusal(str(error)) from error
    _say(f"{written.scores} scores in {written.path}")
    for name in written.created:
        _say(f"{roster.name} has no column {titles.get(name, name)}: Canvas will ask whether it is a new assignment.")
    for sentence in written.left_out:
        _say(f"Left out: {printable(sentence, 300)}.", err=True)


@main.command()
def doctor() -> None:
    """Try to break out of a real worker, and say promise by promise what held."""
    from rich.console import Console

    from autograder import doctor as room

    if not room.print_table(Console()):
        sys.exit(WALL_DOWN)


@main.command()
def bench() -> None:
    """Measure the speed of this machine's grading against `otter run`."""
    from rich.console import Console

    from autograder import bench as room

    room.run(Console())


def _disabled_locks(isolation: str) -> Collection[str]:
    """The locks to leave off. Refuses to go on where the wall is wanted and does not hold."""
    if isolation == "none":
        from autograder.sandbox.confine import NAMES

        _say("Warning: submissions run without isolation and can read and change what you can.", err=True)
        return NAMES
    from autograder.sandbox import promises

    try:
        promises.require()
    except promises.BrokenPromise as error:
        raise WallDown(str(error)) from error
    return ()


