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

from autograder.course import UserError
from autograder.files import write_csv
from autograder.grading.row import Row, Rows
from autograder.reports import late
from autograder.reports.late import LateRule
from autograder.submission.canvas import download

FILE = "canvas.csv"

_IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID")
_LOGIN = "SIS Login ID"
_POINTS = "Points Possible"

_EXACT, _LOCAL_PART, _NAME = range(3)
"""How a student is recognised, the surest way first."""


class RosterError(UserError):
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
    late: list[str] = field(default_factory=list)
    """what was taken off for late work, a sentence each"""


def write(out: Path, book: Rows, roster: Path, titles: Mapping[str, str], rule: LateRule | None = None) -> Written:
    """Write OUT/canvas.csv from a finished run. `titles`: Canvas's name for an assignment where that is not its name here."""
    export = _Export(roster)
    written = Written(out / FILE)
    grades = _by_assignment(book.rows(), export, written)
    columns = {name: export.column(name, titles.get(name)) for name in grades}
    written.created = [name for name, column in columns.items() if column is None]
    for name, of_student in grades.items():
        _check_points(export, name, columns[name], next(iter(of_student.values())).max_score)
        written.scores += len(of_student)
    scores: dict[tuple[str, int], float] = {}
    for name, of_student in grades.items():
        for number, row in of_student.items():
            scores[name, number], said = (rule or LateRule()).score(row, late.handed_in(row))
            written.late += [said] if said else []
    write_csv(written.path, _table(export, grades, scores, columns, titles))
    return written


def _by_assignment(rows: Iterable[Row], export: _Export, written: Written) -> dict[str, dict[int, Row]]:
    """Assignment → row of the export → the grade for it."""
    claims: dict[int, list[tuple[int, Row]]] = defaultdict(list)
    for row in rows:
        one = row.submission
        match = export.student(one.student, one.file)
        if row.lost or not one.assignment:
            written.left_out.append(f"{one.student}, {one.file}: it could not be graded")
        elif match is None:
            written.left_out.append(f"{one.student}: nobody in {export.name}, or more than one, goes by that name")
        else:
            claims[match[1]].append((match[0], row))
    found: dict[str, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for student, claimed in claims.items():
        for row in _undisputed(claimed, export.students[student][0], written):
            found[row.submission.assignment][student].append(row)
    for name, of_student in found.items():
        for student, several in of_student.items():
            if len(several) > 1:
                names = " and ".join(row.submission.student for row in several)
                written.left_out.append(f"{names}: they seem to be one person, and each handed in {name}")
                of_student[student] = []
    single = {name: {student: rows[0] for student, rows in of_student.items() if rows} for name, of_student in found.items()}
    return {name: of_student for name, of_student in single.items() if of_student}


def _undisputed(claimed: list[tuple[int, Row]], person: str, written: Written) -> list[Row]:
    """Of those that may be one person's, the ones that are surely so, or that nobody else's name speaks against."""
    surest = min(how for how, _ in claimed)
    best = [row for how, row in claimed if how == surest]
    names = dict.fromkeys(row.submission.student for row in best)
    if surest > _EXACT and len(names) > 1:
        written.left_out.append(f"{' and '.join(names)}: each of them may be {person}")
        return []
    others = dict.fromkeys(row.submission.student for how, row in claimed if how > surest)
    written.left_out += [f"{other}: {next(iter(names))} is more surely {person}" for other in others]
    return best


def _check_points(export: _Export, name: str, column: int | None, points: float) -> None:
    """Canvas takes scores as they are: a column of other points would make them wrong."""
    said = export.points[column] if column is not None and export.points else ""
    if re.fullmatch(r"\d+([.,]\d+)?", said) and float(said.replace(",", ".")) != points:
        raise RosterError(
            f"{export.header[column or 0]} is worth {said} points in {export.name}, and {name} is graded out of {points:g}: "
            f"set it to {points:g} points in Canvas, and export again"
        )


def _table(
    export: _Export,
    grades: Mapping[str, Mapping[int, Row]],
    scores: Mapping[tuple[str, int], float],
    columns: Mapping[str, int | None],
    titles: Mapping[str, str],
) -> Iterator[list[str]]:
    def line(about: list[str], cells: Iterable[str]) -> list[str]:
        return [*about[: export.width], *cells]

    yield line(export.header, (titles.get(name, name) if at is None else export.header[at] for name, at in columns.items()))
    points = (f"{next(iter(of_student.values())).max_score:g}" for of_student in grades.values())
    yield line(export.points or [f"    {_POINTS}", *[""] * export.width], points)
    for number, student in enumerate(export.students):
        cells = []
        for name, at in columns.items():
            score = scores.get((name, number))
            cells.append(f"{score:.10g}" if score is not None else student[at] if at is not None else "")
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
        self._exact, self._plain, self._local, self._named = (defaultdict[str, set[int]](set) for _ in range(4))
        for number, row in enumerate(self.students):
            self._know(number, row)

    @staticmethod
    def _read(path: Path) -> list[list[str]]:
        try:
            text = path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise RosterError(f"{path} cannot be read: {error}") from error
        separator = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
        return list(csv.reader(io.StringIO(text), delimiter=separator))

    def _know(self, number: int, row: list[str]) -> None:
        """Take down what the student of a row may go by: whole ids, a login without a domain, the part before one, names."""
        said = {name: row[self.header.index(name)].strip().casefold() for name in _IDS if name in self.header}
        for one in filter(None, said.values()):
            self._exact[one].add(number)
        login, at, _ = said.get(_LOGIN, "").partition("@")
        if login:
            (self._local if at else self._plain)[login].add(number)
        for name in self._names(row):
            self._named[_letters(name)].add(number)

    def _names(self, row: list[str]) -> list[str]:
        """Ada Lovelace, in the order of the roster and of its download's file names, and of everyday life."""
        last, _, first = row[0].partition(",") if self.header[0] == "Student" else (row[0], "", row[1])
        return [name for name in (f"{last}{first}", f"{first}{last}") if _letters(name)]

    def student(self, name: str, file: str) -> tuple[int, int] | None:
        """How surely, and in which row, the student of that name who handed in that file stands; None where that is not certain.

        Of two addresses the part before the @ says nothing: anybody can have it elsewhere.
        """
        told = download(PurePosixPath(file.partition("!")[0]).name)
        mine = told is not None and name in (told.student, f"{told.student}_{told.user}")
        if told is not None and mine and len(self._exact.get(told.user, ())) == 1:
            return _EXACT, next(iter(self._exact[told.user]))
        whole = name.strip().casefold()
        login, at, _ = whole.partition("@")
        known = ((self._exact, whole), (self._plain if at else self._local, login), (self._named, _letters(name)))
        for how, (tier, said) in enumerate(known):
            found = tier.get(said, set())
            if found:
                return (how, next(iter(found))) if len(found) == 1 else None
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
