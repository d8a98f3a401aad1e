"""Tests of the table that returns scores to a platform: every student receives the right score, and every student
without a score is named."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.batch.gradebook import Gradebook, code_hash
from autograder.cli import main
from autograder.grading.row import Adjustment
from autograder.protocol.failure_kinds import SubmissionStatus
from autograder.submission import Person
from tests.grader.support.made_up_gradebooks import (
    GRADE,
    PACKED,
    packed,
    submission_file,
    submission_from,
    write_gradebook,
)

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Naive (76),RoPE (77),Final Score
,,,,,Manual Posting,,(read only)
    Points Possible,,,,,10.00,{points},(read only)
"Lovelace, Ada",17,S17,ada@example.edu,"Monday, early",9.00,,88.0
"Lamarr, Hedy",18,S18,hedy@example.edu,Monday,7.00,3.00,70.0
"Turing, Alan",19,S19,alan@example.edu,Monday,8.00,11.00,80.0
"""
MOODLE = """\
Identifier,Full name,Email address,SubmissionStatus,Grade,Maximum Grade,Feedback comments
Participant 17,Ada Lovelace,ada@example.edu,Submitted,,20.00,
Participant 18,Hedy Lamarr,hedy@example.edu,Submitted,,20.00,
"""


def test_half_a_result_never_leaves(out: Path) -> None:
    """An export of incomplete grades fails with a one-sentence message and writes no file. A report on a partly graded
    class carries a warning at the top."""
    class_ = [submission_file(f"s{number}", f"x = {number}") for number in range(5)]
    table = out.parent / "table.csv"
    table.write_text(CANVAS.format(points="20.00"), encoding="utf-8")
    writes = (["roster", str(out), "--table", str(table)], ["feedback", str(out), "--for", "canvas"])
    for given in range(5):
        with Gradebook.writing(out) as book:
            book.replace_submissions([[*class_]], {"rope": f"suite {given}"})
            for key in list(book.ungraded_key_counts())[:given]:
                book.add(key, PACKED)
            during = CliRunner().invoke(main, writes[0])
        sentence = f"{5 - given} of 5 are not graded yet"
        assert during.exit_code == 2 and f"{sentence}: wait for the run in progress" in during.output
        for command in writes:
            done = CliRunner().invoke(main, command)
            assert done.exit_code == 2 and f"{sentence}: run `make grade` again" in done.output
        assert not list(out.glob("roster_*")) and not list(out.glob("feedback_*"))
    for command in ("report", "similarity"):
        done = CliRunner().invoke(main, [command, str(out)])
        assert done.exit_code == 0 and done.output.startswith("Incomplete: 1 of 5 are not graded yet")
        assert "This report is incomplete: 1 of 5" in (out / "report.html").read_text("utf-8")


def test_a_run_that_was_killed_while_it_wrote_is_incomplete(out: Path) -> None:
    """Grades from an interrupted run may lack manual corrections."""
    with Gradebook.writing(out) as book:
        book.replace_submissions([[submission_file("ada")]], {"rope": "suite"})
        for key in book.ungraded_key_counts():
            book.add(key, PACKED)
    done, _ = run_roster(out, CANVAS.format(points="20.00"))
    assert done.exit_code == 2 and "the last run did not finish: run `make grade` again" in done.output


def run_roster(out: Path, text: str, *options: str) -> tuple[Result, list[dict[str, str]]]:
    table = out.parent / "table.csv"
    table.write_text(text, encoding="utf-8")
    (out / "roster_table.csv").unlink(missing_ok=True)
    done = CliRunner().invoke(main, ["roster", str(out), "--table", str(table), *options])
    if not (out / "roster_table.csv").exists():
        return done, []
    with (out / "roster_table.csv").open(encoding="utf-8-sig", newline="") as file:
        return done, list(csv.DictReader(file, delimiter=max(",;", key=text.partition("\n")[0].count)))


