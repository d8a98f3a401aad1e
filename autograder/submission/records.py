"""What this room passes on: what a student handed in, the submission that was read from it, the problem that was
met."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from autograder.course import UserError
from autograder.submission.names import printable


@dataclass(frozen=True)
class Problem:
    """Why no code can be had from what was handed in: one sentence, for the student and for staff."""

    message: str
    is_unclear: bool = False
    """whether nothing tells which file is meant, or for which assignment: where that is so of all, another folder is
    meant"""


class Unreadable(Exception):
    """Raised inside this room where reading has to stop; it ends as the problem of one submission."""


def problem_of(error: Exception) -> Problem:
    """What ended the reading of one submission is the problem of this one, foreseen or not."""
    if isinstance(error, Unreadable):
        return Problem(str(error))
    if isinstance(error, OSError):
        reason = error.strerror or type(error).__name__
        return Problem(
            f"It cannot be opened ({reason}): hand in the file itself, no link to it, and tell your instructor."
        )
    reason = printable(f"{type(error).__name__}: {error}", 120)
    return Problem(f"It cannot be read ({reason}): hand in one plain .py or .ipynb file.")


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
class StudentFile:
    """One file or folder that somebody handed in."""

    name: str
    """as the student named it"""
    path: Path
    label: str
    """relative to the folder given"""


@dataclass(frozen=True)
class Delivery:
    """What a student handed in at one time, for one assignment or for any."""

    files: tuple[StudentFile, ...]
    assignment: str | None = None
    """what a flag or a folder decided"""
    hint: str | None = None
    """the assignment of files that say nothing themselves"""
    notes: tuple[str, ...] = ()
    problem: Problem | None = None
    """why there is nothing to read"""


@dataclass(frozen=True)
class HandIn:
    """All that one student handed in. Small, so that a batch may hold thousands."""

    student: str
    """what to call them"""
    person: Person
    deliveries: tuple[Delivery, ...]
    """in the order in which they came: a later one counts"""


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

    @property
    def who(self) -> str:
        """What tells the student from all others."""
        return self.person.key or f":{self.student}"
