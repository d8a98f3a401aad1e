"""Tests of the zips that return feedback to a platform: every student without a page is named."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner, Result

from autograder.batch.gradebook import Gradebook
from autograder.cli import main
from autograder.submission import Person, Problem, Submission
from tests.grader.support.made_up_gradebooks import (
    GRADE,
    PACKED,
    submission_file,
    submission_from,
    write_gradebook,
)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def run_feedback(out: Path, platform: str) -> tuple[Result, list[str]]:
    done = CliRunner().invoke(main, ["feedback", str(out), "--for", platform])
    path = out / f"feedback_{platform}_rope.zip"
    return done, sorted(zipfile.ZipFile(path).namelist()) if path.exists() else []


def test_everybody_without_a_page_is_named(out: Path) -> None:
    """Students without a number on the platform, and submissions without a known assignment, are listed as
    having no feedback page."""
    problem = Problem("A .docx.")
    write_gradebook(
        out,
        [
            submission_from("Canvas", "17", "lovelaceada"),
            submission_from("Canvas", "18", "lamarrhedy", assignment="", cells=(), problem=problem),
            submission_file("bob", "mail"),
        ],
    )
    done, names = run_feedback(out, "canvas")
    assert names == ["lovelaceada_17_90017_rope.py"]
    assert "Without a page, 2: lamarrhedy (lamarrhedy_18_90018_rope.py); bob (rope/bob.py)." in done.output


LESSONS = ("rope", "alibi", "naive", "learned")


@pytest.mark.parametrize("seed", range(6))
def test_feedback_is_about_the_lessons_of_its_platform_or_of_the_command(seed: int, out: Path) -> None:
    """In a term with several platforms, feedback for one platform covers only that platform's lessons. If a
    student's lesson is unknown, the student is still listed for the right platform."""
    draw, class_ = random.Random(seed), list[Submission]()
    platforms = dict(zip(LESSONS, draw.sample(["Canvas", "Canvas", "Moodle", ""], 4), strict=True))
    for lesson, platform in platforms.items():
        file = (
            "{}_{}_900_" + f"{lesson}.py" if platform == "Canvas" else "{}_{}_assignsubmission_file_" + f"{lesson}.py"
        )
        for number, name in enumerate(("ada", "bob", "cy"), start=draw.randrange(10, 90)):
            person = Person(platform, number=str(number) if platform else "", name=name)
            class_.append(
                submission_file(f"{name}{lesson}", name, lesson, person=person, file=file.format(name, number))
            )
        class_.append(submission_file(f"late{lesson}", "late", lesson))
    class_ += [
        submission_file(f"x{platform}", "", "", person=Person(platform, number="1"))
        for platform in ("Canvas", "Moodle")
    ]
    with Gradebook.writing(out) as book:
        book.replace_submissions([class_], dict.fromkeys(LESSONS, "suite"))
        for key in book.ungraded_key_counts():
            book.add(key, PACKED)
        book.record_finished_run()
    of_canvas = [lesson for lesson in LESSONS if platforms[lesson] == "Canvas"]
    for requested in ([], of_canvas[:1], [lesson for lesson in LESSONS if not platforms[lesson]]):
        for path in out.glob("feedback_*"):
            path.unlink()
        options = [word for name in requested for word in ("--assignment", name)]
        done = CliRunner().invoke(main, ["feedback", str(out), "--for", "canvas", *options])
        written = {path.stem.removeprefix("feedback_canvas_") for path in out.glob("feedback_*.zip")}
        assert written == {*of_canvas} & {*(requested or of_canvas)} and (done.exit_code == 0) == bool(written)
        without = done.output.partition("Without a page, ")[2].partition(".\n")[0].partition(": ")[2].split("; ")
        named = {one.partition(" ")[0] for one in without}
        elsewhere = {
            f"{name}{lesson}" for lesson in requested if lesson not in of_canvas for name in ("ada", "bob", "cy")
        }
        assert named == {f"late{lesson}" for lesson in requested or of_canvas} | {"xCanvas"} | elsewhere


def test_feedback_of_a_lesson_without_submissions_writes_nothing(out: Path) -> None:
    write_gradebook(out, [submission_from("Canvas", "17", "lovelaceada")])
    done = CliRunner().invoke(main, ["feedback", str(out), "--for", "canvas", "--assignment", "alibi"])
    assert done.exit_code == 2 and "the results have no submission for alibi" in done.output
    assert not list(out.glob("feedback_*.zip"))


def test_a_late_file_goes_back_under_the_name_that_canvas_knows(out: Path) -> None:
    write_gradebook(
        out, [submission_from("Canvas", "17", "lovelaceada")], [submission_file("17", "late", file="17.py")]
    )
    _, names = run_feedback(out, "canvas")
    assert names == ["lovelaceada_17_90017_rope.py"]


def test_moodle_takes_names_of_its_own(out: Path) -> None:
    write_gradebook(out, [submission_from("Moodle", "17", "Ada Lovelace")])
    done, names = run_feedback(out, "moodle")
    assert names == ["Ada Lovelace_17_assignfeedback_file_rope.html"] and "1 pages in" in done.output
    page = zipfile.ZipFile(out / "feedback_moodle_rope.zip").read(names[0]).decode("utf-8")
    assert "<title>rope: Ada Lovelace</title>" in page


def test_feedback_for_canvas_opens_under_the_name_of_the_submitted_file(out: Path) -> None:
    """Canvas shows feedback under the name of the submitted file, so an HTML page would appear as `rope.py`.
    Files that Canvas ignores get no feedback page."""
    files = ["rope.py", "rope-1.ipynb", "week 5.zip!rope.py", "page.html", "essay.pdf", "text.html", "link-1.html"]
    names = [f"student{n}_{n}_900{n}_{file}" for n, file in enumerate(files, start=1)]
    people = [Person("Canvas", number=str(n), name=f"student{n}") for n in range(1, len(files) + 1)]
    write_gradebook(
        out, [submission_file(p.name, p.name, person=p, file=f) for p, f in zip(people, names, strict=True)]
    )
    done, packed = run_feedback(out, "canvas")
    assert packed == [name.partition("!")[0] for name in names[:4]]
    assert "Without a page, 3: student5 (student5_5_9005_essay.pdf); student6 " in done.output
    with zipfile.ZipFile(out / "feedback_canvas_rope.zip") as archive:
        text, notebook, inner, html = (archive.read(name) for name in packed)
    assert text.decode().startswith("# rope: 3.5 of 20 points") and GRADE.full_feedback in text.decode()
    assert nbformat.reads(notebook.decode(), 4).cells[0].source == text.decode()
    page = zipfile.ZipFile(io.BytesIO(inner)).read("feedback.html")
    assert b"<h1>rope: 3.5 of 20 points</h1>" in page and b"<h1>rope: 3.5 of 20 points</h1>" in html


def test_where_nobody_came_from_the_platform_nothing_is_written(out: Path) -> None:
    write_gradebook(out, [submission_file("bob", "mail")])
    done, names = run_feedback(out, "canvas")
    assert done.exit_code == 2 and not names and "nobody in" in done.output and "bob" in done.output
