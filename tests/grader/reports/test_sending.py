"""Feedback reaches the student it is about, on each platform's own way."""

from __future__ import annotations

import csv
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder import cli
from autograder.batch.gradebook import Gradebook
from autograder.submission import Person
from tests.grader.support.rows import PACKED, submission_file

CANVAS = [
    ("lovelaceada", "5000_9001", "rope.py"),
    ("lamarrhedy", "5001_9002", "my_rope.ipynb"),
    ("turingalan", "LATE_5002_9003", "all.zip"),
]


def class_of(folder: Path, *people: tuple[str, str, Person]) -> Path:
    """OUT of a class: student, file and person of each."""
    handed_in = [
        replace(submission_file(student, f"x = {n}"), file=file, person=person)
        for n, (student, file, person) in enumerate(people)
    ]
    with Gradebook.writing(folder / "out") as book:
        book.take_in(handed_in, {"rope": "suite-1"})
        book.add((key, PACKED, "") for key in book.to_grade())
    return folder / "out"


def pack(out: Path, platform: str, *options: str) -> Result:
    return CliRunner().invoke(cli.main, ["feedback", str(out), "--for", platform, *options])


def test_canvas_gets_pages_named_as_in_its_own_download(tmp_path: Path) -> None:
    people = [
        (name, f"{name}_{number}_{file}", Person("Canvas", re.findall(r"\d+", number)[0], name=name))
        for name, number, file in CANVAS
    ]
    people[2] = (people[2][0], f"{people[2][1]}!rope.py", people[2][2])
    out = class_of(tmp_path, *people, ("guest", "guest.py", Person()))
    done = pack(out, "canvas")
    assert done.exit_code == 0 and "3 pages in" in done.output and "guest" in done.output
    with zipfile.ZipFile(out / "feedback_canvas_rope.zip") as archive:
        names = archive.namelist()
        assert all("3.5 of 20" in archive.read(name).decode() for name in names)
    assert names == [
        "lamarrhedy_5001_9002_my_rope.html",
        "lovelaceada_5000_9001_rope.html",
        "turingalan_LATE_5002_9003_all.html",
    ]


@pytest.mark.parametrize("name", ["Ada Lovelace", "Ada_Mary/Lovelace", "José Núñez"])
def test_moodle_finds_its_participant_in_the_second_part_of_the_name(tmp_path: Path, name: str) -> None:
    out = class_of(tmp_path, (name, "x/rope.py", Person("Moodle", "101", name=name)))
    assert pack(out, "moodle").exit_code == 0
    with zipfile.ZipFile(out / "feedback_moodle_rope.zip") as archive:
        (file,) = archive.namelist()
    assert "/" not in file and file.split("_", 4)[1:] == ["101", "assignfeedback", "file", "rope.html"]


def test_mail_has_a_folder_per_student_and_their_addresses(tmp_path: Path) -> None:
    ada = Person("Gradescope", email="ada@example.edu", name="Ada Lovelace")
    out = class_of(
        tmp_path,
        ("ada@example.edu", "submission_1/rope.py", ada),
        ("=cmd()", "b.py", Person()),
        ("people.csv", "c.py", Person()),
    )
    for _ in range(2):
        assert pack(out, "mail").exit_code == 0
    with (out / "feedback_mail" / "people.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["name"], row["email"]) for row in rows} == {("Ada Lovelace", "ada@example.edu"), ("", "")}
    assert not any(cell.startswith("=") for row in rows for cell in row.values())
    for row in rows:
        assert (out / "feedback_mail" / row["folder"] / "rope.html").is_file()


def test_a_table_knows_the_addresses_of_accounts(tmp_path: Path) -> None:
    out = class_of(tmp_path, ("ada99", "week-5-ada99/rope.py", Person("GitHub Classroom", login="ada99")))
    (tmp_path / "classroom_roster.csv").write_text("identifier,github_username\nada@example.edu,ada99\n")
    assert pack(out, "mail", "--map", str(tmp_path / "classroom_roster.csv")).exit_code == 0
    assert "ada@example.edu" in (out / "feedback_mail" / "people.csv").read_text("utf-8")


@pytest.mark.parametrize("platform", ["canvas", "moodle"])
def test_nobody_to_send_to_is_an_error_with_advice(tmp_path: Path, platform: str) -> None:
    done = pack(class_of(tmp_path, ("ada", "ada.py", Person())), platform)
    assert done.exit_code == cli.WRONG_USE and "--for mail" in done.output
