"""The gradebook: what the last run found handed in, and every grade that any run gave, in one SQLite file.

A grade is keyed by (assignment, suite, code): identical files are graded once, a second run grades nothing, and a
changed test regrades its own assignment. Nothing in here is anybody's only copy. So what is damaged, or written by
another version, is graded anew. One process writes, under a lock; any number may read meanwhile.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any, TypeVar

from autograder.course import BatchError
from autograder.grading.grade import from_json
from autograder.grading.row import Adjustment, Key, Row, known_as
from autograder.submission import Person, Problem, Submission
from autograder.submission.names import folded, safe_name, utf8_safe

Made = TypeVar("Made")

FILE, LOCK = "gradebook.sqlite", "gradebook.lock"
VERSION = 9

_SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
BEGIN;
CREATE TABLE IF NOT EXISTS submissions (              -- of the last run
    number INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,           -- empty where it could not be told
    student TEXT NOT NULL,
    who TEXT NOT NULL,                  -- the platform's number or address; a name where no platform gave one
    suite TEXT NOT NULL,                -- what judges it; empty where the assignment is not known
    code TEXT NOT NULL,                 -- hash of what is run, or of the reason why nothing can be
    counts INTEGER NOT NULL,            -- no later submission of the same student does instead
    folder TEXT NOT NULL,               -- of the student, under results/ and feedback/
    submission TEXT NOT NULL,           -- JSON, without the code
    cells TEXT NOT NULL,                -- JSON: the code
    adjustments TEXT NOT NULL           -- JSON: corrections by hand
);
CREATE INDEX IF NOT EXISTS by_key ON submissions (code, assignment, suite);
CREATE INDEX IF NOT EXISTS by_person ON submissions (assignment, who);
CREATE TABLE IF NOT EXISTS results (                  -- of all runs
    assignment TEXT NOT NULL,
    suite TEXT NOT NULL,
    code TEXT NOT NULL,
    lost TEXT NOT NULL,                 -- why no grader could judge it, for staff; empty where one did
    grade BLOB NOT NULL,                -- JSON, deflated
    PRIMARY KEY (assignment, suite, code)
);
PRAGMA user_version = {VERSION};
COMMIT;
"""

DAMAGED = (zlib.error, ValueError, TypeError, KeyError)
"""What a damaged row may raise."""


def code_hash(submission: Submission) -> str:
    """The same for two submissions exactly if they run the same code, or cannot be read for the same reason."""
    reason = submission.problem.message if submission.problem is not None else None
    return hashlib.sha256(json.dumps([submission.cells, reason]).encode("ascii")).hexdigest()


