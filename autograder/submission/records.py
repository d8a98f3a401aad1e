"""What this room passes on: who handed in what, the submission that was read from it, and the problem that was met."""

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
    is_unclear: bool = False
    """whether nothing tells which file is meant, or for which assignment"""


class Refused(Exception):
    """Raised inside this room where reading has to stop; it ends as the problem of one submission."""

    def __init__(self, student: str, instructor: str) -> None:
        super().__init__(instructor)
        self.problem = Problem(student, instructor)


def problem_of(error: Exception) -> Problem:
    """What ended the reading of one submission is the problem of this one: refused, closed, or in a way that nobody
    foresaw."""
    if isinstance(error, Refused):
        return error.problem
    if isinstance(error, OSError):
        return Problem(
            "What you handed in could not be opened: hand it in again, and tell your instructor if that does not help.",
            f"The system refuses to read it ({error.strerror or type(error).__name__}): check its permissions.",
        )
    message = printable(str(error), 120)
    return Problem(
        "What you handed in could not be read: hand it in again as one plain .py or .ipynb file, or ask your"
        " instructor.",
        f"Reading it ended with {type(error).__name__}{f' ({message})' if message else ''}.",
    )


class NothingToGrade(UserError):
    """The folder or file that was named cannot be graded at all; the message is a sentence for a person."""


@dataclass(frozen=True)
class Person:
    """All that a platform says of a person. The name is a label: what tells people apart is `key`."""

    platform: str = ""
    """empty where no platform named the file or folder; then a person is the name that it has"""
    number: str = ""
    """the platform's own number of a person"""
    login: str = ""
    email: str = ""
    sid: str = ""
    """the number that the university gave"""
    name: str = ""

    @property
    def key(self) -> str:
        """The same for the same person in every folder; empty where nothing is known."""
        own = self.number or self.email.casefold() or self.login or self.sid or self.name
        return f"{self.platform}:{own}" if own else ""


@dataclass(frozen=True)
class Given:
    """One file that somebody handed in."""

    name: str
    """as the student named it"""
    path: Path
    label: str
    """relative to the folder given"""


@dataclass(frozen=True)
class Part:
    """What a person handed in at one time and place: a folder, or files."""

    label: str
    """relative to the folder given"""
    folder: Path | None = None
    within: str = ""
    """what the labels of files in the folder begin with"""
    files: tuple[Given, ...] = ()
    assignment: str | None = None
    """what a flag or a folder decided"""
    hint: str | None = None
    """the assignment of files that say nothing themselves"""
    is_meant: bool = False
    """whether its one file counts whatever its name says of an assignment: the name is the student's own"""
    came: float = 0.0
    """of two parts the greater came later"""
    attempt: int = 0
    """and of two that came together the greater"""
    handed_in: float = 0.0
    """when, in seconds since 1970, as the platform says; 0 where it does not"""
    notes: tuple[str, ...] = ()
    problem: Problem | None = None
    """why there is nothing to read"""


@dataclass(frozen=True)
class HandIn:
    """All that one person handed in. Small, so that a batch may hold thousands."""

    student: str
    """what to call them"""
    person: Person
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Submission:
    """One submission: Python text to run, or the problem that kept it from being read."""

    student: str
    """what to call them, as it stands in the name or metadata: odd names stay as they are"""
    assignment: str
    """name of the assignment; "" where it cannot be told, and then `problem` says so"""
    file: str
    """what was handed in, relative to the folder given; a file inside a zip is written ada.zip!rope.py"""
    sha256: str = ""
    """of the bytes handed in (of the zip where it was a zip); "" where there are none or they were not read"""
    cells: tuple[str, ...] = ()
    """Python text to run in order: one cell for a .py file, one a code cell for a notebook ("" for one left out)"""
    _: KW_ONLY
    person: Person = Person()
    notes: tuple[str, ...] = ()
    """what was dropped or chosen on the way, one sentence each"""
    problem: Problem | None = None
    doubt: str = ""
    """one sentence for teaching staff, where something else of the student's may have been meant"""
    is_claimed: bool = False
    """whether the student's own file names say the assignment, and neither a flag nor a folder does"""
    handed_in: float = 0.0
    """when it came, in seconds since 1970, as the platform says; 0 where it does not"""
    came: float = 0.0
    """of two submissions from one platform the greater came later; 0 where the platform does not say"""
    superseded: bool = False
    """another submission of the same student counts instead; `problem` says which"""

    @property
    def who(self) -> str:
        """What tells the student from all others."""
        return self.person.key or f":{self.student}"
