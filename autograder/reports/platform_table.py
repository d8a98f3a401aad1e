"""Scores for another program's table: a gradebook exported from Canvas, Moodle's grading worksheet, or any CSV.

Students who are not found in the table are listed. All cells except the scores stay unchanged.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from autograder import csv_tables
from autograder.course import UserError
from autograder.csv_tables import Table
from autograder.grading.row import Row
from autograder.protocol.failure_kinds import SubmissionStatus
from autograder.reports.student_lines import ID_COLUMNS, StudentLines
from autograder.submission.untrusted_names import folded, printable, semicolon_list

SECTION_COLUMNS = ("section", "sections", "group", "groups")
MOODLE_GRADE, MOODLE_MAXIMUM, CANVAS_MAXIMUM = "Grade", "Maximum Grade", "Points Possible"

MAX_HEADING_LINES = 10
"""Number of lines below the first in which to look for column titles."""

_TITLE_ADDITION = re.compile(r" (?:\(\d+\)|Points Grade(?: <.*>)?|\[Total Pts: .*\].*)$")


@dataclass
class FilledTable:
    """The table with scores filled in, and the cases that a person must check."""

    path: Path
    score_counts: dict[str, int] = field(default_factory=dict)
    """number of scores, keyed by column title"""
    remarks: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """names of the students or files that a remark is about, keyed by the remark's heading"""
    section_by_person: dict[str, str] = field(default_factory=dict)
    """section of each person, if the table has sections"""
    example_keys: tuple[str, str] | None = None
    """a key in the table and a key in the run, if the table contains no student of the run"""


def fill_table(
    out_folder: Path,
    graded: Iterable[Row],
    table_path: Path,
    assignments: Sequence[str] = (),
    id_column: str | None = None,
    grade_columns: Sequence[str] = (),
) -> FilledTable:
    """Write OUT/roster_<table name> with the scores of a finished run. Raise UserError if it cannot be filled in.

    `grade_columns` names a column for each of `assignments`, in the same order.
    """
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in graded:
        rows[row.submission.assignment].append(row)
    table = csv_tables.read(table_path)
    _require_titles_in_first_line(table, id_column)
    columns = _columns(table, assignments or sorted(filter(None, rows)), grade_columns)
    student_lines = StudentLines(table, id_column, [*chain.from_iterable(rows.values())])
    filled = FilledTable(out_folder / f"roster_{table_path.name}")
    filled.remarks["Not in the table"] = [_label(row, row.submission.file) for row in rows[""]]
    lines_with_submission: set[int] = set()
    for name, column in columns.items():
        lines_with_submission |= _fill_column(table, column, name, rows[name], student_lines, filled)
    section = next((n for n, title in enumerate(table.titles) if title.casefold() in SECTION_COLUMNS), None)
    for row in chain.from_iterable(rows.values()):
        for line in student_lines.lines_of(row) if section is not None else ():
            filled.section_by_person[row.submission.student_key] = table.lines[line][section or 0].strip()
    filled.example_keys = None if lines_with_submission else student_lines.example_keys(rows)
    lines_without = sorted(student_lines.lines_of_all_students - lines_with_submission)
    filled.remarks["Without a submission"] = [student_lines.label(number) for number in lines_without]
    heading = "Numbers that a spreadsheet program may have changed (export the table again, and fill in that file)"
    filled.remarks[heading] = student_lines.keys_changed_by_spreadsheet(
        lines_without, chain.from_iterable(rows.values())
    )
    filled.remarks = {heading: about for heading, about in filled.remarks.items() if about}
    table.write(filled.path)
    return filled


