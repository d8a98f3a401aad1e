"""Tests of successive runs in a term: one table of students, and a list of changes since the last run, each with its
reason."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from autograder.batch import run
from autograder.batch.changes import Changes
from autograder.batch.gradebook import Gradebook
from autograder.batch.output_files import is_report_current
from autograder.batch.summary import Summary
from autograder.cli import main
from autograder.submission import Person, UngradablePathError
from tests.grader.support import classroom
from tests.grader.support.fake_graders import run_in_this_process, solved
from tests.grader.support.made_up_gradebooks import GRADE, packed, submission_file
from tests.grader.support.student_folders import put

NAME = "sinusoidal"


@pytest.fixture(autouse=True)
def fake_graders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace graders with fakes, so that no submission runs, and write no report."""
    run_in_this_process(monkeypatch)


@pytest.fixture
def with_report(fake_graders: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare submissions and write the report, as every real run does."""
    monkeypatch.setattr(run.output_files, "is_report_current", is_report_current)


def grade(folder: Path, out: Path, *later: Path) -> str:
    """Grade the folders, and return the printed output."""
    page = io.StringIO()
    run.grade([folder, *later], out, console=Console(file=page, width=300))
    return page.getvalue()


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_a_term_is_one_table(tmp_path: Path) -> None:
    """The table has one row per student, one column per lesson in course order, a total, and empty cells for
    missing scores."""
    put(tmp_path / "class", {"rope/ada.py": solved(10, "apply_rope"), "rope/zoë.py": solved(25, "apply_rope")})
    put(tmp_path / "class", {"alibi/ada.py": solved(5, "alibi_slopes"), "naive/ada.py": solved(1, "binary_encoding")})
    grade(tmp_path / "class", tmp_path / "out")
    ada, zoe = table(tmp_path / "out" / "students.csv")
    assert [*ada][:5] == ["student", "naive", "rope", "alibi", "sum"]
    assert [*ada.values()][:5] == ["ada", "0.1", "1", "0.5", "1.6"]
    assert [*zoe.values()][:5] == ["zoë", "", "2.5", "", "2.5"]


@pytest.mark.usefixtures("with_report")
def test_every_run_says_whose_score_changed_and_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A score changes because of a new submission, a changed test, a manual correction, or two of these three."""
    folder, out = tmp_path / "class", tmp_path / "out"
    put(folder / NAME, {f"{name}.py": solved(10) for name in ("ada", "bob", "cy", "di")})
    assert "changed" not in grade(folder, out) and table(out / "changes.csv") == []
    put(folder / NAME, {"ada.py": solved(20)})
    put(tmp_path, {"adjustments.csv": f"student,assignment,points,reason\nbob,{NAME},1,Right idea\n"})
    printed = grade(folder, out)
    assert "2 scores changed: 1 by another submission, 1 by a correction (changes.csv)." in printed
    assert [[*line.values()] for line in table(out / "changes.csv")] == [
        ["ada", NAME, "1", "2", "another submission"],
        ["bob", NAME, "1", "2", "a correction"],
    ]
    monkeypatch.setattr(run, "grading_key", lambda *_: "another suite")
    monkeypatch.setattr("tests.grader.support.fake_graders.POINTS_PER_NUMBER", 0.2)
    put(tmp_path, {"adjustments.csv": f"student,assignment,points,reason\nbob,{NAME},1,Right idea\ncy,{NAME},1,x\n"})
    printed = grade(folder, out)
    assert "4 scores changed: 3 by a changed test, 1 by a changed test and a correction (changes.csv)." in printed
    outdated = f"bob, {NAME}: when the correction was made, the tests gave 1 points, and now they give 2"
    assert outdated in printed and f"cy, {NAME}: when" not in printed
    printed = grade(folder, out)
    assert "changed:" not in printed and outdated in printed and table(out / "changes.csv") == []
    put(tmp_path, {"adjustments.csv": f"student,assignment,points,reason\nbob,{NAME},2,Right idea\n"})
    printed = grade(folder, out)
    assert "2 scores changed: 1 by a correction, 1 by a correction that was withdrawn" in printed
    assert "when the correction was made" not in printed


@pytest.mark.parametrize("second", ["late", "late/sinusoidal", "other/late/sinusoidal", "class"])
def test_corrections_of_the_last_run_that_no_longer_apply_are_named_with_both_tables(
    second: str, tmp_path: Path
) -> None:
    """The second run reads the same table with some lines removed, or looks for a table that no longer exists. The
    message names the table that the last run read and the table that this run reads."""
    folder, out, head = tmp_path / "class", tmp_path / "out", "student,assignment,points,reason\n"
    put(folder / NAME, {f"{name}.py": solved(10) for name in ("ada", "bob", "cy")})
    lines = [f"{name},{NAME},1,Right idea\n" for name in ("ada", "bob", "cy")]
    put(tmp_path, {"adjustments.csv": head + "".join(lines)})
    grade(folder, out)
    put(tmp_path / second, {f"{NAME}.py" if second.endswith(NAME) else f"{NAME}/{NAME}.py": solved(20)})
    now = (tmp_path / second).parent / "adjustments.csv"
    (tmp_path / now.name).unlink()
    put(now.parent, {now.name: f"{head}{lines[0]}"} if now.parent == tmp_path else {})
    printed = grade(folder, out, tmp_path / second)
    count = 2 if now.is_file() else 3
    then = tmp_path / "adjustments.csv"
    there = f"{now}{'' if now.is_file() else ', which is not there'}"
    which = f"{count} corrections of the last run are not applied: it read {then}, and this run reads {there}."
    assert f"{which} Put the lines there that still count." in printed
    assert f"{count} by a correction that was withdrawn" in printed
    assert {line["why"] for line in table(out / "changes.csv")} == {"a correction that was withdrawn"}
    assert "of the last run" not in grade(folder, out, tmp_path / second)


CORRECTION = f"student,assignment,points,reason\nada,{NAME},1,Right idea\n"


@pytest.mark.parametrize("late", ["late", "other/late", "other/deep/late"])
@pytest.mark.parametrize("place", ["", "other", "class"])
@pytest.mark.parametrize("is_late_last", [True, False])
def test_a_table_of_corrections_may_be_next_to_any_folder(
    place: str, late: str, is_late_last: bool, tmp_path: Path
) -> None:
    """The table of corrections is read if it is next to the class's folder or next to the folder of late files."""
    folders = [tmp_path / "class", tmp_path / late]
    put(folders[0] / NAME, {"ada.py": solved(10)})
    put(folders[1] / NAME, {"bob.py": solved(20)})
    put(tmp_path / place, {"adjustments.csv": CORRECTION})
    first, second = folders if is_late_last else folders[::-1]
    printed = grade(first, tmp_path / "out", second)
    assert ("1 corrected by hand" in printed) == (tmp_path / place in [folder.parent for folder in folders])


def test_a_table_of_corrections_inside_a_folder_is_not_the_instructor_s(tmp_path: Path) -> None:
    put(tmp_path / "class", {f"{NAME}/ada.py": solved(10), f"late/{NAME}/bob.py": solved(20)})
    put(tmp_path / "class", {"adjustments.csv": CORRECTION})
    assert "corrected by hand" not in grade(tmp_path / "class", tmp_path / "out", tmp_path / "class" / "late")


def test_two_tables_of_corrections_end_the_run(tmp_path: Path) -> None:
    for folder in ("class", "other/late"):
        put(tmp_path / folder / NAME, {"ada.py": solved(10)})
        put((tmp_path / folder).parent, {"adjustments.csv": CORRECTION})
    with pytest.raises(UngradablePathError, match="several tables of corrections, .* put all lines into one of them"):
        grade(tmp_path / "class", tmp_path / "out", tmp_path / "other" / "late")


def test_a_correction_that_changes_is_not_withdrawn(tmp_path: Path) -> None:
    """If a submission with a correction is gone, the report gives only that reason and does not also call the
    correction withdrawn."""
    folder, out, head = tmp_path / "class", tmp_path / "out", "student,assignment,points,reason\n"
    put(folder / NAME, {f"{name}.py": solved(10) for name in ("ada", "bob")})
    put(tmp_path, {"adjustments.csv": f"{head}ada,{NAME},1,x\nbob,{NAME},1,x\n"})
    grade(folder, out)
    (folder / NAME / "bob.py").unlink()
    put(tmp_path, {"adjustments.csv": f"{head}ada,{NAME},2,y\n"})
    printed = grade(folder, out)
    assert "1 by a correction, 1 by a submission that is gone" in printed
    assert "of the last run are" not in printed and "of the last run is" not in printed


def test_scores_that_vanish_are_among_the_changes(tmp_path: Path) -> None:
    """The report lists each change on a separate line, with the previous score. A student's first submission does not
    count as a change."""
    folder, out = tmp_path / "class", tmp_path / "out"
    put(folder, {f"{NAME}/{name}.py": solved(10) for name in ("ada", "zoë")} | {"rope/ada.py": solved(5, "apply_rope")})
    grade(folder, out)
    (folder / NAME / "zoë.py").unlink()
    (folder / "rope" / "ada.py").unlink()
    put(folder / NAME, {"bob.py": solved(7)})
    assert "2 scores changed: 2 by a submission that is gone (changes.csv)." in grade(folder, out)
    assert [[*line.values()] for line in table(out / "changes.csv")] == [
        ["ada", "rope", "0.5", "", "a submission that is gone"],
        ["zoë", NAME, "1", "", "a submission that is gone"],
    ]
    assert "changed:" not in grade(folder, out) and table(out / "changes.csv") == []


@pytest.mark.parametrize(
    ("folders", "labels"),
    [
        (("week", "late"), ("week", "late")),
        (("week/rope", "late/rope"), ("week/rope", "late/rope")),
        (("week", "week/late"), ("", "late")),
    ],
)
def test_a_file_of_several_folders_is_named_with_its_folder(
    folders: tuple[str, str], labels: tuple[str, str], tmp_path: Path
) -> None:
    """Without the folder, a reader could not tell from the message which of two files with the same name counts."""
    for number, folder in enumerate(folders, start=1):
        put(tmp_path / folder, {"rope_ada.py": solved(number, "apply_rope")})
    page = io.StringIO()
    paths = [tmp_path / folder for folder in folders]
    run.grade(paths, tmp_path / "out", "rope", console=Console(file=page, width=300))
    earlier, later = (f"{label}/rope_ada.py".lstrip("/") for label in labels)
    rows = {row["student"]: row for row in classroom.grades(tmp_path / "out")}
    assert (rows["ada"]["file"], rows["ada"]["score"]) == (later, "0.2")
    assert f"Not graded, because another submission by the student counts: ada ({earlier})." in page.getvalue()


def test_a_run_that_was_killed_is_compared_with_the_one_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    put(folder / NAME, {"ada.py": solved(10)})
    grade(folder, out)
    put(folder / NAME, {"ada.py": solved(20)})
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Changes, "write", interrupted)
        grade(folder, out)
    assert "1 score changed: 1 by another submission" in grade(folder, out)


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.fixture
def out(with_report: None, tmp_path: Path) -> Iterator[Path]:
    """Return the OUT folder of a run on a class whose platform reports submission times."""
    facts: list[dict[str, Any]] = [
        {"submitted": "2026-11-01T14:22:32", "late": False},
        {"submitted": "2026-11-02T09:00:00", "late": True},
        {},
    ]
    class_ = [
        replace(submission_file(name, name, person=Person("Canvas", number=name)), **fact)
        for name, fact in zip(("ada", "bob", "cy"), facts, strict=True)
    ]
    with Gradebook.writing(tmp_path) as book:
        book.replace_submissions([class_], {"rope": "suite"})
        for key in book.ungraded_key_counts():
            book.add(key, packed(GRADE))
        run._write_files(book, tmp_path / "adjustments.csv", Summary(), Console(quiet=True))
    return tmp_path


