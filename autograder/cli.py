"""The command line: `autograder` and a command, each with its `--help`.

Each command imports what it needs when it runs, so that the quick ones are quick. Exit codes: 0 done, 1 some check
failed (`check`), 2 wrong use or nothing to grade, 3 the sandbox does not hold here, 130 interrupted with work left.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Collection
from pathlib import Path
from typing import IO, Any, TextIO

import click

from autograder import course

CHECK_FAILED, WRONG_USE, WALL_DOWN, INTERRUPTED = 1, 2, 3, 130


def _say(text: object, err: bool = False) -> None:
    """Print a text of a command.

    Other people choose names and messages in it, so characters that a terminal obeys are spelled as in JSON.
    """
    shown = (letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1] for letter in str(text))
    click.echo("".join(shown), err=err)


class CommandError(click.ClickException):
    """Error that ends the command with one sentence."""

    exit_code = WRONG_USE

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the sentence. For `make`, an option in it is the variable that one types there."""
        sentence = self.format_message()
        if os.environ.get("TYPED_MAKE"):
            sentence = re.sub(r"--(assignment|out|jobs)\b ?", lambda option: f"{option[1].upper()}=", sentence)
        _say(f"Error: {sentence}", err=True)


class WallDownError(CommandError):
    """Error for a sandbox that does not hold here: nothing was run."""

    exit_code = WALL_DOWN


