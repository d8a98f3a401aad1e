"""Results of tests and submissions: a message for people, and the kind of mistake for programs."""

from __future__ import annotations

from enum import Enum, StrEnum


class SubmissionStatus(StrEnum):
    """The status of a submission, as shown in files and reports."""

    GRADED = "graded"
    IMPORT_ERROR = "import_error"
    """the file raised an exception while loading, or an import was missing"""
    UNREADABLE = "unreadable"
    """the submission contains no readable code"""
    TIMEOUT = "timeout"
    """the submission used up its total time"""
    KILLED = "killed"
    """the submission's workers ended too often"""


class Kind(Enum):
    """Kinds of test failure, most serious first: a wrong value matters more than a missing refusal.

    The value of each kind is a sentence that is true whatever the test's inputs.
    """

    VALUE = "it returned wrong values"
    PRECISION = "it returned values that are right to a few digits only"
    SHAPE = "it returned a value of the wrong type or shape"
    RAISED = "it gave no result: it raised an exception, did not return in time or ended its process"
    DTYPE = "it returned an array of the wrong dtype"
    CHANGED = "it changed one of its arguments in place"
    LOOP = "it loops in Python over the sequence"
    ACCEPTED = "it does not refuse a bad argument with the right error"
    TIMEOUT = "it did not return in time"
    CRASHED = "it ended its process"
    KILLED = "it was not run, since the submission had ended its process too many times"
    ANSWER = "the answer is not right"
    UNANSWERED = "the question is not answered yet"
    NOT_WRITTEN = "it is not implemented yet"
    WAITING = "it waits for a function that is not implemented yet"
    NOT_REACHED = "the file stops with an exception before it is defined"
    UNREADABLE = "nothing in the submission could be read"

    @property
    def status(self) -> str:
        """The word for this kind of failure in files that other programs read."""
        if self in UNFINISHED:
            return "waiting" if self is Kind.WAITING else "not_implemented"
        return self.name.lower() if self in STOPPED or self is Kind.UNREADABLE else "failed"


WRONG_OR_NO_VALUE = frozenset({Kind.VALUE, Kind.PRECISION, Kind.SHAPE, Kind.RAISED})
"""Kinds of mistake that also affect every function that uses the wrong function or is compared with it."""

RIGHT_VALUE_KINDS = frozenset({Kind.DTYPE, Kind.CHANGED, Kind.LOOP, Kind.ACCEPTED})
"""Kinds of mistake in a function that returns correct values."""

UNFINISHED = frozenset({Kind.NOT_WRITTEN, Kind.WAITING, Kind.NOT_REACHED, Kind.UNANSWERED})
"""Kinds of failure that are not mistakes, because the function or the answer is not written yet."""

STOPPED = frozenset({Kind.TIMEOUT, Kind.CRASHED, Kind.KILLED})
"""Kinds of failure in which a call received no reply."""


MAX_MESSAGE_CHARACTERS = 4000
"""Maximum length, in characters, of a message that a person reads, however much text a submission returns."""


class FailedTestError(AssertionError):
    """The failure of a test.

    `kind` is the kind of mistake, and `value` is the value that was compared. `hint` names the likely cause if a known
    mistake fits. `function` names the function to look at first, if it is not the one called.
    """

    def __init__(
        self, kind: Kind, message: str, *, hint: str | None = None, function: str | None = None, value: object = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message if len(message) <= MAX_MESSAGE_CHARACTERS else message[:MAX_MESSAGE_CHARACTERS] + " …"
        self.hint = hint
        self.function = function
        self.value = value

    def __str__(self) -> str:
        """Return the message, followed by the likely cause if known."""
        return f"{self.message}\nLikely cause: {self.hint}" if self.hint else self.message


class CallStopped(BaseException):
    """Raised when a call receives no reply, because it took too long or its process ended.

    It is not a subclass of Exception, so no `except Exception` in a test, or in the search for a smaller failing
    example, catches it and continues with further calls.
    """

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class BrokenTestError(Exception):
    """Raised if a test requests something impossible: the course is at fault, so nobody should lose points."""
