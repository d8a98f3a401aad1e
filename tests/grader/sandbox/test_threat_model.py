"""The threat model of autograder/README.md is true word by word: what it names exists, and its figures are counted
here."""

from __future__ import annotations

import inspect
import math
import re
from pathlib import Path

from autograder import course
from autograder.checks.results import Phase
from autograder.grading.suite import Suite
from autograder.hints import explain
from tests.grader.support.told import OUTCOMES

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


def test_how_much_a_grading_can_tell(suites: dict[str, Suite]) -> None:
    """By what hidden tests show: an outcome for each; for each question a known cause, or two that explain the same."""
    assert math.log2(OUTCOMES) <= 3.2 and explain.MAX_HINTS == 2
    for assignment in course.assignments():
        suite = _suite(suites, assignment)
        hidden = [test for test in suite.tests if test.phase is Phase.HIDDEN]
        bits = 0.0
        for question in {test.question for test in hidden}:
            causes = len({entry.hint for group in suite.reference.known(question) for entry in group})
            told = math.log2(1 + causes + causes * (causes - 1) // 2)
            assert told <= 15, (assignment.name, question, causes)
            bits += told
        assert len(hidden) * math.log2(OUTCOMES) + bits <= 340, (assignment.name, bits)


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