def _assignment(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Return the names as they are. Raise BadParameter if the course has no such assignment."""
    try:
        for name in [value] if isinstance(value, str) else value or ():
            course.find(name)
    except LookupError as error:
        raise click.BadParameter(str(error)) from error
    return value


class Folder(click.Path):
    """A folder's name. An empty one, as an unset variable gives it, would be the current folder."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the path. Fail for an empty name."""
        if value == "":
            self.fail("the name of a folder is empty: name the folder", parameter, context)
        return super().convert(value, parameter, context)


PATH, FOLDER = click.Path(path_type=Path), Folder(path_type=Path, file_okay=False)

out_argument = click.argument("out", type=FOLDER)
assignment_option = click.option(
    "--assignment", callback=_assignment, metavar="NAME", help="The assignment, if no name of a folder or file says it."
)
isolation_option = click.option(
    "--isolation",
    type=click.Choice(["full", "none"]),
    default="full",
    show_default=True,
    help="`none` runs submissions without the sandbox: only for code that you trust, on systems without the locks.",
)


class _Commands(click.Group):
    """The commands. An error that a person can act on is printed as a sentence, in every command."""

    def invoke(self, context: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(context)
        except course.UserError as error:
            raise CommandError(str(error)) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="whereabouts-autograder", prog_name="autograder")
def main() -> None:
    """Grade the Whereabouts course on positional encodings."""


@main.command(short_help="Grade a class.")
@click.argument("folders", nargs=-1, required=True, type=FOLDER, metavar="FOLDER…")
@assignment_option
@click.option("--out", type=FOLDER, default=Path("results"), show_default=True, help="Where results go.")
@click.option("--jobs", type=click.IntRange(min=1), help="Graders at a time; one per core by default.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, tcp://host:port, to grade on a cluster.")
@isolation_option
def grade(folders: tuple[Path, ...], jobs: int | None, isolation: str, **options: Any) -> None:
    """Grade every submission in FOLDER into OUT.

    Where a student has submissions for one assignment in several FOLDERs, the one in the later folder counts.
    Corrections by hand stand in adjustments.csv beside the last FOLDER: student, assignment, points or score, reason.
    """
    from rich.console import Console

    from autograder.batch import run

    locks = _disabled_locks(isolation)
    jobs = jobs or len(os.sched_getaffinity(0))
    try:
        run.grade(folders, jobs=jobs, disabled_locks=locks, console=Console(), **options)
    except KeyboardInterrupt:
        _say("Stopped. What was graded is kept, and the same command goes on.", err=True)
        sys.exit(INTERRUPTED)


@main.command(short_help="Grade one submission.")
@click.argument("file", type=PATH)
@assignment_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@isolation_option
def check(file: Path, assignment: str | None, as_json: bool, isolation: str) -> None:
    """Grade one submission and show what did not pass, in hidden tests too: for teaching staff."""
    from rich.console import Console

    from autograder.grading.grader import grade_alone
    from autograder.reports import one_submission
    from autograder.submission import read_alone

    disabled_locks = _disabled_locks(isolation)
    submission = read_alone(file, assignment, [known.name for known in course.assignments()])
    if not submission.assignment:
        assert submission.problem is not None
        raise CommandError(submission.problem.for_staff)
    grade = None if submission.problem else grade_alone(course.find(submission.assignment), submission, disabled_locks)
    if as_json:
        _say(json.dumps(one_submission.as_json(submission, grade), indent=2, ensure_ascii=False))
    else:
        one_submission.print_result(submission, grade, Console())
    if grade is None or grade.score < grade.max_score:
        sys.exit(CHECK_FAILED)


@main.command(short_help="Build the zips for Otter and Gradescope.")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--out", type=FOLDER, default=Path("dist/autograder"), show_default=True)
@click.option("--config", type=click.File(encoding="utf-8"), help="Your part of Otter's configuration, as JSON.")
@isolation_option
def build(names: tuple[str, ...], out: Path, config: TextIO | None, isolation: str) -> None:
    """Build the zips for `otter run` and Gradescope, of all assignments or of some."""
    from autograder.handout import complaint
    from autograder.otter import package

    try:
        chosen = [course.find(name) for name in names] or course.assignments()
        if problem := next(filter(None, map(complaint, chosen)), None):
            raise CommandError(problem)
        settings = json.load(config) if config is not None else None
        for path in package.build(chosen, out, settings, isolation):
            _say(path)
    except (LookupError, json.JSONDecodeError) as error:
        raise CommandError(str(error)) from error


@main.command(short_help="Build the handout for students.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), default=Path("dist/handout.zip"), show_default=True
)
@click.option(
    "--only", multiple=True, callback=_assignment, metavar="NAME", help="Only these assignments, which are open by now."
)
def handout(out: Path, only: tuple[str, ...]) -> None:
    """Bring stubs and recorded values up to date, and build the handout for students."""
    from autograder import handout as room
    from autograder.plan import Edition

    for path in room.regenerate():
        _say(f"updated {path.relative_to(course.ROOT)}")
    for sentence in Edition.of_term(only).unmet_needs():
        _say(f"Warning: {sentence}.", err=True)
    _say(room.build(out, only))


@main.command(short_help="Build the course as a site in which Python runs.")
@click.option("--out", type=FOLDER, default=Path("dist/site"), show_default=True)
@click.option(
    "--pyodide", metavar="URL|DIR", help="Where Pyodide comes from: an address, or a folder to put into the site."
)
@click.option("--alone", is_flag=True, help="For learning alone: with hidden tests, reasons and worked solutions.")
def site(out: Path, pyodide: str | None, alone: bool) -> None:
    """Build a folder for any static host: the lessons with an editor beside them, and Python in the browser tab.

    The site holds what the handout holds. With --alone it holds every answer: publish that for those who learn
    without an instructor, and never for a class.
    """
    from autograder.site import build as room

    _say(room.build(out, pyodide or room.PYODIDE, alone))


@main.command(short_help="Begin a new assignment.")
@click.argument("name")
def new(name: str) -> None:
    """Write the files of a new assignment NAME as small working examples: see tests/README.md."""
    from autograder import handout as room

    written, to_add = room.create(name)
    for path in written:
        _say(path.relative_to(course.ROOT))
    for line in to_add:
        _say(line)
    _say("Now replace the examples bit by bit. `make handout` says what is missing, and `make test` checks everything.")


@main.command(short_help="Write the class page again.")
@out_argument
def report(out: Path) -> None:
    """Write OUT/report.html and OUT/similarity.csv again from the gradebook of a finished run."""
    from autograder.batch import publish

    _warn_if_incomplete(out)
    publish.write_report(out)
    _say(out / "report.html")


@main.command(short_help="List similar submissions.")
@out_argument
@click.option(
    "--against",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="An earlier term's submissions.",
)
def similarity(out: Path, folders: tuple[Path, ...]) -> None:
    """List submissions of a finished run that are worth reading side by side, in OUT/similarity.csv.

    Later runs compare with the folders of --against as well, until this command names others.
    """
    from autograder.batch import publish
    from autograder.reports import similarity as room

    _warn_if_incomplete(out)
    for text in publish.compare_with(out, folders):
        _say(f"Not compared: {text}.", err=True)
    pairs = room.read(out) or []
    for pair in pairs[:40]:
        shares = f"{pair['share']} / {pair['other_share']} shared"
        _say(f"{pair['assignment']}, group {pair['group']}: {pair['student']} and {pair['other_student']}, {shares}")
    _say(
        f"{len(pairs)} pairs worth reading side by side in {out / room.FILE}. Alike is not copied: read both, and ask."
    )


@main.command(short_help="Fill scores into a table of Canvas, Moodle or yours.")
@out_argument
@click.option("--table", type=PATH, required=True, help="Canvas's gradebook, Moodle's worksheet, or any CSV.")
@click.option(
    "--assignment", "assignments", multiple=True, callback=_assignment, metavar="NAME", help="Only these assignments."
)
@click.option("--id-column", metavar="TITLE", help="Column with a student's number, address or login.")
@click.option(
    "--grade-column",
    "grade_columns",
    multiple=True,
    metavar="TITLE",
    help="Column for the scores; one per --assignment.",
)
def roster(out: Path, table: Path, **options: Any) -> None:
    """Write OUT/roster_TABLE: the table with the scores of a finished run, and say who is not found.

    The columns are guessed for Canvas and Moodle. A student is found by the platform's number, the university's
    number, the address or the login, written in the same way in both. Sections of the table go into students.csv.
    """
    from autograder.batch import publish
    from autograder.batch.gradebook import Gradebook
    from autograder.reports import roster as room
    from autograder.submission.names import listed

    with Gradebook.reading(out) as book:
        book.require_complete()
        filled = room.fill(out, book.rows(), table, **options)
    _say(f"{sum(filled.scores.values())} scores in {filled.path}")
    if len(filled.scores) > 1:
        _say(", ".join(f"{title}: {count}" for title, count in filled.scores.items()))
    if filled.sections:
        publish.keep_sections(out, filled.sections)
    for heading, about in filled.remarks.items():
        _say(f"{heading}: {listed(about, 40)}.", err=True)


@main.command(short_help="Pack feedback for Canvas or Moodle.")
@out_argument
@click.option(
    "--for",
    "platform",
    type=click.Choice(["canvas", "moodle"]),
    required=True,
    help="Platform that gives it to students.",
)
def feedback(out: Path, platform: str) -> None:
    """Pack the feedback of a finished run in the names and forms that a platform takes back."""
    from autograder.batch.gradebook import Gradebook
    from autograder.reports import feedback_zip
    from autograder.submission.names import listed

    with Gradebook.reading(out) as book:
        book.require_complete()
        pages, without = feedback_zip.pack(out, book.rows(), book.replaced(), platform)
    if pages:
        _say(f"{sum(pages.values())} pages in {', '.join(map(str, pages))}: {feedback_zip.PLATFORMS[platform]}.")
    if without:
        _say(f"Without a page, {len(without)}: {listed(without, 40)}.", err=True)
    if not pages:
        raise CommandError(f"nobody in {out} came from {platform.title()}: their feedback is in {out / 'feedback'}")


@main.command(short_help="Test the sandbox on this machine.")
def doctor() -> None:
    """Try to break out of a real worker, and list which promises held."""
    from rich.console import Console

    from autograder import doctor as room

    if not room.print_table(Console()):
        sys.exit(WALL_DOWN)


def _warn_if_incomplete(out: Path) -> None:
    """Say first that a report lacks grades, if it does."""
    from autograder.batch.gradebook import Gradebook

    with Gradebook.reading(out) as book:
        if sentence := book.incomplete():
            _say(f"Incomplete: {sentence}.", err=True)


def _disabled_locks(isolation: str) -> Collection[str]:
    """Return the locks to leave off. Raise WallDownError if the sandbox is expected and does not hold."""
    if isolation == "none":
        from autograder.sandbox.confine import NAMES

        _say("Warning: submissions run without isolation and can read and change what you can.", err=True)
        return NAMES
    from autograder.sandbox import self_test

    try:
        self_test.require()
    except self_test.BrokenPromiseError as error:
        raise WallDownError(str(error)) from error
    return ()


if __name__ == "__main__":
    main()
