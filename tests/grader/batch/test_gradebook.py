"""Tests of the gradebook: stored grades, reuse of grades for identical code, and messages about problems with
the disk or a file.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder import course
from autograder.batch import gradebook_database
from autograder.batch.gradebook import Gradebook
from autograder.course import BatchError
from autograder.grading.grade import from_json, to_json
from autograder.protocol.failure_kinds import SubmissionStatus
from autograder.submission import Person, Problem, Submission
from tests.grader.support.made_up_gradebooks import GRADE, PACKED, packed, submission_file

SUITES = {"rope": "suite-1", "alibi": "suite-2"}


def unreadable(student: str, assignment: str = "rope") -> Submission:
    return submission_file(student, assignment=assignment, cells=(), problem=Problem("Your file is empty."))


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Gradebook]:
    with Gradebook.writing(tmp_path) as opened:
        yield opened


def grade_all(book: Gradebook) -> int:
    keys = book.ungraded_key_counts()
    for key in keys:
        book.add(key, PACKED)
    return len(keys)


def students(book: Gradebook) -> list[str]:
    return [row.submission.student for row in book.rows()]


def test_a_grade_survives_its_json() -> None:
    """Decoding a stored grade restores all of it, even text that UTF-8 cannot represent."""
    assert from_json(to_json(GRADE)) == GRADE
    without = replace(GRADE, failure=None)
    assert from_json(to_json(without)) == without


def test_identical_code_is_graded_once(book: Gradebook) -> None:
    """Two students with the same code share a grade; two students with the same problem share a row in the table of
    problems."""
    same = [submission_file("ada"), submission_file("bob"), submission_file("cy", "y = 2")]
    book.replace_submissions([[*same, unreadable("di"), unreadable("eve")]], SUITES)
    assert sorted(book.ungraded_key_counts().values()) == [1, 2, 2]
    assert grade_all(book) == 3
    assert students(book) == ["ada", "bob", "cy", "di", "eve"]


def test_a_changed_suite_regrades_its_assignment_alone(book: Gradebook) -> None:
    """Changing one assignment's suite leaves the grades for the other assignments unchanged. The gradebook also keeps
    grades from the old suite, in case an instructor restores that suite."""
    class_ = [submission_file("ada"), submission_file("ada", assignment="alibi")]
    book.replace_submissions([class_], SUITES)
    grade_all(book)
    book.replace_submissions([class_], SUITES | {"rope": "suite-3"})
    assert [key.assignment for key in book.ungraded_key_counts()] == ["rope"]
    book.replace_submissions([class_], SUITES)
    assert not book.ungraded_key_counts()


def test_a_line_in_a_hidden_test_changes_the_suite_of_its_assignment_alone_and_another_seed_changes_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a new seed did not change a suite's hash, a run would reuse last term's grades from the gradebook."""

    def hashes() -> dict[str, str]:
        return {name: course.Assignment(name).grading_hash for name in ("alibi", "rope")}

    shutil.copytree(course.ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("submissions", "grader"))
    shutil.copytree(course.ROOT / "solutions", tmp_path / "solutions")
    before = hashes()
    monkeypatch.setattr(course, "ROOT", tmp_path)
    assert hashes() == before
    with course.Assignment("alibi").hidden_tests.open("a") as file:
        file.write("# changed\n")
    assert {name for name, value in hashes().items() if value != before[name]} == {"alibi"}
    course.seed_file().write_text("977\n")
    assert hashes()["rope"] != before["rope"]


def test_a_run_replaces_what_the_last_one_found(book: Gradebook) -> None:
    """The gradebook keeps grades of replaced submissions, in case a student submits the same code again."""
    book.replace_submissions([[submission_file("ada"), submission_file("bob", "y = 2")]], SUITES)
    assert grade_all(book) == 2
    book.replace_submissions([[submission_file("bob", "y = 3")]], SUITES)
    assert grade_all(book) == 1 and students(book) == ["bob"]
    book.replace_submissions([[submission_file("ada")]], SUITES)
    assert not book.ungraded_key_counts() and students(book) == ["ada"]


