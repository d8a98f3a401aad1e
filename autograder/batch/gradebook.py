"""The gradebook: what was handed in and what grading it came to, in one SQLite file that survives being killed.

`submissions` has a row for every file that somebody handed in, as the last run found them; `sources` the code of each
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
import sqlite3
import unicodedata
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import IO, Any

from autograder.batch.jobs import BatchError
from autograder.checks.status import Status
from autograder.grading.row import Adjustment, Key, PackedGrade, Row
from autograder.submission import Problem, Submission
from autograder.submission.names import safe_name, utf8_safe

FILE = "gradebook.sqlite"
LOCK = "gradebook.lock"
VERSION = 3

_SCHEMA = f"""
CREATE TABLE submissions (
    assignment TEXT NOT NULL,           -- empty where it could not be told
    student TEXT NOT NULL,
    file TEXT NOT NULL,
    sha256 TEXT NOT NULL,               -- of the bytes handed in
    suite TEXT NOT NULL,                -- what judges it; empty where the assignment is not known
    code TEXT NOT NULL,                 -- hash of what is run, or of the reason why nothing can be
    notes TEXT NOT NULL,                -- JSON list of sentences
    for_student TEXT,                   -- the problem, where no code could be had
    for_instructor TEXT,
    handed_in REAL NOT NULL,            -- seconds since 1970, as the platform says; else 0
    superseded INTEGER NOT NULL,        -- a later submission of the same student counts instead
    written INTEGER NOT NULL,           -- feedback and results lie in their folders
    PRIMARY KEY (assignment, suite, code, student, file)    -- those who share a grade lie together
) WITHOUT ROWID;
CREATE UNIQUE INDEX by_file ON submissions (assignment, student, file);
CREATE INDEX by_student ON submissions (student);
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
    grade BLOB NOT NULL,                -- all of it: JSON, deflated
    gradescope TEXT NOT NULL,           -- Gradescope's JSON
    feedback TEXT NOT NULL,             -- for the student, Markdown
    PRIMARY KEY (assignment, suite, code)
);
CREATE TABLE folders (
    student TEXT PRIMARY KEY,
    folder TEXT NOT NULL,
    looks TEXT NOT NULL                 -- the same for names that differ in their Unicode form alone
) WITHOUT ROWID;
CREATE INDEX by_looks ON folders (looks);
CREATE TABLE adjustments (              -- what people said of a grade; it stays, whatever is graded anew
    number INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    assignment TEXT NOT NULL,
    points REAL,                        -- added
    score REAL,                         -- or set
    reason TEXT NOT NULL,
    comment TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at" TEXT NOT NULL
);
CREATE INDEX by_adjusted ON adjustments (assignment, student);
CREATE VIEW grades AS                   -- as the tests judged
    SELECT student, assignment, score, max_score, status, file, sha256, seconds, lost
    FROM submissions JOIN results USING (assignment, suite, code) WHERE NOT superseded ORDER BY assignment, student;
PRAGMA user_version = {VERSION};
"""

_SUBMISSION = "assignment, student, file, sha256, suite, code, notes, for_student, for_instructor, handed_in, superseded"
_RESULT = "status, score, max_score, seconds, questions, lost, grade, gradescope, feedback"

# A submission of no known assignment has no suite to judge it: it is unreadable as it stands.
_GRADED = f"""
    SELECT {_SUBMISSION}, written, folder, {_RESULT},
        EXISTS (
            SELECT 1 FROM adjustments WHERE (adjustments.assignment, adjustments.student) = (submissions.assignment, submissions.student)
        ) AS adjusted,
        EXISTS (SELECT 1 FROM folders AS other WHERE other.looks = folders.looks AND other.student != folders.student) AS twin
    FROM submissions LEFT JOIN results USING (assignment, suite, code) JOIN folders USING (student)
    WHERE NOT superseded AND (status IS NOT NULL OR suite = '')
