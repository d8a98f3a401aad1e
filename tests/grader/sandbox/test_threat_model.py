"""Tests of the threat model: every attack and test that the document names exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from autograder import course

HERE = Path(__file__).parent
MODEL = (course.ROOT / "autograder" / "THREAT_MODEL.md").read_text("utf-8")
PROMISES = [line for line in MODEL.splitlines() if line.startswith("| ")][1:]


def names_in(text: str) -> set[str]:
    """Return the names of attacks and tests that a text mentions."""
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
        assert names_in(promise.split("|")[3]), promise
    assert names_in(MODEL) <= attacks | tests, names_in(MODEL) - attacks - tests


def test_what_only_a_worker_can_measure_is_worth_little() -> None:
    for assignment in course.term_assignments():
        points = 0.0
        for path in (assignment.public_tests, assignment.hidden_tests):
            for node in ast.parse(path.read_text("utf-8")).body:
                if re.search(r"expect\.(vectorised|unchanged)\(", ast.unparse(node)):
                    marks = (mark for mark in getattr(node, "decorator_list", ()) if isinstance(mark, ast.Call))
                    points += sum(
                        ast.literal_eval(each.value) for mark in marks for each in mark.keywords if each.arg == "points"
                    )
        assert 0 < points <= 5, assignment.name