def test_what_the_last_run_listed_and_this_one_does_not_is_named(book: Gradebook) -> None:
    """A run can read different folders than the last run did, or grade only one assignment. A student who submits a
    different file is not reported as missing."""
    both = [submission_file(student, assignment=name) for student in ("ada", "bob") for name in SUITES]
    assert book.replace_submissions([both], SUITES) == []
    assert book.replace_submissions([[submission_file("ada", "y = 2", file="elsewhere.py")]], SUITES) == [
        *("ada, alibi", "bob, alibi", "bob, rope"),
    ]


def test_what_no_grader_could_judge_is_tried_again(book: Gradebook) -> None:
    """Until a grader succeeds, the submission's row shows a message for the staff."""
    book.replace_submissions([[submission_file("ada")]], SUITES)
    (key,) = book.ungraded_key_counts()
    book.add(key, packed(replace(GRADE, status=SubmissionStatus.KILLED)), "the grader was killed by signal 9")
    (row,) = book.rows()
    assert (row.grade.status, row.machine_failure) == ("killed", "the grader was killed by signal 9")
    assert list(book.ungraded_key_counts()) == [key]
    book.add(key, PACKED)
    assert not book.ungraded_key_counts()


def test_hand_ins_without_an_assignment_have_a_row(book: Gradebook) -> None:
    """A submission without an assignment has no suite and is marked unreadable."""
    book.replace_submissions([[unreadable("ada", assignment="")]], SUITES)
    assert not book.ungraded_key_counts()
    (row,) = book.rows()
    assert (row.grade.status, row.score, json.loads(row.gradescope_json)["output"]) == (
        "unreadable",
        0.0,
        "Your file is empty.",
    )


def test_folders_are_distinct(book: Gradebook) -> None:
    """Some names differ only in case or in characters that a file system does not allow."""
    names = ("ada", "Ada", "x/y", "x:y", "x?y")
    book.replace_submissions([[submission_file(name) for name in names]], SUITES)
    grade_all(book)
    assert len({row.folder.casefold() for row in book.rows()}) == len(names)


CANVAS = {
    name: Person(
        "Canvas", number=number, sid=f"s{number}", login=f"{name}1", email=f"{name}@uni.edu", name=name.title()
    )
    for name, number in {"ada": "100", "bob": "101", "cy": "102"}.items()
}


@pytest.mark.parametrize("called", ["101", "bob1", "BOB"])
def test_the_later_folder_counts(book: Gradebook, called: str) -> None:
    """A later file belongs to the student whose number, login or name on the platform matches the file's name; no other
    student's grade changes."""
    first = [submission_file(name, name, person=person) for name, person in CANVAS.items()]
    second = [submission_file(called, "later", file=f"late/{called}.py"), submission_file("dee", "new")]
    book.replace_submissions([first, second], SUITES)
    grade_all(book)
    assert [(row.submission.student_key, row.submission.file) for row in book.rows()] == [
        ("Canvas:100", "rope/ada.py"),
        ("Canvas:101", f"late/{called}.py"),
        ("Canvas:102", "rope/cy.py"),
        (":dee", "rope/dee.py"),
    ]
    assert [one.file for one in book.superseded()] == ["rope/bob.py"]


@pytest.mark.parametrize("later", [unreadable("ada"), submission_file("ada", "stub")], ids=["broken", "stub"])
@pytest.mark.parametrize("is_written", [True, False])
def test_a_later_folder_counts_only_if_something_is_written_there(
    book: Gradebook, later: Submission, is_written: bool
) -> None:
    """A broken file or an unchanged stub replaces an earlier file only if the earlier file is also broken or a stub."""
    first = replace(submission_file("ada", "first", file="one/ada.py"), is_written=is_written)
    last = replace(submission_file("ada", "last", file="three/ada.py"), is_written=True)
    book.replace_submissions([[first], [replace(later, file="two/ada.py")]], SUITES)
    grade_all(book)
    assert [row.submission.file for row in book.rows()] == ["one/ada.py" if is_written else "two/ada.py"]
    book.replace_submissions([[first], [replace(later, file="two/ada.py")], [last]], SUITES)
    grade_all(book)
    assert [row.submission.file for row in book.rows()] == ["three/ada.py"]
    assert [one.file for one in book.superseded()] == ["one/ada.py", "two/ada.py"]


