"""A person's word on a grade: kept, shown wherever a score is, and there after everything was graded anew."""

from __future__ import annotations

import contextlib
import csv
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.batch import output, postprocessing
from autograder.batch.gradebook import FILE, Gradebook
from autograder.cli import main
from autograder.submission import Person, Problem
from tests.grader.support import gradebooks
from tests.grader.support.rows import PACKED, submission_file

SUITE = {"rope": "suite-1"}
NOTHING = 'Nothing was corrected by hand. To do so: autograder adjust OUT STUDENT ASSIGNMENT --points +1 --reason "…"\n'


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["adjust", *map(str, words)])


def said(*words: object) -> str:
    done = run(*words)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Ada has 3.5 of 20 points; Bob's file is empty; two students look alike."""
    empty = submission_file("bob", "", problem=Problem("Your file is empty.", "The file is empty."))
    class_ = [
        submission_file("ada"),
        empty,
        submission_file("Jos\u00e9", "y = 1"),
        submission_file("Jose\u0301", "z = 1"),
    ]
    with Gradebook.writing(tmp_path) as book:
        grade(book, class_)
        output.update(book)
    postprocessing.write_report(tmp_path)
    return tmp_path


def grade(book: Gradebook, class_: list[object], suite: str = "suite-1") -> None:
    book.take_in(class_, {"rope": suite})  # type: ignore[arg-type]
    book.add((key, PACKED, "") for key in book.to_grade())


def rows(out: Path) -> dict[str, dict[str, str]]:
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def test_a_correction_is_shown_wherever_the_score_is(out: Path) -> None:
    assert "adjustment" not in rows(out)["ada"]
    printed = said(
        out,
        "ada",
        "rope",
        "--points",
        "+1.5",
        "--reason",
        "The sign is right.",
        "--comment",
        "See <me>.",
        "--by",
        "Grace",
    )
    assert printed == "ada, rope: 5 of 20; the tests came to 3.5.\n"
    ada = rows(out)["ada"]
    assert list(ada)[:8] == ["student", "assignment", "score", "max_score", "status", "file", "sha256", "seconds"]
    assert list(ada)[-1] == "adjustment" and (ada["score"], ada["adjustment"], ada["apply_rope"]) == ("5", "1.5", "3")
    assert rows(out)["bob"]["adjustment"] == ""
    feedback = (out / "feedback" / "ada" / "rope.md").read_text("utf-8")
    assert feedback.startswith("# rope: 5 of 20 points") and "The tests came to 3.5 points; 5 count" in feedback
    assert "+1.5 points by Grace on 20" in feedback and "The sign is right. See &lt;me&gt;." in feedback
    results = json.loads((out / "results" / "ada" / "rope.json").read_text("utf-8"))
    assert sum(test.get("score", 0) for test in results["tests"]) == 3 + 1.5
    assert "The sign is right." in results["tests"][-1]["output"]
    page = (out / "report.html").read_text("utf-8")
    assert "Corrected by hand" in page and "The sign is right. See &lt;me&gt;." in page


def test_it_stays_whatever_is_graded_anew(out: Path) -> None:
    """With another suite, with other code, and when the submission was away for a while."""
    said(out, "ada", "rope", "--score", "12", "--reason", "An oral exam.", "--by", "Grace")
    for class_, suite in (
        ([submission_file("ada")], "suite-2"),
        ([submission_file("bob")], "suite-2"),
        ([submission_file("ada", "another = 1")], "suite-3"),
    ):
        with Gradebook.writing(out) as book:
            grade(book, class_, suite)
            found = {row.submission.student: row.score for row in book.rows()}
            assert found == ({"ada": 12.0} if class_[0].student == "ada" else {"bob": 3.5})


def test_several_add_up_in_order_and_stay_between_zero_and_full_marks(out: Path) -> None:
    for points, wanted in ((-2, "1.5"), (-9, "0"), (+20, "12.5"), (+15, "20")):
        printed = said(out, "ada", "rope", "--points", points, "--reason", "x")
        assert f"rope: {wanted} of 20" in printed and ("for a bonus, set the score" in printed) == (wanted == "20")
    assert "rope: 7 of 20" in said(out, "ada", "rope", "--score", 7, "--reason", "x")


def test_a_bonus_is_a_score_that_somebody_set(out: Path) -> None:
    """Points that are added end at full marks; what is set may be more, and points then add up from there to no more
    than that."""
    assert "rope: 22 of 20" in said(out, "ada", "rope", "--score", 22, "--reason", "an eighth encoding")
    assert "rope: 22 of 20" in said(out, "ada", "rope", "--points", 3, "--reason", "x")
    assert rows(out)["ada"]["score"] == "22"
    assert "22" in (out / "feedback" / "ada" / "rope.md").read_text("utf-8")
    assert (out / "report.html").is_file()


