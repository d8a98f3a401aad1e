"""Feedback on its way back to students: a zip of HTML for each assignment, under the names by which a platform finds
them.

Canvas takes back a zip of files named as in its own download (*Upload Submissions*: it finds the student's and the
submission's number in the name). Moodle takes a zip of files that begin with a name, the participant's number and the
feedback's kind (*Upload multiple feedback files in a zip*).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from markdown_it import MarkdownIt
from markupsafe import Markup

from autograder.files import write_zip
from autograder.grading.row import Row
from autograder.reports import templates
from autograder.submission import Submission
from autograder.submission.names import printable

PLATFORMS = {
    "canvas": "in Canvas's assignment, take it in under Upload Submissions",
    "moodle": "in Moodle's assignment, take it in under Upload multiple feedback files in a zip",
}


def page(row: Row) -> str:
    """Feedback as HTML. Text of a submission in it is escaped already, and raw HTML is off here as well."""
    body = str(MarkdownIt("commonmark", {"html": False}).render(row.feedback))
    return templates.filled(templates.FOLDER / "feedback.html", row=row, body=Markup(body))


def pack(
    out: Path, rows: Iterable[Row], replaced: Iterable[Submission], platform: str
) -> tuple[dict[Path, int], list[str]]:
    """Write the feedback of a finished run for one of PLATFORMS; returns how many pages are in each zip, and the
    submissions without one. `replaced`: what does not count, because the same student handed in a later one."""
    earlier: dict[tuple[str, str], list[str]] = defaultdict(list)
    for submission in replaced:
        earlier[submission.assignment, submission.who].append(submission.file)
    without: list[str] = []
    pages: dict[str, dict[str, bytes]] = defaultdict(dict)
    for row in rows:
        submission = row.submission
        name = _name(row, platform, [submission.file, *earlier[submission.assignment, submission.who]])
        if submission.assignment and name:
            pages[submission.assignment][name] = page(row).encode("utf-8")
        else:
            without.append(printable(f"{row.student} ({submission.file})", 120))
    zips = {out / f"feedback_{platform}_{assignment}.zip": files for assignment, files in pages.items()}
    for path, files in zips.items():
        write_zip(path, files)
    return {path: len(files) for path, files in zips.items()}, without


def _name(row: Row, platform: str, files: list[str]) -> str:
    """By which the platform finds the student; empty where it has no number of theirs. `files` are what they handed
    in: one that came in another folder has no name of Canvas's, and an earlier one of theirs has."""
    person = row.submission.person
    if person.platform.casefold() != platform or not person.number:
        return ""
    if platform == "moodle":
        name = (person.name or row.student).replace("_", " ").replace("/", " ")
        return f"{name}_{person.number}_assignfeedback_file_{row.submission.assignment}.html"
    names = (PurePosixPath(file.partition("!")[0]).with_suffix(".html").name for file in files)
    return next((name for name in names if f"_{person.number}_" in name), "")
