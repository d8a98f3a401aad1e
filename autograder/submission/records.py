"""Records of a person, an upload, a submission, and a problem that keeps a submission from being read."""

from __future__ import annotations

import unicodedata
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path

from autograder.course import UserError
from autograder.submission.untrusted_names import printable, utf8_safe


@dataclass(frozen=True)
class Problem:
    """The reason why a submission has no code, as a message for the student and for staff."""

    message: str
    for_instructor: str = ""
    """Message for the instructor if the file or the assignment cannot be determined."""

    is_class_download: bool = False
    """True for a download of a whole class, which no student submitted."""

    @property
    def for_staff(self) -> str:
        """The sentence for teaching staff."""
        return self.for_instructor or self.message


class UnreadableError(Exception):
    """An error that keeps a file from being read and becomes a submission's problem."""


def problem_of(error: Exception) -> Problem:
    """Return the problem that describes an error raised while reading a submission."""
    if isinstance(error, UnreadableError):
        return Problem(str(error))
    reason = printable(getattr(error, "strerror", None) or f"{type(error).__name__}: {error}", 250)
    return Problem(f"It cannot be read ({reason}): hand in one plain .py or .ipynb file, not a link to one.")


class UngradablePathError(UserError):
    """An error for a folder or file that was named but cannot be graded. The message is for the instructor."""


@dataclass(frozen=True)
class Person:
    """A platform's facts about a person. `email_sid_or_name` is for readers; `key` identifies the person."""

    platform: str = ""  # empty if no platform named the upload, so that a file or folder name identifies the person
    number: str = ""  # the platform's number; `sid` is the university's
    login: str = ""
    email: str = ""
    sid: str = ""
    name: str = ""

    @property
    def key(self) -> str:
        """The person's identifier, which is the same in every folder, or an empty string if unknown."""
        name = unicodedata.normalize("NFC", self.name)  # macOS writes accents as separate characters
        identity = self.number or self.email.casefold() or self.login or self.sid or name
        return f"{self.platform}:{identity}" if identity else ""

    @property
    def email_sid_or_name(self) -> str:
        """A name for readers, which other people might share."""
        return self.email or self.sid or self.name


@dataclass(frozen=True)
class Upload:
    """A file or folder that one student submitted, not yet opened.

    The first facts come from the name that a platform chose, the path and the assignment from the enclosing folders.
    """

    person: Person
    file: str = ""  # name that the student chose; empty for folders and for text typed on the platform
    attempt: int = 0
    version: tuple[int, int] = (0, 0)  # order among files of the same name in one attempt
    submitted: str = ""  # time in ISO format, if the platform states it
    late: bool | None = None
    problem: Problem | None = None
    assignment: str = ""
    is_decided: bool = False  # True if no name chosen by a student can change the assignment
    path: Path = Path()
    label: str = ""  # path relative to the folder that the instructor named
    student: str = ""  # the person's label, with a number if somebody else in the class has the same one

    @property
    def file_name(self) -> str:
        """The name of the file or folder, without the platform's additions."""
        return self.file or self.path.name

    def file_in_folder(self, name: str) -> Upload:
        """Return the upload of the file at the relative path `name` (with "/") in this folder."""
        return replace(self, file=name, path=self.path / name, label=utf8_safe(f"{self.label}/{name}"))


@dataclass(frozen=True)
class Submission:
    """A submission: Python code to run, or the problem that kept it from being read."""

    student: str
    assignment: str  # empty if unknown, which `problem` then explains
    file: str  # path relative to the instructor's folder; for a file inside a zip, ada.zip!rope.py
    sha256: str = ""  # hash of the uploaded bytes (for a file inside a zip, of the zip); empty if not read
    cells: tuple[str, ...] = ()  # code to run, in order: a .py file, or code cells ("" if left out)
    _: KW_ONLY
    person: Person = Person()
    notes: tuple[str, ...] = ()
    problem: Problem | None = None
    doubt: str = ""  # a sentence for teaching staff if another of the student's files might count
    submitted: str = ""  # time in ISO format, if known from the platform or a clone's last commit
    late: bool | None = None  # None if the platform does not say
    is_written: bool = False  # True if at least one function of the assignment is more than a stub

    @property
    def student_key(self) -> str:
        """The identifier that tells this student apart from all others."""
        return self.person.key or f":{self.student}"
