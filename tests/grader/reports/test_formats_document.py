"""Tests of FORMATS.md: the document describes all printed and recorded data, and the document's example
program can read recorded values."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any

from autograder import course
from autograder.checks.difference import TOLERANCE_BY_DTYPE
from autograder.course import Assignment
from autograder.hints import likely_causes
from autograder.hints.golden_values import IN_DEPENDENCIES, IN_ITSELF
from autograder.protocol import codec
from autograder.protocol.failure_kinds import Kind, SubmissionStatus
from autograder.reports import submission_result
from tests.grader.support.fixtures_built_once import Graded

PAGE = (course.PACKAGE_FOLDER / "FORMATS.md").read_text("utf-8")


def first_cells(header: str) -> list[str]:
    """Return the first cell of each row in the table with the specified header."""
    table = PAGE.partition(f"\n| {header} |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(\w+)`", table, re.MULTILINE)


def test_the_printed_result_has_the_keys_that_the_page_lists(graded: Graded) -> None:
    printed = submission_result.as_json(*graded(course.ROOT / "tests" / "submissions" / "rope" / "rotated_values.py"))
    assert list(printed) == first_cells("key")
    assert all(list(test) == first_cells("key of a test") for test in printed["tests"])


def test_every_status_is_explained() -> None:
    of_submissions, of_tests = (part.partition("\n\n")[0] for part in PAGE.split("\n| value | meaning |")[1:])
    for words, table in (
        ([*SubmissionStatus], of_submissions),
        ({"passed", *(kind.status for kind in Kind)}, of_tests),
    ):
        assert sorted(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == sorted(words)


def test_the_program_of_the_page_reads_every_recorded_value(assignment: Assignment) -> None:
    golden = json.loads(assignment.golden_values.read_text("utf-8"))
    program: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], program)
    value: Callable[[str], Any] = program["value"]
    calls = [call for of_test in golden["calls"].values() for call in of_test]
    assert calls and all(list(call) == first_cells("key of a call") for call in calls)
    other = [call for of_function in golden["other_calls"].values() for call in of_function]
    assert other and all(list(call) == [*first_cells("key of another call"), "mistakes"] for call in other)
    for expected in (call["expected"] for call in calls if call["expected"] is not None):
        assert codec.encode(value(expected)) == base64.b64decode(expected)


def test_the_constants_of_the_page_are_those_of_the_code() -> None:
    constants = [f"`{IN_ITSELF}`", f"`{IN_DEPENDENCIES}`", "2·10⁻⁵", "10⁻⁸", "±10²⁹⁰", "two hints"]
    assert all(words in PAGE for words in constants)
    assert (
        *TOLERANCE_BY_DTYPE.values(),
        likely_causes.FINGERPRINT_MAGNITUDE_BOUND,
        likely_causes.MAX_EQUALLY_GOOD_HINTS,
    ) == (
        2e-5,
        1e-8,
        1e290,
        2,
    )
