"""Messages to a student: the feedback file of a grade, and the limits on the information about a hidden test."""

from __future__ import annotations

from autograder.checks.render import Audience
from autograder.grading import feedback
from autograder.grading.grade import Grade
from autograder.submission import Submission

OUTCOMES = 8
"""Everything that feedback may reveal of one hidden test: that it passed, or one of seven kinds of mistake."""


def markdown(submission: Submission, grade: Grade) -> str:
    """The feedback file of a row of the gradebook."""
    return feedback.page(submission, grade.score, grade.max_score, feedback.body(grade, Audience.AFTER_RELEASE))
