"""What this room passes on: a submission, found and then read, and the problem that was met."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from autograder.course import UserError
from autograder.submission.names import printable


@dataclass(frozen=True)
class Problem:
    """Why no code can be had from what was handed in."""

    student: str
    """one sentence for the student: what was wrong and what to do"""
    instructor: str
    """one sentence for the instructor"""


class Refused(Exception):
    """Raised inside this room where reading has to stop; it ends as the problem of one submission."""

    def __init__(self, student: str, instructor: str) -> None:
        super().__init__(instructor)
        self.problem = Problem(student, instructor)


def problem_of(error: Exception) -> Problem:
    """What ended the reading of one submission is the problem of this one: refused, closed, or in a way that nobody foresaw."""
    if isinstance(error, Refused):
        return error.problem
    if isinstance(error, OSError):
        return Problem(
            "What you handed in could not be opened: hand it in again, and tell your instructor if that does not help.",
            f"The system refuses to read it ({error.strerror or type(error).__name__}): check its permissions.",
        )
    message = printable(str(error), 120)
    return Problem(
        "What you handed in could not be read: hand it in again as one plain .py or .ipynb file, or ask your instructor.",
        f"Reading it ended with {type(error).__name__}{f' ({message})' if message else ''}.",
    )


class NothingToGrade(UserError):
    """The folder or file that was named cannot be graded at all; the message is a sentence for a person."""


@dataclass(frozen=True)
class Candidate:
    """A file that may count for an assignment, on disk or inside a zip."""

    file: str
    """relative to the folder given; inside a zip it is written ada.zip!rope.py"""
    path: Path
    member: str | None = None
    """the file's name inside `path`, where that is a zip"""
    named: bool = False
    """whether its name speaks of the assignment: then it is mentioned where it is not graded"""


@dataclass(frozen=True)
class Submission:
    """One submission: Python text to run, or the problem that kept it from being read."""

    student: str
    """as it stands in the name or metadata: odd names stay as they are"""
    assignment: str
    """name of the assignment; "" where it cannot be told, and then `problem` says so"""
    file: str
    """what was handed in, relative to the folder given; a file inside a zip is written ada.zip!rope.py"""
    sha256: str = ""
    """of the bytes handed in (of the zip where it was a zip); "" where there are none or they were not read"""
    cells: tuple[str, ...] = ()
    """Python text to run in order: one cell for a .py file, one a code cell for a notebook ("" for one left out)"""
    _: KW_ONLY
    notes: tuple[str, ...] = ()
    """what was dropped or chosen on the way, one sentence each"""
    problem: Problem | None = None
    handed_in: float = 0.0
    """when it came, in seconds since 1970, as the platform says; 0 where it does not"""
    superseded: bool = False
    """another submission of the same student counts instead; `problem` says which"""


@dataclass(frozen=True, kw_only=True)
class SubmissionFile(Submission):
    """One that is found and not read yet: where it lies. Small, so that a batch may hold thousands."""

    path: Path | None
    """what was handed in; None where there is nothing to read"""
    candidates: tuple[Candidate, ...] = ()
    """files that may count, the likeliest first; with a `problem`, those between which a name does not decide"""
    order: tuple[int, float, int] = (0, 0.0, 0)
    """of two submissions for one assignment the greater counts: how well it fits, when it came, which attempt"""