def test_a_name_of_two_is_nobodys(book: Gradebook) -> None:
    """A late file that could belong to either of two students gets a separate row."""
    twins = [submission_file("bob", str(number), person=replace(CANVAS["bob"], number=number)) for number in ("1", "2")]
    book.replace_submissions([twins, [submission_file("bob", "late", file="late/bob.py")]], SUITES)
    grade_all(book)
    assert len(list(book.rows())) == 3 and not book.superseded()


def test_a_grade_costs_the_same_in_a_large_class(tmp_path: Path) -> None:
    """With ten times as many submissions, SQLite takes no more steps to look up code, store a grade or read a row."""

    def steps(size: int) -> int:
        taken = []
        with Gradebook.writing(tmp_path / str(size)) as book:
            book.replace_submissions(
                [[submission_file(f"student{number:04}", f"x = {number}") for number in range(size)]], SUITES
            )
            keys = list(book.ungraded_key_counts())[:40]
            book._database.set_progress_handler(lambda: taken.append(1), 20)
            for key in keys:
                assert book.problem_message(key.code) is None and book.code_cells(key.code)
                book.add(key, PACKED)
        return len(taken)

    assert steps(1000) <= 1.2 * steps(100)


def test_one_run_at_a_time(book: Gradebook, tmp_path: Path) -> None:
    """While one run is grading, a second run stops with a message, but a command that only reads the
    gradebook works."""
    book.replace_submissions([[submission_file("ada")]], SUITES)
    grade_all(book)
    with pytest.raises(BatchError, match="another run is grading into"), Gradebook.writing(tmp_path):
        pass
    with Gradebook.reading(tmp_path) as reader:
        assert students(reader) == ["ada"]


def test_a_missing_gradebook_is_said(tmp_path: Path) -> None:
    with pytest.raises(BatchError, match="there is no gradebook"), Gradebook.reading(tmp_path):
        pass


@pytest.mark.parametrize("found", [0, gradebook_database.VERSION - 1, gradebook_database.VERSION + 1])
def test_other_versions_are_graded_anew(tmp_path: Path, found: int) -> None:
    """If the gradebook has a different version, `autograder grade` regrades everything, and other commands tell the
    user to run it."""
    path = tmp_path / gradebook_database.GRADEBOOK_FILE
    with sqlite3.connect(path) as other:
        other.executescript(f"CREATE TABLE grades (student TEXT); PRAGMA user_version = {found};")
    with pytest.raises(BatchError, match="run `autograder grade` again"), Gradebook.reading(tmp_path):
        pass
    with Gradebook.writing(tmp_path) as book:
        assert book.was_damaged and not book.ungraded_key_counts()


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """A page limit in SQLite simulates a full disk. The grades stored before the disk was full are kept, and
    a later run grades the rest."""
    with pytest.raises(BatchError, match="all grades so far are kept"), Gradebook.writing(tmp_path) as book:
        book.replace_submissions(
            [[submission_file(f"student{number:03}", f"x = {number}") for number in range(100)]], SUITES
        )
        (pages,) = book._database.execute("PRAGMA page_count").fetchone()
        book._database.execute(f"PRAGMA max_page_count = {4 + pages}")
        for key in book.ungraded_key_counts():
            book.add(key, PACKED)
    with Gradebook.writing(tmp_path) as book:
        kept = len(students(book))
        assert 0 < kept < 100 and grade_all(book) == 100 - kept


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """If the results folder is not writable, the command stops with a message that suggests another folder."""
    (tmp_path / "file").write_text("here already")
    with pytest.raises(BatchError, match="choose another folder with --out"), Gradebook.writing(tmp_path / "file"):
        pass
    with (
        pytest.raises(BatchError, match="choose another folder with --out"),
        Gradebook.writing(tmp_path / "file" / "results"),
    ):
        pass
