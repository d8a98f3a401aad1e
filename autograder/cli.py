"""The command line: `autograder` and its commands, each with `--help`.

Each command imports its modules only when it runs, so that simple commands stay fast. Exit codes: 0 for success, 1 if a
submission lacks points (`check`), 2 for wrong usage or nothing to grade, 3 if the sandbox does not hold on this
machine, and 130 if the command was interrupted.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

import click

from autograder import course
from autograder.cli_support import (
    ASSIGNMENT_OPTION,
    CHECK_FAILED,
    FOLDER,
    INTERRUPTED,
    ISOLATION_OPTION,
    OUT_ARGUMENT,
    PATH,
    REPEATABLE_ASSIGNMENT_OPTION,
    WALL_DOWN,
    CommandError,
    Commands,
    disabled_locks_after_test,
    echo,
    known_assignment,
    print_self_test_table,
    warn_if_incomplete,
)
from autograder.files import CLASS_PAGE_FILE


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="whereabouts-autograder", prog_name="autograder")
def main() -> None:
    """Grade the Whereabouts course on positional encodings."""


@main.command(short_help="Grade a class.")
@click.argument("folders", nargs=-1, required=True, type=FOLDER, metavar="FOLDER…")
@ASSIGNMENT_OPTION
@click.option("--out", type=FOLDER, default=Path("results"), show_default=True, help="Folder for the results.")
@click.option("--jobs", type=click.IntRange(min=1), help="Number of graders at a time; by default one per core.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, tcp://host:port, to grade on a cluster.")
@ISOLATION_OPTION
def grade(folders: tuple[Path, ...], jobs: int | None, isolation: str, **options: Any) -> None:
    """Grade every submission in FOLDER into OUT.

    If a student has submissions for the same assignment in several FOLDERs, the last one that implements anything
    counts. Put manual corrections in adjustments.csv, next to a FOLDER, with the columns student, assignment, points or
    score, and reason.
    """
    from rich.console import Console

    from autograder.batch import run

    locks = disabled_locks_after_test(isolation)
    jobs = jobs or len(os.sched_getaffinity(0))
    try:
        run.grade(folders, jobs=jobs, disabled_locks=locks, console=Console(), **options)
    except KeyboardInterrupt:
        echo("Stopped. All grades so far are kept, and the same command continues.", err=True)
        sys.exit(INTERRUPTED)


@main.command(short_help="Grade one submission.")
@click.argument("file", type=PATH)
@ASSIGNMENT_OPTION
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@ISOLATION_OPTION
def check(file: Path, assignment: str | None, as_json: bool, isolation: str) -> None:
    """Grade one submission and show teaching staff every failed test, including hidden ones."""
    from rich.console import Console

    from autograder.grading.grader import grade_alone
    from autograder.reports import submission_result
    from autograder.submission import read_submission_bounded

    locks = disabled_locks_after_test(isolation)
    submission = read_submission_bounded(file, assignment, [each.name for each in course.term_assignments()])
    if not submission.assignment:
        assert submission.problem is not None
        raise CommandError(submission.problem.for_staff)
    grade = None if submission.problem else grade_alone(course.find(submission.assignment), submission, locks)
    if as_json:
        echo(json.dumps(submission_result.as_json(submission, grade), indent=2, ensure_ascii=False))
    else:
        submission_result.print_result(submission, grade, Console())
    if grade is None or grade.score < grade.max_score:
        sys.exit(CHECK_FAILED)


@main.command(short_help="Build the zips for Otter and Gradescope.")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--out", type=FOLDER, default=Path("dist/autograder"), show_default=True)
@click.option("--config", type=click.File(encoding="utf-8"), help="Your additions to Otter's configuration, as JSON.")
@ISOLATION_OPTION
def build(names: tuple[str, ...], out: Path, config: TextIO | None, isolation: str) -> None:
    """Build the zips for `otter run` and Gradescope, for all or some assignments."""
    from autograder.handout import first_problem
    from autograder.otter import package

    try:
        chosen = [course.find(name) for name in names] or course.term_assignments()
        if problem := next(filter(None, map(first_problem, chosen)), None):
            raise CommandError(problem)
        settings = json.load(config) if config is not None else None
        for path in package.build(chosen, out, settings, isolation):
            echo(path)
    except (LookupError, json.JSONDecodeError) as error:
        raise CommandError(str(error)) from error


@main.command(short_help="Update stubs and recorded values, and build the handout.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), default=Path("dist/handout.zip"), show_default=True
)
@click.option(
    "--only",
    multiple=True,
    callback=known_assignment,
    metavar="NAME",
    help="Include only these assignments, opened so far.",
)
def handout(out: Path, only: tuple[str, ...]) -> None:
    """Update the stubs and the recorded values, and build the handout for students."""
    from autograder import handout as handout_files
    from autograder.lesson_renumbering import Edition

    for path in handout_files.regenerate():
        echo(f"updated {path.relative_to(course.ROOT)}")
    for sentence in Edition.of_term(only).unmet_lesson_needs():
        echo(f"Warning: {sentence}.", err=True)
    echo(handout_files.build_handout(out, only))


@main.command(short_help="Build the course as a site in which Python runs.")
@click.option("--out", type=FOLDER, default=Path("dist/site"), show_default=True)
@click.option(
    "--pyodide",
    metavar="URL|DIR|fetch",
    help="Source of Pyodide: an address, or a folder to include in the site; `fetch` fetches one, with npm.",
)
@click.option("--alone", is_flag=True, help="For self-study: with hidden tests, reasons and worked solutions.")
def site(out: Path, pyodide: str | None, alone: bool) -> None:
    """Build a folder for any static host: the lessons with an editor beside them, and Python in the browser tab.

    The site contains what is in the handout. With --alone, it also contains every answer: publish it for people who
    learn without an instructor, never for a class.
    """
    from autograder.site import build as site_build

    echo(site_build.build(out, pyodide, alone, warn=lambda sentence: echo(f"Warning: {sentence}.", err=True)))


@main.command(short_help="Begin a new assignment.")
@click.argument("name")
def new(name: str) -> None:
    """Write the files of a new assignment NAME, as small working examples: see tests/README.md."""
    from autograder import handout as handout_files

    written, to_add = handout_files.create_assignment(name)
    for path in written:
        echo(path.relative_to(course.ROOT))
    for line in to_add:
        echo(line)
    echo("Now replace the examples step by step. `make handout` says what is missing; `make test` checks everything.")


@main.command(short_help="Write the class page again.")
@OUT_ARGUMENT
def report(out: Path) -> None:
    """Rewrite OUT/report.html and OUT/similarity.csv from the gradebook of a finished run."""
    from autograder.batch import output_files

    warn_if_incomplete(out)
    output_files.write_report_and_similarity(out)
    echo(out / CLASS_PAGE_FILE)


@main.command(short_help="List similar submissions.")
@OUT_ARGUMENT
@click.option(
    "--against",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="An earlier term's submissions.",
)
def similarity(out: Path, folders: tuple[Path, ...]) -> None:
    """Write OUT/similarity.csv, which lists a finished run's submissions that are worth reading side by side.

    Later runs also compare with the --against folders, until this command is run with others.
    """
    from autograder.batch import output_files
    from autograder.reports import similarity as pairs_table

    warn_if_incomplete(out)
    for text in output_files.remember_and_compare_folders(out, folders):
        echo(f"Not compared: {text}.", err=True)
    pairs = pairs_table.read(out) or []
    for pair in pairs[:40]:
        shares = f"{pair['share']} / {pair['other_share']} shared"
        echo(f"{pair['assignment']}, group {pair['group']}: {pair['student']} and {pair['other_student']}, {shares}")
    file = out / pairs_table.SIMILARITY_FILE
    echo(f"{len(pairs)} pairs worth reading side by side in {file}. Similar does not mean copied: read both, and ask.")


@main.command(short_help="Fill scores into a table from Canvas or Moodle, or your own.")
@OUT_ARGUMENT
@click.option("--table", type=PATH, required=True, help="Canvas's gradebook, Moodle's worksheet, or any CSV.")
@REPEATABLE_ASSIGNMENT_OPTION
@click.option("--id-column", metavar="TITLE", help="Column with the students' numbers, addresses or logins.")
@click.option(
    "--grade-column",
    "grade_columns",
    multiple=True,
    metavar="TITLE",
    help="Column for the scores; one per --assignment.",
)
def roster(out: Path, table: Path, assignments: tuple[str, ...], **options: Any) -> None:
    """Write OUT/roster_TABLE, the table with a finished run's scores filled in, and list students who are not found.

    The columns of a table from Canvas or Moodle are guessed. Students are matched by platform number, university ID,
    address or login, which must be the same in the table and in the run. Sections in the table are added to
    students.csv.
    """
    from autograder.batch import output_files
    from autograder.batch.gradebook import Gradebook
    from autograder.reports import platform_table
    from autograder.submission.untrusted_names import semicolon_list

    with Gradebook.reading(out) as book:
        book.require_finished_run(assignments)
        filled = platform_table.fill_table(out, book.rows(), table, assignments, **options)
    score_count = sum(filled.score_counts.values())
    echo(f"{score_count} scores in {filled.path}")
    if len(filled.score_counts) > 1:
        echo(semicolon_list([f"{title}: {count}" for title, count in filled.score_counts.items()]))
    if filled.section_by_person:
        output_files.store_class_sections(out, filled.section_by_person)
    for heading, about in filled.remarks.items():
        echo(f"{heading}: {semicolon_list(about, 40)}.", err=True)
    if filled.example_keys:
        in_table, in_run = filled.example_keys
        reason = f"{table} contains no student of the run. The table has, for example, {in_table}, and the run {in_run}"
        raise CommandError(f"no score was entered, because {reason}")
    if not score_count:
        raise CommandError("no score was entered, for the reasons above")


@main.command(short_help="Pack feedback for Canvas or Moodle.")
@OUT_ARGUMENT
@click.option(
    "--for",
    "platform",
    type=click.Choice(["canvas", "moodle"]),
    required=True,
    help="Platform that shows the feedback to students.",
)
@REPEATABLE_ASSIGNMENT_OPTION
def feedback(out: Path, platform: str, assignments: tuple[str, ...]) -> None:
    """Pack a finished run's feedback under file names and in formats that the platform accepts."""
    from autograder.batch.gradebook import Gradebook
    from autograder.reports import feedback_zip
    from autograder.submission.untrusted_names import semicolon_list

    with Gradebook.reading(out) as book:
        book.require_finished_run(assignments)
        pages, without = feedback_zip.pack(out, book.rows(), book.superseded(), platform, assignments)
    if pages:
        names = semicolon_list([*map(str, pages)])
        echo(f"{sum(pages.values())} pages in {names}: {feedback_zip.UPLOAD_INSTRUCTIONS[platform]}.")
    if without:
        echo(f"Without a page, {len(without)}: {semicolon_list(without, 40)}.", err=True)
    if not pages:
        raise CommandError(f"nobody in {out} came from {platform.title()}: their feedback is in {out / 'feedback'}")


@main.command(short_help="Test the sandbox on this machine.")
def doctor() -> None:
    """Try to break out of a real sandboxed process, and show which of the sandbox's promises held."""
    from rich.console import Console

    if not print_self_test_table(Console()):
        sys.exit(WALL_DOWN)


if __name__ == "__main__":
    main()
