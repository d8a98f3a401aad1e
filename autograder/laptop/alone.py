"""Learning without an instructor, in a checkout of the course: hidden tests too on one's own file, in this process, the
reasons behind graded answers, and worked solutions. There is nothing to protect here, and no handout has this file.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from rich.console import Console

from autograder import course
from autograder.checks import answers
from autograder.checks.results import Phase
from autograder.checks.source import Source
from autograder.grading import quiz
from autograder.hints import catalogue
from autograder.hints.reference import Reference
from autograder.laptop import screen
from autograder.laptop.progress import Progress, Run

TRIES = Path(".tries.json")
"""Assignment → question → the wrong answers that were tried."""

BEFORE_TOLD = {True: 1, False: 3}
"""Wrong answers before the right one is told: of a yes-or-no question, and of any other."""


class _All(Run):
    """A run of public and hidden tests beside the solution."""

    folders: ClassVar[tuple[str, ...]] = ("public", "hidden")

    def __init__(self, assignment: course.Assignment) -> None:
        super().__init__(course.ROOT)
        self.known[assignment.name] = Reference(assignment)
        self.seed = course.seed()

    def reference(self, assignment: str, test: str) -> Reference:
        return self.known[assignment]  # type: ignore[no-any-return]


def check(name: str, function: str = "") -> int:
    """Every test of an assignment on one's own file; of one function, all mistakes."""
    assignment, console = course.find(name), Console(soft_wrap=True, highlight=False)
    run = _All(assignment)
    run.start([name])
    progress = run.progress(name)
    screen.print_detail(console, progress, [function] if function else [])
    for line in _answers(assignment, progress):
        console.print(line, markup=False)
    if progress.right:
        shown = f"{screen.python()} -m autograder.checks {name} --show {progress.right[-1]}"
        console.print(f"[dim]To compare what is right with a worked solution: {shown}[/]")
    return 0


def _answers(assignment: course.Assignment, progress: Progress) -> Iterator[str]:
    """Each answer with its reason: a right one at once, any other after a few tries."""
    tried = json.loads(TRIES.read_text("utf-8")) if TRIES.is_file() else {}
    wrong = tried.setdefault(assignment.name, {})
    right = quiz.answers(assignment)
    forms = {key: answers.form(value) for key, value in catalogue.solution(assignment).ANSWERS.items()}
    malformed = dict(answers.faults(progress.answers, forms)) if progress.answers is not None else {}
    yield from (f" ✗ {sentence}." for sentence in malformed.values())
    for result in (one for one in progress.test_results if one.test.phase is Phase.ANSWERS):
        key = quiz.key(result.test)
        given = progress.answers.get(key) if isinstance(progress.answers, dict) else None
        if given is None or key in malformed:
            continue
        tries = wrong.setdefault(key, [])
        if not result.passed and repr(given) not in tries:
            tries.append(repr(given))
        most = BEFORE_TOLD[right[key].yes_or_no]
        if result.passed:
            yield f" ✓ {key} is right: {right[key].sentence}"
        elif len(tries) >= most:
            yield f" ✗ {key} is not {given!r}. Right is {right[key].sentence}"
        else:
            told = f"{result.message}.{' ' + result.hint if result.hint else ''}"
            yield f" ✗ {told} Try {len(tries)} of {most}; then you are told."
    TRIES.write_text(json.dumps(tried, indent=1), "utf-8")


def show(name: str, function: str) -> int:
    """One worked solution with the helpers that it names, and what it costs to read it."""
    solution, own = Source(course.find(name).solution), Source(course.find(name).stub)
    if function not in solution.functions:
        print(f"{name} has no function {function}.")
        return 2
    run = _All(course.find(name))
    run.start([name])
    if function not in run.progress(name).right:
        print(f"Your {function} is not right yet. What you read now, you will not find yourself any more.\n")
    text = ast.get_source_segment(solution.text, solution.functions[function]) or ""
    named = [other for other in solution.functions if other[0] == "_" and f"{other}(" in text]
    helpers = [solution.functions[other] for other in named if other not in own.functions]
    texts = [ast.get_source_segment(solution.text, node) or "" for node in helpers]
    print(re.sub(r" *# (BEGIN|END) SOLUTION\n", "", "\n\n\n".join([*texts, text])))
    return 0
