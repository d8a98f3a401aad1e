"""The gradebook: what was handed in and what grading it came to, in one SQLite file that survives being killed.

`handed_in` has a row for every file that somebody handed in, as the last run found them; `sources` the code of each
distinct one; `results` what a suite made of a code. A grade is keyed by (assignment, suite, code), so identical files are
graded once, a second run grades nothing, and a changed test regrades only its own assignment. The view `grades` is for
whoever opens the file with another program.

One process writes, under a lock; any number may read meanwhile (SQLite's write-ahead log).
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import sqlite3
import urllib.parse
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from autograder.grading import result
from autograder.grading.result import Grade
from autograder.submission import Problem, Submission
from autograder.submission.names import safe_name, utf8_safe

FILE = "gradebook.sqlite"
LOCK = "gradebook.lock"
VERSION = 2

_SCHEMA = f"""
CREATE TABLE handed_in (
    assignment TEXT NOT NULL,           -- empty where it could not be told
    student TEXT NOT NULL,
    file TEXT NOT NULL,
    sha256 TEXT NOT NULL,               -- of the bytes handed in
    suite TEXT NOT NULL,                -- what judges it; empty where the assignment is not known
    code TEXT NOT NULL,                 -- hash of what is run, or of the reason why nothing can be
    notes TEXT NOT NULL,                -- JSON list of sentences
    for_student TEXT,                   -- the problem, where no code could be had
    for_instructor TEXT,
    superseded INTEGER NOT NULL,        -- a later submission of the same student counts instead
    written INTEGER NOT NULL,           -- feedback and results lie in their folders
    PRIMARY KEY (assignment, student, file)
) WITHOUT ROWID;
CREATE INDEX by_code ON handed_in (assignment, suite, code);
CREATE TABLE sources (code TEXT PRIMARY KEY, cells TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE results (
    assignment TEXT NOT NULL,
    suite TEXT NOT NULL,
    code TEXT NOT NULL,
    status TEXT NOT NULL,
    score REAL NOT NULL,
    max_score REAL NOT NULL,
    seconds REAL NOT NULL,
    questions TEXT NOT NULL,            -- JSON: points by question
    lost TEXT NOT NULL,                 -- why no grader could judge it, for staff; empty where one did
    grade BLOB NOT NULL,              -- JSON, deflated
    PRIMARY KEY (assignment, suite, code)
);
CREATE TABLE folders (student TEXT PRIMARY KEY, folder TEXT NOT NULL) WITHOUT ROWID;
CREATE VIEW grades AS
    SELECT student, assignment, score, max_score, status, file, sha256, seconds, lost
    FROM handed_in JOIN results USING (assignment, suite, code) WHERE NOT superseded ORDER BY assignment, student;
PRAGMA user_version = {VERSION};
"""

_HANDED_IN = "assignment, student, file, sha256, suite, code, notes, for_student, for_instructor, superseded"
_RESULT = "status, score, max_score, seconds, questions, lost, grade"

# A submission of no known assignment has no suite to judge it: it is unreadable as it stands.
_GRADED = f"""
    SELECT {_HANDED_IN}, written, folder, {_RESULT}
    FROM handed_in LEFT JOIN results USING (assignment, suite, code) JOIN folders USING (student)
    WHERE NOT superseded AND (status IS NOT NULL OR suite = '')
"""


class GradebookError(Exception):
    """The gradebook cannot be used as it is. The message is a sentence or two for a person."""


class Damaged(GradebookError):
    """The file is no longer a whole database: `salvage` reads what is left."""


class Key(NamedTuple):
    """What a grade is about: some code, and the suite that judges it."""

    assignment: str
    suite: str
    code: str


@dataclass(frozen=True)
class Row:
    """One submission that counts, and its grade."""

    submission: Submission
    """without its cells: `Gradebook.cells` has them"""
    key: Key
    folder: str
    """its student's folder name"""
    status: str
    score: float
    max_score: float
    seconds: float
    questions: dict[str, float]
    """points by question"""
    lost: str
    """why no grader could judge it, for staff; empty where one did"""
    written: bool
    """whether its feedback and results were written to the student's folder"""
    packed: bytes | None

    @property
    def grade(self) -> Grade | None:
        """All of the grade; None where nothing was run."""
        if self.packed is None or self.lost or self.submission.problem is not None:
            return None
        return _unpacked(self.packed)

    @property
    def gradescope(self) -> dict[str, Any]:
        """The result in Gradescope's format."""
        if self.packed is not None:
            return _unpacked(self.packed).gradescope
        assert self.submission.problem is not None  # of no known assignment: there is no suite to say more
        return {"tests": [], "output": self.submission.problem.student, "score": 0}


def code_hash(submission: Submission) -> str:
    """The same for two submissions exactly if they run the same code, or cannot be read for the same reason."""
    said = submission.problem.student if submission.problem is not None else None
    return hashlib.sha256(json.dumps([submission.cells, said]).encode("ascii")).hexdigest()


class Gradebook:
    """An open gradebook: `writing` for the one who grades, `reading` for everybody else."""

    def __init__(self, path: Path, database: sqlite3.Connection, lock: int | None) -> None:
        self.path = path
        self._database = database
        self._lock = lock

    @classmethod
    def writing(cls, out: Path) -> Gradebook:
        """Open the gradebook of the folder OUT for grading; both are made where they are missing."""
        path = out / FILE
        with _in_words(path):
            out.mkdir(parents=True, exist_ok=True)
            lock = _locked(out / LOCK)
            try:
                return cls(path, _opened(path, create=True), lock)
            except BaseException:
                os.close(lock)
                raise

    @classmethod
    def reading(cls, out: Path) -> Gradebook:
        """Open the gradebook of a batch that is finished, or still running."""
        path = out / FILE
        if not path.is_file():
            raise GradebookError(f"there is no gradebook in {out}: `autograder grade` makes one")
        with _in_words(path):
            return cls(path, _opened(path, create=False), None)

    def take_in(self, submissions: Iterable[Submission], suites: Mapping[str, str]) -> None:
        """Take in what was handed in. It replaces all that was known of its assignments; other assignments stay.

        `suites` holds the hash of each assignment's suite.
        """
        with self._transaction():
            before = {row[:3]: row for row in self._all("SELECT * FROM handed_in")}
            taken: set[str] = set()
            for (folder,) in self._all("SELECT folder FROM folders"):
                safe_name(folder, taken)  # a safe name stays itself, and `taken` grows by it
            replaced: set[str] = set()
            for submission in submissions:
                row = _row(submission, suites.get(submission.assignment, ""))
                assignment, student, code = row[0], row[1], row[5]
                if assignment not in replaced:
                    self._run("DELETE FROM handed_in WHERE assignment = ?", assignment)
                    replaced.add(assignment)
                old = before.get(row[:3])
                written = bool(old is not None and old[:-1] == row and old[-1])
                self._run("INSERT OR REPLACE INTO handed_in VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *row, written)
                if submission.problem is None:
                    self._run("INSERT OR IGNORE INTO sources VALUES (?, ?)", code, json.dumps(submission.cells))
                self._give_folder(student, taken)

    def _give_folder(self, student: str, taken: set[str]) -> None:
        """The same folder for a student in every run, and nobody else's."""
        if not self._all("SELECT 1 FROM folders WHERE student = ?", student):
            self._run("INSERT INTO folders VALUES (?, ?)", student, safe_name(student, taken))

    def forget(self, assignments: Iterable[str]) -> None:
        """Drop the grades on what is now handed in for these assignments, so that it is graded again."""
        with self._transaction():
            for name in assignments:
                self._run(
                    "DELETE FROM results WHERE assignment = ? AND (suite, code) IN "
                    "(SELECT suite, code FROM handed_in WHERE handed_in.assignment = results.assignment)",
                    name,
                )

    def to_grade(self) -> dict[Key, int]:
        """What has no grade yet, and how many submissions share it. What no grader could judge the last time is tried again."""
        found = self._all(
            "SELECT assignment, suite, code, count(*) FROM handed_in LEFT JOIN results USING (assignment, suite, code) "
            "WHERE NOT superseded AND suite != '' AND (status IS NULL OR lost != '') "
            "GROUP BY assignment, suite, code ORDER BY assignment, min(student)"
        )
        return {Key(*key): count for *key, count in found}

    def problem(self, key: Key) -> str | None:
        """Why nothing can be run, for the student; None where something can."""
        found = self._all("SELECT for_student FROM handed_in WHERE (assignment, suite, code) = (?, ?, ?)", *key)
        return found[0][0] if found else None

    def cells(self, code: str) -> tuple[str, ...]:
        """The code of a key; none where there is none."""
        found = self._all("SELECT cells FROM sources WHERE code = ?", code)
        return tuple(json.loads(found[0][0])) if found else ()

    def add(self, key: Key, grade: Grade, lost: str = "") -> None:
        """Keep a grade: from here on it survives."""
        questions, packed = json.dumps(grade.questions), zlib.compress(result.to_json(grade).encode("ascii"))
        values = (grade.status, grade.score, grade.max_score, grade.seconds, questions, utf8_safe(lost), packed)
        with self._transaction():
            self._run("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *key, *values)
            self._run("UPDATE handed_in SET written = 0 WHERE (assignment, suite, code) = (?, ?, ?)", *key)

    def rows(self) -> Iterator[Row]:
        """Every submission that counts and has a grade, by assignment and then student."""
        return self._rows(f"{_GRADED} ORDER BY assignment, student, file")

    def rows_of(self, key: Key) -> list[Row]:
        """Those submissions that share a grade."""
        where = "AND (assignment, suite, code) = (?, ?, ?)"
        return list(self._rows(f"{_GRADED} {where} ORDER BY student, file", *key))

    def mark_written(self, row: Row) -> None:
        """Feedback and results of a row lie in their folders."""
        one = row.submission
        with self._transaction():
            where = "(assignment, student, file) = (?, ?, ?)"
            self._run(f"UPDATE handed_in SET written = 1 WHERE {where}", one.assignment, one.student, one.file)

    def identical(self) -> list[list[Row]]:
        """Groups of different files handed in with the same code."""
        where = (
            "AND for_student IS NULL AND (assignment, code) IN (SELECT assignment, code FROM handed_in "
            "WHERE NOT superseded GROUP BY assignment, code HAVING count(DISTINCT file) > 1)"
        )
        groups: dict[Key, list[Row]] = {}
        for row in self._rows(f"{_GRADED} {where} ORDER BY assignment, code, student"):
            groups.setdefault(row.key, []).append(row)
        return list(groups.values())

    def superseded(self) -> list[Submission]:
        """Submissions that do not count, because their student handed in later."""
        found = self._all(f"SELECT {_HANDED_IN} FROM handed_in WHERE superseded ORDER BY assignment, student, file")
        return [_submission(row) for row in found]

    def questions(self) -> dict[str, list[str]]:
        """The questions of each assignment that has a grade, in the order of its suite."""
        found = self._all("SELECT assignment, questions FROM handed_in JOIN results USING (assignment, suite, code) GROUP BY assignment")
        return {assignment: list(json.loads(questions)) for assignment, questions in found}

    def counts(self) -> dict[str, int]:
        """How many submissions that count have each status; what has no grade yet is not among them."""
        status = "CASE WHEN suite = '' THEN 'unreadable' ELSE status END"
        return dict(self._all(f"SELECT {status} AS state, count(*) FROM ({_GRADED}) GROUP BY state ORDER BY count(*) DESC"))

    def _rows(self, query: str, *values: Any) -> Iterator[Row]:
        with _in_words(self.path):
            for found in self._database.execute(query, values):
                yield _graded(found)

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with _in_words(self.path):
            return self._database.execute(query, values).fetchall()

    def _run(self, command: str, *values: Any) -> None:
        self._database.execute(command, values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _in_words(self.path), self._database:
            yield

    def close(self) -> None:
        """Let go of the file, and then of the lock."""
        self._database.close()
        if self._lock is not None:
            os.close(self._lock)

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _row(submission: Submission, suite: str) -> tuple[Any, ...]:
    """A submission as the database keeps it, `written` left out."""
    problem = submission.problem
    sentences = (problem.student, problem.instructor) if problem is not None else (None, None)
    return (
        submission.assignment,
        submission.student,
        submission.file,
        submission.sha256,
        suite,
        code_hash(submission),
        json.dumps(submission.notes),
        *sentences,
        int(submission.superseded),
    )


def _submission(found: Sequence[Any]) -> Submission:
    assignment, student, file, sha256, _, _, notes, for_student, for_instructor, superseded = found
    problem = None if for_student is None else Problem(for_student, for_instructor)
    return Submission(
        student=student,
        assignment=assignment,
        file=file,
        sha256=sha256,
        notes=tuple(json.loads(notes)),
        problem=problem,
        superseded=bool(superseded),
    )


def _graded(found: Sequence[Any]) -> Row:
    handed_in, (written, folder, status, score, max_score, seconds, questions, lost, packed) = found[:10], found[10:]
    return Row(
        submission=_submission(handed_in),
        key=Key(found[0], found[4], found[5]),
        folder=folder,
        status=status or "unreadable",
        score=score or 0.0,
        max_score=max_score or 0.0,
        seconds=seconds or 0.0,
        questions=json.loads(questions) if questions else {},
        lost=lost or "",
        written=bool(written),
        packed=packed,
    )


def _unpacked(packed: bytes) -> Grade:
    return result.from_json(zlib.decompress(packed).decode("ascii"))


def _locked(path: Path) -> int:
    """A lock that ends with this process, however it ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        message = f"another run is grading into {path.parent}: wait until it has ended, or choose another folder with --out"
        raise GradebookError(message) from error
    return descriptor


def _opened(path: Path, create: bool) -> sqlite3.Connection:
    mode = "rwc" if create else "ro"
    database = sqlite3.connect(f"file:{urllib.parse.quote(str(path))}?mode={mode}", uri=True)
    try:
        _check(database, path, create)
    except BaseException:
        database.close()
        raise
    return database


def _check(database: sqlite3.Connection, path: Path, create: bool) -> None:
    """The file is whole, and of this version; a new one gets its tables."""
    (found,) = database.execute("PRAGMA user_version").fetchone()
    empty = database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    if create:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if empty:
            database.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
            return
    if found != VERSION:
        age = "an older" if found < VERSION else "a newer"
        raise GradebookError(
            f"{path} was written by {age} version of the autograder (format {found}; this one has {VERSION}): "
            "move it away to keep it, and run again; everything is then graded anew"
        )
    (grade,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if grade != "ok":
        raise Damaged(f"{path} is damaged")


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """What the disk or SQLite complains about, as a sentence."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _explained(path, error) from error
    except OSError as error:
        raise explained(path.parent, error) from error


def _explained(path: Path, error: sqlite3.DatabaseError) -> GradebookError:
    name = getattr(error, "sqlite_errorname", "")
    if name in ("SQLITE_NOTADB",) or name.startswith("SQLITE_CORRUPT"):
        return Damaged(f"{path} is damaged")
    if name == "SQLITE_FULL" or name.startswith("SQLITE_IOERR"):
        return GradebookError(_NO_ROOM.format(path.parent))
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return GradebookError(_NO_ACCESS.format(path.parent, "it is read-only"))
    return GradebookError(f"{path} cannot be used: {error}")


def explained(folder: Path, error: OSError) -> GradebookError:
    """A failure to write below `folder`, as a sentence."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return GradebookError(_NO_ROOM.format(folder))
    return GradebookError(_NO_ACCESS.format(folder, error.strerror))


_NO_ROOM = "the disk of {} is full: every grade until now is kept; make room and run the same command again to go on"
_NO_ACCESS = "nothing can be written to {} ({}): choose another folder with --out"


def salvage(out: Path) -> list[Row]:
    """The grades that can still be read from a damaged gradebook, as far as they can."""
    with closing(sqlite3.connect(f"file:{urllib.parse.quote(str(out / FILE))}?mode=ro", uri=True)) as database:
        handed_in = _readable(database, f"SELECT {_HANDED_IN} FROM handed_in", "assignment {0}, student {0}, file {0}")
        results_left = _readable(database, f"SELECT assignment, suite, code, {_RESULT} FROM results", "rowid {0}")
    by_key = {found[:3]: found[3:] for found in results_left}
    # One row at a time: a page may be readable and hold nonsense.
    rows = []
    for found in sorted(handed_in):
        judged = by_key.get((found[0], found[4], found[5]))
        if judged is not None and not found[9]:
            rows.append(_graded((*found, True, "", *judged)))
    return rows


def _readable(database: sqlite3.Connection, query: str, order: str) -> set[tuple[Any, ...]]:
    """The rows of a table up to its first damaged page, from either end."""
    rows: set[tuple[Any, ...]] = set()
    for direction in ("ASC", "DESC"):
        try:
            for row in database.execute(f"{query} ORDER BY {order.format(direction)}"):
                rows.add(row)
        except sqlite3.DatabaseError:
            continue
    return rows
