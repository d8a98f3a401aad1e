"""Tests of display names that equal another student's number, address or login: on some platforms, students choose
their display names, so a name must never bring one student's correction, late file or score to another."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from autograder import course
from autograder.batch import adjustments
from autograder.batch.gradebook import Gradebook
from autograder.grading.row import Row
from autograder.reports.platform_table import fill_table
from autograder.submission import Person, Submission
from tests.grader.support.made_up_gradebooks import GRADE, PACKED, submission_file

ADA = Person("Canvas", "101", login="ada1", email="Ada@uni.edu", sid="s77", name="Lovelace")
IDENTIFIERS = [ADA.number, ADA.login, ADA.email, ADA.sid]
TABLE_TITLES = ["ID", "SIS Login ID", "Email address", "SIS User ID", "rope"]


def class_with_mallory(name: str, *others: Person) -> list[Submission]:
    """Return a class in which Mallory has chosen a display name."""
    people = [Person("Canvas", "102", name=name), *others]
    return [submission_file(person.name, f"x = {person.number}", person=person) for person in people]


def rows_after_corrections(out: Path, line: str, *folders: list[Submission]) -> tuple[dict[str, Row], list[str]]:
    """Return the rows, keyed by student number, after a correction, and the corrections that were not applied."""
    table = out.parent / adjustments.ADJUSTMENTS_FILE
    table.write_text(f"student,assignment,points,score,reason\n{line}\n", "utf-8")
    with Gradebook.writing(out) as book:
        book.replace_submissions(folders, {"rope": "suite"})
        for key in book.ungraded_key_counts():
            book.add(key, PACKED)
        _, unmatched = adjustments.apply(book, table)
        return {row.submission.person.number: row for row in book.rows()}, unmatched


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_a_correction_reaches_the_student_whom_the_platform_identifies(tmp_path: Path, identifier: str) -> None:
    class_ = class_with_mallory(identifier, ADA)
    rows, unmatched = rows_after_corrections(tmp_path / "out", f"{identifier},rope,,20,oral", class_)
    assert not unmatched and (rows["101"].score, rows["102"].score) == (20, GRADE.score)


@pytest.mark.parametrize("identifier", [ADA.number, ADA.email])
def test_a_correction_for_a_student_without_a_submission_reaches_nobody(tmp_path: Path, identifier: str) -> None:
    rows, unmatched = rows_after_corrections(
        tmp_path / "out", f"{identifier},rope,,20,oral", class_with_mallory(identifier)
    )
    assert len(unmatched) == 1 and rows["102"].score == GRADE.score


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_a_late_file_belongs_to_the_student_whom_the_platform_identifies(tmp_path: Path, identifier: str) -> None:
    late = [submission_file(identifier, "late", file=f"late/{identifier}.py")]
    rows, _ = rows_after_corrections(tmp_path / "out", "", class_with_mallory(identifier, ADA), late)
    assert [rows[number].submission.file for number in ("101", "102")] == [late[0].file, f"rope/{identifier}.py"]


@pytest.mark.parametrize("identifier", IDENTIFIERS)
@pytest.mark.parametrize("has_submitted", [True, False])
def test_a_table_gets_each_score_in_the_line_of_the_student_whom_the_platform_identifies(
    tmp_path: Path, identifier: str, has_submitted: bool
) -> None:
    out, table = tmp_path / "out", tmp_path / "table.csv"
    class_ = class_with_mallory(identifier, *[ADA] * has_submitted)
    rows, _ = rows_after_corrections(out, f"{class_[0].person.number},rope,,1,oral", class_)
    lines = [TABLE_TITLES, [*IDENTIFIERS, ""], ["102", "mallory1", "m@uni.edu", "s78", ""]]
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    filled = fill_table(out, rows.values(), table, [course.find("rope").name])
    with filled.path.open(encoding="utf-8", newline="") as file:
        scores = [line["rope"] for line in csv.DictReader(file)]
    assert scores == [f"{GRADE.score:g}" if has_submitted else "", "1"]