SCORE = f"{GRADE.score:g}"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_canvas_gets_its_own_table_back_with_the_scores(out: Path) -> None:
    write_gradebook(
        out, [submission_from("Canvas", "17", "lovelaceada"), submission_from("Canvas", "18", "lamarrhedy")]
    )
    done, rows = run_roster(out, CANVAS.format(points="100.00"))
    assert done.output.splitlines()[0] == f"2 scores in {out / 'roster_table.csv'}"
    assert "Without a submission: Turing, Alan." in done.output
    assert "To change in the table first: rope is worth 100 in table.csv, but the scores are out of 20." in done.output
    assert [row["RoPE (77)"] for row in rows] == ["", "100.00", SCORE, SCORE, "11.00"]
    assert [row["Naive (76)"] for row in rows] == ["Manual Posting", "10.00", "9.00", "7.00", "8.00"]
    assert rows[2]["Section"] == "Monday, early"


def test_moodle_is_known_by_the_participants_number(out: Path) -> None:
    write_gradebook(out, [submission_from("Moodle", "17", "Ada Lovelace"), submission_from("Moodle", "19", "Eve")])
    done, rows = run_roster(out, MOODLE)
    assert [row["Grade"] for row in rows] == [SCORE, ""]
    assert "Not in the table: Eve, rope." in done.output and "Without a submission: Participant 18." in done.output


@pytest.mark.parametrize(
    ("column", "title", "cells"),
    [("Mail", "Week 5", ["ADA@example.edu", "hedy@example.edu"]), ("Login", "RoPE", ["ada1", "hedy1"])],
)
def test_any_table_by_the_columns_that_are_named(out: Path, column: str, title: str, cells: list[str]) -> None:
    people = [
        Person("Gradescope", email=f"{name}@example.edu", login=f"{name}1", sid=f"s{name}") for name in ("ada", "hedy")
    ]
    write_gradebook(out, [submission_file(person.email, person.login, person=person) for person in people])
    done, rows = run_roster(
        out, f"{column};{title}\n{cells[0]};\n{cells[1]};7\n", "--id-column", column, "--grade-column", title
    )
    assert [row[title] for row in rows] == [SCORE, SCORE] and done.exit_code == 0


def test_nothing_is_matched_by_likeness(out: Path) -> None:
    """A different email domain, part of a number, or a bare name is not a match: the student is listed, and
    no score is written."""
    write_gradebook(
        out,
        [
            submission_file("ada@evil.example", "1", person=Person("Gradescope", email="ada@evil.example")),
            submission_from("Canvas", "1", "lovelaceada"),
            submission_file("Lovelace, Ada", "2"),
        ],
    )
    done, rows = run_roster(out, CANVAS.format(points="20.00"))
    assert done.output.startswith("0 scores in") and [row["RoPE (77)"] for row in rows][2:] == ["", "3.00", "11.00"]
    assert "Not in the table: Lovelace, Ada, rope; ada@evil.example, rope; lovelaceada, rope." in done.output


NO_STUDENT = (
    "no score was entered, because {} contains no student of the run. The table has, for example, 27.0, and the run 17"
)


@pytest.mark.parametrize("cell", ["", "8"])
def test_no_score_at_all_is_an_error(out: Path, cell: str) -> None:
    """An instructor who names the wrong table or column reads which keys the table and the run have."""
    write_gradebook(out, [submission_from("Canvas", "17", "lovelaceada")])
    done, _ = run_roster(out, f"Student,ID,RoPE\n,,20\nAda,27.0,{cell}\n")
    assert done.exit_code == 2 and NO_STUDENT.format(out.parent / "table.csv") in done.output
    done, rows = run_roster(out, "Student,ID,RoPE\nAda,17,EX\n")
    assert done.exit_code == 2 and "no score was entered, for the reasons above" in done.output
    assert "Left unchanged: lovelaceada, rope (EX)." in done.output and rows[0]["RoPE"] == "EX"


@pytest.mark.parametrize(("title", "options"), [("ID", ()), ("Matrikel", ("--id-column", "Matrikel"))])
@pytest.mark.parametrize("heading", ["Machine Learning,,Homework", "Machine Learning,,\nAutumn,,"])
def test_a_heading_above_the_titles_is_to_be_deleted(
    out: Path, title: str, options: tuple[str, ...], heading: str
) -> None:
    """Many spreadsheets have merged cells above the column titles."""
    write_gradebook(out, [submission_from("Canvas", "17", "lovelaceada")])
    text = f"Student,{title},RoPE\nAda,17,\n"
    done, _ = run_roster(out, f"{heading}\n{text}", *options)
    line = heading.count("\n") + 2
    assert f"has its column titles in line {line}: delete the lines above it" in done.output and done.exit_code == 2
    done, rows = run_roster(out, text, *options)
    assert rows[0]["RoPE"] == SCORE


