"""Scores for Canvas: the gradebook that a class exported goes in, and a file that Canvas's gradebook import takes comes
out.

Canvas finds a student by its own id, and an assignment by the id in its title, so both are taken from the export as
they stand there. What this course has no score for stays as it was. All numbers are those of `grades.csv`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.files import write_csv
from autograder.grading.row import Row, Rows
from autograder.reports.matching import Aliases, People, RosterError, Written, factor, letters, matched, read, waits

FILE = "canvas.csv"

_POINTS = "Points Possible"
_TEST_STUDENT = "Student, Test"
"""whom Canvas adds to a class"""


def write(
    out: Path, book: Rows, roster: Path, titles: Mapping[str, str], aliases: Path | None = None, scale: bool = False
) -> Written:
    """Write OUT/canvas.csv from a finished run. `titles`: Canvas's name for an assignment where that is not its name
    here.

    `scale`: whether scores are scaled to the points that Canvas gives.
    """
    export = _CanvasGradebook(roster)
    written = Written(out / FILE)
    grades = matched(book.rows(), export.people, Aliases(aliases), written)
    columns = [_Column(export, titles.get(name, name), of_student, scale) for name, of_student in grades.items()]
    written.created = [name for name, column in zip(grades, columns, strict=True) if column.index is None]
    write_csv(written.path, _table(export, columns))
    return written


def _table(export: _CanvasGradebook, columns: list[_Column]) -> Iterator[list[str]]:
    about = slice(export.width)
    yield [*export.header[about], *(column.title for column in columns)]
    points = export.points or [f"    {_POINTS}", *[""] * export.width]
    yield [*points[about], *(f"{column.points:g}" for column in columns)]
    for number, student in enumerate(export.students):
        yield [*student[about], *(column.cell(number, student) for column in columns)]


class _CanvasGradebook:
    """A gradebook as Canvas exports it."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.header, *rows = read(path)
        if self.header[:1] not in (["Student"], ["LastName"]) or not {"ID", "Section"} <= {*self.header}:
            raise RosterError(
                f"{path} is not a gradebook exported from Canvas: its first row has no Student, ID and Section"
            )
        self.width = self.header.index("Section") + 1
        self.points = next((row for row in rows if _POINTS in row[0]), [])
        self.students = [row for row in rows if _POINTS not in row[0] and any(row[: self.width])]
        self.people = People(self.name, "Canvas")
        for row in self.students:
            cells = dict(zip(self.header, row, strict=False))
            ids = [cells.get(name, "") for name in ("SIS User ID", "ID", "Integration ID")]
            called = "" if row[0] == _TEST_STUDENT else row[0]
            self.people.add(called, cells["ID"], cells.get("SIS Login ID", ""), ids, self._names(row), ids[:1])

    def _names(self, row: list[str]) -> list[str]:
        """Ada Lovelace, in the order of the roster and of its download's file names, and of everyday life."""
        last, _, first = row[0].partition(",") if self.header[0] == "Student" else (row[0], "", row[1])
        return [f"{last}{first}", f"{first}{last}"]


class _Column:
    """One assignment: its column in the export, where there is one, and the scores for it, by the row of the
    student."""

    def __init__(self, export: _CanvasGradebook, title: str, grades: Mapping[int, Row], scale: bool) -> None:
        graded = next(iter(grades.values()))
        titles = [*enumerate(export.header)][export.width :]
        same = (
            index for index, own in titles if letters(title) in (letters(own), letters(re.sub(r"\s*\(\d+\)$", "", own)))
        )
        self.index = next(same, None)
        self.title = title if self.index is None else export.header[self.index]
        worth = export.points[self.index] if self.index is not None and export.points else ""
        by = factor(worth, graded, self.title, export.name, "Canvas, and export again", scale)
        self.points = graded.max_score * by
        self.scores = {number: row.score * by for number, row in grades.items() if not waits(row)}

    def cell(self, number: int, student: list[str]) -> str:
        """What stands in a student's row: the score, or what stood there before."""
        if number in self.scores:
            return f"{self.scores[number]:.10g}"
        return "" if self.index is None else student[self.index]
