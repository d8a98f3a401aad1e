"""Messages to a student: a grade's feedback file, and the limits on information about a hidden test."""

from __future__ import annotations

from autograder.checks.render import Audience
from autograder.grading import feedback
from autograder.grading.grade import Grade
from autograder.submission import Submission

OUTCOMES = 8
"""Everything that feedback may reveal about a hidden test: that it passed, or one of seven kinds of mistake."""


def markdown(submission: Submission, grade: Grade) -> str:
    """Feedback file for a row in the gradebook."""
    return feedback.page(submission, grade, grade.score, feedback.body(grade, Audience.AFTER_RELEASE))
