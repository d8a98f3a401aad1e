"""The lines of a table that belong to students, and the keys that identify the students.

A line belongs to a student if one of its keys equals one of the student's keys on the platform: the number, the
university ID, the address or the login. A platform's number is compared only with the column that the platform fills
with its numbers. A name is a key only if the submission came without any other key, or from Brightspace, whose tables
lack the numbers in its downloads. Similar keys do not match, so no score goes to the wrong person.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import chain, pairwise

from autograder.course import UserError
from autograder.csv_tables import Table
from autograder.grading.row import Row, identifiers, student_names
from autograder.submission.untrusted_names import folded, printable, unaccented_words

ID_COLUMNS = (
    *("ID", "SIS User ID", "SIS Login ID", "Integration ID"),  # of Canvas
    *("Identifier", "ID number", "Email address"),  # of Moodle
    *("OrgDefinedId", "Username"),  # of Brightspace and Blackboard
)
PLATFORM_NUMBER_COLUMNS = ("ID", "Identifier")
"""Columns in which Canvas and Moodle write their numbers; in another column, an equal number is somebody else's."""

NAME_COLUMN = "Full name"
MIN_NAME_SIMILARITY = 0.6
"""Minimum share of letters, in the same order, that two spellings of a name have in common. The number identifies the
student, and the name only shows whether the number is a person's or a group's."""

_SHORTENED_NUMBER = re.compile(r"\d(?:[.,]\d+)?E\+\d+", re.IGNORECASE)
"""A long number as a spreadsheet program saves it, such as 1.23E+07."""


