"""What a student is told: the feedback file of a grade, and how much a hidden test may say."""

from __future__ import annotations

from autograder.checks.render import Audience
from autograder.grading import feedback
from autograder.grading.grade import Grade
from autograder.submission import Submission

OUTCOMES = 8
"""What may be told of one hidden test: that it passed, or one of seven kinds of mistake. The threat model says so."""


def markdown(submission: Submission, grade: Grade) -> str:
    """The feedback file, as a row of the gradebook has it."""
    return feedback.page(submission, grade.score, grade.max_score, feedback.body(grade, Audience.AFTER_RELEASE))