class Gradebook:
    """An open gradebook: `writing` for the one who grades, `reading` for everybody else. Until it is closed, what the
    disk complains about is a BatchError."""

    def __init__(self, out: Path, database: sqlite3.Connection, was_damaged: bool = False) -> None:
        self.out = out
        self._database = database
        self.was_damaged = was_damaged  # and could not be used: this is a new one

    @classmethod
    @contextmanager
    def writing(cls, out: Path) -> Iterator[Gradebook]:
        """The gradebook of the folder OUT, for grading; both are made where they are missing."""
        with in_words(out):
            out.mkdir(parents=True, exist_ok=True)
            with (out / LOCK).open("ab") as file:
                _lock(file)
                damaged = (out / FILE).exists() and not _is_whole(out)
                for part in out.glob(f"{FILE}*") if damaged else ():
                    part.unlink()
                with closing(_connected(out, "rwc")) as database:
                    database.executescript(_SCHEMA)
                    yield cls(out, database, damaged)

    @classmethod
    @contextmanager
    def reading(cls, out: Path) -> Iterator[Gradebook]:
        """The gradebook of a batch that is finished, or still running."""
        if not (out / FILE).is_file():
            raise BatchError(f"there is no gradebook in {out}: `autograder grade` makes one")
        with in_words(out):
            if not _is_whole(out):
                raise BatchError(_DAMAGED.format(out / FILE))
            with closing(_connected(out, "ro")) as database:
                yield cls(out, database)

    def take_in(self, folders: Iterable[Iterable[Submission]], suites: Mapping[str, str]) -> None:
        """Take in what was handed in, in the place of what the last run found. Where a student has a submission for an
        assignment in two folders, the one in the later folder counts.

        `suites` holds the hash of each assignment's suite.
        """
        names: set[str] = set()
        folder_of: dict[str, str] = {}  # everybody's
        earlier: dict[str, set[tuple[str, Person]]] = defaultdict(set)  # whom platforms named, by all that they go by
        with self._database:
            self._database.execute("DELETE FROM submissions")
            for submissions in folders:
                ((before,),) = self._database.execute("SELECT coalesce(max(number), 0) FROM submissions")
                here: list[tuple[str, str, Person]] = []
                for submission in submissions:
                    if submission.person.platform:
                        here += ((name, submission.student, submission.person) for name in known_as(submission))
                    elif len(meant := earlier[folded(submission.student)]) == 1:
                        ((student, person),) = meant
                        submission = replace(submission, student=student, person=person)
                    if submission.who not in folder_of:
                        folder_of[submission.who] = safe_name(submission.student, names)
                    self._keep(submission, suites.get(submission.assignment, ""), folder_of[submission.who], before)
                for name, student, person in here:
                    earlier[name].add((student, person))

    def _keep(self, submission: Submission, suite: str, folder: str, before: int) -> None:
        """Keep one submission. It replaces the student's up to the number `before`, unless only those are written."""
        who = utf8_safe(submission.who)
        counts = 1
        if submission.assignment:
            earlier = "assignment = ? AND who = ? AND number <= ? AND counts"
            values = (submission.assignment, who, before)
            written = f"SELECT 1 FROM submissions WHERE {earlier} AND json_extract(submission, '$.is_written')"
            if not submission.is_written and self._database.execute(written, values).fetchone():
                counts = 0
            else:
                self._database.execute(f"UPDATE submissions SET counts = 0 WHERE {earlier}", values)
        key = (submission.assignment, utf8_safe(submission.student), who, suite, code_hash(submission))
        facts = (json.dumps(asdict(replace(submission, cells=()))), json.dumps(submission.cells))
        insert = "INSERT INTO submissions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]')"
        self._database.execute(insert, (*key, counts, folder, *facts))

    def adjust(self, adjustments: Mapping[int, Sequence[Adjustment]]) -> None:
        """Keep the corrections of these rows, by number."""
        with self._database:
            rows = [(json.dumps([asdict(line) for line in lines]), number) for number, lines in adjustments.items()]
            self._database.executemany("UPDATE submissions SET adjustments = ? WHERE number = ?", rows)

    def submissions(self) -> Iterator[tuple[int, Submission]]:
        """Those that count, by number."""
        query = "SELECT number, submission FROM submissions WHERE counts"
        return self._read(lambda row: (row["number"], _submission(row)), query)

    def replaced(self) -> list[Submission]:
        """Submissions that do not count, because a later one of the same student does."""
        query = "SELECT submission FROM submissions WHERE NOT counts ORDER BY assignment, student, number"
        return list(self._read(_submission, query))

    def questions(self) -> dict[str, list[str]]:
        """The questions of each assignment that has a grade, in the order of its suite."""
        query = (
            "SELECT assignment, grade FROM submissions JOIN results USING (assignment, suite, code) WHERE counts GROUP"
            " BY assignment ORDER BY assignment"
        )
        return dict(self._read(lambda row: (row["assignment"], [*from_json(_whole(row)).questions]), query))

    def to_grade(self) -> dict[Key, int]:
        """What has no whole grade yet, and how many submissions share it. What no grader could judge the last time is
        tried again."""
        query = (
            "SELECT assignment, suite, code, count(*) AS count, lost, grade FROM submissions"
            " LEFT JOIN results USING (assignment, suite, code)"
            " WHERE counts AND suite != '' GROUP BY assignment, suite, code ORDER BY assignment, min(student)"
        )
        rows = self._read(lambda row: (Key(*row[:3]), row["count"], row["lost"] == "" and _is_whole_grade(row)), query)
        return {key: count for key, count, done in rows if not done}

    def problem(self, code: str) -> str | None:
        """Why nothing of this code can be run, for the student; None where something can."""
        query = "SELECT submission FROM submissions WHERE code = ? LIMIT 1"
        (submission,) = self._read(_submission, query, code)
        return submission.problem.message if submission.problem is not None else None

    def cells(self, code: str) -> tuple[str, ...]:
        """The code of a key."""
        query = "SELECT cells FROM submissions WHERE code = ? LIMIT 1"
        (cells,) = self._read(lambda row: tuple(json.loads(row["cells"])), query, code)
        return cells

    def add(self, key: Key, packed: bytes, lost: str = "") -> None:
        """Keep a packed grade, with why no grader could judge that code, if so. From here on it survives."""
        with self._database:
            row = (*key, utf8_safe(lost), packed)
            self._database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", row)

    def rows(self) -> Iterator[Row]:
        """Every submission that counts and has a grade, by assignment and then student."""
        query = (
            "SELECT assignment, suite, code, folder, submission, adjustments, lost, grade FROM submissions"
            " LEFT JOIN results USING (assignment, suite, code)"
            " WHERE counts AND (grade IS NOT NULL OR suite = '') ORDER BY assignment, student, who, number"
        )
        return self._read(_row, query)

    def _read(self, make: Callable[[sqlite3.Row], Made], query: str, *values: Any) -> Iterator[Made]:
        """What is made of each row of a query."""
        try:
            yield from map(make, self._database.execute(query, values))
        except DAMAGED as error:
            raise BatchError(_DAMAGED.format(self.out / FILE)) from error


