"""How often the course names a mistake, and how often it names a wrong one: `make causes [ASSIGNMENT=rope]`.

The wrong versions are those of `mutants`, each one small change of a solution, and those of `wrong_versions`, written by hand in
other styles. Of the mutants only a fixed third is reported, chosen by a hash: the others are there to work with
(`python -m tests.grader.causes shown`), so that what was tuned on is not what is told.

What counts:
    hint      the feedback names a cause for the function that was changed (or, for a changed helper, for one that uses it)
    message   no hint, but the kind of mistake says it: wrong dtype, a loop, an argument changed, a refusal missing or
              wrong, an exception in a public test, which tells its line
    unnamed   neither: the student has wanted and got values only
    wrong     a hint of which no part is true: the mistake that it describes was made on another line, and differs from what
              was really done on some call of the full suite; or "fix that first" of a function that has nothing to do with it
"""

from __future__ import annotations

import ast
import re
import signal
import sys
import types
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from autograder import course
from autograder.checks import call
from autograder.checks.call import ANSWERS
from autograder.checks.explanation import explanations
from autograder.checks.failure import Kind
from autograder.checks.test_result import TestResult
from autograder.course import Assignment
from autograder.grading import catalogue, causes, generated
from autograder.grading.catalogue import Misconception
from autograder.grading.suite import Suite
from tests.grader.mutants import Mutant, mutants
from tests.grader.wrong_versions import VERSIONS, WrongVersion

TOLD_BY_MESSAGE = frozenset({Kind.DTYPE, Kind.LOOP, Kind.CHANGED, Kind.NO_ERROR, Kind.WRONG_ERROR})
SECONDS = 30
KINDS = ("hint", "message", "unnamed", "wrong")
PARTS = {"apart": (0,), "shown": (1, 2)}


Judged = tuple[str, list[str]]


class Hung(BaseException):
    """A mutant took too long: no student's code would be waited for either."""


