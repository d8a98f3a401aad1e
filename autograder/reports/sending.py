"""Feedback on its way back to students: HTML under the names by which a platform, or whoever writes mail, finds them.

Canvas takes back a zip of files named as in its own download (*Upload Submissions*: it finds the student's and the
submission's number in the name). Moodle takes a zip of files that begin with a name, the participant's number and the
feedback's kind (*Upload multiple feedback files in a zip*). For mail there is a folder per student and a table of
addresses.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from markdown_it import MarkdownIt
from markupsafe import Markup

from autograder.course import UserError
from autograder.files import write_csv, write_zip
from autograder.grading.row import Row, Rows
from autograder.reports import templates
from autograder.reports.matching import Aliases, called
from autograder.submission.names import csv_cell

PEOPLE = "people.csv"
"""Stands beside the folders of students, so nobody's folder is called so."""

PLATFORMS = {
    "canvas": "in Canvas's assignment, take it in under Upload Submissions",
    "moodle": "in Moodle's assignment, take it in under Upload multiple feedback files in a zip",
    "mail": f"{PEOPLE} there says whose each folder is",
}
"""and what to do with what is written for them"""


@dataclass
class Packed:
    """What was written, and whom it does not reach."""

    paths: list[Path] = field(default_factory=list)
    files: int = 0
    without: list[str] = field(default_factory=list)
    """students of whom the platform has no number"""


def fragment(row: Row) -> str:
    """Feedback as HTML. Text of a submission in it is escaped already, and raw HTML is off here as well."""
    return str(MarkdownIt("commonmark", {"html": False}).render(row.feedback))


def page(row: Row) -> str:
    """The same as a page that a browser opens."""
    return templates.filled(templates.FOLDER / "feedback.html", row=row, body=Markup(fragment(row)))


def pack(out: Path, book: Rows, platform: str, aliases: Aliases) -> Packed:
    """Write the feedback of a finished run for one of PLATFORMS; `aliases` may know addresses. Raises UserError where
    nobody would get any."""
    rows = [row for row in book.rows() if row.submission.assignment]
    packed = _for_mail(out, rows, aliases) if platform == "mail" else _zips(out, rows, platform)
    if not packed.files:
        raise UserError(
            f"no submission in {out} came from {platform.title()}: take --for mail, which makes a folder per student"
        )
    return packed


def _zips(out: Path, rows: Iterable[Row], platform: str) -> Packed:
    """A zip for each assignment, since that is where platforms take one."""
    packed = Packed()
    by_assignment: dict[str, dict[str, bytes]] = defaultdict(dict)
    for row in rows:
        if name := _name(row, platform):
            by_assignment[row.submission.assignment][name] = page(row).encode("utf-8")
        else:
            packed.without.append(row.student)
    for assignment, files in by_assignment.items():
        packed.paths.append(out / f"feedback_{platform}_{assignment}.zip")
        write_zip(packed.paths[-1], files)
        packed.files += len(files)
    return packed


def _name(row: Row, platform: str) -> str:
    """By which the platform finds the student; empty where it has no number of theirs."""
    submission = row.submission
    if submission.person.platform.casefold() != platform or not submission.person.number:
        return ""
    if platform == "canvas":
        return PurePosixPath(submission.file.partition("!")[0]).with_suffix(".html").name
    name = (submission.person.name or submission.student).replace("_", " ").replace("/", " ")
    return f"{name}_{submission.person.number}_assignfeedback_file_{submission.assignment}.html"


def _for_mail(out: Path, rows: Iterable[Row], aliases: Aliases) -> Packed:
    """A folder per student, and a table that says whose it is and where to write to."""
    folder = out / "feedback_mail"
    shutil.rmtree(folder, ignore_errors=True)
    packed = Packed([folder])
    people: dict[str, list[str]] = {}
    for row in rows:
        submission, own = row.submission, folder / row.folder
        own.mkdir(parents=True, exist_ok=True)
        (own / f"{submission.assignment}.html").write_text(page(row), "utf-8")
        packed.files += 1
        known = [submission.person.email, submission.student, *aliases.of(called(submission))]
        email = next((name for name in known if "@" in name), "")
        people[row.folder] = [row.folder, row.student, submission.person.name, email, submission.person.login]
    if people:
        write_csv(
            folder / PEOPLE,
            [["folder", "student", "name", "email", "login"], *([*map(csv_cell, cells)] for cells in people.values())],
        )
    return packed
