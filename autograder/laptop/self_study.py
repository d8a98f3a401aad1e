"""Learning without an instructor, in a checkout of the course: hidden tests too on one's own file, in this process, the
reasons behind graded answers, and worked solutions. There is nothing to protect here, and no handout has this file.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from autograder import course
from autograder.checks import answers
from autograder.checks.results import Phase
from autograder.checks.source import CallGraph, Source
from autograder.grading import quiz
from autograder.hints import catalogue
from autograder.hints.reference import Reference
from autograder.laptop.local_context import LocalContext
from autograder.laptop.progress import Progress, print_detail

TRIES = Path(".tries.json")
"""Assignment → question → the wrong answers that were tried."""

BEFORE_TOLD = 3
"""Wrong answers to a question before the right one is told."""


class _All(LocalContext):
    """A run of public and hidden tests beside the solution."""

    folders = ("public", "hidden")

    def __init__(self, assignment: course.Assignment) -> None:
        super().__init__()
        self.assignment, self.seed = assignment, course.seed()
        self.oracles[assignment.name] = Reference(assignment)
        self.start([assignment.name])

    def questions(self, assignment: str) -> dict[str, Any]:
        right = catalogue.solution(self.assignment).ANSWERS
        return {"forms": {key: answers.form(value) for key, value in right.items()}}


def check(name: str, function: str = "") -> int:
    """Every test of an assignment on one's own file; of one function, all mistakes."""
    assignment, console = course.find(name), Console(soft_wrap=True, highlight=False)
    progress = Progress(name, _All(assignment))
    print_detail(console, progress, [function] if function else [])
    for line in _answers(assignment, progress):
        console.print(line, markup=False)
    console.print("A worked solution, best read once yours is right: --show FUNCTION (with make: SHOW=…)", style="dim")
    return 0


def _answers(assignment: course.Assignment, progress: Progress) -> Iterator[str]:
    """Each answer that could be right, with its reason: a right one at once, any other after a few tries."""
    tried = json.loads(TRIES.read_text("utf-8")) if TRIES.is_file() else {}
    wrong, right = tried.setdefault(assignment.name, {}), quiz.answers(assignment)
    for result in (one for one in progress.test_results if one.test.phase is Phase.ANSWERS):
        key = quiz.key(result.test)
        given = progress.answers.get(key) if isinstance(progress.answers, dict) else None
        if given is None:
            continue
        tries = wrong.setdefault(key, [])
        if not result.passed and repr(given) not in tries:
            tries.append(repr(given))
        if result.passed or len(tries) >= BEFORE_TOLD:
            yield f" {'✓' if result.passed else '✗'} {key}: {given!r}. {right[key].sentence}"
        else:
            hint = f" {result.hint}" if result.hint else ""
            yield f" ✗ {result.message}.{hint} After {BEFORE_TOLD} answers you are told; this is number {len(tries)}."
    TRIES.write_text(json.dumps(tried, indent=1), "utf-8")


def show(name: str, function: str) -> int:
    """One worked solution with the helpers that it names, and what it costs to read it."""
    solution, own = Source(course.find(name).solution), Source(course.find(name).stub)
    if function not in solution.functions:
        print(f"{name} has no function {function}.")
        return 2
    if function not in Progress(name, _All(course.find(name))).right:
        print(f"Your {function} is not right yet: what you read here, you will not find yourself any more.\n")
    below = CallGraph(solution.functions).below(function)
    helpers = [one for one in solution.functions if one in below and one[0] == "_" and one not in own.functions]
    texts = [ast.get_source_segment(solution.text, solution.functions[one]) or "" for one in [*helpers, function]]
    print(re.sub(r" *# (BEGIN|END) SOLUTION\n", "", "\n\n\n".join(texts)))
    return 0