BRIGHTSPACE_TABLES = {  # the student's own line, and another student whose OrgDefinedId is the number of Ada's folder
    "export": (
        "OrgDefinedId,Username,Last Name,First Name,rope Points Grade <Numeric MaxPoints:20>,End-of-Line Indicator",
        "#1009,ada1,{last},{first},,#",
        "#41,eve1,Moneypenny,Eve,,#",
    ),
    "one column of names": ("Name,OrgDefinedId,rope Points Grade", "{first} {last},#1009,", "Eve Moneypenny,#41,"),
    "names in Asian order": ("Name,Username,rope", "{last} {first},ada1,", "Moneypenny Eve,41,"),
}


@pytest.mark.parametrize(("first", "last"), [("Ada", "Lovelace"), ("Łukasz Jan", "Żak"), ("María-José", "de la Cruz")])
@pytest.mark.parametrize(
    ("kind", "id_column"),
    [
        *((kind, None) for kind in BRIGHTSPACE_TABLES),
        ("export", "OrgDefinedId"),
        ("export", "Username"),
        ("one column of names", "OrgDefinedId"),
        ("names in Asian order", "Username"),
    ],
)
def test_brightspace_students_are_found_by_name(
    out: Path, kind: str, first: str, last: str, id_column: str | None
) -> None:
    """The number of a Brightspace folder is not in Brightspace's tables, and may be another student's OrgDefinedId. A
    name that two lines or two students share decides nothing."""
    titles, ada, eve = BRIGHTSPACE_TABLES[kind]
    options = () if id_column is None else ("--id-column", id_column)
    (title,) = (title for title in titles.split(",") if "rope" in title)
    ada = ada.format(first=first, last=last)
    write_gradebook(out, [submission_from("Brightspace", "41", f"{first} {last}")])
    done, rows = run_roster(out, "\n".join([titles, ada, eve, ""]), *options)
    assert done.exit_code == 0 and [row[title] for row in rows] == [SCORE, ""], done.output
    assert "Found by name, since the table lacks the numbers of the download: " in done.output
    done, rows = run_roster(out, "\n".join([titles, ada, ada.replace("1009", "1010").replace("ada1", "ada2"), ""]))
    assert done.exit_code == 2 and [row[title] for row in rows] == ["", ""] and "To fill in by hand" in done.output
    done, rows = run_roster(out, "\n".join([titles, eve, ""]))
    assert done.exit_code == 2 and rows[0][title] == "" and "contains no student of the run" in done.output


def test_a_brightspace_name_without_letters_is_in_no_line(out: Path) -> None:
    write_gradebook(out, [submission_from("Brightspace", "41", "007"), submission_from("Brightspace", "42", "Ada")])
    done, rows = run_roster(out, "Username,First Name,Last Name,rope\nada1,Ada,,\neve1,,,\n")
    assert [row["rope"] for row in rows] == [SCORE, ""] and "Not in the table: 007, rope." in done.output


def test_two_brightspace_students_with_one_name_are_filled_in_by_hand(out: Path) -> None:
    write_gradebook(out, [submission_from("Brightspace", number, "Ada Lovelace") for number in ("41", "42")])
    done, rows = run_roster(out, "Username,First Name,Last Name,rope\nada1,Ada,Lovelace,\n")
    assert rows[0]["rope"] == "" and "To fill in by hand" in done.output


@pytest.mark.parametrize("title", ["rope [Total Pts: 20 Score] |123", "rope (77)", "RoPE Points Grade", "rope"])
def test_a_platform_s_addition_to_a_title_is_left_out(out: Path, title: str) -> None:
    person = Person("Blackboard", login="ada1", name="ada1")
    write_gradebook(out, [submission_file("ada1", person=person)])
    _, rows = run_roster(out, f'Last Name,Username,"{title}"\nLovelace,ada1,\n')
    assert rows[0][title] == SCORE