def _fill_column(
    table: Table, column: int, name: str, rows: list[Row], student_lines: StudentLines, filled: FilledTable
) -> set[int]:
    """Write one assignment's scores; return the lines of all students who have a submission."""
    lines_of_rows = [student_lines.lines_of(row) for row in rows]
    times = Counter(chain.from_iterable(lines_of_rows))
    written = replaced = 0
    for row, numbers in zip(rows, lines_of_rows, strict=True):
        label = _label(row, name)
        line = table.lines[min(numbers)] if len(numbers) == 1 and times[min(numbers)] == 1 else None
        if not numbers:
            another = student_lines.has_another_name(row)
            heading = "Same number, another name (a group's, perhaps)" if another else "Not in the table"
            filled.remarks[heading].append(label)
        elif line is None or row.machine_failure:
            filled.remarks["To fill in by hand"].append(label)
        elif row.grade.status is SubmissionStatus.UNREADABLE and not row.adjustments:
            filled.remarks["Left empty, because the file could not be read"].append(label)
        elif (cell := line[column].strip()) and csv_tables.number(cell) is None:
            filled.remarks["Left unchanged"].append(f"{label} ({printable(cell)})")
        else:
            score = f"{row.score:.10g}"
            replaced += bool(cell) and csv_tables.number(cell) != row.score
            table.set(line, column, score.replace(".", ",") if table.has_decimal_commas else score)
            written += 1
            if student_lines.is_found_by_name(row):
                filled.remarks["Found by name, since the table lacks the numbers of the download"].append(label)
    title = table.titles[column]
    filled.score_counts[title] = written
    if replaced:
        filled.remarks["Cells that contained another number"].append(f"{replaced} in {printable(title)}")
    maximum = max((row.grade.max_score for row in rows), default=0.0)
    for table_maximum in sorted(_column_maximums(table, column) - {maximum}):
        remark = f"{name} is worth {table_maximum:g} in {table.path.name}, but the scores are out of {maximum:g}"
        filled.remarks["To change in the table first"].append(remark)
    return {*times}


def _label(row: Row, assignment_or_file: str) -> str:
    return f"{printable(row.student)}, {printable(assignment_or_file)}"


def _columns(table: Table, assignments: Sequence[str], named: Sequence[str]) -> dict[str, int]:
    """Return each assignment's column: the named one, Moodle's, or the one titled with the assignment's name."""
    if named and len(named) != len(assignments):
        raise UserError(
            f"--grade-column {named[0]}: name an --assignment for each --grade-column; graded were"
            f" {', '.join(assignments)}"
        )
    if named:
        return {name: table.column(title) for name, title in zip(assignments, named, strict=True)}
    titles = table.titles
    if len(assignments) == 1 and {"Identifier", MOODLE_GRADE} <= {*titles}:
        return {assignments[0]: table.column(MOODLE_GRADE)}
    matches = {
        name: [n for n, title in enumerate(titles) if _comparable_title(title) == _comparable_title(name)]
        for name in assignments
    }
    columns = {name: numbers[0] for name, numbers in matches.items() if len(numbers) == 1}
    if not columns:
        raise UserError(
            f"{table.path} has no column for {', '.join(assignments) or 'any assignment'}: name it with --assignment"
            f" NAME --grade-column TITLE. Its columns are {printable(semicolon_list(titles), 300)}"
        )
    return columns


def _require_titles_in_first_line(table: Table, id_column: str | None) -> None:
    """Raise UserError if the titles are in a later line, below the heading of a spreadsheet."""
    titles = {*ID_COLUMNS} if id_column is None else {id_column}
    for line in () if titles & {*table.titles} else table.lines[:MAX_HEADING_LINES]:
        if titles & {cell.strip().strip('"') for cell in line.raw}:
            raise UserError(f"{table.path} has its column titles in line {line.number}: delete the lines above it")


def _comparable_title(title: str) -> str:
    """Return a title for comparison, without the number or maximum that Canvas, Brightspace or Blackboard adds."""
    return folded(_TITLE_ADDITION.sub("", title)).replace("_", " ").strip()


def _column_maximums(table: Table, column: int) -> set[float]:
    """Return a column's maximum scores, from Moodle's separate column or Canvas's first line."""
    if MOODLE_MAXIMUM in table.titles:
        cells = [line[table.titles.index(MOODLE_MAXIMUM)] for line in table.lines]
    else:
        cells = [line[column] for line in table.lines if line[0].strip() == CANVAS_MAXIMUM]
    return {table_maximum for table_maximum in map(csv_tables.number, cells) if table_maximum is not None}
