"""Feedback for platforms: one zip per assignment, with file names by which a platform identifies students.

Canvas accepts a zip of files named as in its own download (*Upload Submissions*). It identifies the student and the
file by the first two numbers in the name, and shows the feedback under the name of the submitted file, so the feedback
has that file's format. Canvas ignores feedback on text entries and links. Moodle accepts a zip of files whose names
begin with the student's name, the participant number and the kind of feedback (*Upload multiple feedback files in a
zip*).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup

from autograder.files import write_zip, zipped
from autograder.grading.row import Row
from autograder.reports import templates
from autograder.submission import Submission
from autograder.submission.untrusted_names import printable

UPLOAD_INSTRUCTIONS = {
    "canvas": "in the assignment on Canvas, upload it with Upload Submissions",
    "moodle": "in the assignment on Moodle, upload it with Upload multiple feedback files in a zip",
}
_CANVAS_TYPED_TEXT_NAME_END = re.compile(r"_(?:text|link)[^_]*\.html$")
"""Pattern for the end of the names that Canvas gives to text entries and links."""


def html_page(row: Row) -> str:
    """Return feedback as HTML. Text from submissions is already escaped, but raw HTML has no effect in any case."""
    body = str(MarkdownIt("commonmark", {"html": False}).render(row.full_feedback_markdown))
    return templates.filled(templates.FOLDER / "feedback.html", row=row, body=Markup(body))


def _feedback_notebook_json(row: Row) -> str:
    cell = {"cell_type": "markdown", "id": "feedback", "metadata": {}, "source": row.full_feedback_markdown}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


FEEDBACK_BY_EXTENSION: dict[str, Callable[[Row], str | bytes]] = {
    **dict.fromkeys((".py", ".txt", ".md"), lambda row: row.full_feedback_markdown),
    **dict.fromkeys((".html", ".htm"), html_page),
    ".ipynb": _feedback_notebook_json,
    ".zip": lambda row: zipped({"feedback.html": html_page(row).encode("utf-8")}),
}
"""Functions that return feedback in a file format, keyed by extension."""


class PackedFeedback(NamedTuple):
    """The zips that were written, and the submissions whose feedback is not in any of them."""

    page_counts: dict[Path, int]
    """number of pages in each zip"""
    submissions_without_page: list[str]


def pack(
    out: Path, rows: Iterable[Row], superseded: Iterable[Submission], platform: str, assignments: Collection[str] = ()
) -> PackedFeedback:
    """Write a finished run's feedback on all or some assignments for a platform in UPLOAD_INSTRUCTIONS.

    `superseded` lists the submissions that do not count because another one by the same student does. By default, an
    assignment for which nobody gets a page is assumed to have been submitted elsewhere, and its submissions are not
    returned.
    """
    earlier: dict[tuple[str, str], list[str]] = defaultdict(list)
    for submission in superseded:
        earlier[submission.assignment, submission.student_key].append(submission.file)
    without: list[Row] = []
    pages: dict[str, dict[str, bytes]] = defaultdict(dict)
    for row in rows:
        submission = row.submission
        if assignments and submission.assignment not in (*assignments, ""):
            continue
        name = _name(row, platform, [submission.file, *earlier[submission.assignment, submission.student_key]])
        form = FEEDBACK_BY_EXTENSION.get(PurePosixPath(name).suffix.casefold())
        if submission.assignment and form:
            content = form(row)
            pages[submission.assignment][name] = content if isinstance(content, bytes) else content.encode("utf-8")
        else:
            without.append(row)
    zips = {out / f"feedback_{platform}_{assignment}.zip": files for assignment, files in pages.items()}
    for path, files in zips.items():
        write_zip(path, files)
    concerned = {*assignments} or {*pages} or {row.submission.assignment for row in without}
    labels = [
        printable(f"{row.student} ({row.submission.file})", 120)
        for row in without
        if row.submission.assignment in concerned or (not row.submission.assignment and _is_from(row, platform))
    ]
    return PackedFeedback({path: len(files) for path, files in zips.items()}, labels)


def _is_from(row: Row, platform: str) -> bool:
    return row.submission.person.platform.casefold() == platform


def _name(row: Row, platform: str, files: list[str]) -> str:
    """Return the file name by which the platform identifies the student, or an empty string if there is none.

    `files` lists the student's submitted files: a late file from another folder has no Canvas name, but an earlier one
    might.
    """
    person = row.submission.person
    if not _is_from(row, platform) or not person.number:
        return ""
    if platform == "moodle":
        name = (person.name or row.student).replace("_", " ").replace("/", " ")
        return f"{name}_{person.number}_assignfeedback_file_{row.submission.assignment}.html"
    names = [PurePosixPath(file.partition("!")[0]).name for file in files]
    return next(
        (name for name in names if f"_{person.number}_" in name and not _CANVAS_TYPED_TEXT_NAME_END.search(name)), ""
    )