def test_what_was_said_is_listed_and_can_be_taken_back(out: Path) -> None:
    before = (out / "grades.csv").read_bytes(), (out / "feedback" / "ada" / "rope.md").read_bytes()
    said(out, "ada", "rope", "--points", "1", "--reason", "First.", "--by", "Grace")
    said(out, "bob", "rope", "--comment", "Come and see me.", "--by", "Ada")
    lines = said(out).splitlines()
    assert ["ada, rope: +1 point by Grace on" in lines[0], "bob, rope: comment by Ada on" in lines[1]] == [True, True]
    assert said(out, "bob").splitlines() == lines[1:]
    assert "Come and see me." in (out / "feedback" / "bob" / "rope.md").read_text("utf-8")
    assert said(out, "--undo", "1") == "ada, rope: 3.5 of 20; the tests came to 3.5.\n"
    said(out, "--undo", "2")
    assert said(out) == NOTHING == said(out, "ada")
    assert ((out / "grades.csv").read_bytes(), (out / "feedback" / "ada" / "rope.md").read_bytes()) == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["adda", "rope", "--points", "1", "--reason", "x"], "nobody named adda has a grade in rope; the nearest: ada"),
        (["AD", "rope", "--points", "1", "--reason", "x"], "nobody named AD has a grade in rope; the nearest: ada"),
        (["ada", "rope", "--points", "1"], "say why with --reason"),
        (["ada", "rope", "--points", "1", "--score", "2", "--reason", "x"], "give one of them"),
        (["ada", "rope", "--score", "41", "--reason", "x"], "lies between 0 and 20, or up to 40 with a bonus"),
        (["ada", "--points", "1", "--reason", "x"], "name the student and the assignment"),
        (["--undo", "7"], "there is no adjustment 7"),
        (["ada", "roap", "--points", "1", "--reason", "x"], "there is no assignment"),
    ],
)
def test_wrong_use_is_one_sentence(out: Path, words: list[str], sentence: str) -> None:
    done = run(out, *words)
    assert done.exit_code == 2 and sentence in " ".join(done.output.split())
    assert said(out) == NOTHING


def test_who_handed_in_something_else_is_known(out: Path) -> None:
    done = run(out, "ada", "alibi", "--points", "1", "--reason", "x")
    assert done.exit_code == 2 and "ada handed in nothing for alibi, only rope" in " ".join(done.output.split())


def test_of_two_names_that_look_alike_the_folder_says_which(out: Path) -> None:
    names = [name for name in rows(out) if name.startswith("Jos")]
    folders = [name.partition("[")[2].rstrip("]") for name in names]
    assert len(set(folders)) == 2
    said(out, folders[1], "rope", "--score", "9", "--reason", "x")
    assert [rows(out)[name]["score"] for name in names].count("9") == 1


def test_a_folder_without_a_gradebook(tmp_path: Path) -> None:
    done = run(tmp_path / "nothing", "ada", "rope", "--points", "1", "--reason", "x")
    assert done.exit_code == 2 and "there is no gradebook" in done.output
    assert not (tmp_path / "nothing").exists()


def test_a_large_class_can_be_corrected(tmp_path: Path) -> None:
    gradebooks.write(tmp_path, gradebooks.made_up_class(40, ["rope"], distinct=3))
    with Gradebook.reading(tmp_path) as book:
        student = book.students("rope")[7].student
    said(tmp_path, student, "rope", "--points", "-1", "--reason", "x")
    assert len(said(tmp_path).splitlines()) == 1


def table(out: Path, *lines: str) -> Path:
    path = out / "corrections.csv"
    path.write_text("\ufeff" + "\n".join(["student,assignment,points,reason", *lines, ""]), "utf-8")
    return path


def test_a_table_of_corrections_is_made_whole(out: Path) -> None:
    done = said(
        out, "--from", table(out, "ada,rope,+1.5,The sign is right.", 'bob,rope,2,"Seen, by mail."'), "--by", "Grace"
    )
    assert done == "2 corrections made\n"
    assert (rows(out)["ada"]["score"], rows(out)["bob"]["score"]) == ("5", "5.5")
    assert "by Grace" in (out / "feedback" / "ada" / "rope.md").read_text("utf-8")


