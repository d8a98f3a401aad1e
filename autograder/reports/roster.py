"""Scores into a table of somebody else's: the gradebook that Canvas exports, Moodle's grading worksheet, or any CSV.

A line is a student's where one of its keys is exactly what a platform said of the student: the number, the university's
number, the address or the login. Nothing is matched by likeness, so no score goes to the wrong person; who is not found
is listed. All other cells stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from autograder.course import UserError
from autograder.files import write_csv
from autograder.grading.row import Row, known_as
from autograder.submission.names import folded, printable

ID_COLUMNS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID", "Identifier", "ID number", "Email address")
MAXIMA = ("Maximum Grade", "Points Possible")


class RosterError(UserError):
    """The table cannot be used. The message is a sentence for a person."""


class Filled(NamedTuple):
    """What was written, and what is left for a person: a heading, and whom it is about."""

    path: Path
    scores: int
    remarks: dict[str, list[str]]


def fill(
    out: Path,
    graded: Iterable[Row],
    table: Path,
    assignment: str | None = None,
    id_column: str | None = None,
    grade_column: str | None = None,
) -> Filled:
    """Write OUT/roster_<name of the table> with the scores of a finished run. Raises RosterError."""
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in graded:
        rows[row.submission.assignment].append(row)
    frame = _read(table)
    names = [assignment] if assignment else sorted(filter(None, rows))
    found = {name: _grade_column(frame, name, grade_column, len(names) == 1) for name in names}
    columns = {name: column for name, column in found.items() if column is not None}
    if not columns:
        raise RosterError(
            f"{table} has no column for {', '.join(names) or 'any assignment'}: say which with --assignment NAME"
            f" --grade-column TITLE. Its columns are {printable(', '.join(frame.columns), 300)}"
        )
    lines = _lines_by_key(frame, table, id_column)
    scores, served = 0, set[int]()
    missing = [f"{printable(row.student)}, {printable(row.submission.file)}" for row in rows[""]]
    by_hand: list[str] = []
    other: list[str] = []
    for name, column in columns.items():
        meant = [
            set[int]().union(*(lines[key] for key in known_as(row.submission) & lines.keys())) for row in rows[name]
        ]
        times = Counter(chain.from_iterable(meant))
        for row, numbers in zip(rows[name], meant, strict=True):
            if len(numbers) == 1 and times[min(numbers)] == 1 and not row.lost:
                frame.loc[min(numbers), column] = f"{row.score:.10g}"
                scores += 1
            else:
                (by_hand if numbers else missing).append(f"{printable(row.student)}, {name}")
        served |= times.keys()
        most = max((row.grade.max_score for row in rows[name]), default=0.0)
        there = [maximum for maximum in _maximum(frame, column) if maximum != most]
        other += [f"{name} is worth {maximum:g} in {table.name}, and the scores are of {most:g}" for maximum in there]
    unserved = sorted(set(chain.from_iterable(lines.values())) - served)
    remarks = {
        "Not in the table": missing,
        "To fill in by hand": by_hand,
        "Without a submission": [printable(str(frame.iloc[number, 0])) for number in unserved],
        "To change there first": other,
    }
    path = out / f"roster_{table.name}"
    write_csv(path, [list(frame.columns), *frame.values.tolist()])
    return Filled(path, scores, {what: whom for what, whom in remarks.items() if whom})


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
    expected: Sequence[str] = ID_COLUMNS if id_column is None else (id_column,)
    columns = [title for title in expected if title in frame.columns]
    if not columns:
        raise RosterError(
            f"{table} has no column {' or '.join(expected)}: say with --id-column TITLE where it has the number, the"
            " address or the login of a student"
        )
    lines: dict[str, set[int]] = defaultdict(set)
    for number, cell in frame[columns].stack().droplevel(1).str.strip().items():
        participant = re.fullmatch(r"\D+ (\d+)", cell)  # Moodle writes Participant 123
        for key in filter(None, (folded(cell), participant and participant[1])):
            lines[key].add(number)
    return lines


def _maximum(frame: pd.DataFrame, column: str) -> set[float]:
    """What the table says that the column is worth: Moodle in a column of its own, Canvas in its first line."""
    first = frame.loc[frame.iloc[:, 0].str.strip() == MAXIMA[1], column]
    return set(pd.to_numeric(frame.get(MAXIMA[0], first), errors="coerce").dropna())
