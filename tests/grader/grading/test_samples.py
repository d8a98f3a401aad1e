"""Tests of sample submissions: each grade from the sandbox is one that a careful teaching assistant would give."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from autograder.course import Assignment, find
from autograder.grading.suite import Suite
from autograder.submission import read_submission
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.fixtures_built_once import Graded
from tests.grader.support.student_view import markdown

EXPECTED = Path(__file__).with_name("expected_scores")


def expected() -> list[tuple[str, dict[str, str]]]:
    """Return the assignment and the expected scores of each sample."""
    rows = []
    for path in sorted(EXPECTED.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows += [(path.stem, row) for row in csv.DictReader(file)]
    return rows


def sample(assignment: str, student: str) -> Path:
    """Return the file of a sample submission."""
    (path,) = (SAMPLES / assignment).glob(f"{student}.*")
    return path


def test_samples_get_the_scores_that_they_deserve(graded: Graded, assignment: Assignment) -> None:
    """Feedback refers only to sections that exist in the lesson."""
    headings = re.findall("^##.*", assignment.lesson.read_text("utf-8"), re.MULTILINE)
    for row in (row for name, row in expected() if name == assignment.name):
        path = sample(assignment.name, row["student"])
        if row["status"] == "unreadable":
            assert read_submission(path, assignment.name, [assignment.name]).problem is not None
            continue
        submission, grade = graded(path)
        missed = [(result.test.name, result.message) for result in grade.test_results if not result.passed]
        assert grade.status == row["status"], (path.name, missed)
        assert float(row["lowest"]) <= grade.score <= float(row["highest"]), (path.name, missed)
        sections = re.findall("^See the lesson, section (.*)[.]$", markdown(submission, grade), re.MULTILINE)
        assert all(any(section in heading for heading in headings) for section in sections), (path.name, sections)


def test_every_sample_has_its_row() -> None:
    samples = {(path.parent.name, path.stem) for path in SAMPLES.glob("*/*") if path.is_file()}
    assert samples == {(assignment, row["student"]) for assignment, row in expected()}


def test_options_for_the_users_own_pytest_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-v -n 2")
    assert Suite(find("sinusoidal")).tests
