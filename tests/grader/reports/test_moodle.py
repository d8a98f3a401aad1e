"""Moodle and Blackboard, in and out."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.batch.gradebook import Gradebook
from autograder.cli import main
from autograder.submission import Person, downloads
from tests.grader.support import classroom
from tests.grader.support.rows import PACKED, submission_file

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
    return {one.student: one.file for one in classroom.read_folder(folder, "rope", KNOWN) if not one.superseded}


def test_a_download_of_moodle_without_folders(tmp_path: Path) -> None:
    names = ["Ada Lovelace_101_assignsubmission_file_rope.py", "Alan Turing_102_assignsubmission_file_1_2_mine.py"]
    assert found(tmp_path, names) == {"Ada Lovelace": names[0], "Alan Turing": names[1]}


@pytest.mark.parametrize("end", ["_", ""])
def test_a_download_of_moodle_with_folders(tmp_path: Path, end: str) -> None:
    """What a student wrote into Moodle's own field counts only where there is nothing else."""
    ada = f"Ada Lovelace_101_assignsubmission_file{end}/rope.py"
    assert found(tmp_path, [ada, f"Ada Lovelace_101_assignsubmission_onlinetext{end}/onlinetext.html"]) == {
        "Ada Lovelace": ada
    }


def test_namesakes_are_told_apart_by_their_numbers(tmp_path: Path) -> None:
    names = [f"Alan Turing_{number}_assignsubmission_file_/rope.py" for number in (102, 103)]
    assert set(found(tmp_path, names)) == {"Alan Turing_102", "Alan Turing_103"}


def test_a_download_of_blackboard(tmp_path: Path) -> None:
    """The later attempt counts, and Blackboard's notes are nobody's submission."""
    names = [f"Week 5_alovelace_attempt_2026-11-{day}-14-22-32" for day in ("01", "03")]
    files = [f"{names[0]}.txt", f"{names[0]}_rope.py", f"{names[1]}.txt", f"{names[1]}_rope v2.py"]
    assert found(tmp_path, files) == {"alovelace": files[3]}
    platform, told = downloads.of_folder([], files)
    assert (
        platform == "Blackboard"
        and datetime.fromtimestamp(told[files[3]].handed_in).isoformat() == "2026-11-03T14:22:32"
    )


@pytest.mark.parametrize(
    "name", ["rope.py", "ada_rope.py", "doejane_123_456_rope.py", "attempt_rope.py", "_1_assignsubmission_file_x.py"]
)
def test_other_names_are_not_theirs(name: str) -> None:
    assert downloads.of_folder([], [name])[0] in ("", "Canvas")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Two students of Moodle, each with 3.5 of 20 points, one of whose names two people have."""
    files = {"Ada Lovelace": 101, "Alan Turing": 102}
    people = [Person("Moodle", str(number), name=name) for name, number in files.items()]
    class_ = [replace(submission_file(one.name, f"x = {one.number}"), person=one) for one in people]
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
    assert "does not have, or has more than once: Alan Turing." in done.output
    assert [row["Grade"] for row in rows(out)] == ["3.5", "", ""]


def test_a_file_that_is_no_worksheet_or_has_other_points_is_refused(out: Path) -> None:
    worksheet = out.parent / "worksheet.csv"
    worksheet.write_text(WORKSHEET.replace("20.00", "100.00"), "utf-8")
    assert "set it to 20 points in Moodle" in " ".join(export(out).output.split())
    assert export(out, "--scale").exit_code == 0
    assert "17.5" in [row["Grade"] for row in rows(out)]
    worksheet.write_text("a,b\n1,2\n")
    done = export(out)
    assert done.exit_code == 2 and "is not an offline grading worksheet of Moodle" in " ".join(done.output.split())


LANGUAGES = {
    "English, anonymous": (
        "Identifier,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments",
        "Participant {}",
        "Submitted for grading",
    ),
    "German": (
        "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Zuletzt geändert,Feedback als Kommentar",
        "Teilnehmer/in{}",
        None,
    ),
    "German, anonymous": (
        "ID,Status,Bewertung,Bestwertung,Zuletzt geändert,Feedback als Kommentar",
        "Teilnehmer/in{}",
        "Zur Bewertung abgegeben",
    ),
    "French": (
        "Identifiant,Nom complet,Adresse de courriel,Statut,Note,Note maximale,Modifié,Feedback par commentaires",
        "Participant{}",
        None,
    ),
    "Spanish": (
        "Identificador,Nombre completo,Correo,Estatus,Calificación,Máxima,Modificado,Comentarios de retroalimentación",
        "Participante {}",
        None,
    ),
    "Portuguese": (
        "Identificador,Nome completo,E-mail,Status,Nota,Nota máxima,Modificado,Comentários de feedback",
        "Participante {}",
        None,
    ),
    "Italian": (
        "ID,Nome completo,Email,Stato,Valutazione,Massima,Modificato,Commenti (feedback)",
        "Partecipante {}",
        None,
    ),
    "without comments": (
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade)",
        "Participant {}",
        None,
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("maximum", ["20.00", "20"])
def test_a_worksheet_in_any_language_with_or_without_names(out: Path, language: str, maximum: str) -> None:
    """Whatever the headings say, grade and comment go where Moodle reads them, and all else stays."""
    header, identifier, anonymous = LANGUAGES[language]
    width = header.count(",") + 1
    sheet = [header]
    for number, name in ((101, "Ada Lovelace"), (102, "Alan Turing"), (103, "Alan Turing"), (104, "Grace Hopper")):
        about = [anonymous] if anonymous else [name, f"a{number}@example.edu", "-"]
        cells = [identifier.format(number), *about, "", maximum, "-"]
        sheet.append(",".join([*cells, *[""] * (width - len(cells))]))
    (out.parent / "worksheet.csv").write_text("\ufeff" + "\n".join(sheet) + "\n", "utf-8")
    done = export(out)
    assert done.exit_code == 0 and "2 scores in" in done.output, done.output
    with (out / "moodle_rope.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.reader(file))
    column = 2 if anonymous else 4
    assert [row[column] for row in found[1:]] == ["3.5", "3.5", "", ""]
    has_comments = language != "without comments"
    assert ["rope: 3.5 of 20" in row[-1] for row in found[1:]] == [has_comments, has_comments, False, False]
    for row, before in zip(found[1:], sheet[1:], strict=True):
        old = before.split(",")
        assert all(
            new == was for n, (new, was) in enumerate(zip(row, old, strict=True)) if n not in (column, width - 1)
        )
