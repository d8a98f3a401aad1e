"""The gradebook's SQLite file: its tables, its lock, and its error messages."""

from __future__ import annotations

import fcntl
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from autograder.course import BatchError

GRADEBOOK_FILE, LOCK_FILE = "gradebook.sqlite", "gradebook.lock"
VERSION = 12

SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
BEGIN;
CREATE TABLE IF NOT EXISTS submissions (              -- of the last run
    number INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,           -- empty if it could not be determined
    student TEXT NOT NULL,
    who TEXT NOT NULL,                  -- the platform's number or address; a name if no platform gave one
    grading TEXT NOT NULL,              -- hash of its suite; empty if the assignment is not known
    code TEXT NOT NULL,                 -- hash of the code that runs, or of the reason why none can
    counts INTEGER NOT NULL,            -- 0 if a later submission by the same student counts instead
    folder TEXT NOT NULL,               -- the student's, under results/ and feedback/
    submission TEXT NOT NULL,           -- JSON, without the code
    cells TEXT NOT NULL,                -- JSON: the code
    adjustments TEXT NOT NULL           -- JSON: corrections by hand
);
CREATE INDEX IF NOT EXISTS by_key ON submissions (code, assignment, grading);
CREATE INDEX IF NOT EXISTS by_person ON submissions (assignment, who);
CREATE TABLE IF NOT EXISTS results (                  -- of all runs
    assignment TEXT NOT NULL,
    grading TEXT NOT NULL,
    code TEXT NOT NULL,
    lost TEXT NOT NULL,                 -- why no grader could judge it, for staff; otherwise empty
    grade BLOB NOT NULL,                -- JSON, deflated
    PRIMARY KEY (assignment, grading, code)
);
CREATE TABLE IF NOT EXISTS scores (                   -- of the last run that finished
    assignment TEXT NOT NULL,
    who TEXT NOT NULL,
    student TEXT NOT NULL,
    grading TEXT NOT NULL,
    code TEXT NOT NULL,
    tests REAL NOT NULL,                -- points from the tests
    adjustments TEXT NOT NULL,          -- JSON: corrections by hand
    tests_at_correction REAL NOT NULL,  -- points from the tests when these corrections were first applied
    score REAL NOT NULL,
    PRIMARY KEY (assignment, who)
);
CREATE TABLE IF NOT EXISTS facts (                    -- of the last run
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL                 -- JSON
);
PRAGMA user_version = {VERSION};
COMMIT;
"""

DAMAGED_ROW_ERRORS = (zlib.error, ValueError, TypeError, KeyError)
"""Exceptions that reading a damaged row can raise."""

DAMAGED_MESSAGE = "{} is damaged or from another version: run `autograder grade` again to regrade what is damaged"
"""Message shown when a gradebook cannot be read."""


def connected(out: Path, mode: str) -> sqlite3.Connection:
    """Open OUT's gradebook in the given SQLite mode, and return the connection."""
    database = sqlite3.connect(f"{(out / GRADEBOOK_FILE).absolute().as_uri()}?mode={mode}", uri=True)
    database.row_factory = sqlite3.Row
    database.text_factory = lambda data: data.decode("utf-8", "replace")  # so that damaged text does not stop a run
    return database


def is_intact(out: Path) -> bool:
    """Return True if OUT has a gradebook that is of this version and that SQLite can read."""
    queries = ("PRAGMA user_version", "PRAGMA integrity_check(1)", "SELECT count(*) FROM sqlite_master")
    try:
        with closing(connected(out, "ro")) as database:
            version, integrity, tables = (database.execute(query).fetchone()[0] for query in queries)
            return integrity == "ok" and (version == VERSION or not tables)
    except sqlite3.OperationalError:
        raise
    except (*DAMAGED_ROW_ERRORS, sqlite3.DatabaseError):
        return False


def lock(file: IO[bytes]) -> None:
    """Lock the gradebook until this process ends, however it ends. Raise BatchError if another run holds the lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        where = Path(file.name).parent
        raise BatchError(
            f"another run is grading into {where}: wait for it to finish, or choose another folder with --out"
        ) from error


def is_locked(out: Path) -> bool:
    """Return True if a run is currently grading into OUT."""
    try:
        with (out / LOCK_FILE).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except OSError as error:
        return isinstance(error, BlockingIOError)


@contextmanager
def errors_in_words(out: Path) -> Iterator[None]:
    """Turn disk errors and SQLite errors into a BatchError with a readable message."""
    try:
        yield
    except (sqlite3.OperationalError, OSError) as error:
        why = getattr(error, "strerror", None) or error
        raise BatchError(
            f"{out} cannot be written or read ({why}): all grades so far are kept. Free some disk space, or choose"
            " another folder with --out, and run the same command again"
        ) from error
    except sqlite3.DatabaseError as error:
        raise BatchError(DAMAGED_MESSAGE.format(out / GRADEBOOK_FILE)) from error
