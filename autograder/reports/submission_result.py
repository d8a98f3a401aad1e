"""Result of a single submission for teaching staff, from `autograder check`, as text or JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from autograder.checks.result_markdown import Audience, print_markdown
from autograder.checks.results import POINTS
from autograder.grading import feedback
from autograder.grading.grade import Grade
from autograder.protocol.failure_kinds import SubmissionStatus
from autograder.submission import Submission


def as_json(submission: Submission, grade: Grade | None) -> dict[str, Any]:
    """Return the result for `autograder check --json`.

    Other programs read the result (see `autograder/FORMATS.md`), so keys can be added but never removed.
    """
    tests = [
        {
            "question": result.test.question,
            "name": result.test.name,
            "hidden": result.test.hidden,
            "points": result.test.points if result.passed else 0,
            "max_points": result.test.points,
            "status": result.kind.status if result.kind else "passed",
            "message": result.message,
            "hint": result.hint,
        }
        for result in (grade.test_results if grade else [])
    ]
    return {
        "assignment": submission.assignment,
        "score": grade.score if grade else 0.0,
        "max_score": (grade.max_score if grade else POINTS),
        "status": grade.status if grade else SubmissionStatus.UNREADABLE,
        "submitted": submission.submitted,
        "late": submission.late,
        "tests": tests,
    }


def print_result(submission: Submission, grade: Grade | None, console: Console) -> None:
    """Print the score and every mistake in every function, including those found by hidden tests."""
    if grade is None:
        assert submission.problem is not None
        print_markdown(console, feedback.not_graded(submission.problem.message))
        return
    text = feedback.body(grade, Audience.STAFF)
    print_markdown(console, feedback.markdown_page(submission, grade, grade.score, text))
    if any(result.test.hidden and result.is_mistake for result in grade.test_results):
        console.print("Inputs and expected values of hidden tests are not for students.", style="dim")
