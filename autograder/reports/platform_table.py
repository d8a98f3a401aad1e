"""Scores for another program's table: a gradebook exported from Canvas, Moodle's grading worksheet, or any CSV.

A line belongs to a student if one of its keys equals one of the student's keys on the platform: the number, the
university ID, the address or the login. A platform's number is compared only with the column that the platform fills
with its numbers. A name is a key only if the submission has no other key. Keys that are merely similar do not match, so
no score goes to the wrong person; students who are not found are listed. All cells other than scores are left
unchanged.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain
from pathlib import Path

from autograder import csv_tables
from autograder.course import UserError
from autograder.csv_tables import Table
from autograder.grading.row import Row, identifiers, student_names
from autograder.protocol.failure_kinds import SubmissionStatus
from autograder.submission.untrusted_names import folded, printable, semicolon_list, unaccented_words

ID_COLUMNS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID", "Identifier", "ID number", "Email address")
PLATFORM_NUMBER_COLUMNS = ("ID", "Identifier")
"""Columns for the numbers of Canvas and Moodle; in any other column, an equal number is somebody else's."""

SECTION_COLUMNS = ("section", "sections", "group", "groups")
NAME_COLUMN, MOODLE_GRADE, MOODLE_MAXIMUM, CANVAS_MAXIMUM = "Full name", "Grade", "Maximum Grade", "Points Possible"

MIN_NAME_SIMILARITY = 0.6
"""Minimum share of letters, in the same order, that two spellings of a name have in common. The student is identified
by number; the name only shows whether the number is a person's or a group's."""

_SHORTENED_NUMBER = re.compile(r"\d(?:[.,]\d+)?E\+\d+", re.IGNORECASE)
"""Pattern for a long number as saved by a spreadsheet program, such as 1.23E+07."""


@dataclass
class FilledTable:
    """The table with scores filled in, and the cases that a person must check."""

    path: Path
    score_counts: dict[str, int] = field(default_factory=dict)
    """number of scores, keyed by column title"""
    remarks: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """names of the students or files that a remark is about, keyed by the remark's heading"""
    section_by_person: dict[str, str] = field(default_factory=dict)
    """each person's section, if the table lists sections"""


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
    columns = _columns(table, assignments or sorted(filter(None, rows)), grade_columns)
    student_lines = _StudentLines(table, id_column, [*chain.from_iterable(rows.values())])
    filled = FilledTable(out_folder / f"roster_{table_path.name}")
    filled.remarks["Not in the table"] = [_label(row, row.submission.file) for row in rows[""]]
    lines_with_submission: set[int] = set()
    for name, column in columns.items():
        lines_with_submission |= _fill_column(table, column, name, rows[name], student_lines, filled)
    section = next((n for n, title in enumerate(table.titles) if title.casefold() in SECTION_COLUMNS), None)
    for row in chain.from_iterable(rows.values()):
        for line in student_lines.lines_of(row) if section is not None else ():
            filled.section_by_person[row.submission.student_key] = table.lines[line][section or 0].strip()
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
    table: Table, column: int, name: str, rows: list[Row], student_lines: _StudentLines, filled: FilledTable
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


def _comparable_title(title: str) -> str:
    """Return a title for comparison, without the number that Canvas adds in brackets."""
    return folded(re.sub(r" \(\d+\)$", "", title)).replace("_", " ").strip()


