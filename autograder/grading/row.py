"""One row of the gradebook: a submission that counts, its grade, and how the instructor corrected it. All reports are
made from such rows."""

from __future__ import annotations

import functools
import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple, Protocol

from autograder.checks.telling import Audience, inline
from autograder.grading import feedback
from autograder.grading.grade import Grade, from_json, to_json
from autograder.protocol.failure import Status
from autograder.submission import Submission
from autograder.submission.names import folded


class Key(NamedTuple):
    """What a grade is about: some code, and the suite that judges it."""

    assignment: str
    suite: str
    code: str


@dataclass(frozen=True)
class PackedGrade:
    """A grade as it travels and is kept: made by the grader, so that the coordinator of thousands only has to write it
    down."""

    status: Status
    score: float
    max_score: float
    seconds: float
    questions: dict[str, float]
    """points by question"""
    grade: str
    """all of it but Gradescope's form, as JSON"""
    gradescope: str
    """Gradescope's JSON, from Otter"""
    feedback: str
    """what the student may read of it, as Markdown, without notes on how their file was read"""

    @classmethod
    def of(cls, grade: Grade, assignment: str) -> PackedGrade:
        """Pack a grade."""
        return cls(
            status=grade.status,
            score=grade.score,
            max_score=grade.max_score,
            seconds=grade.seconds,
            questions=grade.questions,
            grade=to_json(replace(grade, gradescope={})),
            gradescope=json.dumps(grade.gradescope, indent=1),
            feedback=feedback.body(grade, assignment, Audience.LATER),
        )

    def to_bytes(self) -> bytes:
        """Deflated JSON, whose checksum tells a damaged grade from a whole one."""
        return zlib.compress(json.dumps(asdict(self)).encode("ascii"))

    @classmethod
    def from_bytes(cls, packed: bytes) -> PackedGrade:
        """What `to_bytes` made. Raises ValueError or zlib.error where it is damaged."""
        facts = json.loads(zlib.decompress(packed))
        return cls(**facts | {"status": Status(facts["status"])})


@dataclass(frozen=True)
class Adjustment:
    """One line of the instructor's adjustments.csv: points are added, or the score is set; and why."""

    points: float | None
    score: float | None
    reason: str

    @property
    def sentence(self) -> str:
        """For the student as well."""
        if self.score is not None:
            what = f"score set to {self.score:g}"
        else:
            what = f"{self.points:+g} point{'' if abs(self.points or 0.0) == 1 else 's'}"
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
    packed: PackedGrade | None = None
    """None for a submission of no known assignment: there is no suite to say anything of it"""

    @property
    def student(self) -> str:
        return self.submission.student

    @property
    def status(self) -> Status:
        return self.packed.status if self.packed is not None else Status.UNREADABLE

    @property
    def tested_score(self) -> float:
        """What the tests came to."""
        return self.packed.score if self.packed is not None else 0.0

    @property
    def score(self) -> float:
        """What counts: what the tests came to, as the instructor corrected it in order. Never below 0, and above full
        marks only where such a score was set: that is a bonus."""
        score = self.tested_score
        for adjustment in self.adjustments:
            score = adjustment.score if adjustment.score is not None else score + (adjustment.points or 0.0)
        most = max([self.max_score, *(adjustment.score or 0.0 for adjustment in self.adjustments)])
        return min(max(score, 0.0), most)

    @property
    def max_score(self) -> float:
        return self.packed.max_score if self.packed is not None else 0.0

    @property
    def seconds(self) -> float:
        return self.packed.seconds if self.packed is not None else 0.0

    @property
    def questions(self) -> dict[str, float]:
        """Points by question."""
        return self.packed.questions if self.packed is not None else {}

    @functools.cached_property
    def grade(self) -> Grade | None:
        """All of the grade, unpacked once; None where nothing was run."""
        if self.packed is None or self.lost or self.submission.problem is not None:
            return None
        return from_json(self.packed.grade)

    @property
    def gradescope(self) -> str:
        """The result as Gradescope's JSON."""
        if self.packed is None:
            assert self.submission.problem is not None
            return json.dumps({"tests": [], "output": self.submission.problem.message, "score": 0}, indent=1)
        if not self.adjustments:
            return self.packed.gradescope
        converted = json.loads(self.packed.gradescope)
        words = "\n".join(adjustment.sentence for adjustment in self.adjustments)
        difference = self.score - self.tested_score
        converted["tests"].append(
            {"name": "Corrected by hand", "score": difference, "output": words, "visibility": "visible"}
        )
        return json.dumps(converted, indent=1)

    @property
    def feedback(self) -> str:
        """What the student may read, as Markdown."""
        problem = self.submission.problem
        if self.lost or problem is not None:
            text = feedback.not_graded(
                self.submission.assignment, LOST if problem is None or self.lost else problem.message
            )
            return text + (f"\n{self._corrections}\n" if self.adjustments else "")
        assert self.packed is not None
        text = "\n\n".join(filter(None, (self._corrections, self.packed.feedback)))
        return feedback.markdown(self.submission, self.score, self.max_score, text)

    @property
    def _corrections(self) -> str:
        if not self.adjustments:
            return ""
        lines = "\n".join(f"- {inline(adjustment.sentence)}" for adjustment in self.adjustments)
        return (
            f"**Corrected by hand.** The tests came to {self.tested_score:g} points; {self.score:g} count:\n\n{lines}"
        )


LOST = (
    "Your submission could not be graded by machine, and not because of anything in it: the teaching staff will look"
    " at it."
)


class Rows(Protocol):
    """A gradebook, as those see it who make something of the grades."""

    def rows(self) -> Iterator[Row]:
        """Every submission that counts and has a grade, by assignment and then student."""

    def cells(self, code: str) -> tuple[str, ...]:
        """The code of a key."""

    def replaced(self) -> list[Submission]:
        """Submissions that do not count, because a later one of the same student does."""


def known_as(submission: Submission) -> set[str]:
    """All that a person goes by, folded: the platform's number, the university's, address, login and name."""
    person = submission.person
    own = (person.number, person.sid, person.email, person.login, person.name, submission.student)
    return {folded(name) for name in own if name}
