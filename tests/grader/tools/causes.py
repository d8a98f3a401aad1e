"""How often the course names a mistake, and how often it names a wrong one: `make causes [ASSIGNMENT=rope]`.

Measured on wrong versions of single functions, one file an assignment in `wrong_versions/`. They have the form of the
catalogue, and are written from the lessons without it: who adds to the catalogue does not look here. In the place of an
origin stands a regular expression, the words of which a true hint must have one.

What counts:
    hint      the feedback names a cause for the function that is wrong
    message   no hint, but the kind of mistake says it: wrong dtype, a loop, an argument changed, a refusal missing or
              wrong, an exception in a public test, which tells its line
    unnamed   neither: the student has wanted and got values only
    wrong     a hint that is not true of this version, or "fix that first" of another function
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from autograder import course
from autograder.checks.results import TestResult
from autograder.course import Assignment
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.hints.catalogue import Misconception
from autograder.hints.explain import with_causes
from autograder.protocol.failure import Kind

TOLD_BY_MESSAGE = frozenset({Kind.DTYPE, Kind.LOOP, Kind.CHANGED, Kind.ACCEPTED, Kind.REFUSED})
KINDS = ("hint", "message", "unnamed", "wrong")
NAMED = 0.88
"""The share that has to be named."""


def versions(assignment: Assignment) -> tuple[Misconception, ...]:
    """The wrong versions of an assignment's functions."""
    path = Path(__file__).parent / "wrong_versions" / f"{assignment.name}.py"
    return catalogue.entries_in(path) if path.exists() else ()


def judged(version: Misconception, suite: Suite) -> tuple[str, list[str]]:
    """What became of a version, and what was said of it."""
    module = catalogue.mistaken(suite.assignment, version)
    results = with_causes(suite.reference, suite.run(catalogue.Module(module)))
    missed = [result for result in results if result.is_mistake]
    own = [mistake for mistake in missed if mistake.test.question == version.function]
    hints = [mistake.hint for mistake in own if mistake.hint and mistake.kind not in TOLD_BY_MESSAGE]
    blamed = {mistake.given for mistake in missed if mistake.given}
    if blamed - {version.function} or not all(re.search(version.origin, hint) for hint in hints):
        return "wrong", _said(missed)
    if any(mistake.hint for mistake in own):
        return "hint", _said(missed)
    by_message = any(
        mistake.kind in TOLD_BY_MESSAGE or (mistake.kind is Kind.RAISED and not mistake.test.hidden) for mistake in own
    )
    return "message" if by_message else "unnamed", _said(missed)


def _said(missed: list[TestResult]) -> list[str]:
    return [f"{mistake.test.question}: {mistake.hint or mistake.given or mistake.kind}" for mistake in missed]


def main(names: list[str]) -> int:
    """Print a line per assignment; returns 1 where the promise does not hold."""
    total = Counter[str]()
    for assignment in map(course.find, names) if names else course.assignments():
        count = Counter(_counted(assignment))
        _print(assignment.name, count)
        total += count
    _print("all", total)
    return int(total["hint"] + total["message"] < NAMED * total.total() or total["wrong"] > 0)


def _counted(assignment: Assignment) -> Iterator[str]:
    suite = Suite(assignment)
    for version in versions(assignment):
        became, said = judged(version, suite)
        if became in ("wrong", "unnamed"):
            print(f"  {became}: {version.function}: {version.name}", *said[:3], sep="\n      ", flush=True)
        yield became


def _print(what: str, count: Counter[str]) -> None:
    shares = "  ".join(f"{kind} {count[kind] / count.total():6.1%}" for kind in KINDS if count)
    print(f"{what:<18} {count.total():>5} {shares}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
