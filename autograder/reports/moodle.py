"""Scores for Moodle: an assignment's offline grading worksheet goes in, and the same with grades and feedback comes out.

Moodle finds a participant by the identifier and takes no row whose other columns it does not know, so all of them stay as
they are. A worksheet belongs to one assignment.
"""

from __future__ import annotations

import re
from collections import defaultdict
from contextlib import suppress
from datetime import datetime
from pathlib import Path, PurePosixPath

from markdown_it import MarkdownIt

from autograder.files import write_csv
from autograder.grading.row import Row, Rows
from autograder.reports.late import LateRule
from autograder.reports.roster import People, RosterError, Written, matched, read, require_points
from autograder.submission import platforms

_REQUIRED = ("Identifier", "Full name", "Grade")
_DATES = ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p", "%d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M")


def write(out: Path, book: Rows, worksheet: Path, assignment: str | None = None, rule: LateRule | None = None) -> Written:
    """Write OUT/moodle_<assignment>.csv from a finished run. Raises RosterError."""
    by_assignment: dict[str, list[Row]] = defaultdict(list)
    for row in book.rows():
        by_assignment[row.submission.assignment].append(row)
    names = sorted(filter(None, by_assignment))
    if assignment is None and len(names) != 1:
        raise RosterError(f"a worksheet of Moodle belongs to one assignment, and here are {', '.join(names) or 'none'}: say which with --assignment")
    name = assignment or names[0]
    sheet = _Worksheet(worksheet)
    written = Written(out / f"moodle_{name}.csv")
    grades = matched(((row, _number(row)) for row in by_assignment[name]), sheet.people, written.left_out)
    for number, row in grades.get(name, {}).items():
        sheet.fill(number, row, (rule or LateRule()).score(row, written.late, sheet.handed_in(number)))
        written.scores += 1
    write_csv(written.path, [sheet.header, *sheet.rows])
    return written


def _number(row: Row) -> str:
    """Moodle's number of a participant, where the name of their file or folder says it."""
    parts = PurePosixPath(row.submission.file.partition("!")[0]).parts
    found = (platforms.folder(part) or platforms.download(part) for part in parts)
    return next((one.user for one in found if one and one.platform == "Moodle"), "")


class _Worksheet:
    """A worksheet as Moodle gives it."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.header, *self.rows = read(path)
        if not set(_REQUIRED) <= set(self.header):
            raise RosterError(
                f"{path} is not an offline grading worksheet of Moodle: its first row has no {', '.join(_REQUIRED)} "
                "(switch Moodle to English before you download it)"
            )
        self.people = People(self.name)
        for number in range(len(self.rows)):
            participant = re.search(r"\d*$", self.cell(number, "Identifier"))
            name = self.cell(number, "Full name")
            self.people.add(name, participant[0] if participant else "", self.cell(number, "Email address"), (), [name])

    def cell(self, number: int, *columns: str) -> str:
        """What stands in the first of these columns that there is."""
        column = next((column for column in columns if column in self.header), None)
        return self.rows[number][self.header.index(column)].strip() if column else ""

    def handed_in(self, number: int) -> datetime | None:
        """When Moodle says that it came, in English, in this machine's time."""
        date = self.cell(number, "Last modified (submission)")
        for form in _DATES:
            with suppress(ValueError):
                return datetime.strptime(date, form).astimezone()
        return None

    def fill(self, number: int, row: Row, score: float) -> None:
        """Put in a grade and its feedback."""
        points = self.cell(number, "Maximum Grade", "Maximum grade")
        require_points(points, row, "the assignment", self.name, "Moodle, and download the worksheet again")
        self.rows[number][self.header.index("Grade")] = f"{score:.10g}"
        if "Feedback comments" in self.header:
            # Moodle shows a comment as HTML; text of a submission in it is escaped already, and raw HTML is off here as well.
            self.rows[number][self.header.index("Feedback comments")] = MarkdownIt("commonmark", {"html": False}).render(row.feedback)
