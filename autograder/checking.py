"""One submission's result for teaching staff: `autograder check`, as a table or as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder.course import Assignment, find
from autograder.feedback import plain
from autograder.grading import Verdict
from autograder.submission import Submission

MARKS = {"passed": "[green]✓[/]", "failed": "[red]✗[/]", "not_implemented": "[dim]·[/]", "waiting": "[dim]·[/]"}


def as_json(submission: Submission, verdict: Verdict | None) -> dict[str, Any]:
    """The result in the format that DESIGN fixes."""
    tests = [
        {
            "question": one.test.question,
            "name": one.test.name,
            "hidden": one.test.hidden,
            "points": one.test.points if one.passed else 0,
            "max_points": one.test.points,
            "status": one.status,
            "message": one.message,
            "hint": one.hint,
        }
        for one in (verdict.outcomes if verdict else [])
    ]
    return {
        "assignment": submission.assignment,
        "score": verdict.score if verdict else 0.0,
        "max_score": verdict.max_score if verdict else _points(find(submission.assignment)),
        "status": verdict.status if verdict else "unreadable",
        "tests": tests,
    }


def _points(assignment: Assignment) -> float:
    from autograder.suite import Suite

    return sum(test.points for test in Suite(assignment).tests)


def print_table(submission: Submission, verdict: Verdict | None) -> None:
    """A line a test, with what was wrong and the likely cause, and a total."""
    console = Console()
    for note in submission.notes:
        console.print(escape(plain(note)), style="dim")
    if verdict is None:
        assert submission.problem is not None
        console.print(f"[red]unreadable[/]: {escape(plain(submission.problem.instructor))}")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("question", "", "test", "points", "what came"):
        table.add_column(name, justify="right" if name == "points" else "left", overflow="fold")
    previous = None
    questions = list(verdict.questions)
    for one in sorted(verdict.outcomes, key=lambda one: questions.index(one.test.question)):
        question = one.test.question if one.test.question != previous else ""
        previous = one.test.question
        name = escape(one.test.name.removeprefix("test_")) + (" [dim]hidden[/]" if one.test.hidden else "")
        points = f"{one.test.points if one.passed else 0:g}/{one.test.points:g}"
        table.add_row(question, MARKS.get(one.status, f"[red]{one.status}[/]"), name, points, escape(plain(one.sentence)))
    console.print(table)
    if verdict.failure is not None:
        failure = verdict.failure
        console.print(f"The file stops at line {failure.line}: {escape(plain(f'{failure.kind}: {failure.message}'))}")
    console.print(f"[bold]{submission.assignment}: {verdict.score:g} of {verdict.max_score:g}[/], {verdict.status}")
