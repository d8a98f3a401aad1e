"""The threat model of autograder/README.md names attacks and tests that are there."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from autograder import course
from autograder.grading.suite import Suite

HERE = Path(__file__).parent
MODEL = (course.ROOT / "autograder" / "README.md").read_text("utf-8").partition("## Threat model")[2]
PROMISES = [line for line in MODEL.splitlines() if line.startswith("| ")][1:]


def named(text: str) -> set[str]:
    """The names of attacks and tests in a text."""
    return set(re.findall(r"`([a-z]+_[a-z_]+)`", text))


def test_every_promise_names_what_shows_it() -> None:
    attacks = {path.stem for path in (HERE / "attacks").glob("*.py")}
    tests = {
        name
        for path in HERE.parent.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert PROMISES
    for promise in PROMISES:
        assert named(promise.split("|")[3]), promise
    assert named(MODEL) <= attacks | tests, named(MODEL) - attacks - tests


def test_what_only_a_worker_can_measure_is_worth_little(suites: dict[str, Suite]) -> None:
    for assignment in course.assignments():
        points = sum(
            test.points
            for test, runnable in _suite(suites, assignment)._tests.items()
            if re.search(r"expect\.(vectorised|unchanged)\(", inspect.getsource(runnable.item.function))
        )
        assert points <= 5, assignment.name


def _suite(suites: dict[str, Suite], assignment: course.Assignment) -> Suite:
    if assignment.name not in suites:
        suites[assignment.name] = Suite(assignment)
    return suites[assignment.name]
