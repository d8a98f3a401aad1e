"""The command line: `autograder grade | check | adjust | build | handout | report | similarity | canvas | moodle |
feedback | new | doctor | bench`.

Each command imports what it needs when it runs, so that the quick ones are quick. Exit codes: 0 done, 1 some check
failed (`check`), 2 wrong use or nothing to grade, 3 the wall does not hold here, 130 interrupted with work left.
"""

from __future__ import annotations

import getpass
import json
import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import IO, Any, TextIO

import click

from autograder import course

CHECK_FAILED, WRONG_USE, WALL_DOWN, INTERRUPTED = 1, 2, 3, 130


def _say(text: object, err: bool = False) -> None:
    """All that a command prints itself. Names and messages in it are somebody else's choice: a character that would do
    something to the terminal is spelled out, as JSON spells it."""
    shown = (letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1] for letter in str(text))
    click.echo("".join(shown), err=err)


class CommandError(click.ClickException):
    """Ends the command with one sentence."""

    exit_code = WRONG_USE

    def show(self, file: IO[Any] | None = None) -> None:
        _say(f"Error: {self.format_message()}", err=True)


class WallDown(CommandError):
    """The wall does not hold here, and nothing was run."""

    exit_code = WALL_DOWN


def _assignment(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """A name or several, as they are, if the course has such assignments."""
    try:
        for name in [value] if isinstance(value, str) else value or ():
            course.find(name)
    except LookupError as error:
        raise click.BadParameter(str(error)) from error
    return value


PATH, FOLDER = click.Path(path_type=Path), click.Path(path_type=Path, file_okay=False)

out_argument = click.argument("out", type=FOLDER)
assignment_option = click.option(
    "--assignment",
    callback=_assignment,
    metavar="NAME",
    help="Which assignment plain files are; else their folder or name says it.",
)
map_option = click.option(
    "--map", "aliases", type=PATH, help="A table of what students are called here and there: classroom_roster.csv."
)
scale_option = click.option(
    "--scale", is_flag=True, help="Scale scores to the points that the assignment is worth there."
)
isolation_option = click.option(
    "--isolation",
    type=click.Choice(["full", "none"]),
    default="full",
    show_default=True,
    help="`none` runs submissions without the wall: only for code that you trust, on systems without the locks.",
)


class _Commands(click.Group):
    """The commands. What cannot be done is said in its sentence, whichever command meets it."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except course.UserError as error:
            raise CommandError(str(error)) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="whereabouts-autograder", prog_name="autograder")
def main() -> None:
    """Grades the Whereabouts course on positional encodings."""


def _folder(context: click.Context, parameter: click.Parameter, value: str) -> Path:
    if not value:
        raise click.BadParameter("it is empty: name the folder that holds the submissions")
    return Path(value)


@main.command()
@click.argument("folder", callback=_folder)
@assignment_option
@click.option("--out", type=FOLDER, default=Path("results"), show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Grader processes; default: one per core.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, tcp://host:port, to grade on a cluster.")
@click.option("--regrade", is_flag=True, help="Grade again what the gradebook already has.")
@click.option("--table", is_flag=True, help="List every submission at the end, however many there are.")
@isolation_option
def grade(folder: Path, out: Path, jobs: int | None, isolation: str, **options: Any) -> None:
    """Grade every submission in FOLDER."""
    from rich.console import Console

    from autograder.batch import coordinator

    jobs = jobs or len(os.sched_getaffinity(0))
    configuration = coordinator.RunConfiguration(
        folder, out, jobs=jobs, disabled_locks=_disabled_locks(isolation), **options
    )
    try:
        summary = coordinator.grade(configuration, Console())
    except KeyboardInterrupt:
        _say(f"\nStopped. To go on:\n  {configuration.command}", err=True)
        sys.exit(INTERRUPTED)
    if summary.waiting:
        sys.exit(INTERRUPTED)


@main.command()
@click.argument("file", type=PATH)
@assignment_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("--all", "everything", is_flag=True, help="Show the tests that passed as well.")
@isolation_option
def check(file: Path, assignment: str | None, as_json: bool, everything: bool, isolation: str) -> None:
    """Grade one submission and show what did not pass, in hidden tests too: for teaching staff."""
    from rich.console import Console

    from autograder.grading.grader import grade_alone
    from autograder.reports import one_submission
    from autograder.submission import read_alone

    disabled_locks = _disabled_locks(isolation)
    submission = read_alone(file, assignment, [known.name for known in course.assignments()])
    if not submission.assignment:
        assert submission.problem is not None
        raise CommandError(submission.problem.instructor)
    grade = None if submission.problem else grade_alone(course.find(submission.assignment), submission, disabled_locks)
    if as_json:
        _say(json.dumps(one_submission.as_json(submission, grade), indent=2, ensure_ascii=False))
    else:
        one_submission.print_result(submission, grade, Console(), everything)
    if grade is None or any(result.matters for result in grade.test_results):
        sys.exit(CHECK_FAILED)


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--out", type=FOLDER, default=Path("dist/autograder"), show_default=True)
@click.option(
    "--config", type=click.File(encoding="utf-8"), help="Your own part of Otter's configuration: a file of JSON."
)
@isolation_option
def build(names: tuple[str, ...], out: Path, config: TextIO | None, isolation: str) -> None:
    """Build the zips for `otter run`, `otter grade` and Gradescope: all assignments, or those named."""
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


@main.command()
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), default=Path("dist/handout.zip"), show_default=True
)
@click.option(
    "--only", multiple=True, callback=_assignment, metavar="NAME", help="Only these assignments: the ones open by now."
)
def handout(out: Path, only: tuple[str, ...]) -> None:
    """Bring stubs and recorded values up to date, and build what students get."""
    from autograder import handout as room

    for path in room.regenerate():
        _say(f"updated {path}")
    _say(room.build(out, only))


@main.command()
@click.argument("name")
def new(name: str) -> None:
    """Write the files of a new assignment NAME as small working examples: see tests/README.md."""
    from autograder import handout as room

    written = room.create(name)
    for path in written.own + written.shared:
        _say(path.relative_to(course.ROOT))
    _say(f"To undo: {written.undo}")
    _say("Now replace the examples bit by bit; `make handout` says what is missing, and `make test` asks everything.")


@main.command()
@out_argument
def report(out: Path) -> None:
    """Write OUT/report.html again from the gradebook of a finished run."""
    from autograder.batch import postprocessing

    _say(postprocessing.write_report(out))


@main.command()
@out_argument
@click.option(
    "--against",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="An earlier term's submissions.",
)
def similarity(out: Path, folders: tuple[Path, ...]) -> None:
    """List what is worth reading side by side among the submissions of a finished run."""
    from rich.console import Console

    from autograder.batch import postprocessing
    from autograder.reports import similarity as room

    console = Console()
    with console.status("Comparing what was handed in"):
        parties = [*room.course_parties(), *(submission for folder in folders for submission in room.earlier(folder))]
        pairs = postprocessing.write_similarity(out, parties)
        report_file = postprocessing.write_report(out)
    room.print_table(pairs, console)
    _say(f"Written to {out / room.FILE} and {report_file}.")


@main.command()
@out_argument
@click.argument("student", required=False)
@click.argument("assignment", required=False, callback=_assignment)
@click.option("--points", type=float, help="Points to add; with a minus, to take off.")
@click.option("--score", type=float, help="The score to set; above full marks, it is a bonus.")
@click.option("--reason", default="", help="Why. The student reads it.")
@click.option("--comment", default="", help="Anything else for the student.")
@click.option("--by", default="", help="Who says so; else who is logged in.")
@click.option("--undo", type=int, metavar="NUMBER", help="Take an adjustment back.")
@click.option("--from", "table", type=PATH, help="Make all of a table: student, assignment, points or score, reason.")
@click.option("--save", type=PATH, help="Write all as such a table, to keep or to take to another gradebook.")
def adjust(
    out: Path,
    student: str | None,
    assignment: str | None,
    undo: int | None,
    by: str,
    table: Path | None,
    save: Path | None,
    **options: Any,
) -> None:
    """Correct a grade by hand, or comment on it; without --points, --score and --comment, list what was said.

    It is kept in the gradebook of OUT, and stays when the submission is graded again.
    """
    from autograder.batch import adjusting
    from autograder.batch.gradebook import Gradebook
    from autograder.grading.row import Adjustment

    if save is not None:
        _say(f"{adjusting.save(out, save)} corrections in {save}")
        return
    if table is not None:
        made, known = adjusting.add_all(out, table, by or getpass.getuser())
        _say(f"{made} corrections made" + (f", {known} were there already" if known else ""))
        return
    if undo is not None:
        row = adjusting.undo(out, undo)
    elif options["points"] is None and options["score"] is None and not options["comment"]:
        with Gradebook.reading(out) as book:
            said = [word for word in book.adjustments(assignment=assignment) if student in (None, word.student)]
        for word in said:
            _say(f"{word.number:3}  {word.student}, {word.assignment}: {word.sentence}")
        if not said:
            _say(
                "Nothing was corrected by hand. To do so: autograder adjust OUT STUDENT ASSIGNMENT --points +1"
                ' --reason "…"'
            )
        return
    elif student is None or assignment is None:
        raise CommandError("name the student and the assignment: autograder adjust OUT STUDENT ASSIGNMENT …")
    else:
        row = adjusting.add(out, Adjustment(0, student, assignment, by=by or getpass.getuser(), at="", **options))
    if row is not None:
        _say(
            f"{row.student}, {row.submission.assignment}: {row.score:g} of {row.max_score:g}; the tests came to"
            f" {row.tested_score:g}."
        )
        if row.is_cut:
            _say("Points that are added end at full marks: for a bonus, set the score with --score.")


@main.command()
@out_argument
@click.option("--roster", type=PATH, required=True, help="The gradebook that Canvas exports.")
@click.option(
    "--column", "columns", multiple=True, metavar="NAME=TITLE", help="Canvas's title, where that is not the name."
)
@map_option
@scale_option
def canvas(out: Path, roster: Path, columns: tuple[str, ...], aliases: Path | None, scale: bool) -> None:
    """Write OUT/canvas.csv, for Canvas's gradebook import, from the gradebook of a finished run."""
    from autograder.batch.gradebook import Gradebook
    from autograder.reports import canvas as room

    titles = dict(column.partition("=")[::2] for column in columns)
    with Gradebook.reading(out) as book:
        written = room.write(out, book, roster, titles, aliases, scale)
    _say(f"{written.scores} scores in {written.path}: in Canvas's gradebook, take it in under Import")
    for name in written.created:
        title = titles.get(name, name)
        _say(
            f"{roster.name} has no column {title}: Canvas will ask whether it is new. If it is there under a title of"
            f' its own: --column {name}="…"'
        )
    for sentence in written.sentences(roster.name):
        _say(sentence, err=True)


@main.command()
@out_argument
@click.option("--roster", type=PATH, required=True, help="The offline grading worksheet of Moodle's assignment.")
@click.option(
    "--assignment", callback=_assignment, metavar="NAME", help="Whose worksheet it is, where several were graded."
)
@map_option
@scale_option
def moodle(out: Path, roster: Path, assignment: str | None, aliases: Path | None, scale: bool) -> None:
    """Fill in Moodle's grading worksheet, scores and feedback, from the gradebook of a finished run."""
    from autograder.batch.gradebook import Gradebook
    from autograder.reports import moodle as room

    with Gradebook.reading(out) as book:
        written = room.write(out, book, roster, assignment, aliases, scale)
    _say(
        f"{written.scores} scores in {written.path}: in Moodle's assignment, take it in under Upload grading worksheet"
    )
    for sentence in written.sentences(roster.name):
        _say(sentence, err=True)


@main.command()
@out_argument
@click.option(
    "--for",
    "platform",
    type=click.Choice(["canvas", "moodle", "mail"]),
    required=True,
    help="Who gives it to students.",
)
@map_option
def feedback(out: Path, platform: str, aliases: Path | None) -> None:
    """Pack the feedback of a finished run as HTML, under the names by which a platform takes it back."""
    from autograder.batch.gradebook import Gradebook
    from autograder.reports import sending
    from autograder.reports.matching import Aliases
    from autograder.submission.names import listed, printable

    with Gradebook.reading(out) as book:
        packed = sending.pack(out, book, platform, Aliases(aliases))
    _say(f"{packed.files} pages in {', '.join(map(str, packed.paths))}: {sending.PLATFORMS[platform]}")
    if packed.without:
        names = listed([printable(student) for student in packed.without], 10)
        _say(f"Left out, {len(packed.without)} who have no number of {platform.title()}: {names}.", err=True)


@main.command()
def doctor() -> None:
    """Try to break out of a real worker, and say promise by promise what held."""
    from rich.console import Console

    from autograder import doctor as room

    if not room.print_table(Console()):
        sys.exit(WALL_DOWN)


@main.command()
def bench() -> None:
    """Measure the speed of this machine's grading against `otter run`. In a checkout; `make bench SHORT=1` takes a
    minute."""
    if not (course.ROOT / "tests" / "grader").is_dir():
        raise CommandError("the bench is part of a checkout of the course: clone it and run `make bench` there")
    sys.exit(
        subprocess.run([sys.executable, "-m", "tests.grader.tools.bench"], cwd=course.ROOT, check=False).returncode
    )


def _disabled_locks(isolation: str) -> Collection[str]:
    """The locks to leave off. Refuses to go on where the wall is wanted and does not hold."""
    if isolation == "none":
        from autograder.sandbox.confine import NAMES

        _say("Warning: submissions run without isolation and can read and change what you can.", err=True)
        return NAMES
    from autograder.sandbox import self_test

    try:
        self_test.require()
    except self_test.BrokenPromise as error:
        raise WallDown(str(error)) from error
    return ()


if __name__ == "__main__":
    main()
