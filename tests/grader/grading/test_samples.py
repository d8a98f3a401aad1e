"""The sample class is graded as a careful teaching assistant would grade it: through the wall, file by file."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from autograder import course
from autograder.submission import read_file
from tests.grader.support.once import Graded

SAMPLES = course.ROOT / "tests" / "submissions"
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


@pytest.mark.parametrize(
    ("of", "row"), expected(), ids=lambda value: value if isinstance(value, str) else value["student"]
)
def test_a_sample_gets_the_score_it_deserves(graded: Graded, of: str, row: dict[str, str]) -> None:
    path = sample(of, row["student"])
    if row["status"] == "unreadable":
        assert read_file(path, of, [of]).problem is not None
        return
    _, grade = graded(path)
    missed = [(one.test.name, one.message) for one in grade.test_results if not one.passed]
    assert grade.status == row["status"], missed
    assert float(row["lowest"]) <= grade.score <= float(row["highest"]), missed


def test_every_sample_has_its_row() -> None:
    handed_in = {(path.parent.name, path.stem) for path in SAMPLES.glob("*/*") if path.is_file()}
    assert handed_in == {(assignment, row["student"]) for assignment, row in expected()}
