"""What became of a submission: the words that stand in files and reports."""

from __future__ import annotations

from enum import StrEnum


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
