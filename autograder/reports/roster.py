"""Scores into a table of somebody else's: the gradebook that Canvas exports, Moodle's grading worksheet, or any CSV.

A line is a student's where one of its keys is exactly what a platform said of the student: the number, the university's
number, the address or the login. Nothing is matched by likeness, so no score goes to the wrong person; who is not found
is listed. All other cells stay as they are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from autograder.course import UserError
from autograder.files import write_csv
from autograder.grading.row import Row, Rows, known_as
from autograder.submission.names import folded, printable

ID_COLUMNS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID", "Identifier", "ID number", "Email address")
"""of Canvas and Moodle"""
MAXIMA = ("Maximum Grade", "Points Possible")


class RosterError(UserError):
    """The table cannot be used. The message is a sentence for a person."""


@dataclass
class Filled:
    """What was written, and who is missing."""

    path: Path
    scores: int = 0
    not_found: list[str] = field(default_factory=list)
    """submissions whose student the table does not have"""
    doubtful: list[str] = field(default_factory=list)
    """submissions that the table has twice, or that no grader could judge"""
    without: list[str] = field(default_factory=list)
    """lines without a submission"""
    other_maximum: list[str] = field(default_factory=list)
    """assignments that are worth something else there, a sentence each"""


def fill(
    out: Path,
    book: Rows,
    table: Path,
    assignment: str | None = None,
    id_column: str | None = None,
    grade_column: str | None = None,
) -> Filled:
    """Write OUT/roster_<name of the table> with the scores of a finished run. Raises RosterError."""
    by_assignment: dict[str, list[Row]] = defaultdict(list)
    for row in book.rows():
        by_assignment[row.submission.assignment].append(row)
    names = [assignment] if assignment else sorted(filter(None, by_assignment))
    frame = _read(table)
    columns = {name: _grade_column(frame, name, grade_column, len(names) == 1) for name in names}
    chosen = {name: column for name, column in columns.items() if column is not None}
    if not chosen:
        raise RosterError(
            f"{table} has no column for {', '.join(names) or 'any assignment'}: say which with --assignment NAME"
            f" --grade-column TITLE. Its columns are {printable(', '.join(frame.columns), 300)}"
        )
    lines = _lines_by_key(frame, table, id_column)
    filled = Filled(out / f"roster_{table.name}")
    served: set[int] = set()
    filled.not_found += [f"{printable(row.student)}, {printable(row.submission.file)}" for row in by_assignment[""]]
    for name, column in chosen.items():
        numbers = [
            (row, set().union(*(lines.get(key, ()) for key in known_as(row.submission)))) for row in by_assignment[name]
        ]
        taken = [number for _, found in numbers for number in found]
        for row, found in numbers:
            who = f"{printable(row.student)}, {name}"
            if not found:
                filled.not_found.append(who)
            elif len(found) > 1 or taken.count(min(found)) > 1 or row.lost:
                filled.doubtful.append(who)
            else:
                frame.loc[min(found), column] = f"{row.score:.10g}"
                filled.scores += 1
            served |= found
        most = max((row.max_score for row in by_assignment[name]), default=0.0)
        filled.other_maximum += [
            f"{name} is worth {there:g} in {table.name}, and the scores are of {most:g}"
            for there in _maximum(frame, column)
            if there != most
        ]
    everybody = set().union(*lines.values())
    filled.without = [printable(str(frame.iloc[number, 0])) for number in sorted(everybody - served)]
    write_csv(filled.path, [list(frame.columns), *frame.values.tolist()])
    return filled


def _read(table: Path) -> pd.DataFrame:
    try:
        text = table.read_text("utf-8-sig")
        delimiter = max(",;\t", key=text.partition("\n")[0].count)
        return pd.read_csv(table, sep=delimiter, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise RosterError(f"{table} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _grade_column(frame: pd.DataFrame, assignment: str, named: str | None, is_only_one: bool) -> str | None:
    """The title of the column for an assignment: the one that was named, Moodle's, or what Canvas calls so."""
    if named is not None:
        if named not in frame.columns or not is_only_one:
            why = "the table has no such column" if is_only_one else "several assignments were graded: add --assignment"
            raise RosterError(f"--grade-column {named}: {why}")
        return named
    if is_only_one and {"Identifier", "Grade"} <= {*frame.columns}:
        return "Grade"
    titles = [title for title in frame.columns if _called(title) == _called(assignment)]
    return titles[0] if len(titles) == 1 else None


def _called(title: str) -> str:
    """Canvas adds a number in brackets."""
    return folded(re.sub(r" \(\d+\)$", "", title)).replace("_", " ").strip()


def _lines_by_key(frame: pd.DataFrame, table: Path, id_column: str | None) -> dict[str, set[int]]:
    wanted: Sequence[str] = ID_COLUMNS if id_column is None else (id_column,)
    columns = [title for title in wanted if title in frame.columns]
    if not columns:
        raise RosterError(
            f"{table} has no column {' or '.join(wanted)}: say with --id-column TITLE where it has the number, the"
            " address or the login of a student"
        )
    lines: dict[str, set[int]] = defaultdict(set)
    for number, cells in enumerate(frame[columns].itertuples(index=False)):
        for key in _keys(cells):
            lines[key].add(number)
    return lines


def _keys(cells: Iterable[str]) -> Iterable[str]:
    """Moodle writes Participant 123."""
    for cell in filter(None, map(str.strip, cells)):
        yield folded(cell)
        if participant := re.fullmatch(r"\D+ (\d+)", cell):
            yield participant[1]


def _maximum(frame: pd.DataFrame, column: str) -> set[float]:
    """What the table says that the column is worth: Moodle in a column of its own, Canvas in its first line."""
    cells = (
        frame[MAXIMA[0]] if MAXIMA[0] in frame.columns else frame.loc[frame.iloc[:, 0].str.strip() == MAXIMA[1], column]
    )
    return set(pd.to_numeric(cells, errors="coerce").dropna())
