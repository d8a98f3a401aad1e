"""Corrections by hand: adjustments.csv, a table that the instructor keeps beside the class and every run reads.

Its columns are student (number, address, login or name), assignment, points (added) or score (set), and reason, which
the student reads.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from autograder.batch.gradebook import Gradebook
from autograder.course import BatchError
from autograder.grading.row import Adjustment, known_as
from autograder.submission.names import folded, printable

FILE = "adjustments.csv"
COLUMNS = {"student", "assignment", "reason"}


def apply(book: Gradebook, folder: Path) -> tuple[int, list[str]]:
    """Keep the corrections of the table in a folder, if there is one, with the submissions that they mean; returns how
    many there are, and a sentence for each line that means nobody or several. Raises BatchError for a table that cannot
    be understood."""
    path = folder / FILE
    lines = list(_lines(path)) if path.is_file() else []
    if not lines:
        return 0, []
    people: dict[tuple[str, str], set[int]] = defaultdict(set)
    for number, submission in book.submissions():
        for name in known_as(submission):
            people[submission.assignment, name].add(number)
    meant: dict[int, list[Adjustment]] = defaultdict(list)
    unmatched = []
    for number, student, assignment, adjustment in lines:
        found = people.get((assignment, folded(student)), set())
        if len(found) == 1:
            meant[min(found)].append(adjustment)
        else:
            why = f"could be {len(found)} submissions" if found else "nobody of that name has a submission"
            unmatched.append(f"{path.name}, line {number}: {printable(student)}, {assignment}: {why}")
    book.adjust(meant)
    return len(lines) - len(unmatched), unmatched


def _lines(path: Path) -> Iterator[tuple[int, str, str, Adjustment]]:
    """Number, student, assignment and correction of each line."""
    try:
        text = path.read_text("utf-8-sig")
        delimiter = max(",;\t", key=text.partition("\n")[0].count)
        table = csv.DictReader(text.splitlines(), delimiter=delimiter)
        missing = COLUMNS - {name.strip() for name in table.fieldnames or ()}
        if missing:
            raise ValueError(f"it has no column {', '.join(sorted(missing))}")
        for cells in table:
            line = {name.strip(): (value or "").strip() for name, value in cells.items() if isinstance(name, str)}
            if any(line.values()):
                student = line["student"].removeprefix("'")  # as it was before it was made safe for a spreadsheet
                yield table.line_num, student, line["assignment"], _adjustment(line)
    except (OSError, ValueError, csv.Error) as error:
        raise BatchError(f"{path} cannot be used: {error}") from error


def _adjustment(line: dict[str, str]) -> Adjustment:
    given = [line.get(name, "").replace(",", ".") for name in ("points", "score")]
    points, score = (float(text) if text else None for text in given)
    if given.count("") != 1 or not (-100 <= (points or 0) <= 100 and 0 <= (score or 0) <= 100):
        raise ValueError(f"{line['student']}, {line['assignment']}: give points to add, or a score from 0 to 100")
    return Adjustment(points, score, line["reason"])
