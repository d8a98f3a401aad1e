"""How often the course names a mistake, and how often it names a wrong one: `make causes [ASSIGNMENT=rope]`.

Measured on wrong versions written by hand, in two sets. The catalogue was written with the first (`wrong_versions`) at
hand. The second (`held_out`) is kept apart: nobody looks at it who adds to the catalogue, so it says how mistakes fare
that nobody foresaw.

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
from collections.abc import Iterable

from autograder import course
from autograder.checks.results import TestResult
from autograder.course import Assignment
from autograder.grading.suite import Suite
from autograder.hints import catalogue, live
from autograder.protocol import call
from autograder.protocol.failure import Kind
from tests.grader.support import held_out, wrong_versions
from tests.grader.support.wrong_versions import WrongVersion

TOLD_BY_MESSAGE = frozenset({Kind.DTYPE, Kind.LOOP, Kind.CHANGED, Kind.NO_ERROR, Kind.WRONG_ERROR, Kind.REFUSED})
KINDS = ("hint", "message", "unnamed", "wrong")
NAMED = 0.88
"""The share that has to be named."""

SETS = {"known": wrong_versions.VERSIONS, "held out": held_out.VERSIONS}


def judged(version: WrongVersion, suite: Suite) -> tuple[str, list[str]]:
    """What became of a version, and what was said of it."""
    source = version.file(suite.assignment)
    module, failure = call.load(suite.assignment.name, [source], str(suite.assignment.solution))
    assert failure is None, failure
    results = live.with_causes(suite.oracle, suite.observe(catalogue.Module(module)))
    missed = [result for result in results if result.is_mistake]
    own = [mistake for mistake in missed if mistake.test.question == version.function]
    hints = [mistake.hint for mistake in own if mistake.hint and mistake.kind not in TOLD_BY_MESSAGE]
    blamed = {mistake.function for mistake in missed if mistake.function}
    if blamed - {version.function} or not all(re.search(version.true, hint) for hint in hints):
        return "wrong", _said(missed)
    if any(mistake.hint for mistake in own):
        return "hint", _said(missed)
    by_message = any(
        mistake.kind in TOLD_BY_MESSAGE or (mistake.kind is Kind.RAISED and not mistake.test.hidden) for mistake in own
    )
    return "message" if by_message else "unnamed", _said(missed)


def _said(missed: list[TestResult]) -> list[str]:
    return [f"{mistake.test.question}: {mistake.hint or mistake.function or mistake.kind}" for mistake in missed]


def main(names: list[str]) -> int:
    """Print a line per assignment and set; returns 1 where the promise does not hold."""
    counts = {name: Counter[str]() for name in SETS}
    for assignment in map(course.find, names) if names else course.assignments():
        for name, versions in SETS.items():
            count = Counter(_counted(assignment, versions))
            _print(assignment.name, name, count)
            counts[name] += count
    for name, count in counts.items():
        _print("all", name, count)
    return int(not all(map(_holds, counts.values())))


def _counted(assignment: Assignment, versions: Iterable[WrongVersion]) -> Iterable[str]:
    suite = Suite(assignment)
    for version in versions:
        if version.assignment == assignment.name:
            became, said = judged(version, suite)
            if became in ("wrong", "unnamed"):
                print(f"  {became}: {version.function}: {version.true}", *said[:3], sep="\n      ", flush=True)
            yield became


def _holds(count: Counter[str]) -> bool:
    seen = sum(count[kind] for kind in KINDS)
    return count["hint"] + count["message"] >= NAMED * seen and count["wrong"] == 0


def _print(name: str, what: str, count: Counter[str]) -> None:
    if seen := sum(count[kind] for kind in KINDS):
        shares = "  ".join(f"{kind} {count[kind] / seen:6.1%}" for kind in KINDS)
        print(f"{name:<18} {seen:>5} {what:<9} {shares}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
