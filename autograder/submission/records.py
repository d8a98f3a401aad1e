"""What this room passes on: what students handed in, the submissions that were read from it, and why one was not."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path

from autograder.course import UserError
from autograder.submission.names import printable, utf8_safe


@dataclass(frozen=True)
class Problem:
    """Why no code can be had from what was handed in: one sentence, for the student and for staff."""

    message: str
    is_ambiguous: bool = False
    """whether nothing tells which file is meant, or for which assignment: where that is so of all, another folder is
    meant"""


class Unreadable(Exception):
    """Raised inside this room where reading has to stop; it ends as the problem of one submission."""


def problem_of(error: Exception) -> Problem:
    """What ended the reading of one submission is the problem of this one, foreseen or not."""
    if isinstance(error, Unreadable):
        return Problem(str(error))
    reason = printable(getattr(error, "strerror", None) or f"{type(error).__name__}: {error}", 120)
    return Problem(f"It cannot be read ({reason}): hand in one plain .py or .ipynb file, and no link to one.")


class NothingToGrade(UserError):
    """The folder or file that was named cannot be graded at all; the message is a sentence for a person."""


@dataclass(frozen=True)
class Person:
    """All that a platform says of a person. The name is a label: what tells people apart is `key`."""

    platform: str = ""  # empty where no platform named the file or folder: then a person is the name that it has
    number: str = ""  # the platform's own; `sid` is the university's
    login: str = ""
    email: str = ""
    sid: str = ""
    name: str = ""

    @property
    def key(self) -> str:
        """The same for the same person in every folder; empty where nothing is known."""
        own = self.number or self.email.casefold() or self.login or self.sid or self.name
        return f"{self.platform}:{own}" if own else ""


@dataclass(frozen=True)
class Entry:
    """What a platform says of one file or folder of a class."""

    person: Person
    file: str = ""  # as the student named it; empty for a folder, and for what the platform itself wrote
    problem: Problem | None = None
    attempt: float = 0.0
    """what has the same belongs together; of two files of one name in it the greater `version` counts"""
    version: tuple[int, int] = (0, 0)
    late: bool = False


@dataclass(frozen=True)
class StudentFile:
    """One file or folder that somebody handed in."""

    entry: Entry
    path: Path
    label: str  # relative to the folder given
    assignment: str | None  # that a flag or a folder decided
    hint: str | None  # the one of files that say nothing themselves
    is_old: bool = False  # whether a later one of the same name came with it

    @property
    def name(self) -> str:
        return self.entry.file or self.path.name

    def inside(self, name: str) -> StudentFile:
        """A file in this folder; `name` with the folders in between."""
        label = utf8_safe(f"{self.label}/{name}")
        return replace(self, entry=replace(self.entry, file=name), path=self.path / name, label=label)


@dataclass(frozen=True)
class HandIn:
    """What one student handed in, in the order in which it came. Small, so that a batch may hold thousands."""

    student: str
    person: Person
    files: tuple[StudentFile, ...]


@dataclass(frozen=True)
class Submission:
    """One submission: Python text to run, or the problem that kept it from being read."""

    student: str
    assignment: str
    """"" where it cannot be told, and then `problem` says so"""
    file: str
    """what was handed in, relative to the folder given; a file inside a zip is written ada.zip!rope.py"""
    sha256: str = ""
    """of the bytes handed in, of the zip where it was a zip; "" where they were not read"""
    cells: tuple[str, ...] = ()
    """Python text to run in order: one cell for a .py file, one a code cell for a notebook ("" for one left out)"""
    _: KW_ONLY
    person: Person = Person()
    notes: tuple[str, ...] = ()
    problem: Problem | None = None
    doubt: str = ""
    """one sentence for teaching staff, where something else of the student's may have been meant"""

    @property
    def who(self) -> str:
        """What tells the student from all others."""
        return self.person.key or f":{self.student}"
