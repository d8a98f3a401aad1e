"""Moodle and Blackboard, in and out; and what a rule for late work takes off on the way out."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.batch.gradebook import Gradebook
from autograder.cli import main
from autograder.submission import find_in_folder, platforms
from tests.grader.test_gradebook import PACKED, submission_file

KNOWN = ["rope", "alibi"]
CODE = "def rope_frequencies(head_dim, base=10000.0):\n    return 1\n"

WORKSHEET = """\
\ufeffIdentifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed","Last modified (submission)","Feedback comments"
"Participant 101","Ada Lovelace",ada@example.edu,"Submitted for grading",,20.00,Yes,"Monday, 30 November 2026, 11:58 PM",
"Participant 102","Alan Turing",alan@example.edu,"Submitted for grading",,20.00,Yes,"Wednesday, 2 December 2026, 1:00 AM",
"Participant 103","Alan Turing",turing@example.edu,"No submission",,20.00,Yes,-,
"""


def found(folder: Path, names: list[str]) -> dict[str, str]:
    """Student → file, of a download that has these files."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(CODE)
    return {one.student: one.file for one in find_in_folder(folder, "rope", KNOWN) if not one.superseded}


def test_a_download_of_moodle_without_folders(tmp_path: Path) -> None:
    names = ["Ada Lovelace_101_assignsubmission_file_rope.py", "Alan Turing_102_assignsubmission_file_1_2_mine.py"]
    assert found(tmp_path, names) == {"Ada Lovelace": names[0], "Alan Turing": names[1]}


@pytest.mark.parametrize("end", ["_", ""])
def test_a_download_of_moodle_with_folders(tmp_path: Path, end: str) -> None:
    """What a student wrote into Moodle's own field counts only where there is nothing else."""
    ada = f"Ada Lovelace_101_assignsubmission_file{end}/rope.py"
    assert found(tmp_path, [ada, f"Ada Lovelace_101_assignsubmission_onlinetext{end}/onlinetext.html"]) == {"Ada Lovelace": ada}


def test_namesakes_are_told_apart_by_their_numbers(tmp_path: Path) -> None:
    names = [f"Alan Turing_{number}_assignsubmission_file_/rope.py" for number in (102, 103)]
    assert set(found(tmp_path, names)) == {"Alan Turing_102", "Alan Turing_103"}


def test_a_download_of_blackboard(tmp_path: Path) -> None:
    """The later attempt counts, and Blackboard's notes are nobody's submission."""
    names = [f"Week 5_alovelace_attempt_2026-11-{day}-14-22-32" for day in ("01", "03")]
    files = [f"{names[0]}.txt", f"{names[0]}_rope.py", f"{names[1]}.txt", f"{names[1]}_rope v2.py"]
    assert found(tmp_path, files) == {"alovelace": files[3]}
    told = platforms.download(files[3])
    assert told and told.platform == "Blackboard" and datetime.fromtimestamp(told.handed_in).isoformat() == "2026-11-03T14:22:32"


