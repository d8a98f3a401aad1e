"""One row of the gradebook: a submission that counts, its grade, and how the instructor corrected it. All reports are
made from such rows."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import NamedTuple

from autograder.checks.render import inline
from autograder.grading import feedback
from autograder.grading.grade import Grade, from_json
from autograder.protocol.failure import Status
from autograder.submission import Submission
from autograder.submission.names import folded


class Key(NamedTuple):
    """What a grade is about: some code, and the suite that judges it."""

    assignment: str
    suite: str
    code: str


@dataclass(frozen=True)
class Adjustment:
    """One line of the instructor's adjustments.csv: points are added, or the score is set; and why."""

    points: float | None
    score: float | None
    reason: str

    @property
    def sentence(self) -> str:
        """For the student as well."""
        what = f"score set to {self.score:g}" if self.score is not None else f"{self.points:+g} points"
        return f"{what}: {self.reason}" if self.reason else what


@dataclass(frozen=True)
class Row:
    """One submission that counts, and its grade."""

    submission: Submission
    """without its cells: the gradebook has them"""
    key: Key
    folder: str
    """its student's folder name"""
    lost: str = ""
    """why no grader could judge it, for staff; empty where one did"""
    adjustments: tuple[Adjustment, ...] = ()
    """in order"""
    graded: bytes = b""
    """the grade as JSON; empty for a submission of no known assignment"""

    @property
    def student(self) -> str:
        return self.submission.student

    @functools.cached_property
    def grade(self) -> Grade:
        """Read when it is first asked for. Where there is no suite to judge by, one without tests."""
        if self.graded:
            return from_json(self.graded)
        why = self.submission.problem.message if self.submission.problem else ""
        said = feedback.not_graded(why)
        return Grade("", Status.UNREADABLE, [], gradescope={"tests": [], "output": why, "score": 0}, feedback=said)

    @property
    def score(self) -> float:
        """What counts: what the tests came to, as the instructor corrected it in order. Never below 0, and above full
        marks only where such a score was set: that is a bonus."""
        score, most = self.grade.score, self.grade.max_score
        for one in self.adjustments:
            score = one.score if one.score is not None else score + (one.points or 0.0)
            most = max(most, one.score or 0.0)
        return min(max(score, 0.0), most)

    @property
    def gradescope(self) -> str:
        """The result as Gradescope's JSON."""
        converted = self.grade.gradescope
        if self.adjustments:
            words = "\n".join(one.sentence for one in self.adjustments)
            by_hand = {"name": "Corrected by hand", "score": self.score - self.grade.score, "output": words}
            converted = converted | {"tests": [*converted["tests"], by_hand]}
        return json.dumps(converted)

    @property
    def feedback(self) -> str:
        """What the student may read, as Markdown."""
        by_hand = ""
        if self.adjustments:
            lines = "\n".join(f"- {inline(one.sentence)}" for one in self.adjustments)
            by_hand = f"**Corrected by hand.** The tests came to {self.grade.score:g} points:\n\n{lines}"
        return feedback.page(self.submission, self.score, self.grade.max_score, by_hand, self.grade.feedback)


def known_as(submission: Submission) -> set[str]:
    """All that a person goes by, folded: the platform's number, the university's, address, login and name."""
    person = submission.person
    own = (person.number, person.sid, person.email, person.login, person.name, submission.student)
    return {folded(name) for name in own if name}