def test_lateness_stands_wherever_the_score_does(out: Path) -> None:
    rows = {row["student"]: row for row in classroom.grades(out)}
    assert list(rows["ada"])[4:7] == ["status", "submitted", "late"]
    assert [(row["submitted"], row["late"]) for row in rows.values()] == [
        ("2026-11-01T14:22:32", "no"),
        ("2026-11-02T09:00:00", "yes"),
        ("", ""),
    ]
    assert "Submitted 2026-11-02T09:00:00." in (out / "feedback" / "bob" / "rope.md").read_text("utf-8")
    assert "Submitted" not in (out / "feedback" / "cy" / "rope.md").read_text("utf-8")
    assert '"late": true' in (out / "results" / "bob" / "rope.json").read_text("utf-8")
    page = (out / "report.html").read_text("utf-8")
    assert page.count("<i>late</i> 3.5") == 1 and 'title="Submitted 2026-11-01T14:22:32."' in page


@pytest.mark.usefixtures("with_report")
def test_last_term_s_class_is_compared_with_in_later_runs_too(tmp_path: Path) -> None:
    """Every later run compares the class with the same earlier folders until a command names different ones.
    A missing folder is reported in one sentence."""
    code = "\n".join(f"y{n} = np.sin(np.cos(x[{n}:]) + {n}) * np.exp({n} - x)" for n in range(9))
    old, folder, out = tmp_path / "old", tmp_path / "class", tmp_path / "out"
    put(old / NAME, {"eve.py": f"{solved(1)}\n{code}"})
    put(folder / NAME, {"ada.py": f"{solved(2)}\n{code}", "bob.py": solved(3)})
    grade(folder, out)
    pairs = lambda: [(row["student"], row["other_student"]) for row in table(out / "similarity.csv")]  # noqa: E731
    assert pairs() == []
    assert CliRunner().invoke(main, ["similarity", str(out), "--against", str(old)]).exit_code == 0
    assert pairs() == [("ada", "eve (old)")]
    put(folder / NAME, {"cy.py": solved(4)})
    grade(folder, out)
    assert pairs() == [("ada", "eve (old)")]
    (old / NAME / "eve.py").unlink()
    (old / NAME).rmdir()
    old.rmdir()
    put(folder / NAME, {"di.py": solved(5)})
    assert f"Not compared: {old} (no longer there)." in grade(folder, out).replace("\n", "")
    assert CliRunner().invoke(main, ["similarity", str(out)]).exit_code == 0
    put(folder / NAME, {"eli.py": solved(6)})
    assert "Not compared" not in grade(folder, out)


@pytest.mark.parametrize(("seconds", "lines"), [(0.0, 3), (60.0, 0)])
def test_progress_in_a_log_file_is_a_line_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, lines: int
) -> None:
    monkeypatch.setattr(run, "PROGRESS_SECONDS", seconds)
    put(tmp_path / "class" / NAME, {f"{n}.py": solved(n) for n in range(3)})
    printed = grade(tmp_path / "class", tmp_path / "out").splitlines()
    assert [line for line in printed if line.startswith("Graded ")] == [f"Graded {n} of 3." for n in (1, 2, 3)][:lines]
