"""Scores for Moodle: an assignment's offline grading worksheet goes in, and the same with grades and feedback comes out.

Moodle finds a participant by the identifier and takes no row whose other columns it does not know, so all of them stay as
they are. A worksheet belongs to one assignment.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from markdown_it import MarkdownIt

from autograder.files import write_csv
from autograder.grading.row import Row, Rows
from autograder.reports import late
from autograder.reports.canvas import RosterError
from autograder.reports.late import LateRule
from autograder.submission import moodle

_REQUIRED = ("Identifier", "Full name", "Grade")
_DATES = ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p", "%d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M")


@dataclass
class Written:
    """What came of a worksheet."""

    path: Path
    scores: int = 0
    notes: list[str] = field(default_factory=list)
    """grades that went nowhere, and what was taken off, a sentence each"""


def write(out: Path, book: Rows, worksheet: Path, assignment: str | None = None, rule: LateRule | None = None) -> Written:
    """Write OUT/moodle_<assignment>.csv from a finished run. Raises RosterError."""
    rows = [row for row in book.rows() if row.submission.assignment]
    names = sorted({row.submission.assignment for row in rows})
    if assignment is None and len(names) != 1:
        raise RosterError(f"a worksheet of Moodle belongs to one assignment, and here are {', '.join(names) or 'none'}: say which with --assignment")
    name = assignment or names[0]
    sheet = _Worksheet(worksheet)
    written = Written(out / f"moodle_{name}.csv")
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row.submission.assignment != name:
            continue
        number = None if row.lost else sheet.participant(row)
        if number is None:
            why = "it could not be graded" if row.lost else f"nobody in {worksheet.name}, or more than one, goes by that name"
            written.notes.append(f"left out: {row.student}: {why}")
        else:
            found[number].append(row)
    for number, several in found.items():
        if len(several) > 1:
            names_of = " and ".join(row.student for row in several)
            written.notes.append(f"left out: {names_of}: they seem to be one person, and each handed in {name}")
        else:
            score, said = (rule or LateRule()).score(several[0], late.handed_in(several[0]) or sheet.handed_in(number))
            written.notes += [said] if said else []
            sheet.fill(number, several[0], score)
            written.scores += 1
    write_csv(written.path, [sheet.header, *sheet.rows])
    return written


class _Worksheet:
    """A worksheet as Moodle gives it."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            table = [row for row in csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")) if row]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise RosterError(f"{path} cannot be read: {error}") from error
        self.header = table[0] if table else []
        if not set(_REQUIRED) <= set(self.header):
            raise RosterError(
                f"{path} is not an offline grading worksheet of Moodle: its first row has no {', '.join(_REQUIRED)} "
                "(switch Moodle to English before you download it)"
            )
        self.rows = [row + [""] * (len(self.header) - len(row)) for row in table[1:]]
        self._known: list[dict[str, set[int]]] = [defaultdict(set) for _ in range(3)]
        for number in range(len(self.rows)):
            names = re.findall(r"\d+$", self.cell(number, "Identifier")), [self.cell(number, "Email address")], [self.cell(number, "Full name")]
            for known, said in zip(self._known, names, strict=True):
                for text in filter(None, map(_letters, said)):
                    known[text].add(number)

    def cell(self, number: int, *columns: str) -> str:
        """What stands in the first of these columns that there is."""
        column = next((column for column in columns if column in self.header), None)
        return self.rows[number][self.header.index(column)].strip() if column else ""

    def participant(self, row: Row) -> int | None:
        """The row of whoever handed that in; None where it is not certain."""
        top = PurePosixPath(row.submission.file.partition("!")[0])
        told = next(filter(None, (moodle.folder(part) or moodle.download(part) for part in top.parts)), None)
        student = row.submission.student
        for known, said in zip(self._known, (told.user if told else "", student, student), strict=True):
            found = known.get(_letters(said), set())
            if found:
                return next(iter(found)) if len(found) == 1 else None
        return None

    def handed_in(self, number: int) -> datetime | None:
        """When Moodle says that it came, in English, in this machine's time."""
        said = self.cell(number, "Last modified (submission)")
        for form in _DATES:
            with suppress(ValueError):
                return datetime.strptime(said, form).astimezone()
        return None

    def fill(self, number: int, row: Row, score: float) -> None:
        """Put in a grade and its feedback."""
        points = self.cell(number, "Maximum Grade", "Maximum grade")
        if re.fullmatch(r"\d+([.,]\d+)?", points) and float(points.replace(",", ".")) != row.max_score:
            raise RosterError(
                f"the assignment is worth {points} points in {self.name}, and {row.submission.assignment} is graded out of {row.max_score:g}: "
                f"set it to {row.max_score:g} points in Moodle, and download the worksheet again"
            )
        self.rows[number][self.header.index("Grade")] = f"{score:.10g}"
        if "Feedback comments" in self.header:
            # Moodle shows a comment as HTML; text of a submission in it is escaped already, and raw HTML is off here as well.
            self.rows[number][self.header.index("Feedback comments")] = MarkdownIt("commonmark", {"html": False}).render(row.feedback)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
