"""Tests of the report: the numbers are correct, names and messages never become markup, and the page loads no
other files."""

from __future__ import annotations

import errno
import os
import random
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from click.testing import CliRunner

from autograder import bounded_processes, cli
from autograder.batch import output_files
from autograder.batch.gradebook import Gradebook
from autograder.checks.results import Phase, Test, TestResult
from autograder.cli_support import WRONG_USE
from autograder.course import BatchError
from autograder.grading.grade import Grade
from autograder.protocol.call import Raised
from autograder.protocol.failure_kinds import Kind
from autograder.reports.class_page import AssignmentResults, ClassReport
from autograder.submission import Person, Problem, Submission
from tests.grader.support import made_up_gradebooks

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</td></table></style></script><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "=cmd|' /C calc'!A0",
    "a\nb\tc\x00\x1b[31m\u202edeb\u2066",
    "undecodable \\udcff",
    "n" * 5000,
)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare submissions in this process; `test_similarity` covers separate processes."""
    monkeypatch.setattr(bounded_processes, "map_bounded", map)


class PageParser(HTMLParser):
    """Parser that collects the tags, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attributes]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def report_page(out: Path) -> str:
    output_files.write_report_and_similarity(out)
    return (out / "report.html").read_text("utf-8")


def class_report_of(*graded: tuple[Submission, Grade], tmp_path: Path) -> ClassReport:
    made_up_gradebooks.write(tmp_path, graded)
    with Gradebook.reading(tmp_path) as book:
        return ClassReport(book.rows())


def result_with_status(
    name: str, status: str, points: float = 1.0, hint: str | None = None, question: str = "apply_rope"
) -> TestResult:
    kind = {"failed": Kind.VALUE, "passed": None}.get(status, next((k for k in Kind if k.status == status), None))
    return TestResult(Test(name, question, points, Phase.HIDDEN, "A rule"), kind, hint=hint)


def graded(student: str, *test_results: TestResult, status: str = "graded") -> tuple[Submission, Grade]:
    return made_up_gradebooks.submission_file(student, f"name = {student!r}"), made_up_gradebooks.scored(
        list(test_results), status=status
    )


def results_of_one_question(points_won: list[float], scores: list[float]) -> AssignmentResults:
    """Return the class results for one question worth 2 points."""
    return AssignmentResults(
        "rope",
        max_points={"a": 2.0},
        ran_scores=scores,
        points_won=[{"a": one} for one in points_won],
        unwritten=[{"a": False}] * len(points_won),
    )


def test_separation_is_the_correlation_with_the_rest() -> None:
    """The correlation agrees with numpy's. A question gets no correlation if its points or the other scores do not
    vary, because a correlation would be misleading."""
    draw = np.random.default_rng(0)
    points_won = draw.integers(0, 9, 200) / 4
    scores = points_won + draw.normal(10, 3, 200) + points_won
    (item,) = results_of_one_question(points_won.tolist(), scores.tolist()).questions
    assert item["discrimination"] == pytest.approx(np.corrcoef(points_won, scores - points_won)[0, 1])
    assert item["mean"] == pytest.approx(points_won.mean() / 2.0)
    for same_points, same_rest in (([1.0, 1.0], [5.0, 9.0]), ([0.0, 1.0], [5.0, 6.0]), ([1.0], [3.0])):
        (item,) = results_of_one_question(same_points, same_rest).questions
        assert item["discrimination"] is None


def test_bars_and_histogram(tmp_path: Path) -> None:
    """A question with a passed test counts as attempted, but a question whose tests all wait for missing code
    does not. A score of 0 falls into the first bin, full marks fall into the last, and an unreadable file
    scores 0."""
    refused = made_up_gradebooks.scored(
        [replace(result_with_status("t1", "unreadable", 20.0), message="Empty.")], status="unreadable"
    )
    class_report = class_report_of(
        graded("ada", result_with_status("t1", "passed", 10.0), result_with_status("t2", "passed", 10.0)),
        graded("bob", result_with_status("t1", "passed", 10.0), result_with_status("t2", "failed", 10.0)),
        graded("cy", result_with_status("t1", "failed", 10.0), result_with_status("t2", "not_implemented", 10.0)),
        graded("di", result_with_status("t1", "not_implemented", 10.0), result_with_status("t2", "waiting", 10.0)),
        (made_up_gradebooks.submission_file("eve", problem=Problem("Empty.")), refused),
        tmp_path=tmp_path,
    )
    (results,) = class_report.results
    (item,) = results.questions
    assert (item["count"], item["complete"], item["unwritten"], item["mean"]) == (4, 1, 1, 3 / 8)
    assert results.histogram == [3, *[0] * 9, 1, *[0] * 8, 1]
    assert (results.median, results.full_marks_count, len(results.ran_scores)) == (0, 1, 4)