def test_a_submission_that_no_grader_could_judge_is_filled_in_by_hand(out: Path) -> None:
    """A failure of the machine is not a score: the student's cell is left as it was, and the instructor is told which
    student it is."""
    ada, hedy = submission_from("Canvas", "17", "lovelaceada"), submission_from("Canvas", "18", "lamarrhedy")
    killed = packed(replace(GRADE, status=SubmissionStatus.KILLED, score=0.0))
    with Gradebook.writing(out) as book:
        book.replace_submissions([[ada, hedy]], {"rope": "suite"})
        for key in list(book.ungraded_key_counts()):
            if key.code == code_hash(ada):
                book.add(key, killed, "the grader was killed by signal 9")
            else:
                book.add(key, PACKED)
        book.record_finished_run()
    done, rows = run_roster(out, CANVAS.format(points="20.00"))
    assert done.output.startswith("1 scores in") and "To fill in by hand: lovelaceada, rope." in done.output
    assert [row["RoPE (77)"] for row in rows[2:]] == ["", SCORE, "11.00"]


def test_who_is_there_twice_is_filled_in_by_hand(out: Path) -> None:
    """An instructor must fill in the score if a line of the table matches two submissions, or if a student
    has two lines."""
    write_gradebook(
        out,
        [
            submission_from("Canvas", "17", "lovelaceada"),
            submission_file("x", "other", person=Person("Gradescope", sid="S17")),
            submission_from("Canvas", "18", "lamarrhedy"),
        ],
    )
    second_line = '"Lamarr, Hedy",18,S18,hedy@example.edu,Tuesday,,,\n'
    done, rows = run_roster(out, CANVAS.format(points="20.00") + second_line)
    assert done.output.startswith("0 scores in")
    assert "To fill in by hand: lamarrhedy, rope; lovelaceada, rope; x, rope." in done.output
    assert [row["RoPE (77)"] for row in rows][2:] == ["", "3.00", "11.00", ""]


@pytest.mark.parametrize("column", ["SIS User ID", "SIS Login ID", "Integration ID"])
@pytest.mark.parametrize("key", ["17", "lovelaceada", "LovelaceAda"])
@pytest.mark.parametrize("is_in_the_table", [True, False])
def test_a_number_or_name_is_not_another_student_s_key(out: Path, column: str, key: str, is_in_the_table: bool) -> None:
    """Another student's university ID or login can equal this student's number on the platform, or the form of the name
    in Canvas's file names. The score goes to the line with the number, or to none."""
    write_gradebook(out, [submission_from("Canvas", "17", "lovelaceada")])
    student_line = "Ada,17,,\n" if is_in_the_table else ""
    done, rows = run_roster(out, f"Student,ID,{column},RoPE\n{student_line}Ghost,99,{key},\n")
    assert [row["RoPE"] for row in rows] == [SCORE, ""][not is_in_the_table :]
    assert "Without a submission: Ghost." in done.output
    assert ("Not in the table: lovelaceada, rope." in done.output) is not is_in_the_table


def test_students_with_one_name_in_the_table_can_be_told_apart(out: Path) -> None:
    """If several lines begin with the same cell, such as a first name, the list adds each student's key."""
    write_gradebook(out, [submission_file("ada", person=Person("Gradescope", sid="001", name="ada"))])
    text = "First name,SID,RoPE\nAda,001,\nLi,002,\nLi,003,\nBo,004,\n"
    done, _ = run_roster(out, text, "--id-column", "SID")
    assert "Without a submission: Li (002); Li (003); Bo." in done.output


CHANGED_NUMBERS = {
    "0012345": "12345",
    "10407": "10407.0",
    "0010407": "10407.0",
    "12345678": "1.23E+07",
    "987654": "9,8e+5",
}