class _StudentLines:
    """The lines of a table, keyed by the students' numbers, addresses and logins."""

    def __init__(self, table: Table, id_column: str | None, rows: Iterable[Row]) -> None:
        titles = (id_column,) if id_column is not None else ID_COLUMNS
        columns = [number for number, title in enumerate(table.titles) if title in titles]
        if not columns:
            raise UserError(
                f"{table.path} has no column {' or '.join(titles)}: name the column with the students' numbers,"
                " addresses or logins with --id-column TITLE"
            )
        self._table, self._columns = table, columns
        self._lines: dict[str, set[int]] = defaultdict(set)
        self._lines_by_number: dict[str, set[int]] = defaultdict(set)
        for column in columns:
            prefix = _shared_words_before_number([line[column].strip() for line in table.lines])
            has_numbers = id_column is not None or table.titles[column] in PLATFORM_NUMBER_COLUMNS
            for number, line in enumerate(table.lines):
                text = line[column].strip()
                for key in {text, text.removeprefix(prefix), text.removeprefix("#")} - {""}:
                    self._lines[folded(key)].add(number)
                    if has_numbers:
                        self._lines_by_number[folded(key)].add(number)
        self._has_names = NAME_COLUMN in table.titles or any(
            row.submission.person.name and self._has_name_of(row, number)
            for row in rows
            for number in self._lines_with_identity(row)
        )

    @property
    def lines_of_all_students(self) -> set[int]:
        """Return the numbers of all lines that belong to students."""
        return set(chain.from_iterable(self._lines.values()))

    def lines_of(self, row: Row) -> set[int]:
        """Return the numbers of a student's lines: none for a missing student, several if the match is ambiguous."""
        numbers = self._lines_with_identity(row)
        return {number for number in numbers if not self._line_lacks_moodle_name(row, number)}

    def has_another_name(self, row: Row) -> bool:
        """Return True if a line has the student's number but a different name."""
        return bool(self._lines_with_identity(row)) and not self.lines_of(row)

    def label(self, line: int) -> str:
        """Return the first cell of a line, adding the student's key if several lines share that first cell."""
        first_cells = [other[0] for other in self._table.lines]
        key = next((cell for cell in self._keys(line) if cell), "")
        first = first_cells[line]
        return printable(f"{first} ({key})" if first_cells.count(first) > 1 else first)

    def keys_changed_by_spreadsheet(self, lines: Iterable[int], rows: Iterable[Row]) -> list[str]:
        """Return the keys in these lines that a spreadsheet shortened, or that lack leading zeros or end in .0.

        A key counts only if an unmatched student has it in its original form, or if it is too short to show whose it
        was.
        """
        unmatched = [row for row in rows if not self._lines_with_identity(row)]
        originals = {key.lstrip("0") for row in unmatched for key in identifiers(row.submission) if key.isdigit()}
        cells = dict.fromkeys(cell for line in lines for cell in self._keys(line))
        return [
            printable(cell)
            for cell in cells
            if _SHORTENED_NUMBER.fullmatch(cell) or cell.removesuffix(".0").lstrip("0") in originals
        ]

    def _keys(self, line: int) -> list[str]:
        return [self._table.lines[line][column].strip() for column in self._columns]

    def _lines_with_identity(self, row: Row) -> set[int]:
        person = row.submission.person
        keys = {folded(key) for key in (person.sid, person.email, person.login) if key}
        if not keys and not person.number:
            keys = identifiers(row.submission) or student_names(row.submission)
        by_number = self._lines_by_number.get(folded(person.number), set()) if person.number else set()
        return by_number.union(*(self._lines.get(key, set()) for key in keys))

    def _line_lacks_moodle_name(self, row: Row, line: int) -> bool:
        """Return True if a line lacks the name in Moodle's folder, so that its number might be a group's."""
        is_from_moodle = row.submission.person.platform == "Moodle" and bool(row.submission.person.name)
        return is_from_moodle and self._has_names and not self._has_name_of(row, line)

    def _has_name_of(self, row: Row, number: int) -> bool:
        cells = [self._table.lines[number][column] for column in range(len(self._table.titles))]
        name = row.submission.person.name
        # In a course with groups, Moodle puts the group's name and a hyphen before the student's name.
        names_from_moodle = [name, *(name[hyphen.end() :] for hyphen in re.finditer("-", name))]
        return any(_is_similar_person_name(each, cell) for each in names_from_moodle for cell in cells)


def _shared_words_before_number(column_cells: Sequence[str]) -> str:
    """Return the words before the number, as in `Participant 123`, if all cells share them."""
    prefixes = {re.sub(r"\d+$", "", cell) for cell in column_cells if cell}
    return prefixes.pop() if len(prefixes) == 1 else ""


def _is_similar_person_name(name: str, other: str) -> bool:
    """Return True for spellings of the same name, even reordered, without accents, or with letters missing."""
    words, others = unaccented_words(name), unaccented_words(other)
    pairs = ((words, others), (sorted(words), sorted(others)))
    texts = (("".join(first), "".join(second)) for first, second in pairs)
    return bool(words) and any(SequenceMatcher(None, *text).ratio() >= MIN_NAME_SIMILARITY for text in texts)


def _column_maximums(table: Table, column: int) -> set[float]:
    """Return a column's maximum scores, from Moodle's separate column or Canvas's first line."""
    if MOODLE_MAXIMUM in table.titles:
        cells = [line[table.titles.index(MOODLE_MAXIMUM)] for line in table.lines]
    else:
        cells = [line[column] for line in table.lines if line[0].strip() == CANVAS_MAXIMUM]
    return {table_maximum for table_maximum in map(csv_tables.number, cells) if table_maximum is not None}
