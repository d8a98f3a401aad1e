"""A student's view of a grade: the feedback file, and the number of facts that it may reveal about a hidden test."""

from __future__ import annotations

from autograder.checks.result_markdown import Audience
from autograder.grading import feedback
from autograder.grading.grade import Grade
from autograder.submission import Submission

OUTCOMES = 8
"""Number of facts that feedback may reveal about a hidden test: that it passed, or one of seven kinds of mistake."""


def markdown(submission: Submission, grade: Grade) -> str:
    """Return the feedback file for a row of the gradebook."""
    return feedback.markdown_page(submission, grade, grade.score, feedback.body(grade, Audience.AFTER_RELEASE))