def test_a_table_that_is_read_twice_adds_nothing_twice(out: Path) -> None:
    lines = "ada,rope,+1.5,The sign is right.", "bob,rope,2,Seen."
    said(out, "--from", table(out, *lines))
    assert (
        said(out, "--from", table(out, *lines, "ada,rope,1,An oral exam."))
        == "1 corrections made, 2 were there already\n"
    )
    assert (rows(out)["ada"]["score"], rows(out)["bob"]["score"]) == ("6", "5.5")


def test_a_table_may_be_as_a_spreadsheet_writes_it_elsewhere(out: Path) -> None:
    (out / "corrections.csv").write_text("Assignment;Student;Score;Reason\nrope;ada;11,5;An oral exam.\n", "utf-8")
    assert (
        said(out, "--from", out / "corrections.csv") == "1 corrections made\n" and rows(out)["ada"]["score"] == "11.5"
    )
    (out / "corrections.csv").write_text("ada,rope,1,why\n", "utf-8")
    done = run(out, "--from", out / "corrections.csv")
    assert done.exit_code == 2 and "no columns student and assignment" in done.output


@pytest.mark.parametrize("called", ["5000", "10000", "a@example.edu", "alovelace"])
def test_a_student_is_named_by_all_that_is_theirs_alone(tmp_path: Path, called: str) -> None:
    person = Person("Canvas", number="5000", login="alovelace", email="a@example.edu", sid="10000", name="lovelaceada")
    with Gradebook.writing(tmp_path) as book:
        grade(book, [replace(submission_file("lovelaceada"), person=person), submission_file("500")])
    assert (
        said(tmp_path, called, "rope", "--points", 1, "--reason", "x")
        == "lovelaceada, rope: 4.5 of 20; the tests came to 3.5.\n"
    )


@pytest.mark.parametrize(
    "line", ["nobody,rope,1,why", "ada,rope,one,why", "ada,rope,1,", "ada,alibi,1,why", "ada,rope,,why"]
)
def test_a_table_with_a_wrong_line_changes_nothing_and_names_it(out: Path, line: str) -> None:
    done = run(out, "--from", table(out, "ada,rope,+1.5,The sign is right.", line))
    assert done.exit_code == 2 and "line 3" in done.output and "Nothing was changed" in done.output
    assert "adjustment" not in rows(out)["ada"]


FORMAT_3 = """
CREATE TABLE adjustments (number INTEGER PRIMARY KEY, student TEXT NOT NULL, assignment TEXT NOT NULL, points REAL,
    score REAL,
    reason TEXT NOT NULL, comment TEXT NOT NULL, "by" TEXT NOT NULL, "at" TEXT NOT NULL);
INSERT INTO adjustments VALUES (1, 'ada', 'rope', 1.5, NULL, 'The sign is right.', '', 'Grace',
    '2026-01-02T03:04:05+00:00');
PRAGMA user_version = 3;
"""
"""what matters here of a gradebook of an earlier version"""


def test_corrections_survive_a_change_of_format(out: Path, tmp_path: Path) -> None:
    """A gradebook of another version is not used, and its corrections come out all the same."""
    earlier = tmp_path / "earlier"
    earlier.mkdir()
    with contextlib.closing(sqlite3.connect(earlier / FILE)) as database:
        database.executescript(FORMAT_3)
    refused = run(earlier, "ada", "rope", "--points", "1", "--reason", "x")
    assert (
        refused.exit_code == 2
        and "adjust" in refused.output
        and "--save corrections.csv" in " ".join(refused.output.split())
    )
    saved = tmp_path / "saved.csv"
    assert said(earlier, "--save", saved).startswith("1 corrections in")
    assert said(out, "--from", saved) == "1 corrections made\n"
    assert rows(out)["ada"]["score"] == "5" and "by Grace" in said(out)


def test_corrections_go_out_and_come_into_another_gradebook_once(out: Path) -> None:
    """With who and when, so that nothing is added twice."""
    said(out, "ada", "rope", "--points", "+1.5", "--reason", "The sign, and the rest, is right.", "--by", "Grace")
    said(out, "ada", "rope", "--comment", "=SEE(me)")
    saved = out / "saved.csv"
    assert said(out, "--save", saved).startswith("2 corrections in")
    assert ",=SEE" not in saved.read_text("utf-8")
    assert said(out, "--from", saved) == "0 corrections made, 2 were there already\n"
    before = [one.sentence for one in Gradebook.reading(out).adjustments()]
    for number in (1, 2):
        said(out, "--undo", number)
    assert "adjustment" not in rows(out)["ada"]
    assert said(out, "--from", saved) == "2 corrections made\n"
    assert [one.sentence for one in Gradebook.reading(out).adjustments()] == before and rows(out)["ada"]["score"] == "5"
