"""Scores for Moodle: an assignment's offline grading worksheet goes in, and the same with grades and feedback comes
out.

Moodle finds a participant by the identifier and takes no row whose other columns it does not know, so all of them stay
as they are. A worksheet belongs to one assignment.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from autograder.files import write_csv
from autograder.grading.row import Row, Rows
from autograder.reports.matching import Aliases, People, RosterError, Written, factor, matched, read, waits
from autograder.reports.sending import fragment


def write(
    out: Path,
    book: Rows,
    worksheet: Path,
    assignment: str | None = None,
    aliases: Path | None = None,
    scale: bool = False,
) -> Written:
    """Write OUT/moodle_<assignment>.csv from a finished run; `scale`: scores scaled to the worksheet's maximum. Raises
    RosterError."""
    by_assignment: dict[str, list[Row]] = defaultdict(list)
    for row in book.rows():
        by_assignment[row.submission.assignment].append(row)
    names = sorted(filter(None, by_assignment))
    if assignment is None and len(names) != 1:
        raise RosterError(
            f"a worksheet of Moodle belongs to one assignment, and here are {', '.join(names) or 'none'}: say which"
            " with --assignment"
        )
    name = assignment or names[0]
    sheet = _Worksheet(worksheet)
    written = Written(out / f"moodle_{name}.csv")
    grades = matched(by_assignment[name], sheet.people, Aliases(aliases), written)
    for number, row in grades.get(name, {}).items():
        sheet.fill(number, row, scale)
    written.takes_feedback = sheet.comments is not None
    write_csv(written.path, [sheet.header, *sheet.rows])
    return written


class _Worksheet:
    """A worksheet as Moodle gives it, in any language and with or without names.

    Headings are translated, so columns are told by their place and content: the identifier is first, and ends in the
    participant's number; the grade stands before the maximum, which is the same number in every row; comments come
    last.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.header, *self.rows = read(path)
        numbers = [re.search(r"\d+$", row[0].strip()) for row in self.rows]
        self.maximum = next(filter(self._is_one_number, reversed(range(2, len(self.header)))), 0)
        if not (self.rows and all(numbers) and self.maximum):
            raise RosterError(
                f"{path} is not an offline grading worksheet of Moodle: its first column is no participants' numbers,"
                " or it has no maximum grade"
            )
        self.grade = self.maximum - 1
        self.comments = len(self.header) - 1 if re.search(r"feedback|com+ent", self.header[-1].casefold()) else None
        self.people = People(self.name, "Moodle")
        for row, number in zip(self.rows, numbers, strict=True):
            about = [cell.strip() for cell in row[1 : self.grade]]
            login = next((cell for cell in about if "@" in cell), "")
            called = about[0] if about and not self._is_anonymous else row[0]
            assert number is not None
            self.people.add(called, number[0], login, about, about[:1], about)

    @property
    def _is_anonymous(self) -> bool:
        """Without names, the status stands behind the identifier, and many share theirs."""
        return len({row[1] for row in self.rows}) <= len(self.rows) / 2

    def _is_one_number(self, column: int) -> bool:
        cells = {row[column] for row in self.rows}
        return len(cells) == 1 and re.fullmatch(r"\d+([.,]\d+)?", cells.pop()) is not None

    def fill(self, number: int, row: Row, scale: bool) -> None:
        """Put in a grade, if there is one to put in, and its feedback."""
        worth = self.rows[number][self.maximum]
        by = factor(worth, row, "the assignment", self.name, "Moodle, and download the worksheet again", scale)
        if not waits(row):
            self.rows[number][self.grade] = f"{row.score * by:.10g}"
        if self.comments is not None:
            self.rows[number][self.comments] = fragment(row)
