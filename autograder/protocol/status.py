"""What became of a test, and of a submission as a whole: the words that stand in files and reports."""

from __future__ import annotations

from enum import StrEnum


class TestStatus(StrEnum):
    """How a test came out."""

    __test__ = False  # for pytest, which takes names for tests

    PASSED = "passed"
    FAILED = "failed"
    NOT_IMPLEMENTED = "not_implemented"
    WAITING = "waiting"
    """for another function, which is not implemented"""
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    KILLED = "killed"
    """not run: the submission's workers died more often than they are replaced"""
    UNREADABLE = "unreadable"

    @property
    def is_unwritten(self) -> bool:
        """Nothing is there yet: not a mistake."""
        return self in (TestStatus.NOT_IMPLEMENTED, TestStatus.WAITING)


class Status(StrEnum):
    """What became of a submission."""

    GRADED = "graded"
    IMPORT_ERROR = "import_error"
    """it raises when it is run, or imports what is not there"""
    UNREADABLE = "unreadable"
    """no code can be had from it"""
    TIMEOUT = "timeout"
    """over its time in all"""
    KILLED = "killed"
    """its workers died more often than they are replaced"""
