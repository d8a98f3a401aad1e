"""The sample class is graded as a careful teaching assistant would grade it: through the wall, file by file."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from autograder.course import Assignment, find
from autograder.grading.suite import Suite
from autograder.submission import read_file
from tests.grader.support.cached_builds import Graded
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.messages import markdown

EXPECTED = Path(__file__).with_name("expected_scores")


def expected() -> list[tuple[str, dict[str, str]]]:
    rows = []
    for path in sorted(EXPECTED.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows += [(path.stem, row) for row in csv.DictReader(file)]
    return rows


def sample(assignment: str, student: str) -> Path:
    (path,) = (SAMPLES / assignment).glob(f"{student}.*")
    return path


def test_samples_get_the_scores_that_they_deserve(graded: Graded, assignment: Assignment) -> None:
    """And feedback that names a section of the lesson which is there."""
    headings = re.findall("^##.*", assignment.lesson.read_text("utf-8"), re.MULTILINE)
    for row in (row for name, row in expected() if name == assignment.name):
        path = sample(assignment.name, row["student"])
        if row["status"] == "unreadable":
            assert read_file(path, assignment.name, [assignment.name]).problem is not None
            continue
        submission, grade = graded(path)
        missed = [(one.test.name, one.message) for one in grade.test_results if not one.passed]
        assert grade.status == row["status"], (path.name, missed)
        assert float(row["lowest"]) <= grade.score <= float(row["highest"]), (path.name, missed)
        named = re.findall("^See the lesson, section (.*)[.]$", markdown(submission, grade), re.MULTILINE)
        assert all(any(section in heading for heading in headings) for section in named), (path.name, named)


def test_every_sample_has_its_row() -> None:
    handed_in = {(path.parent.name, path.stem) for path in SAMPLES.glob("*/*") if path.is_file()}
    assert handed_in == {(assignment, row["student"]) for assignment, row in expected()}


def test_options_that_somebody_keeps_for_a_pytest_of_theirs_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-v -n 2")
    assert Suite(find("sinusoidal")).tests