def test_mistakes_cases_and_names_of_a_class(tmp_path: Path) -> None:
    """A misconception counts once per submission, even if several tests reveal it, and is listed under the question
    that reveals the misconception most often. Every status except `graded` is listed, and so is a score of 0, but not a
    low score. Each cause is listed once, with all students whom it affects, even if the line number differs between
    files. A student with an email address is listed by name."""
    right, wrong = result_with_status("t2", "passed"), result_with_status("t3", "failed")
    pairs = [
        result_with_status("t1", "failed", hint="Pairs!"),
        result_with_status("t4", "failed", hint="Pairs!"),
        right,
        wrong,
    ]
    sign = [
        result_with_status("t1", "failed", hint="Sign!"),
        right,
        result_with_status("t3", "failed", question="decode_step"),
    ]
    address, grade = graded("ada@x.edu", right)
    everybody = [
        (replace(address, person=Person("Gradescope", email="ada@x.edu", name="Ada Lovelace")), grade),
        *(graded("bob", *pairs), graded("cy", *pairs), graded("di", *sign), graded("zero", wrong)),
        *(graded(status, right, status=status) for status in ("timeout", "killed")),
    ]
    failures = [
        *(Raised("ModuleNotFoundError", (), "No module named 'scipy'", line, missing_import=True) for line in (1, 9)),
        Raised("KeyError", (), "'x'", 3),
    ]
    for number, failure in enumerate(failures):
        submission, grade = graded(f"stopped {number}", right, status="import_error")
        everybody.append((submission, replace(grade, failure=failure)))
    class_report = class_report_of(*everybody, tmp_path=tmp_path)
    assert [tuple(one[key] for key in ("text", "count", "of", "question")) for one in class_report.mistakes] == [
        ("Pairs!", 2, len(everybody), "apply_rope"),
        ("Sign!", 1, len(everybody), "apply_rope"),
    ]
    assert [(one["question"], one["count"]) for one in class_report.unexplained] == [
        ("apply_rope", 1),
        ("decode_step", 1),
    ]
    assert {(student, case.status) for case, students in class_report.cases for student in students} == {
        *(("timeout", "timeout"), ("killed", "killed"), ("zero", "graded")),
        *((f"stopped {number}", "import_error") for number in range(3)),
    }
    assert [(len(students), case.why) for case, students in class_report.cases if case.status == "import_error"] == [
        (2, "an import was left out, ModuleNotFoundError: No module named 'scipy'"),
        (1, "the file stops, KeyError: 'x'"),
    ]
    assert [one.label for one in class_report.students][:2] == ["ada@x.edu (Ada Lovelace)", "bob"]


def test_no_name_and_no_sentence_is_markup(tmp_path: Path) -> None:
    """Hostile names of students and files, and messages that quote them, appear as plain text in every table."""
    draw = random.Random(0)
    submission_files = []
    for name in HOSTILE:
        for assignment in ("rope", "alibi"):
            submission = made_up_gradebooks.submission_file(name, made_up_gradebooks.CODE, assignment)
            submission_files.append((submission, made_up_gradebooks.grade(assignment, 0.0, draw)))
        problem = Problem(f"{name} is empty.")
        file = made_up_gradebooks.submission_file(name, "", "naive", problem=problem)
        submission_files.append((file, made_up_gradebooks.grade("naive", -3.0, draw)))
        unknown = Submission(name, "", f"{name}.py", "0" * 64, problem=problem)
        submission_files.append((unknown, made_up_gradebooks.grade("naive", -3.0, draw)))
    plain, hostile = tmp_path / "plain", tmp_path / "hostile"
    made_up_gradebooks.write(hostile, submission_files)
    made_up_gradebooks.write(
        plain,
        [(made_up_gradebooks.submission_file(f"student {n}", f"x = {n}"), submission_files[0][1]) for n in range(3)],
    )
    page, ordinary_page = (PageParser(report_page(out)) for out in (hostile, plain))
    assert set(page.tags) <= set(ordinary_page.tags) | {"h3"}
    assert page.tags.count("script") == 1 and page.tags.count("style") == 1
    assert {name for name, _ in page.attributes} <= {name for name, _ in ordinary_page.attributes} | {"title", "data-v"}
    shown = "".join(page.text)
    assert "<script>alert(1)</script>" in shown and "{{ 7 * 7 }}" in shown
    assert not re.search("[\x00\x1b\u202e\u2066]", shown)


def test_the_page_stands_alone(tmp_path: Path) -> None:
    """The page links only to its own sections, to an empty icon, and to feedback files below its folder."""
    made_up_gradebooks.write(tmp_path, made_up_gradebooks.made_up_class(4, ["rope"], distinct=4))
    text = report_page(tmp_path)
    attributes = PageParser(text).attributes
    targets = [value for name, value in attributes if name in ("src", "href") and value != "data:,"]
    with Gradebook.reading(tmp_path) as book:
        folders = {row.folder for row in book.rows()}
    assert {unquote(value).split("/")[1] for value in targets if value.startswith("feedback/")} == folders
    ids = {f"#{value}" for name, value in attributes if name == "id"}
    assert {value for value in targets if not value.startswith("feedback/")} <= ids
    assert not re.search(r"url\(|@import|https?://", text)


def test_the_command(tmp_path: Path) -> None:
    """The command `autograder report OUT` rewrites the page and fails with a usage error if there is no
    gradebook."""
    assert CliRunner().invoke(cli.main, ["report", str(tmp_path)]).exit_code == WRONG_USE
    made_up_gradebooks.write(tmp_path, [])
    assert "<dd>0</dd>" in report_page(tmp_path)
    made_up_gradebooks.write(tmp_path, made_up_gradebooks.made_up_class(3, ["rope"], distinct=3))
    result = CliRunner().invoke(cli.main, ["report", str(tmp_path)])
    assert (result.exit_code, result.output.strip()) == (0, str(tmp_path / "report.html"))


def test_a_full_disk_leaves_the_page_from_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full, the command fails with a one-sentence message and leaves no incomplete page."""
    made_up_gradebooks.write(tmp_path, made_up_gradebooks.made_up_class(3, ["rope"], distinct=3))
    before = report_page(tmp_path)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(BatchError, match="No space left"):
        output_files.write_report_and_similarity(tmp_path)
    assert (tmp_path / "report.html").read_text("utf-8") == before
    assert not list(tmp_path.glob("*.unfinished"))