@pytest.mark.parametrize(("sid", "cell"), CHANGED_NUMBERS.items())
def test_numbers_that_a_spreadsheet_program_changed_are_named(out: Path, sid: str, cell: str) -> None:
    """A changed number matches nobody, because it might be somebody else's; the instructor is told which number it
    is."""
    write_gradebook(out, [submission_file("ada", person=Person("Gradescope", sid=sid, name="ada"))])
    for text, is_changed in ((cell, True), (sid, False), ("77", False)):
        done, rows = run_roster(out, f'Name,SID,RoPE\nAda,"{text}",\nBo,5,\n', "--id-column", "SID")
        assert rows[0]["RoPE"] == (SCORE if text == sid else "")
        remark = f"may have changed (export the table again, and fill in that file): {cell}."
        assert (remark in done.output) is is_changed, done.output


WORKSHEETS = {
    "English": ("Identifier,Full name,Email address,Grade,Maximum Grade", "Participant 17", ()),
    "German": ("ID;Vollständiger Name;E-Mail-Adresse;Bewertung;Bestwertung", "Teilnehmer/in17", ("Bewertung",)),
    "Spanish": ("Identificador,Nombre completo,Correo,Calificación,Máximo", "Participante3", ("Calificación",)),
    "French": ("Identifiant\tNom complet\tAdresse\tNote\tNote maximale", "Participant 17", ("Note",)),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("language", [*WORKSHEETS])
def test_moodle_in_any_language_and_encoding(out: Path, language: str, encoding: str) -> None:
    """The digits at the end of Moodle's identifier are the participant's number, whether or not a space
    precedes the digits."""
    titles, first, columns = WORKSHEETS[language]
    delimiter = max(",;\t", key=titles.count)
    word, number = re.fullmatch(r"(\D+)(\d+)", first).groups()  # type: ignore[union-attr]
    lines = [[first, "Zoë Müller", "z@x.de", "", "20"], [f"{word}{number}8", "Ada Ö", "a@x.de", "", "20"]]
    table = out.parent / "table.csv"
    text = "\r\n".join([titles, *map(delimiter.join, lines)]) + "\r\n"
    table.write_bytes(text.encode(encoding))
    write_gradebook(
        out, [submission_from("Moodle", number, "Zoë Müller"), submission_from("Moodle", f"{number}8", "Ada Ö")]
    )
    options = [f"--grade-column={title}" for title in columns] + (
        [f"--id-column={titles.split(delimiter)[0]}"] * bool(columns)
    )
    done = CliRunner().invoke(main, ["roster", str(out), "--table", str(table), *options])
    assert done.output.startswith("2 scores in") and done.exit_code == 0, done.output
    filled = (out / "roster_table.csv").read_bytes().decode(encoding)
    assert filled == text.replace(f"{delimiter}{delimiter}", f"{delimiter}{SCORE}{delimiter}")


def test_a_group_s_number_is_no_participant_s(out: Path) -> None:
    """Moodle numbers groups as well as participants, so a matching number with a different name belongs to
    somebody else."""
    write_gradebook(out, [submission_from("Moodle", "17", "Team Red"), submission_from("Moodle", "18", "LAMARR Hedy")])
    done, rows = run_roster(out, MOODLE)
    assert [row["Grade"] for row in rows] == ["", SCORE]
    assert "Same number, another name (a group's, perhaps): Team Red, rope." in done.output
    assert "Without a submission: Participant 17." in done.output


@pytest.mark.parametrize("group", ["Team Red", "Tutorium Montag, 10 Uhr (Raum 2.11)", "G-7", "实验一组"])
@pytest.mark.parametrize("name", ["Li Wu", "Anne-Marie O'Neil", "Łukasz Żak", "李小龙"])
def test_a_group_s_name_before_a_student_s_name_is_no_other_name(out: Path, group: str, name: str) -> None:
    """In a course with groups, each student's folder in Moodle's download begins with the name of the group."""
    people = [submission_from("Moodle", "17", f"{group}-{name}"), submission_from("Moodle", "18", f"{group}-Hedy")]
    write_gradebook(out, people)
    done, rows = run_roster(out, MOODLE.replace("Ada Lovelace", f'"{name}"').replace("Hedy Lamarr", "Jim Gray"))
    assert [row["Grade"] for row in rows] == [SCORE, ""]
    assert f"Same number, another name (a group's, perhaps): {group}-Hedy, rope." in done.output


SPELLINGS = {
    "Łukasz Żak": ("Lukasz Zak", "ŻAK Łukasz", "?ukasz ?ak", "Å ukasz Å»ak"),
    "Zoë Müller": ("Zoe Mueller", "Zoe\u0308 Mu\u0308ller", "MÜLLER, Zoë", "Zo Mller"),
    "Nguyễn Văn Ái": ("Nguyen Van Ai", "Nguy?n V?n Ái", "Ái Nguyễn Văn"),
    "Anne-Marie O'Neil": ("Anne Marie ONeil", "O`Neil, Anne–Marie"),
    "Đorđe Đurić": ("Djordje Djuric", "?or?e ?uri?", "Dorde Duric"),
}


@pytest.mark.parametrize(("name", "other"), [(name, other) for name, others in SPELLINGS.items() for other in others])
def test_the_number_decides_where_a_name_is_spelled_differently(out: Path, name: str, other: str) -> None:
    """Tables and archives with different encodings may spell the same name differently."""
    for folder, cell in ((name, other), (other, name)):
        write_gradebook(out, [submission_from("Moodle", "17", folder), submission_from("Moodle", "18", "Hedy Lamarr")])
        done, rows = run_roster(out, MOODLE.replace("Ada Lovelace", f'"{cell}"'))
        assert [row["Grade"] for row in rows] == [SCORE, SCORE]
        assert "Without a submission" not in done.output and "another name" not in done.output


@pytest.mark.parametrize("group", ["Team Red", "Gruppe 5", "G7", "Los Vectores", "Tutorium Montag", "3", "Équipe 12"])
@pytest.mark.parametrize("name", ["Ada Lovelace", "Łukasz Żak", "Hedy Lamarr-Mandl", "李小龙"])
def test_a_group_s_name_is_like_no_participant_s(out: Path, group: str, name: str) -> None:
    write_gradebook(out, [submission_from("Moodle", "17", group), submission_from("Moodle", "18", "Hedy Lamarr")])
    done, rows = run_roster(out, MOODLE.replace("Ada Lovelace", name))
    assert [row["Grade"] for row in rows] == ["", SCORE] and f"perhaps): {group}, rope." in done.output


def test_a_word_in_a_cell_stays_and_is_named(out: Path) -> None:
    """A word in a cell, such as EX for an excused student, stays, but an earlier number is replaced."""
    write_gradebook(
        out, [submission_from("Canvas", "17", "lovelaceada"), submission_from("Canvas", "18", "lamarrhedy")]
    )
    done, rows = run_roster(out, CANVAS.format(points="20.00").replace('early",9.00,,', 'early",9.00,EX,'))
    assert [row["RoPE (77)"] for row in rows][2:] == ["EX", SCORE, "11.00"]
    assert "Left unchanged: lovelaceada, rope (EX)." in done.output and done.output.startswith("1 scores in")


def test_an_unreadable_file_is_not_posted_as_zero_without_a_word(out: Path) -> None:
    """If an instructor has corrected the score of an unreadable file by hand, the corrected score is still exported."""
    zero = packed(replace(GRADE, status=SubmissionStatus.UNREADABLE, score=0.0))
    with Gradebook.writing(out) as book:
        class_ = [submission_from("Canvas", n, name) for n, name in (("17", "lovelaceada"), ("19", "turingalan"))]
        book.replace_submissions([class_], {"rope": "suite"})
        for key in book.ungraded_key_counts():
            book.add(key, zero)
        book.adjust({2: [Adjustment(None, 15.0, "by mail")]})
        book.record_finished_run()
    done, rows = run_roster(out, CANVAS.format(points="20.00"))
    assert [row["RoPE (77)"] for row in rows][2:] == ["", "3.00", "15"]
    assert "Left empty, because the file could not be read: lovelaceada, rope." in done.output


@pytest.mark.parametrize(("cell", "count"), [("", 0), (SCORE, 0), ("3,50", 0), ("4", 1), ("0", 1), ("EX", 0)])
def test_numbers_that_are_replaced_are_counted(out: Path, cell: str, count: int) -> None:
    """The export says how many numbers it replaces, because an instructor may have typed some of them."""
    write_gradebook(
        out, [submission_from("Canvas", "17", "lovelaceada"), submission_from("Canvas", "18", "lamarrhedy")]
    )
    done, _ = run_roster(out, CANVAS.format(points="20.00").replace('early",9.00,,', f'early",9.00,"{cell}",'))
    assert f"Cells that contained another number: {count + 1} in RoPE (77)." in done.output


@pytest.mark.parametrize("points", ["100,00", "100.00", "100", " 100 "])
def test_what_a_column_is_worth_is_read_in_any_locale(out: Path, points: str) -> None:
    write_gradebook(out, [submission_from("Canvas", "17", "lovelaceada")])
    done, _ = run_roster(out, CANVAS.format(points=f'"{points}"'))
    assert "To change in the table first: rope is worth 100 in table.csv" in done.output


def test_a_lesson_without_submissions_fills_no_table(out: Path) -> None:
    write_gradebook(out, [submission_from("Canvas", "17", "lovelaceada")])
    done, _ = run_roster(out, CANVAS.format(points="20.00"), "--assignment", "alibi", "--grade-column", "RoPE (77)")
    assert done.exit_code == 2 and "the results have no submission for alibi" in done.output


def test_scores_are_written_with_commas_where_the_table_has_commas(out: Path) -> None:
    text = "Login;Altes;RoPE\nada1;7,5;\n"
    write_gradebook(out, [submission_file("ada", "x", person=Person("Gradescope", login="ada1"))])
    _, rows = run_roster(out, text, "--id-column", "Login")
    assert rows == [{"Login": "ada1", "Altes": "7,5", "RoPE": SCORE.replace(".", ",")}]


def test_two_lessons_go_into_one_table_in_one_command(out: Path) -> None:
    """Each score goes into the column of its lesson. Students from both sections are matched, even those
    whose logins begin with a sign."""
    with Gradebook.writing(out) as book:
        person = Person("Gradescope", login="ada")
        both = [submission_file("ada", name, name, person=person) for name in ("rope", "alibi")]
        book.replace_submissions([both], {"rope": "suite", "alibi": "suite"})
        for key in book.ungraded_key_counts():
            book.add(key, packed(replace(GRADE, score=float(len(key.assignment)))))
        book.record_finished_run()
    text = "Username,Week 5,Week 7,Section\n#ada,,,Monday\n#bob,,,Tuesday\n"
    pairs = ("--assignment", "alibi", "--grade-column", "Week 7", "--assignment", "rope", "--grade-column", "Week 5")
    done, rows = run_roster(out, text, "--id-column", "Username", *pairs)
    assert [*rows[0].values()] == ["#ada", "4", "5", "Monday"]
    assert "Week 7: 1; Week 5: 1" in done.output and "Without a submission: #bob." in done.output
    students = (out / "students.csv").read_text("utf-8-sig").splitlines()
    assert students[:2] == [
        '"student","section","rope","alibi","sum","number","sid","email","login","name"',
        '"ada","Monday","4","5","9","","","","ada",""',
    ]
    done, _ = run_roster(out, text, "--id-column", "Username", "--grade-column", "Week 5")
    assert (
        done.exit_code == 2 and "name an --assignment for each --grade-column; graded were alibi, rope" in done.output
    )


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("name,score\nada,3\n", (), "has no column for rope: name it with"),
        ("name,rope\nada,3\n", (), "with --id-column TITLE"),
        ("name,rope\nada,3\n", ("--grade-column", "Rope"), "table.csv cannot be used: it has no column Rope"),
        ("", (), "it is empty. Its first line must contain the column titles"),
    ],
)
def test_a_table_that_cannot_be_used_is_one_sentence(
    out: Path, text: str, options: tuple[str, ...], words: str
) -> None:
    write_gradebook(out, [submission_from("Canvas", "17", "lovelaceada")])
    done, _ = run_roster(out, text, *options)
    assert done.exit_code == 2 and words in done.output
    done = CliRunner().invoke(main, ["roster", str(out), "--table", str(out / "nope.csv")])
    assert done.exit_code == 2 and "No such file" in done.output and "Errno" not in done.output
