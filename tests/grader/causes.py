"""How often the course names a mistake, and how often it names a wrong one: `make causes [ASSIGNMENT=rope]`.

The wrong versions are those of `mutants`, each one small change of a solution. Only a fixed third of them is reported, chosen
by a hash: the others are there to work with (`make causes PART=shown`), so that what was tuned on is not what is told.

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
import collections
import signal
import sys
import types
import zlib
from dataclasses import dataclass
from typing import Any

from autograder import course
from autograder.checks import call, codec
from autograder.checks.call import ANSWERS
from autograder.checks.failure import Kind
from autograder.course import Assignment
from autograder.grading import catalogue, causes, generated
from autograder.grading.catalogue import Misconception
from autograder.grading.suite import Suite
from tests.grader.mutants import Mutant, mutants

TOLD_BY_MESSAGE = frozenset({Kind.DTYPE, Kind.LOOP, Kind.CHANGED, Kind.NO_ERROR, Kind.WRONG_ERROR})
SECONDS = 30
PARTS = {"apart": (0,), "shown": (1, 2)}


@dataclass
class Hung(BaseException):
    """A mutant took too long: no student's code would be waited for either."""


class Examiner:
    """Grades mutants of one assignment and judges what is said of them."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.suite = Suite(assignment)
        self.source = [assignment.solution.read_text(encoding="utf-8")]
        self.observed = self.suite.observe(catalogue.Module(catalogue.solution(assignment)))

    def judge(self, mutant: Mutant) -> tuple[str, list[str]]:
        """What became of a mutant, and what was said of it."""
        module = types.ModuleType(self.assignment.name)
        module.__file__ = str(self.assignment.solution)
        try:
            exec(compile(mutant.tree, module.__file__, "exec"), module.__dict__)
        except Exception:
            return "stops", []
        observed = self.suite.observe(catalogue.Module(module))
        results = causes.named(self.assignment, observed, self.source)
        missed = [one for one in results if one.is_mistake]
        if not missed:
            return "alive", []
        said = [f"{one.test.question}: {one.hint or one.function or one.kind}" for one in missed]
        touched = self.touched(mutant.function)
        for name in dict.fromkeys(one.test.question for one in missed if one.test.question != ANSWERS):
            rows = causes.evidence_of(self.assignment, name, observed)
            blamed = {one.function for one in missed if one.test.question == name and one.function}
            if blamed - touched:
                return "wrong", said
            told = causes.explanations(self.assignment, name, rows) if not blamed else []
            if told and not any(self.is_true(one, name, mutant, module) for one in told[: causes.TOLD]):
                return "wrong", said
        if any(one.hint and one.test.question in touched for one in missed):
            return "hint", said
        if any(one.kind in TOLD_BY_MESSAGE or (one.kind is Kind.RAISED and not one.test.hidden) for one in missed):
            return "message", said
        return "unnamed", said

    def touched(self, function: str) -> set[str]:
        """The public functions that a change of one shows as their own: itself, or all that use a changed helper."""
        names = [name for name, part in generated.parts(self.assignment).items() if isinstance(part, ast.FunctionDef)]
        public = [name for name in names if not name.startswith("_")]
        return {name for name in public if function == name or function in generated.own_parts(self.assignment, name)}

    def is_true(self, entry: Misconception, name: str, mutant: Mutant, module: types.ModuleType) -> bool:
        """Whether a named mistake is the one that was made: on the same line, or the same in all that the suite can see."""
        if entry.coarse and "float32" in mutant.line:
            return True
        lines = self.source[0].split("\n")
        if ":" in entry.origin and entry.origin.split(":")[1].isdigit() and lines[int(entry.origin.split(":")[1]) - 1].strip() == mutant.line:
            return True
        for row in causes.evidence_of(self.assignment, name, self.observed):
            if row.is_refusal:
                continue
            _, args, kwargs = codec.decode(row.call)
            reply = call.perform(module, name, args, kwargs, measured=False)
            predicted = causes._predictions(self.assignment, row.call).of(entry)
            here = causes.Row(row.call, causes._outcome(reply), row.right)
            if not (causes._coarsely_same if entry.coarse else causes._fits)(here, predicted):
                return False
        return True


def _held(mutant: Mutant, part: str) -> bool:
    return mutant.function != ANSWERS and zlib.crc32("\n".join(mutant.key).encode()) % 3 in PARTS[part]


def _alarm(*_: Any) -> None:
    raise Hung


def main(arguments: list[str]) -> int:
    """Print a line per assignment; returns 1 where the promise does not hold."""
    part = next((one for one in arguments if one in PARTS), "apart")
    names = [one for one in arguments if one not in PARTS]
    total: collections.Counter[str] = collections.Counter()
    signal.signal(signal.SIGALRM, _alarm)
    for assignment in [course.find(name) for name in names] or course.assignments():
        examiner = Examiner(assignment)
        count: collections.Counter[str] = collections.Counter()
        for mutant in mutants(assignment):
            if not _held(mutant, part):
                continue
            signal.alarm(SECONDS)
            try:
                became, said = examiner.judge(mutant)
            except Hung:
                became, said = "stops", []
            finally:
                signal.alarm(0)
            count[became] += 1
            if became == "wrong" or (part == "shown" and became == "unnamed"):
                print(f"  {became}: {mutant.function}: {mutant.change}: {mutant.line}", *said[:3], sep="\n      ", flush=True)
        total += count
        _print(assignment.name, count)
    _print("all", total)
    seen = sum(total[one] for one in ("hint", "message", "unnamed", "wrong"))
    return int(total["hint"] + total["message"] < 0.85 * seen or total["wrong"] > 0.005 * seen)


def _print(name: str, count: collections.Counter[str]) -> None:
    kinds = ("hint", "message", "unnamed", "wrong")
    seen = sum(count[one] for one in kinds)
    shares = "  ".join(f"{one} {count[one] / max(seen, 1):6.1%}" for one in kinds)
    print(f"{name:<18} {seen:>5} wrong versions  {shares}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