"""


class GradebookError(BatchError):
    """The gradebook cannot be used as it is. The message is a sentence or two for a person."""


def code_hash(submission: Submission) -> str:
    """The same for two submissions exactly if they run the same code, or cannot be read for the same reason."""
    reason = submission.problem.student if submission.problem is not None else None
    return hashlib.sha256(json.dumps([submission.cells, reason]).encode("ascii")).hexdigest()


class Gradebook:
    """An open gradebook: `writing` for the one who grades, `reading` for everybody else."""

    def __init__(self, out: Path, opened: ExitStack, create: bool) -> None:
        """What `opened` holds is closed with the gradebook."""
        self.out = out
        self._database = opened.enter_context(closing(_connected(out / FILE, create)))
        _check(self._database, out / FILE, create)
        self._opened = opened.pop_all()

    @classmethod
    def writing(cls, out: Path) -> Gradebook:
        """Open the gradebook of the folder OUT for grading; both are made where they are missing."""
        with in_words(out), ExitStack() as opened:
            out.mkdir(parents=True, exist_ok=True)
            opened.enter_context(_locked(out / LOCK))
            return cls(out, opened, create=True)

    @classmethod
    def reading(cls, out: Path) -> Gradebook:
        """Open the gradebook of a batch that is finished, or still running."""
        if not (out / FILE).is_file():
            raise GradebookError(f"there is no gradebook in {out}: `autograder grade` makes one")
        with in_words(out), ExitStack() as opened:
            return cls(out, opened, create=False)

    def take_in(self, submissions: Iterable[Submission], suites: Mapping[str, str]) -> None:
        """Take in what was handed in. It replaces all that was known of its assignments; other assignments stay.

        `suites` holds the hash of each assignment's suite.
        """
        with self._transaction():
            before = {(row["assignment"], row["student"], row["file"]): row for row in self._all("SELECT * FROM submissions")}
            folders = {row["student"]: row["folder"] for row in self._all("SELECT student, folder FROM folders")}
            taken: set[str] = set()
            for folder in folders.values():
                safe_name(folder, taken)  # a safe name stays itself, and `taken` grows by it
            replaced: set[str] = set()
            for one in submissions:
                if one.assignment not in replaced:
                    self._run("DELETE FROM submissions WHERE assignment = ?", one.assignment)
                    replaced.add(one.assignment)
                values = _values(one, suites.get(one.assignment, ""))
                old = before.get((one.assignment, one.student, one.file))
                values["written"] = old is not None and bool(old["written"]) and all(old[name] == value for name, value in values.items())
                self._insert("submissions", values)
                if one.problem is None:
                    self._run("INSERT OR IGNORE INTO sources VALUES (?, ?)", values["code"], json.dumps(one.cells))
                if one.student not in folders:  # the same folder for a student in every run, and nobody else's
                    folders[one.student] = safe_name(one.student, taken)
                    self._run("INSERT INTO folders VALUES (?, ?, ?)", one.student, folders[one.student], unicodedata.normalize("NFKC", one.student))

    def forget(self, assignments: Iterable[str]) -> None:
        """Drop the grades on what is now handed in for these assignments, so that it is graded again."""
        with self._transaction():
            for name in assignments:
                self._run(
                    "DELETE FROM results WHERE assignment = ? AND (suite, code) IN "
                    "(SELECT suite, code FROM submissions WHERE submissions.assignment = results.assignment)",
                    name,
                )

    def to_grade(self) -> dict[Key, int]:
        """What has no grade yet, and how many submissions share it. What no grader could judge the last time is tried again."""
        found = self._all(
            "SELECT assignment, suite, code, count(*) AS count FROM submissions LEFT JOIN results USING (assignment, suite, code) "
            "WHERE NOT superseded AND suite != '' AND (status IS NULL OR lost != '') "
            "GROUP BY assignment, suite, code ORDER BY assignment, min(student)"
        )
        return {Key(row["assignment"], row["suite"], row["code"]): row["count"] for row in found}

    def problem(self, key: Key) -> str | None:
        """Why nothing can be run, for the student; None where something can."""
        found = self._all("SELECT for_student FROM submissions WHERE (assignment, suite, code) = (?, ?, ?)", *key)
        return found[0]["for_student"] if found else None

    def cells(self, code: str) -> tuple[str, ...]:
        """The code of a key; none where there is none."""
        found = self._all("SELECT cells FROM sources WHERE code = ?", code)
        return tuple(json.loads(found[0]["cells"])) if found else ()

    def add(self, graded: Iterable[tuple[Key, PackedGrade, str]]) -> None:
        """Keep grades, each with why no grader could judge that code, if so. From here on they survive."""
        with self._transaction():
            for key, grade, lost in graded:
                as_text = {"questions": json.dumps(grade.questions), "lost": utf8_safe(lost)}
                self._insert("results", key._asdict() | vars(grade) | as_text)
                self._run("UPDATE submissions SET written = 0 WHERE (assignment, suite, code) = (?, ?, ?) AND written", *key)

    def rows(self, **only: object) -> Iterator[Row]:
        """Submissions that count and have a grade, by assignment and then student: all, or those with these values in their columns."""
        where = "".join(f" AND {column} = ?" for column in only)
        with in_words(self.out):
            for found in self._database.execute(f"{_GRADED}{where} ORDER BY assignment, student, file", tuple(only.values())):
                yield _graded(found, tuple(self.adjustments(found["student"], found["assignment"])) if found["adjusted"] else ())

    def mark_written(self, rows: Iterable[Row], written: bool = True) -> None:
        """Feedback and results of these rows lie in their folders, or do not."""
        marked = [(written, row.submission.assignment, row.submission.student, row.submission.file) for row in rows]
        with self._transaction():
            self._database.executemany("UPDATE submissions SET written = ? WHERE (assignment, student, file) = (?, ?, ?)", marked)

    def students(self, assignment: str) -> dict[str, str]:
        """Who has a submission for an assignment, and their folders."""
        found = self._all("SELECT student, folder FROM submissions JOIN folders USING (student) WHERE assignment = ? AND NOT superseded", assignment)
        return {row["student"]: row["folder"] for row in found}

    def adjustments(self, student: str | None = None, assignment: str | None = None) -> list[Adjustment]:
        """What people said of grades, in order: of everybody, or of one student or assignment."""
        where = "(?1 IS NULL OR student = ?1) AND (?2 IS NULL OR assignment = ?2)"
        return [Adjustment(**row) for row in self._all(f"SELECT * FROM adjustments WHERE {where} ORDER BY number", student, assignment)]

    def adjust(self, adjustment: Adjustment) -> None:
        """Keep what a person said of a grade; its number is given here."""
        with self._transaction():
            self._insert("adjustments", {name: value for name, value in vars(adjustment).items() if name != "number"})
            self._changed(adjustment)

    def undo(self, adjustment: Adjustment) -> None:
        """Drop it."""
        with self._transaction():
            self._run("DELETE FROM adjustments WHERE number = ?", adjustment.number)
            self._changed(adjustment)

    def _changed(self, adjustment: Adjustment) -> None:
        where = "(assignment, student) = (?, ?)"
        self._run(f"UPDATE submissions SET written = 0 WHERE {where}", adjustment.assignment, adjustment.student)

    def identical(self) -> list[list[Row]]:
        """Groups of different files handed in with the same code."""
        keys = self._all(
            "SELECT assignment, suite, code FROM submissions WHERE NOT superseded AND for_student IS NULL "
            "GROUP BY assignment, suite, code HAVING count(DISTINCT file) > 1"
        )
        return [rows for key in keys if (rows := list(self.rows(**dict(key))))]

    def files(self) -> Iterator[tuple[str, str | None, str | None]]:
        """Every student's folder, with the assignment and file of all that counts there; None twice where nothing does."""
        current = "(SELECT student, assignment, file FROM submissions WHERE NOT superseded)"
        query = f"SELECT folder, assignment, file FROM folders LEFT JOIN {current} USING (student) ORDER BY folder"
        with in_words(self.out):
            yield from map(tuple, self._database.execute(query))

    def superseded(self) -> list[Submission]:
        """Submissions that do not count, because their student handed in later."""
        found = self._all(f"SELECT {_SUBMISSION} FROM submissions WHERE superseded ORDER BY assignment, student, file")
        return [_submission(row) for row in found]

    def questions(self) -> dict[str, list[str]]:
        """The questions of each assignment that has a grade, in the order of its suite."""
        found = self._all("SELECT assignment, questions FROM submissions JOIN results USING (assignment, suite, code) GROUP BY assignment")
        return {row["assignment"]: list(json.loads(row["questions"])) for row in found}

    def _all(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with in_words(self.out):
            return self._database.execute(query, values).fetchall()

    def _run(self, command: str, *values: Any) -> None:
        self._database.execute(command, values)

    def _insert(self, table: str, values: Mapping[str, Any]) -> None:
        names, marks = ", ".join(f'"{name}"' for name in values), ", ".join("?" * len(values))
        self._run(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", *values.values())

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with in_words(self.out), self._database:
            yield

    def close(self) -> None:
        """Let go of the file, and then of the lock."""
        self._opened.close()

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _values(submission: Submission, suite: str) -> dict[str, Any]:
    """A submission as the database keeps it, `written` left out."""
    problem = submission.problem
    return {
        "assignment": submission.assignment,
        "student": submission.student,
        "file": submission.file,
        "sha256": submission.sha256,
        "suite": suite,
        "code": code_hash(submission),
        "notes": json.dumps(submission.notes),
        "for_student": problem and problem.student,
        "for_instructor": problem and problem.instructor,
        "handed_in": submission.handed_in,
        "superseded": int(submission.superseded),
    }


def _submission(found: sqlite3.Row) -> Submission:
    return Submission(
        student=found["student"],
        assignment=found["assignment"],
        file=found["file"],
        sha256=found["sha256"],
        notes=tuple(json.loads(found["notes"])),
        problem=None if found["for_student"] is None else Problem(found["for_student"], found["for_instructor"]),
        handed_in=found["handed_in"],
        superseded=bool(found["superseded"]),
    )


def _graded(found: sqlite3.Row, adjustments: tuple[Adjustment, ...]) -> Row:
    packed = None
    if found["status"] is not None:
        columns = {field.name: found[field.name] for field in fields(PackedGrade)}
        packed = PackedGrade(**columns | {"status": Status(found["status"]), "questions": json.loads(found["questions"])})
    key = Key(found["assignment"], found["suite"], found["code"])
    flags = bool(found["twin"]), bool(found["written"])
    return Row(_submission(found), key, found["folder"], *flags, found["lost"] or "", adjustments, packed)


def _locked(path: Path) -> IO[bytes]:
    """A lock that ends with this process, however it ends."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        message = f"another run is grading into {path.parent}: wait until it has ended, or choose another folder with --out"
        raise GradebookError(message) from error
    return file


def _connected(path: Path, create: bool) -> sqlite3.Connection:
    mode = "rwc" if create else "ro"
    database = sqlite3.connect(f"file:{urllib.parse.quote(str(path))}?mode={mode}", uri=True)
    database.row_factory = sqlite3.Row
    return database


def _check(database: sqlite3.Connection, path: Path, create: bool) -> None:
    """The file is whole, and of this version; a new one gets its tables."""
    (found,) = database.execute("PRAGMA user_version").fetchone()
    empty = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
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
    (whole,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if whole != "ok":
        raise GradebookError(_DAMAGED.format(path))


@contextmanager
def in_words(out: Path) -> Iterator[None]:
    """What the disk or SQLite complains about below OUT, as a sentence."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
            sentence = _DAMAGED.format(out / FILE)
        elif name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
            sentence = _NO_ROOM.format(out)
        elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
            sentence = _NO_ACCESS.format(out, "it is read-only")
        else:
            sentence = f"{out / FILE} cannot be used: {error}"
        raise GradebookError(sentence) from error
    except OSError as error:
        no_room = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise GradebookError(_NO_ROOM.format(out) if no_room else _NO_ACCESS.format(out, error.strerror)) from error


_NO_ROOM = "the disk of {} is full: every grade until now is kept; make room and run the same command again to go on"
_DAMAGED = "{} is damaged: move it away and run the same command again; everything is then graded anew"
_NO_ACCESS = "nothing can be written to {} ({}): choose another folder with --out"
