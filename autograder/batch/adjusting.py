"""`autograder adjust`: a person's word on a grade goes into the gradebook, and from there into everything under OUT."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.batch import output, postprocessing
from autograder.batch.gradebook import Gradebook, GradebookError, Known, saved_adjustments
from autograder.course import UserError
from autograder.files import write_csv
from autograder.grading.row import Adjustment, Row
from autograder.reports.matching import read
from autograder.submission.names import csv_cell, folded, printable, utf8_safe


def add(out: Path, adjustment: Adjustment) -> Row | None:
    """Correct a grade, or comment on it; returns the row as it is now. Number and time are given here. Raises
    UserError."""
    with _writing(out) as book:
        meant = _of_one(book, adjustment)
        book.adjust(meant)
        return _written(book, meant)


def _of_one(book: Gradebook, adjustment: Adjustment) -> Adjustment:
    """The same with the one person who is meant, and its time. Raises UserError where it cannot stand."""
    if adjustment.points is not None and adjustment.score is not None:
        raise UserError("--points adds to the score and --score sets it: give one of them")
    changes = adjustment.points is not None or adjustment.score is not None
    if changes and not adjustment.reason.strip():
        raise UserError("say why with --reason: the student reads it beside the corrected score")
    row = _row(book, adjustment.student, adjustment.assignment)
    if adjustment.score is not None and not 0 <= adjustment.score <= 2 * row.max_score:
        most = f"0 and {row.max_score:g}, or up to {2 * row.max_score:g} with a bonus"
        raise UserError(f"the score of {adjustment.assignment} lies between {most}")
    at = adjustment.at or datetime.now().astimezone().isoformat(timespec="seconds")
    said: dict[str, Any] = {
        name: utf8_safe(" ".join(getattr(adjustment, name).split())) for name in ("reason", "comment", "by")
    }
    return replace(adjustment, student=row.submission.student, person=row.submission.who, at=at, **said)


TABLE = ("student", "assignment", "points", "score", "reason", "comment", "by", "at")
"""Columns of a table of corrections; all but the first two may be missing or empty."""


def add_all(out: Path, table: Path, by: str) -> tuple[int, int]:
    """Make all corrections of a table, or none; returns how many are new, and how many were there already and stay one.

    That a table is read twice so adds nothing twice. `by` is whose they are where the table does not say. Raises
    UserError that names the line.
    """
    header, *rows = read(table)
    names = [name.strip().casefold() for name in header]
    if not {"student", "assignment"} <= {*names}:
        raise UserError(f"{table} has no columns student and assignment: its first line names the columns")
    with _writing(out) as book:
        known = {
            same for said in book.adjustments() for same in (replace(said, number=0), replace(said, number=0, at=""))
        }
        meant = []
        for number, row in enumerate(rows, 2):
            line = dict.fromkeys(TABLE, "") | dict(zip(names, map(_text, row), strict=False))
            adjustment = _of_line(book, line, by, f"{table}, line {number}")
            if (adjustment if line["at"] else replace(adjustment, at="")) not in known:
                meant.append(adjustment)
        for adjustment in meant:
            book.adjust(adjustment)
        if meant:
            _written(book, meant[-1])
    return len(meant), len(rows) - len(meant)


def _cell(value: str | float | None) -> str:
    return csv_cell(value) if isinstance(value, str) else "" if value is None else f"{value:.10g}"


def _text(cell: str) -> str:
    """What stood in a cell before it was made safe for a spreadsheet."""
    text = cell.strip()
    return text[1:] if text.startswith("'") and csv_cell(text[1:]) == text else text


def _of_line(book: Gradebook, line: dict[str, str], by: str, where: str) -> Adjustment:
    try:
        points, score = (float(line[name].replace(",", ".")) if line[name] else None for name in ("points", "score"))
        if points is None and score is None and not line["comment"]:
            raise UserError("it has no points, no score and no comment")
        texts = {name: line[name] for name in ("student", "assignment", "reason", "comment", "at")}
        return _of_one(book, Adjustment(0, points=points, score=score, by=line["by"] or by, **texts))
    except (UserError, ValueError) as error:
        raise UserError(f"{where}: {error}. Nothing was changed") from error


def save(out: Path, table: Path) -> int:
    """Write all corrections as a table that `add_all` takes, in this version or another; returns how many there are."""
    rows = [[_cell(getattr(adjustment, name)) for name in TABLE] for adjustment in saved_adjustments(out)]
    write_csv(table, [TABLE, *rows])
    return len(rows)


def undo(out: Path, number: int) -> Row | None:
    """Take a word back; returns the row as it is now, if the submission is still there."""
    with _writing(out) as book:
        adjustment = next((adjustment for adjustment in book.adjustments() if adjustment.number == number), None)
        if adjustment is None:
            raise UserError(f"there is no adjustment {number}: `autograder adjust {out}` lists those that there are")
        book.undo(adjustment)
        return _written(book, adjustment)


def _writing(out: Path) -> Gradebook:
    with Gradebook.reading(out):  # says where there is none; opening one to write would make it
        pass
    return Gradebook.writing(out)


def _row(book: Gradebook, student: str, assignment: str) -> Row:
    """The row of the one student who is meant."""
    known = book.students(assignment)
    meant = _meant(student, known)
    rows = [row for person in meant for row in book.rows(assignment=assignment, person=person.person)]
    if len(meant) > 1:
        raise UserError(
            f"{printable(student)} could be {', '.join(printable(row.student) for row in rows)}: name the folder in"
            " brackets"
        )
    if rows:
        return rows[0]
    if elsewhere := _meant(student, book.students()):
        handed_in = ", ".join(
            row.submission.assignment or row.submission.file for row in book.rows(person=elsewhere[0].person)
        )
        raise UserError(
            f"{printable(elsewhere[0].student)} handed in nothing for {assignment}, only {printable(handed_in, 200)}"
        )
    names = [person.student for person in known]
    near = [name for name in names if folded(student) in folded(name)] or difflib.get_close_matches(student, names)
    near = near[:3]
    nearest = f"; the nearest: {', '.join(map(printable, near))}" if near else ""
    raise UserError(f"nobody named {printable(student)} has a grade in {assignment}{nearest}")


def _meant(student: str, known: list[Known]) -> list[Known]:
    """The students of that name, address, login or number, or of that folder of the feedback, or whose names look like
    it."""
    looks = folded(student)
    tests: list[Callable[[Known], bool]] = [
        lambda person: student in (person.student, person.email, person.login, person.number, person.sid),
        lambda person: person.folder == student,
        lambda person: looks in (folded(person.student), folded(person.email), folded(person.login)),
    ]
    matches = ([person for person in known if test(person)] for test in tests)
    return next(filter(None, matches), [])


def _written(book: Gradebook, adjustment: Adjustment) -> Row | None:
    """Bring everything under OUT up to date; the row as it is now."""
    output.update(book)
    try:
        postprocessing.write_report(book.out)
    except GradebookError as error:
        raise UserError(f"it is kept, and the report is not up to date: {error}") from error
    return next(book.rows(assignment=adjustment.assignment, person=adjustment.person), None)