@pytest.mark.parametrize("name", ["rope.py", "ada_rope.py", "doejane_123_456_rope.py", "attempt_rope.py", "_1_assignsubmission_file_x.py"])
def test_other_names_are_not_theirs(name: str) -> None:
    told = platforms.download(name)
    assert told is None or told.platform == "Canvas"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Two students of Moodle, each with 3.5 of 20 points, one of whose names two people have."""
    files = {"Ada Lovelace": 101, "Alan Turing": 102}
    class_ = [replace(submission_file(name, f"x = {user}"), file=f"{name}_{user}_assignsubmission_file_/rope.py") for name, user in files.items()]
    with Gradebook.writing(tmp_path / "out") as book:
        book.take_in(class_, {"rope": "suite-1"})
        book.add((key, PACKED, "") for key in book.to_grade())
    (tmp_path / "worksheet.csv").write_text(WORKSHEET, "utf-8")
    return tmp_path / "out"


def export(out: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["moodle", str(out), "--roster", str(out.parent / "worksheet.csv"), *options])


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "moodle_rope.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_worksheet_comes_back_with_grades_and_feedback(out: Path) -> None:
    done = export(out)
    assert done.exit_code == 0 and "2 scores in" in done.output, done.output
    before = list(csv.DictReader(WORKSHEET.removeprefix("\ufeff").splitlines()))
    for row, old in zip(rows(out), before, strict=True):
        changed = {name for name in row if row[name] != old[name]}
        assert changed == ({"Grade", "Feedback comments"} if old["Identifier"] != "Participant 103" else set())
    assert [row["Grade"] for row in rows(out)] == ["3.5", "3.5", ""]
    assert "<h1>rope: 3.5 of 20 points</h1>" in rows(out)[0]["Feedback comments"]


def test_who_is_not_certain_is_left_out_and_named(out: Path) -> None:
    """By the name alone two people could be Alan; and a file of another kind of download has no number."""
    with Gradebook.writing(out) as book:
        book.take_in([submission_file("Alan Turing"), submission_file("ada@example.edu", "y = 1")], {"rope": "suite-1"})
        book.add((key, PACKED, "") for key in book.to_grade())
    done = export(out)
    assert "left out: Alan Turing: nobody in worksheet.csv, or more than one" in done.output
    assert [row["Grade"] for row in rows(out)] == ["3.5", "", ""]


def test_a_file_that_is_no_worksheet_or_has_other_points_is_refused(out: Path) -> None:
    worksheet = out.parent / "worksheet.csv"
    worksheet.write_text(WORKSHEET.replace("20.00", "100.00"), "utf-8")
    assert "set it to 20 points in Moodle" in " ".join(export(out).output.split())
    worksheet.write_text("a,b\n1,2\n")
    done = export(out)
    assert done.exit_code == 2 and "is not an offline grading worksheet of Moodle" in " ".join(done.output.split())


LATE = """\
percent_per_day = 10
[deadlines]
rope = {}
[extensions]
"Ada Lovelace" = 1
"""


def test_late_work_changes_the_exported_score_alone(out: Path) -> None:
    """Days that have begun count; the worksheet's own date is used, and an extension."""
    settings = out.parent / "late.toml"
    settings.write_text(LATE.format(datetime(2026, 11, 30, 23, 59).isoformat()))
    done = export(out, "--late", str(settings))
    assert "Alan Turing, rope: 2 days late, 2.8 of 3.5 points count." in done.output
    assert [row["Grade"] for row in rows(out)] == ["3.5", "2.8", ""]
    assert "3.5 of 20 points" in rows(out)[1]["Feedback comments"]
    settings.write_text(LATE.format(datetime(2026, 11, 29, 12).isoformat()))
    assert "Ada Lovelace, rope: 1 day late" in export(out, "--late", str(settings)).output
    with Gradebook.reading(out) as book:
        assert {row.score for row in book.rows()} == {3.5}


def test_canvas_takes_the_platform_s_own_date(tmp_path: Path) -> None:
    """Gradescope's export says when; where nothing does, nothing is taken off, and that is said."""
    moment = datetime(2026, 12, 1, 12, tzinfo=UTC).timestamp()
    with Gradebook.writing(tmp_path) as book:
        book.take_in([submission_file("ada", handed_in=moment), submission_file("bob", "y = 1")], {"rope": "suite-1"})
        book.add((key, PACKED, "") for key in book.to_grade())
    (tmp_path / "roster.csv").write_text("Student,ID,Section,rope (1)\nAda,ada,A,\nBob,bob,A,\n", "utf-8")
    (tmp_path / "late.toml").write_text(LATE.format("2026-11-30T23:59:00+00:00"))
    options = ["--roster", str(tmp_path / "roster.csv"), "--late", str(tmp_path / "late.toml")]
    done = CliRunner().invoke(main, ["canvas", str(tmp_path), *options])
    assert done.exit_code == 0, done.output
    assert "ada, rope: 1 day late, 3.15 of 3.5 points count." in done.output
    assert "bob, rope: nothing says when it was handed in, so nothing was taken off." in done.output
    with (tmp_path / "canvas.csv").open(encoding="utf-8", newline="") as file:
        assert [row["rope (1)"] for row in csv.DictReader(file)][-2:] == ["3.15", "3.5"]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("percent_per_day = 10\n[deadline]\nrope = 1\n", "has deadline"),
        ("percent_per_day = 200\n", "from 0 to 100"),
        ("percent_per_day = 10\n[deadlines]\nroap = 2026-11-30T23:59:00\n", "there is no assignment"),
        ("percent_per_day = 10\n[deadlines]\nrope = 2026-11-30\n", "the deadline of rope is a date and a time"),
        ("percent_per_day = 10\n[extensions]\nada = 'two'\n", "the extension of ada is a number of days"),
        ("percent", "cannot be read"),
    ],
)
def test_a_wrong_setting_is_named(out: Path, settings: str, sentence: str) -> None:
    (out.parent / "late.toml").write_text(settings)
    done = export(out, "--late", str(out.parent / "late.toml"))
    assert done.exit_code == 2 and sentence in " ".join(done.output.split())
