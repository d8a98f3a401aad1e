"""One submission's result for teaching staff: `autograder check`, as a table or as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder.checks.status import Status, TestStatus
from autograder.course import Assignment, find
from autograder.grading.feedback import plain
from autograder.grading.grader import Grade
from autograder.submission import Submission

MARKS = {
    TestStatus.PASSED: "[green]✓[/]",
    TestStatus.FAILED: "[red]✗[/]",
    TestStatus.NOT_IMPLEMENTED: "[dim]·[/]",
    TestStatus.WAITING: "[dim]·[/]",
}


def as_json(submission: Submission, grade: Grade | None) -> dict[str, Any]:
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
        for one in (grade.test_results if grade else [])
    ]
    return {
        "assignment": submission.assignment,
        "score": grade.score if grade else 0.0,
        "max_score": grade.max_score if grade else _points(find(submission.assignment)),
        "status": grade.status if grade else Status.UNREADABLE,
        "tests": tests,
    }


def _points(assignment: Assignment) -> float:
    from autograder.grading.suite import Suite

    return sum(test.points for test in Suite(assignment).tests)


def print_table(submission: Submission, grade: Grade | None) -> None:
    """A line a test, with what was wrong and the likely cause, and a total."""
    console = Console()
    for note in submission.notes:
        console.print(escape(plain(note)), style="dim")
    if grade is None:
        assert submission.problem is not None
        console.print(f"[red]unreadable[/]: {escape(plain(submission.problem.instructor))}")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("question", "", "test", "points", "what came"):
        table.add_column(name, justify="right" if name == "points" else "left", overflow="fold")
    previous = None
    questions = list(grade.questions)
    for one in sorted(grade.test_results, key=lambda one: questions.index(one.test.question)):
        question = one.test.question if one.test.question != previous else ""
        previous = one.test.question
        name = escape(one.test.name.removeprefix("test_")) + (" [dim]hidden[/]" if one.test.hidden else "")
        points = f"{one.test.points if one.passed else 0:g}/{one.test.points:g}"
        table.add_row(question, MARKS.get(one.status, f"[red]{one.status}[/]"), name, points, escape(plain(one.sentence)))
    console.print(table)
    if grade.failure is not None:
        failure = grade.failure
        happened = "An import was left out" if failure.left_out else "The file stops"
        console.print(f"{happened} at line {failure.line}: {escape(plain(f'{failure.kind}: {failure.message}'))}")
    console.print(f"[bold]{submission.assignment}: {grade.score:g} of {grade.max_score:g}[/], {grade.status}")
