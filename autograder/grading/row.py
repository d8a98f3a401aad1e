"""One row of the gradebook: a submission that counts, and its grade. What the batch keeps, and what all reports are made from."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from autograder.checks.status import Status
from autograder.grading import result
from autograder.grading.result import Grade
from autograder.submission import Submission


class Key(NamedTuple):
    """What a grade is about: some code, and the suite that judges it."""

    assignment: str
    suite: str
    code: str


@dataclass(frozen=True)
class Row:
    """One submission that counts, and its grade."""

    submission: Submission
    """without its cells: the gradebook has them"""
    key: Key
    folder: str
    """its student's folder name"""
    status: Status
    score: float
    max_score: float
    seconds: float
    questions: dict[str, float]
    """points by question"""
    lost: str
    """why no grader could judge it, for staff; empty where one did"""
    written: bool
    """whether its feedback and results were written to the student's folder"""
    packed: bytes | None
    """the grade as `pack` made it"""

    @property
    def grade(self) -> Grade | None:
        """All of the grade; None where nothing was run."""
        if self.packed is None or self.lost or self.submission.problem is not None:
            return None
        return _unpacked(self.packed)

    @property
    def gradescope(self) -> dict[str, Any]:
        """The result in Gradescope's format."""
        if self.packed is not None:
            return _unpacked(self.packed).gradescope
        assert self.submission.problem is not None  # of no known assignment: there is no suite to say more
        return {"tests": [], "output": self.submission.problem.student, "score": 0}


class Rows(Protocol):
    """A gradebook, as those see it who make something of the grades."""

    def rows(self) -> Iterator[Row]:
        """Every submission that counts and has a grade, by assignment and then student."""

    def cells(self, code: str) -> tuple[str, ...]:
        """The code of a key."""


def pack(grade: Grade) -> bytes:
    """A grade as the gradebook keeps it: JSON, deflated."""
    return zlib.compress(result.to_json(grade).encode("ascii"))


def _unpacked(packed: bytes) -> Grade:
    return result.from_json(zlib.decompress(packed).decode("ascii"))
