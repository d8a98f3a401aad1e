"""Tests of the table of score corrections, which an instructor writes by hand and every run reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.batch import adjustments, grades_and_feedback
from autograder.batch.gradebook import Gradebook
from autograder.csv_tables import TableError
from autograder.submission import Person
from tests.grader.support import classroom
from tests.grader.support.made_up_gradebooks import GRADE, PACKED, submission_file

BOB = Person("Canvas", number="5015", sid="s77", login="bob1", email="bob@uni.edu", name="Bob Byte")
SCORE = GRADE.score


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Gradebook]:
    with Gradebook.writing(tmp_path / "out") as opened:
        class_ = [submission_file("ada"), submission_file("bytebob", person=BOB), submission_file("=cy")]
        opened.replace_submissions([class_], {"rope": "suite"})
        for key in opened.ungraded_key_counts():
            opened.add(key, PACKED)
        yield opened


def apply(book: Gradebook, *lines: str, encoding: str = "utf-8") -> tuple[int, list[str]]:
    (book.out.parent / adjustments.ADJUSTMENTS_FILE).write_text("\n".join(lines) + "\n", encoding)
    return adjustments.apply(book, book.out.parent / adjustments.ADJUSTMENTS_FILE)


TABLE_HEADER = "student,assignment,points,score,reason"


@pytest.mark.parametrize("called", ["5015", "s77", "Bob@uni.edu", "bob byte"])
def test_a_student_is_named_by_all_that_is_theirs_alone(book: Gradebook, called: str) -> None:
    assert apply(book, TABLE_HEADER, f"{called},rope,+1,,Right idea") == (1, [])
    assert {row.student: row.score for row in book.rows()} == {"=cy": SCORE, "ada": SCORE, "bytebob": SCORE + 1}


def test_it_is_shown_wherever_the_score_is(book: Gradebook) -> None:
    apply(book, TABLE_HEADER, "ada,rope,1.5,,Right idea", "'=cy,rope,,20,Orally")
    grades_and_feedback.write(book, lambda row: None)
    rows = {row["student"]: row for row in classroom.grades(book.out)}
    assert [rows[name]["score"] for name in ("ada", "'=cy", "bytebob")] == [f"{SCORE + 1.5:g}", "20", f"{SCORE:g}"]
    assert rows["ada"]["adjustment"] == "1.5" and rows["bytebob"]["adjustment"] == ""
    said = (book.out / "feedback" / "ada" / "rope.md").read_text("utf-8")
    assert "+1.5 points: Right idea" in said
    result = json.loads((book.out / "results" / "ada" / "rope.json").read_text("utf-8"))
    assert result["tests"][-1]["score"] == 1.5 and "Right idea" in result["tests"][-1]["output"]


def test_lines_add_up_in_order_and_end_at_full_marks(book: Gradebook) -> None:
    """A correction can set a score above full marks, but added points are capped at full marks."""
    apply(book, TABLE_HEADER, "ada,rope,,10,x", "ada,rope,1,,y", "bob1,rope,99,,z", "=cy,rope,,21,Bonus")
    assert {row.student: row.score for row in book.rows()} == {"=cy": 21, "ada": 11, "bytebob": 20}


def test_who_is_nobody_or_several_is_named(book: Gradebook) -> None:
    made, unmatched = apply(book, TABLE_HEADER, "eve,rope,1,,x", "ada,alibis,1,,x", "ada,rope,1,,x")
    assert made == 1
    assert [line.split(":")[0] for line in unmatched] == ["adjustments.csv, line 2", "adjustments.csv, line 3"]
    assert "eve, rope: nobody with that name" in unmatched[0]


def test_lines_of_other_weeks_are_counted_and_not_repeated(book: Gradebook) -> None:
    """One table can hold the corrections for the whole term, so a run merely counts the lines about other lessons. A
    line about a lesson outside the course is reported as a mistake."""
    other = [f"{who},{name},1,,x" for who in ("ada", "eve") for name in ("alibi", "naive", "Alibi")]
    made, unmatched = apply(book, TABLE_HEADER, *other, "ada,rope,1,,x", "ada,rop,1,,x")
    assert made == 1 and unmatched[-1] == "6 for assignments that are not in this run (alibi, naive)"
    assert [line.split(":")[0] for line in unmatched[:-1]] == ["adjustments.csv, line 9"]


def test_a_line_that_is_gone_applies_no_more(book: Gradebook) -> None:
    """Every run rereads both the submissions and the table of corrections."""
    apply(book, TABLE_HEADER, "ada,rope,1,,x")
    book.replace_submissions([[submission_file("ada")]], {"rope": "suite"})
    table = book.out.parent / adjustments.ADJUSTMENTS_FILE
    table.unlink()
    assert adjustments.apply(book, table) == (0, [])
    assert [row.score for row in book.rows()] == [SCORE]


def test_a_table_may_be_as_a_spreadsheet_writes_it_elsewhere(book: Gradebook) -> None:
    """The table can have a byte order mark, semicolons, and decimal commas."""
    assert apply(book, "\ufeffstudent;assignment;points;score;reason", "ada;rope;1,5;;ja", ";;;;") == (1, [])
    assert {row.student: row.score for row in book.rows()}["ada"] == SCORE + 1.5


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_every_encoding_and_delimiter_means_the_same(book: Gradebook, encoding: str, delimiter: str) -> None:
    """The table can contain comments, blank lines, and column titles or assignment names in capitals."""
    table = [
        TABLE_HEADER.title(),
        '"bob byte","ROPE","1,5",,"Vorzeichen, schön"',
        "",
        "# of week 5, all of it",
        "ada,rope,,9,",
    ]
    lines = [
        line if line.startswith("#") else re.sub(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', delimiter, line) for line in table
    ]
    assert apply(book, *lines, encoding=encoding) == (2, [])
    rows = {row.student: row for row in book.rows()}
    assert (rows["bytebob"].score, rows["ada"].score) == (SCORE + 1.5, 9)
    assert rows["bytebob"].adjustments[0].reason == "Vorzeichen, schön"


@pytest.mark.parametrize("title", TABLE_HEADER.split(","))
def test_a_table_with_two_columns_of_one_title_is_refused(book: Gradebook, title: str) -> None:
    """If a table could have two columns with the same title, a correction might reach the student in the wrong
    column."""
    with pytest.raises(TableError, match=f"it has two columns {title}"):
        apply(book, f"{TABLE_HEADER},{title.title()}", "ada,rope,1,,x,bob1")


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["student,assignment,points,reason", "ada,rope,1,5,Right"], "line 2 has more cells than there are titles"),
        ([TABLE_HEADER, "ada,rope,+1,,Right, but late"], "line 2 has more cells than there are titles"),
        ([TABLE_HEADER, "ada,rope,1,,x", "", "ada,rope,x,,y"], "line 4: ada, rope: give points to add"),
    ],
)
def test_a_line_that_was_cut_in_the_wrong_place_is_refused_by_its_number(
    book: Gradebook, lines: list[str], sentence: str
) -> None:
    """Accepting a line that was split in the wrong place would give a student half a reason, and points that nobody
    awarded."""
    with pytest.raises(TableError, match=rf"adjustments.csv cannot be used: {sentence}"):
        apply(book, *lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["student,points", "ada,1"],
        [TABLE_HEADER, "ada,rope,1,2,both"],
        [TABLE_HEADER, "ada,rope,,,neither"],
        [TABLE_HEADER, "ada,rope,one,,x"],
        [TABLE_HEADER, "ada,rope,nan,,x"],
        [TABLE_HEADER, "ada,rope,,-1,x"],
        ["\0"],
    ],
)
def test_a_table_that_cannot_be_understood_is_one_sentence(book: Gradebook, lines: list[str]) -> None:
    with pytest.raises(TableError, match=r"adjustments.csv cannot be used: "):
        apply(book, *lines)
    assert {row.score for row in book.rows()} == {SCORE}
