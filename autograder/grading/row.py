"""A row of the gradebook: a submission that counts, its grade, and the instructor's corrections.

All reports are made from these rows.
"""

from __future__ import annotations

import functools
import json
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from autograder.checks.result_markdown import escape_markdown
from autograder.grading import feedback
from autograder.grading.grade import Grade, from_json
from autograder.protocol.failure_kinds import SubmissionStatus
from autograder.submission import Submission
from autograder.submission.untrusted_names import folded

Item = TypeVar("Item")

_IDENTIFIER_FORM = re.compile(r"\d+|[^@]*@.*", re.DOTALL)
"""Pattern for a platform's number or an address."""

IDENTITY_FIELDS = ("number", "sid", "email", "login", "name")
"""Fields that identify a person, in the order of the last columns of tables."""


class GradeKey(NamedTuple):
    """The key of a grade, which identifies everything that affects it."""

    assignment: str
    grading: str
    """hash of the tests, the settings and the grading code; empty for an unknown assignment"""
    code: str
    """hash of the submitted code"""


@dataclass(frozen=True)
class Adjustment:
    """A line of the instructor's adjustments.csv: points to add or a score to set, with a reason."""

    points: float | None
    score: float | None
    reason: str

    @property
    def sentence(self) -> str:
        """The correction and its reason in one sentence, which the student can also read."""
        change = f"score set to {self.score:g}" if self.score is not None else f"{self.points:+g} points"
        return f"{change}: {self.reason}" if self.reason else change


@dataclass(frozen=True)
class Row:
    """A submission that counts, with its grade and corrections."""

    submission: Submission
    """The submission without its code cells, which stay in the gradebook."""
    key: GradeKey
    folder: str
    """Name of the student's folder."""
    machine_failure: str = ""
    """The reason, for staff, why no grader could judge the submission; empty if one could."""
    adjustments: tuple[Adjustment, ...] = ()
    """Manual corrections, in the order in which they apply."""
    encoded_grade: bytes = b""
    """The grade as JSON; empty bytes if the submission's assignment is unknown."""

    @property
    def student(self) -> str:
        """The student's name."""
        return self.submission.student

    @functools.cached_property
    def grade(self) -> Grade:
        """The grade, decoded on first use; it has no tests if the assignment is unknown."""
        if self.encoded_grade:
            return from_json(self.encoded_grade)
        reason = self.submission.problem.message if self.submission.problem else ""
        gradescope = {"tests": [], "output": reason, "score": 0}
        return Grade(
            "", SubmissionStatus.UNREADABLE, [], gradescope=gradescope, full_feedback=feedback.not_graded(reason)
        )

    @property
    def score(self) -> float:
        """The score that counts: the score from the tests after all corrections.

        The score is never below 0, and it exceeds full marks only if a correction sets a higher score as a bonus.
        """
        score, maximum = self.grade.score, self.grade.max_score
        for adjustment in self.adjustments:
            score = adjustment.score if adjustment.score is not None else score + (adjustment.points or 0.0)
            maximum = max(maximum, adjustment.score or 0.0)
        return min(max(score, 0.0), maximum)

    @property
    def gradescope_json(self) -> str:
        """The result as JSON for Gradescope, with corrections and the submission time."""
        result = self.grade.gradescope
        if self.adjustments:
            sentences = "\n".join(adjustment.sentence for adjustment in self.adjustments)
            by_hand = {"name": "Corrected by hand", "score": self.score - self.grade.score, "output": sentences}
            result = result | {"tests": [*result["tests"], by_hand]}
        if self.submission.submitted or self.submission.late is not None:
            facts = {"submitted": self.submission.submitted, "late": self.submission.late}
            result = result | {"extra_data": facts}
        return json.dumps(result)

    @property
    def late_yes_no(self) -> str:
        """`yes` if the submission was late, `no` if not, or an empty string if the platform does not say."""
        return {None: "", True: "yes", False: "no"}[self.submission.late]

    @property
    def arrival_sentence(self) -> str:
        """A sentence with the submission time, or an empty string if the platform does not give one."""
        return f"Submitted {self.submission.submitted}." if self.submission.submitted else ""

    @property
    def full_feedback_markdown(self) -> str:
        """The page, in Markdown, for the student once hidden results are published."""
        by_hand = ""
        if self.adjustments:
            lines = "\n".join(f"- {escape_markdown(adjustment.sentence)}" for adjustment in self.adjustments)
            by_hand = f"**Corrected by hand.** The tests gave {self.grade.score:g} points:\n\n{lines}"
        texts = (escape_markdown(self.arrival_sentence), by_hand, self.grade.full_feedback)
        return feedback.markdown_page(self.submission, self.grade, self.score, *texts)


def identifiers(submission: Submission) -> set[str]:
    """Return a student's numbers, address and login or, without a platform, their name, folded for comparison."""
    person = submission.person
    stated = (person.number, person.sid, person.email, person.login)
    return {folded(text) for text in (stated if person.platform else (submission.student,)) if text}


def student_names(submission: Submission) -> set[str]:
    """Return a student's names, folded for comparison.

    Students might have chosen the name that a platform shows, so names that look like numbers or addresses are left
    out.
    """
    texts = {folded(submission.person.name), folded(submission.student)}
    return {name for name in texts if name and not _IDENTIFIER_FORM.fullmatch(name)}


class PeopleIndex(Generic[Item]):
    """Items that belong to students, such as submissions, keyed by the texts that instructors use to name a student.

    A name counts only if it is not another student's identifier.
    """

    def __init__(self) -> None:
        self._by_identifier: dict[str, set[Item]] = defaultdict(set)
        self._by_name: dict[str, set[Item]] = defaultdict(set)

    def add(self, submission: Submission, item: Item) -> None:
        """Add an item that belongs to the student of a submission."""
        for identifier in identifiers(submission):
            self._by_identifier[identifier].add(item)
        for name in student_names(submission):
            self._by_name[name].add(item)

    def find(self, text: str) -> set[Item]:
        """Return the items of all students whom a text could refer to."""
        return self._by_identifier.get(folded(text)) or self._by_name.get(folded(text), set())
