"""Scores for Canvas: the gradebook that a class exported goes in, and a file that Canvas's gradebook import takes comes out.

Canvas finds a student by its own id, and an assignment by the id in its title, so both are taken from the export as they
stand there. What this course has no score for stays as it was. All numbers are those of `grades.csv`.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from autograder.grading.row import Row, Rows
from autograder.submission.canvas import download

FILE = "canvas.csv"

_IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID")
_POINTS = "Points Possible"


class RosterError(Exception):
    """The exported gradebook cannot be used. The message is a sentence or two for a person."""


@dataclass
class Written:
    """What came of an export."""

    path: Path
    scores: int = 0
    created: list[str] = field(default_factory=list)
    """assignments that the gradebook has no column for: Canvas will ask what to do with them"""
    left_out: list[str] = field(default_factory=list)
    """grades that went nowhere, a sentence each"""


def write(out: Path, book: Rows, roster: Path, titles: Mapping[str, str]) -> Written:
    """Write OUT/canvas.csv from a finished run. `titles`: Canvas's name for an assignment where that is not its name here."""
    export = _Export(roster)
    written = Written(out / FILE)
    grades = _by_assignment(book.rows(), export, written)
    columns = {name: export.column(name, titles.get(name)) for name in grades}
    written.created = [name for name, column in columns.items() if column is None]
    for name, of_student in grades.items():
        _check_points(export, name, columns[name], next(iter(of_student.values())).max_score)
        written.scores += len(of_student)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_table(export, grades, columns, titles))
    written.path.write_text(text.getvalue(), "utf-8")
    return written


def _by_assignment(rows: Iterable[Row], export: _Export, written: Written) -> dict[str, dict[int, Row]]:
    """Assignment → row of the export → the grade for it."""
    found: dict[str, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        one = row.submission
        student = export.student(one.student, one.file)
        if row.lost or not one.assignment:
            written.left_out.append(f"{one.student}, {one.file}: it could not be graded")
        elif student is None:
            written.left_out.append(f"{one.student}: nobody in {export.name}, or more than one, goes by that name")
        else:
            found[one.assignment][student].append(row)
    for name, of_student in found.items():
        for student, several in of_student.items():
            if len(several) > 1:
                names = " and ".join(row.submission.student for row in several)
                written.left_out.append(f"{names}: they seem to be one person, and each handed in {name}")
                of_student[student] = []
    single = {name: {student: rows[0] for student, rows in of_student.items() if rows} for name, of_student in found.items()}
    return {name: of_student for name, of_student in single.items() if of_student}


def _check_points(export: _Export, name: str, column: int | None, points: float) -> None:
    """Canvas takes scores as they are: a column of other points would make them wrong."""
    said = export.points[column] if column is not None and export.points else ""
    if re.fullmatch(r"\d+([.,]\d+)?", said) and float(said.replace(",", ".")) != points:
        raise RosterError(
            f"{export.header[column or 0]} is worth {said} points in {export.name}, and {name} is graded out of {points:g}: "
            f"set it to {points:g} points in Canvas, and export again"
        )


def _table(
    export: _Export, grades: Mapping[str, Mapping[int, Row]], columns: Mapping[str, int | None], titles: Mapping[str, str]
) -> Iterator[list[str]]:
    def line(about: list[str], cells: Iterable[str]) -> list[str]:
        return [*about[: export.width], *cells]

    yield line(export.header, (titles.get(name, name) if at is None else export.header[at] for name, at in columns.items()))
    points = (f"{next(iter(of_student.values())).max_score:g}" for of_student in grades.values())
    yield line(export.points or [f"    {_POINTS}", *[""] * export.width], points)
    for number, student in enumerate(export.students):
        cells = []
        for name, at in columns.items():
            row = grades[name].get(number)
            cells.append(f"{row.score:.10g}" if row is not None else student[at] if at is not None else "")
        yield line(student, cells)


class _Export:
    """A gradebook as Canvas exports it."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        rows = self._read(path)
        self.header = rows[0] if rows else []
        if not self.header or self.header[0] not in ("Student", "LastName") or not {"ID", "Section"} <= set(self.header):
            raise RosterError(f"{path} is not a gradebook exported from Canvas: its first row has no Student, ID and Section")
        self.width = self.header.index("Section") + 1
        rows = [row + [""] * (len(self.header) - len(row)) for row in rows[1:]]
        self.points = next((row for row in rows if _POINTS in row[0]), [])
        self.students = [row for row in rows if _POINTS not in row[0] and any(row[: self.width])]
        self._tiers = self._known()

    @staticmethod
    def _read(path: Path) -> list[list[str]]:
        try:
            text = path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise RosterError(f"{path} cannot be read: {error}") from error
        separator = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
        return list(csv.reader(io.StringIO(text), delimiter=separator))

    def _known(self) -> list[dict[str, set[int]]]:
        """Names that students may go by → their rows; the surer kinds of names first."""
        ids, logins, names = (defaultdict[str, set[int]](set) for _ in range(3))
        for number, row in enumerate(self.students):
            for column in _IDS:
                said = row[self.header.index(column)].strip().casefold() if column in self.header else ""
                if said:
                    ids[said].add(number)
                    logins[said.partition("@")[0]].add(number)
            for name in self._names(row):
                names[_letters(name)].add(number)
        return [ids, logins, names]

    def _names(self, row: list[str]) -> list[str]:
        """Ada Lovelace, in the order of the roster and of its download's file names, and of everyday life."""
        last, _, first = row[0].partition(",") if self.header[0] == "Student" else (row[0], "", row[1])
        return [name for name in (f"{last}{first}", f"{first}{last}") if _letters(name)]

    def student(self, name: str, file: str) -> int | None:
        """The row of the student of that name who handed in that file; None where it is not certain."""
        told = download(PurePosixPath(file.partition("!")[0]).name)
        mine = told is not None and name in (told.student, f"{told.student}_{told.user}")
        if told is not None and mine and len(self._tiers[0].get(told.user, ())) == 1:
            return next(iter(self._tiers[0][told.user]))
        login = name.strip().casefold()
        for tier, said in zip(self._tiers, (login, login.partition("@")[0], _letters(name)), strict=True):
            found = tier.get(said, set())
            if found:
                return next(iter(found)) if len(found) == 1 else None
        return None

    def column(self, assignment: str, title: str | None) -> int | None:
        """The column of an assignment; None where there is none."""
        wanted = _letters(title or assignment)
        for number in range(self.width, len(self.header)):
            own = re.sub(r"\s*\(\d+\)$", "", self.header[number])
            if wanted in (_letters(own), _letters(self.header[number])):
                return number
        return None


def _letters(text: str) -> str:
    """A name as Canvas puts it into file names: letters and digits alone."""
    return "".join(character for character in text.casefold() if character.isalnum())