class StudentLines:
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
            title = table.titles[column]
            has_numbers = title in PLATFORM_NUMBER_COLUMNS or title not in ID_COLUMNS
            for number, line in enumerate(table.lines):
                text = line[column].strip()
                for key in {text, text.removeprefix(prefix), text.removeprefix("#")} - {""}:
                    self._lines[folded(key)].add(number)
                    if has_numbers:
                        self._lines_by_number[folded(key)].add(number)
        self._lines_by_name: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for number, line in enumerate(table.lines):
            cells = [line[column] for column in range(len(table.titles))]
            for name in (*cells, *map(" ".join, pairwise(cells))):  # in one cell, or in two cells side by side
                self._lines_by_name[_name_key(name)].add(number)
        self._lines_by_name.pop((), None)  # of cells without letters
        self._has_names = NAME_COLUMN in table.titles or any(
            row.submission.person.name
            and (self._lines_with_key_and_name(row) or _name_key(row.submission.person.name) in self._lines_by_name)
            for row in rows
        )

    @property
    def lines_of_all_students(self) -> set[int]:
        """Return the numbers of all lines that belong to students."""
        return set(chain.from_iterable(self._lines.values()))

    def lines_of(self, row: Row) -> set[int]:
        """Return the numbers of a student's lines: none for a missing student, several if the table is ambiguous."""
        numbers = self._matching_lines(row)
        return {number for number in numbers if not self._line_lacks_moodle_name(row, number)}

    def has_another_name(self, row: Row) -> bool:
        """Return True if a line has the student's number but another name."""
        return bool(self._matching_lines(row)) and not self.lines_of(row)

    def label(self, line: int) -> str:
        """Return the first cell of a line, with the student's key if several lines have the same first cell."""
        first_cells = [other[0] for other in self._table.lines]
        key = next((cell for cell in self._keys(line) if cell), "")
        first = first_cells[line]
        return printable(f"{first} ({key})" if first_cells.count(first) > 1 else first)

    def keys_changed_by_spreadsheet(self, lines: Iterable[int], rows: Iterable[Row]) -> list[str]:
        """Return the keys in these lines that a spreadsheet program shortened, or that lack leading zeros or end in .0.

        A key counts only if an unmatched student has it in its original form, or if the key is too short to show
        whose it was.
        """
        unmatched = [row for row in rows if not self._matching_lines(row)]
        originals = {key.lstrip("0") for row in unmatched for key in identifiers(row.submission) if key.isdigit()}
        cells = dict.fromkeys(cell for line in lines for cell in self._keys(line))
        return [
            printable(cell)
            for cell in cells
            if _SHORTENED_NUMBER.fullmatch(cell) or cell.removesuffix(".0").lstrip("0") in originals
        ]

    def _keys(self, line: int) -> list[str]:
        return [self._table.lines[line][column].strip() for column in self._columns]

    def is_found_by_name(self, row: Row) -> bool:
        """Return True if a student from Brightspace is found by name alone."""
        is_from_brightspace = row.submission.person.platform == "Brightspace"
        return is_from_brightspace and self._has_names and not self._lines_with_key_and_name(row)

    def example_keys(self, rows: Mapping[str, Sequence[Row]]) -> tuple[str, str] | None:
        """Return a key in the table, and a key or name in the run; None if either has none."""
        submissions = (row.submission for row in chain.from_iterable(rows.values()))
        in_run = next((min(identifiers(each) or {each.student}) for each in submissions), "")
        in_table = next((key for line in sorted(self.lines_of_all_students) for key in self._keys(line) if key), "")
        return (printable(in_table), printable(in_run)) if in_table and in_run else None

    def _matching_lines(self, row: Row) -> set[int]:
        person = row.submission.person
        if person.platform == "Brightspace" and self._has_names:  # another student's key may equal the number
            return self._lines_with_key_and_name(row) or self._lines_by_name.get(_name_key(person.name), set())
        return self._lines_with_key(row)

    def _lines_with_key_and_name(self, row: Row) -> set[int]:
        return {number for number in self._lines_with_key(row) if self._has_name_of(row, number)}

    def _lines_with_key(self, row: Row) -> set[int]:
        person = row.submission.person
        keys = {folded(key) for key in (person.sid, person.email, person.login) if key}
        if not keys and not person.number:
            keys = identifiers(row.submission) or student_names(row.submission)
        by_number = self._lines_by_number.get(folded(person.number), set()) if person.number else set()
        return by_number.union(*(self._lines.get(key, set()) for key in keys))

    def _line_lacks_moodle_name(self, row: Row, line: int) -> bool:
        """Return True if a line lacks the name in Moodle's folder, so that its number may be a group's number."""
        is_from_moodle = row.submission.person.platform == "Moodle" and bool(row.submission.person.name)
        return is_from_moodle and self._has_names and not self._has_name_of(row, line)

    def _has_name_of(self, row: Row, number: int) -> bool:
        cells = [self._table.lines[number][column] for column in range(len(self._table.titles))]
        name = row.submission.person.name
        # In a course with groups, Moodle writes the group's name and a hyphen before the student's name.
        names_from_moodle = [name, *(name[hyphen.end() :] for hyphen in re.finditer("-", name))]
        return any(_is_similar_person_name(each, cell) for each in names_from_moodle for cell in cells)


def _shared_words_before_number(column_cells: Sequence[str]) -> str:
    """Return the words before the number, as in `Participant 123`, if all cells share these words."""
    prefixes = {re.sub(r"\d+$", "", cell) for cell in column_cells if cell}
    return prefixes.pop() if len(prefixes) == 1 else ""


def _name_key(name: str) -> tuple[str, ...]:
    """Return the words of a name for an exact comparison in any order."""
    return tuple(sorted(unaccented_words(name)))


def _is_similar_person_name(name: str, other: str) -> bool:
    """Return True for spellings of the same name, even in another order, without accents, or with letters missing."""
    words, others = unaccented_words(name), unaccented_words(other)
    pairs = ((words, others), (sorted(words), sorted(others)))
    texts = (("".join(first), "".join(second)) for first, second in pairs)
    return bool(words) and any(SequenceMatcher(None, *text).ratio() >= MIN_NAME_SIMILARITY for text in texts)
