"""Why a test did not pass: one sentence for a person, and the kind of mistake for a program."""

from __future__ import annotations

from enum import Enum

from autograder.checks.status import TestStatus


class Kind(Enum):
    """The kind of mistake. The value is what may be told of it where the test's inputs are hidden."""

    NOT_WRITTEN = "it is not implemented yet"
    WAITING = "it waits for a function that is not implemented yet"
    NOT_REACHED = "the file stops with an exception before it is defined"
    RAISED = "it raised an exception"
    NO_ERROR = "it accepted a bad argument that it should refuse with an error"
    WRONG_ERROR = "it refused a bad argument with the wrong kind of error, or one that does not name the value"
    TYPE = "it returned a value of the wrong type"
    SHAPE = "it returned an array of the wrong shape"
    DTYPE = "it returned an array of the wrong dtype"
    VALUE = "it returned wrong values"
    CHANGED = "it changed one of its arguments in place"
    LOOP = "it loops in Python over the sequence"
    ANSWER = "the answer is not right"
    UNANSWERED = "the question is not answered yet"


VALUES = frozenset({Kind.VALUE, Kind.SHAPE, Kind.TYPE, Kind.RAISED})
"""Mistakes that show in whatever is built on a function, or compared with it. All others are each function's own."""

UNFINISHED = frozenset({Kind.NOT_WRITTEN, Kind.NOT_REACHED, Kind.UNANSWERED})
"""Nothing is there yet: not a mistake."""


def with_likely_cause(message: str, hint: str | None) -> str:
    """A message and, as its last line, the likely cause where one is known."""
    return f"{message}\nLikely cause: {hint}" if hint else message


class Wrong(AssertionError):
    """A test's grade on a submission.

    `kind` says what sort of mistake it is, `hint` names the likely cause where a known one fits, and `function` is the
    function to look at first where that is not the one that was called.
    """

    def __init__(self, kind: Kind, message: str, *, hint: str | None = None, function: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.function = function

    def __str__(self) -> str:
        return with_likely_cause(self.message, self.hint)


class Stopped(BaseException):
    """A call that gave no answer at all: it took too long, or its process ended.

    Not an Exception, so that no test, and no search for a smaller failing example, goes on calling.
    """

    def __init__(self, status: TestStatus, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class BrokenTest(Exception):
    """A test asks for something that cannot be: the course is at fault, and no submission may pay for it."""
