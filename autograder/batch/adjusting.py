"""`autograder adjust`: a person's word on a grade goes into the gradebook, and from there into everything under OUT."""

from __future__ import annotations

import difflib
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from autograder.batch import output, postprocessing
from autograder.batch.gradebook import Gradebook, GradebookError
from autograder.course import UserError
from autograder.grading.row import Adjustment, Row
from autograder.submission.names import folded, printable, utf8_safe


def add(out: Path, adjustment: Adjustment) -> Row | None:
    """Correct a grade, or comment on it; returns the row as it is now. Number and time are given here. Raises UserError."""
    if adjustment.points is not None and adjustment.score is not None:
        raise UserError("--points adds to the score and --score sets it: give one of them")
    changes = adjustment.points is not None or adjustment.score is not None
    if changes and not adjustment.reason.strip():
        raise UserError("say why with --reason: the student reads it beside the corrected score")
    with _writing(out) as book:
        row = _row(book, adjustment.student, adjustment.assignment)
        if adjustment.score is not None and not 0 <= adjustment.score <= row.max_score:
            raise UserError(f"the score of {adjustment.assignment} lies between 0 and {row.max_score:g}")
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        reason, comment, by = (utf8_safe(" ".join(text.split())) for text in (adjustment.reason, adjustment.comment, adjustment.by))
        meant = replace(adjustment, student=row.submission.student, reason=reason, comment=comment, by=by, at=now)
        book.adjust(meant)
        return _written(book, meant)


def undo(out: Path, number: int) -> Row | None:
    """Take a word back; returns the row as it is now, if the submission is still there."""
    with _writing(out) as book:
        found = next((one for one in book.adjustments() if one.number == number), None)
        if found is None:
            raise UserError(f"there is no adjustment {number}: `autograder adjust {out}` lists those that there are")
        book.undo(found)
        return _written(book, found)


def _writing(out: Path) -> Gradebook:
    Gradebook.reading(out).close()  # says where there is none; opening one to write would make it
    return Gradebook.writing(out)


def _row(book: Gradebook, student: str, assignment: str) -> Row:
    """The row of the one student who is meant."""
    folders = book.students(assignment)
    meant = _meant(student, folders)
    rows = [row for name in meant for row in book.rows(assignment=assignment, student=name)]
    if len(meant) > 1:
        raise UserError(f"{printable(student)} could be {', '.join(printable(row.student) for row in rows)}: name the folder in brackets")
    if rows:
        return rows[0]
    near = [name for name in folders if folded(student) in folded(name)][:3] or difflib.get_close_matches(student, folders, 3)
    nearest = f"; the nearest: {', '.join(map(printable, near))}" if near else ""
    raise UserError(f"nobody named {printable(student)} has a grade in {assignment}{nearest}")


def _meant(student: str, folders: dict[str, str]) -> list[str]:
    """The students of that name, or of that folder of the feedback, or whose names look like it."""
    if student in folders:
        return [student]
    return [name for name, folder in folders.items() if folder == student] or [name for name in folders if folded(name) == folded(student)]


def _written(book: Gradebook, adjustment: Adjustment) -> Row | None:
    """Bring everything under OUT up to date; the row as it is now."""
    output.update(book)
    try:
        postprocessing.write_report(book.out)
    except GradebookError as error:
        raise UserError(f"it is kept, and the report is not up to date: {error}") from error
    return next(book.rows(assignment=adjustment.assignment, student=adjustment.student), None)