def _submission(row: sqlite3.Row) -> Submission:
    """Without its code."""
    facts = json.loads(row["submission"])
    problem = facts.pop("problem")
    lists = {name: tuple(value) for name, value in facts.items() if isinstance(value, list)}
    person = Person(**facts.pop("person"))
    return Submission(**facts | lists, person=person, problem=Problem(**problem) if problem else None)


def _row(row: sqlite3.Row) -> Row:
    adjustments = tuple(Adjustment(**line) for line in json.loads(row["adjustments"]))
    return Row(_submission(row), Key(*row[:3]), row["folder"], row["lost"] or "", adjustments, _whole(row))


def _whole(row: sqlite3.Row) -> bytes:
    """A grade as JSON, nothing where there is none. Raises zlib.error where it is damaged."""
    return zlib.decompress(row["grade"]) if row["grade"] is not None else b""


def _is_whole_grade(row: sqlite3.Row) -> bool:
    try:
        return bool(_whole(row))
    except DAMAGED:
        return False


def _connected(out: Path, mode: str) -> sqlite3.Connection:
    database = sqlite3.connect(f"{(out / FILE).absolute().as_uri()}?mode={mode}", uri=True)
    database.row_factory = sqlite3.Row
    return database


def _is_whole(out: Path) -> bool:
    """Whether there is a gradebook of this version that SQLite can read."""
    queries = ("PRAGMA user_version", "PRAGMA integrity_check(1)", "SELECT count(*) FROM sqlite_master")
    try:
        with closing(_connected(out, "ro")) as database:
            version, said, tables = (database.execute(query).fetchone()[0] for query in queries)
            return said == "ok" and (version == VERSION or not tables)
    except sqlite3.OperationalError:
        raise
    except (*DAMAGED, sqlite3.DatabaseError):
        return False


def _lock(file: IO[bytes]) -> None:
    """Until this process ends, however it ends."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        where = Path(file.name).parent
        raise BatchError(
            f"another run is grading into {where}: wait until it has ended, or choose another folder with --out"
        ) from error


@contextmanager
def in_words(out: Path) -> Iterator[None]:
    """What the disk or SQLite complains about, as a sentence."""
    try:
        yield
    except (sqlite3.OperationalError, OSError) as error:
        why = getattr(error, "strerror", None) or error
        raise BatchError(
            f"{out} cannot be written or read ({why}): what was graded until now is kept. Make room, or choose another"
            " folder with --out, and run the same command again"
        ) from error
    except sqlite3.DatabaseError as error:
        raise BatchError(_DAMAGED.format(out / FILE)) from error


_DAMAGED = "{} is damaged, or of another version: run `autograder grade` again, and what is damaged is graded anew"