class Examiner:
    """Grades mutants of one assignment and judges what is said of them."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.suite = Suite(assignment)
        self.source = [assignment.solution.read_text(encoding="utf-8")]
        self.observed = self.suite.observe(catalogue.Module(catalogue.solution(assignment)))

    def judge(self, mutant: Mutant) -> Judged:
        """What became of a mutant, and what was said of it."""
        module = _module(self.assignment, compile(mutant.made(), str(self.assignment.solution), "exec"))
        if module is None:
            return "stops", []
        observed = self.suite.observe(catalogue.Module(module))
        results = causes.with_causes(self.assignment, observed, self.source)
        touched = self.touched(mutant.function)
        missed = [one for one in results if one.is_mistake]
        for name in dict.fromkeys(one.test.question for one in missed if one.test.question != ANSWERS):
            rows = causes.evidence_of(self.assignment, name, observed)
            blamed = {one.function for one in missed if one.test.question == name and one.function}
            told = explanations(rows, causes.candidates(self.assignment, name)) if not blamed else []
            if blamed - touched or (causes.hint_of(told) and not any(self.is_true(one, name, mutant, module) for one in told)):
                return "wrong", _said(missed)
        return _became(missed, touched), _said(missed)

    def judge_written(self, version: WrongVersion) -> Judged:
        """The same for a version written by hand."""
        source = version.file(self.assignment)
        module = _module(self.assignment, compile(source, str(self.assignment.solution), "exec"))
        assert module is not None
        missed = [one for one in causes.with_causes(self.assignment, self.suite.observe(catalogue.Module(module)), [source]) if one.is_mistake]
        hints = [one.hint for one in missed if one.hint and one.test.question == version.function and one.kind not in TOLD_BY_MESSAGE]
        blamed = {one.function for one in missed if one.function}
        if blamed - {version.function} or not all(re.search(version.true, hint) for hint in hints):
            return "wrong", _said(missed)
        return _became(missed, {version.function}), _said(missed)

    def touched(self, function: str) -> set[str]:
        """The public functions that a change of one shows as their own: itself, or all that use a changed helper."""
        names = [name for name, part in generated.parts(self.assignment).items() if isinstance(part, ast.FunctionDef)]
        public = [name for name in names if not name.startswith("_")]
        return {name for name in public if function == name or function in generated.own_parts(self.assignment, name)}

    def is_true(self, entry: Misconception, name: str, mutant: Mutant, module: types.ModuleType) -> bool:
        """Whether a named mistake is the one that was made: on the same line, or the same in all that the suite can see."""
        if entry.hint == generated.COARSE and "float32" in mutant.change + mutant.line:
            return True
        lines = self.source[0].split("\n")
        if ":" in entry.origin and entry.origin.split(":")[1].isdigit() and lines[int(entry.origin.split(":")[1]) - 1].strip() == mutant.line:
            return True
        calls = [seen for one in self.observed for seen in one.calls if seen.function == name]
        made = [causes.ObservedTest(self.observed[0].result, (replace(seen, reply=self._reply(module, seen)),)) for seen in calls]
        rows = causes.evidence_of(self.assignment, name, made)
        return all(row.is_refusal or row.fits(row.predicted(entry)) for row in rows)

    def _reply(self, module: types.ModuleType, seen: causes.ObservedCall) -> call.Reply:
        return catalogue.Module(module).call(seen.function, seen.args, seen.kwargs, measured=False)


def _module(assignment: Assignment, code: types.CodeType) -> types.ModuleType | None:
    """A wrong version, loaded; None where it cannot be."""
    module = types.ModuleType(assignment.name)
    module.__file__ = str(assignment.solution)
    try:
        exec(code, module.__dict__)
    except Exception:
        return None
    return module


def _said(missed: list[TestResult]) -> list[str]:
    return [f"{one.test.question}: {one.hint or one.function or one.kind}" for one in missed]


def _became(missed: list[TestResult], touched: set[str]) -> str:
    if not missed:
        return "alive"
    if any(one.hint and one.test.question in touched for one in missed):
        return "hint"
    by_message = any(one.kind in TOLD_BY_MESSAGE or (one.kind is Kind.RAISED and not one.test.hidden) for one in missed)
    return "message" if by_message else "unnamed"


def _is_in(mutant: Mutant, part: str) -> bool:
    return mutant.function != ANSWERS and zlib.crc32("\n".join(mutant.key).encode()) % 3 in PARTS[part]


def _alarm(*_: Any) -> None:
    raise Hung


def main(arguments: list[str]) -> int:
    """Print a line per assignment; returns 1 where the promise does not hold."""
    part = next((one for one in arguments if one in PARTS), "apart")
    chosen = [course.find(name) for name in arguments if name not in PARTS] or course.assignments()
    signal.signal(signal.SIGALRM, _alarm)
    mutated: Counter[str] = Counter()
    written: Counter[str] = Counter()
    for assignment in chosen:
        examiner = Examiner(assignment)
        count = Counter(_judged(examiner.judge, one, part) for one in mutants(assignment) if _is_in(one, part))
        by_hand = [one for one in VERSIONS if one.assignment == assignment.name and part == "apart"]
        count_by_hand = Counter(_judged(examiner.judge_written, one, part) for one in by_hand)
        _print(assignment.name, "mutants", count)
        _print("", "by hand", count_by_hand)
        mutated, written = mutated + count, written + count_by_hand
    _print("all", "mutants", mutated)
    _print("", "by hand", written)
    return int(not (_holds(mutated) and _holds(written)))


def _judged(judge: Callable[[Any], Judged], version: Mutant | WrongVersion, part: str) -> str:
    signal.alarm(SECONDS)
    try:
        became, said = judge(version)
    except Hung:
        return "stops"
    finally:
        signal.alarm(0)
    if became == "wrong" or (part == "shown" and became == "unnamed"):
        what = f"{version.change}: {version.line}" if isinstance(version, Mutant) else "by hand"
        print(f"  {became}: {version.function}: {what}", *said[:3], sep="\n      ", flush=True)
    return became


def _holds(count: Counter[str]) -> bool:
    seen = sum(count[one] for one in KINDS)
    return count["hint"] + count["message"] >= 0.85 * seen and count["wrong"] <= 0.005 * seen


def _print(name: str, what: str, count: Counter[str]) -> None:
    if seen := sum(count[one] for one in KINDS):
        shares = "  ".join(f"{one} {count[one] / seen:6.1%}" for one in KINDS)
        print(f"{name:<18} {seen:>5} {what}   {shares}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
