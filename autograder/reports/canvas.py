"""Scores for Canvas: the gradebook that a class exported goes in, and a file that Canvas's gradebook import takes comes out.

Canvas finds a student by its own id, and an assignment by the id in its title, so both are taken from the export as they
stand there. What this course has no score for stays as it was. All numbers are those of `grades.csv`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from autograder.files import write_csv
from autograder.grading.row import Row, Rows
from autograder.reports.late import LateRule
from autograder.reports.roster import People, RosterError, Written, letters, matched, other_points, read
from autograder.submission.platforms import download

FILE = "canvas.csv"

_POINTS = "Points Possible"


def write(out: Path, book: Rows, roster: Path, titles: Mapping[str, str], rule: LateRule | None = None) -> Written:
    """Write OUT/canvas.csv from a finished run. `titles`: Canvas's name for an assignment where that is not its name here."""
    export = _Export(roster)
    written = Written(out / FILE)
    grades = matched(((row, _number(row)) for row in book.rows()), export.people, written.left_out)
    columns = [_Column(export, name, titles.get(name, name), of_student) for name, of_student in grades.items()]
    for column in columns:
        for number, row in column.grades.items():
            column.scores[number] = (rule or LateRule()).score(row, written.late)
        written.scores += len(column.scores)
        written.created += [column.assignment] if column.at is None else []
    write_csv(written.path, _table(export, columns))
    return written


def _number(row: Row) -> str:
    """Canvas's id of a student, where the name of their file says it."""
    told = download(PurePosixPath(row.submission.file.partition("!")[0]).name)
    mine = told and told.platform == "Canvas" and row.submission.student in (told.student, f"{told.student}_{told.user}")
    return told.user if told and mine else ""


def _table(export: _Export, columns: list[_Column]) -> Iterator[list[str]]:
    about = slice(export.width)
    yield [*export.header[about], *(column.title for column in columns)]
    yield [*(export.points or [f"    {_POINTS}", *[""] * export.width])[about], *(f"{column.points:g}" for column in columns)]
    for number, student in enumerate(export.students):
        yield [*student[about], *(column.cell(number, student) for column in columns)]


class _Export:
    """A gradebook as Canvas exports it."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.header, *rows = read(path)
        if not self.header or self.header[0] not in ("Student", "LastName") or not {"ID", "Section"} <= set(self.header):
            raise RosterError(f"{path} is not a gradebook exported from Canvas: its first row has no Student, ID and Section")
        self.width = self.header.index("Section") + 1
        self.points = next((row for row in rows if _POINTS in row[0]), [])
        self.students = [row for row in rows if _POINTS not in row[0] and any(row[: self.width])]
        self.people = People(self.name)
        for row in self.students:
            said = dict(zip(self.header, row, strict=False))
            ids = (said.get(name, "") for name in ("ID", "SIS User ID", "Integration ID"))
            self.people.add(row[0], said["ID"], said.get("SIS Login ID", ""), ids, self._names(row))

    def _names(self, row: list[str]) -> list[str]:
        """Ada Lovelace, in the order of the roster and of its download's file names, and of everyday life."""
        last, _, first = row[0].partition(",") if self.header[0] == "Student" else (row[0], "", row[1])
        return [f"{last}{first}", f"{first}{last}"]


class _Column:
    """One assignment: its column in the export, where there is one, and the scores for it."""

    def __init__(self, export: _Export, assignment: str, title: str, grades: Mapping[int, Row]) -> None:
        self.assignment, self.grades = assignment, grades
        self.points = next(iter(grades.values())).max_score
        self.scores: dict[int, float] = {}
        titles = [*enumerate(export.header)][export.width :]
        self.at = next((at for at, own in titles if letters(title) in (letters(own), letters(re.sub(r"\s*\(\d+\)$", "", own)))), None)
        self.title = title if self.at is None else export.header[self.at]
        said = export.points[self.at] if self.at is not None and export.points else ""
        if other_points(said, self.points):
            raise RosterError(
                f"{self.title} is worth {said} points in {export.name}, and {assignment} is graded out of {self.points:g}: "
                f"set it to {self.points:g} points in Canvas, and export again"
            )

    def cell(self, number: int, student: list[str]) -> str:
        """What stands in a student's row: the score, or what stood there before."""
        if number in self.scores:
            return f"{self.scores[number]:.10g}"
        return "" if self.at is None else student[self.at]
