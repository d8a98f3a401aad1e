"""`autograder adjust`: a person's word on a grade goes into the gradebook, and from there into everything under OUT."""

from __future__ import annotations

import difflib
import unicodedata
from datetime import datetime
from pathlib import Path

from autograder.batch import postprocessing
from autograder.batch.gradebook import Gradebook, GradebookError
from autograder.batch.output import Output
from autograder.course import UserError
from autograder.grading.row import Adjustment, Row
from autograder.submission.names import printable, utf8_safe


class AdjustmentError(UserError):
    """What was asked for cannot be done. The message is a sentence for a person."""


def add(out: Path, student: str, assignment: str, points: float | None, score: float | None, reason: str, comment: str, by: str) -> Row | None:
    """Correct a grade, or comment on it; returns the row as it is now. Raises GradebookError."""
    with _writing(out) as book:
        row = _row(book, student, assignment)
        if row.packed is None or (score is not None and not 0 <= score <= row.max_score):
            raise AdjustmentError(f"the score of {assignment} lies between 0 and {row.max_score:g}")
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        said, more, who = (utf8_safe(" ".join(text.split())) for text in (reason, comment, by))
        book.adjust(Adjustment(0, row.submission.student, assignment, points, score, said, more, who, now))
        return _written(out, book, row.submission.student, assignment)


def undo(out: Path, number: int) -> Row | None:
    """Take a word back; returns the row as it is now, if the submission is still there."""
    with _writing(out) as book:
        found = next((one for one in book.adjustments() if one.number == number), None)
        if found is None:
            raise AdjustmentError(f"there is no adjustment {number}: `autograder adjust {out}` lists those that there are")
        book.undo(found)
        return _written(out, book, found.student, found.assignment)


def listed(out: Path, student: str | None, assignment: str | None) -> list[Adjustment]:
    """What people said of grades."""
    with Gradebook.reading(out) as book:
        return book.adjustments(student, assignment)


def _writing(out: Path) -> Gradebook:
    Gradebook.reading(out).close()  # says where there is none; opening one to write would make it
    return Gradebook.writing(out)


def _row(book: Gradebook, student: str, assignment: str) -> Row:
    """The row of a student, by name, by the folder of the feedback, or by what only one name looks like."""
    folders = book.students(assignment)
    ways = (
        [name for name in folders if name == student],
        [name for name, folder in folders.items() if folder == student],
        [name for name in folders if _looks(name) == _looks(student)],
    )
    meant = next(filter(None, ways), [])
    if len(meant) > 1:
        rows = [row for name in meant for row in book.rows(assignment=assignment, student=name)]
        raise AdjustmentError(f"{printable(student)} could be {', '.join(printable(row.student) for row in rows)}: name the folder in brackets")
    for row in book.rows(assignment=assignment, student=next(iter(meant), "")):
        return row
    near = [name for name in folders if _looks(student) in _looks(name)][:3] or difflib.get_close_matches(student, folders, 3)
    nearest = f"; the nearest: {', '.join(map(printable, near))}" if near else ""
    raise AdjustmentError(f"nobody named {printable(student)} has a grade in {assignment}{nearest}")


def _looks(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _written(out: Path, book: Gradebook, student: str, assignment: str) -> Row | None:
    """Bring everything under OUT up to date; the row as it is now."""
    output = Output(out, book)
    rows = list(book.rows(assignment=assignment, student=student))
    output.write_rows(rows)
    output.write_tables()
    try:
        postprocessing.write_report(out)
    except GradebookError as error:
        raise AdjustmentError(f"it is kept, and the report is not up to date: {error}") from error
    return next(iter(rows), None)
