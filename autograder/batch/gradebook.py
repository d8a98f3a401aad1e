"""The gradebook: what was handed in and what grading it came to, in one SQLite file that survives being killed.

`submissions` has a row for every file that somebody handed in, as the last run over its folder found them; `people` who
they are; `sources` the code of each distinct one; `results` what a suite made of a code. A grade is keyed by
(assignment, suite, code), so identical files are graded once, a second run grades nothing, and a changed test regrades
only its own assignment. A person is the platform's number or address, so that corrections stay with people whatever
they are called. The view `grades` is for whoever opens the file with another program.

One process writes, under a lock; any number may read meanwhile (SQLite's write-ahead log).
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import itertools
import json
import sqlite3
import unicodedata
import urllib.parse
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, fields, replace
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, NamedTuple

from autograder.batch.jobs import BatchError
from autograder.grading.row import Adjustment, Key, PackedGrade, Row
from autograder.protocol.status import Status
from autograder.reports.matching import letters
from autograder.reports.sending import PEOPLE
from autograder.submission import Person, Problem, Submission, superseded_by
from autograder.submission.names import safe_name, utf8_safe

FILE = "gradebook.sqlite"
LOCK = "gradebook.lock"
VERSION = 5

_SCHEMA = f"""
CREATE TABLE submissions (
    assignment TEXT NOT NULL,           -- empty where it could not be told
    person TEXT NOT NULL,
    place INTEGER NOT NULL,             -- the folder that it was taken in from
    file TEXT NOT NULL,
    sha256 TEXT NOT NULL,               -- of the bytes handed in
    suite TEXT NOT NULL,                -- what judges it; empty where the assignment is not known
    code TEXT NOT NULL,                 -- hash of what is run, or of the reason why nothing can be
    notes TEXT NOT NULL,                -- JSON list of sentences
    for_student TEXT,                   -- the problem, where no code could be had
    for_instructor TEXT,                -- the same for staff; without a problem, what they may want to look at
    handed_in REAL NOT NULL,            -- seconds since 1970, as the platform says; else 0
    came REAL NOT NULL,                 -- what came later has more, on platforms that say so; else 0
    superseded INTEGER NOT NULL,        -- a later submission of the same student in the same folder counts instead
    outdone TEXT NOT NULL,              -- the file in another folder that counts instead; empty where this one does
    written INTEGER NOT NULL,           -- feedback and results lie in their folders
    counts INTEGER GENERATED ALWAYS AS (NOT superseded AND outdone = '') VIRTUAL,
    PRIMARY KEY (assignment, suite, code, person, place, file)    -- those who share a grade lie together
) WITHOUT ROWID;
CREATE UNIQUE INDEX by_file ON submissions (place, assignment, person, file);
CREATE INDEX by_person ON submissions (person, assignment);
CREATE TABLE places (                   -- folders that were graded, in the order in which they were first
    place INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE
);
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
CREATE TABLE people (
    person TEXT PRIMARY KEY,            -- the platform's number or address; a name where no platform gave one
    student TEXT NOT NULL,              -- what to call them, as the last run did
    folder TEXT NOT NULL,
    looks TEXT NOT NULL,                -- the same for names that differ in their Unicode form alone
    platform TEXT NOT NULL,
    number TEXT NOT NULL,
    login TEXT NOT NULL,
    email TEXT NOT NULL,
    sid TEXT NOT NULL,
    name TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX by_looks ON people (looks);
CREATE TABLE adjustments (              -- what people said of a grade; it stays, whatever is graded anew
    number INTEGER PRIMARY KEY,
    person TEXT NOT NULL,
    student TEXT NOT NULL,              -- what they were called then
    assignment TEXT NOT NULL,
    points REAL,                        -- added
    score REAL,                         -- or set
    reason TEXT NOT NULL,
    comment TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at" TEXT NOT NULL
);
CREATE INDEX by_adjusted ON adjustments (assignment, person);
CREATE VIEW grades AS                   -- as the tests judged
    SELECT student, assignment, score, max_score, status, file, sha256, seconds, lost, person
    FROM submissions JOIN results USING (assignment, suite, code) JOIN people USING (person)
    WHERE counts ORDER BY assignment, student, person;
PRAGMA user_version = {VERSION};
"""

_PERSON = "platform, people.number, login, email, sid, name"
_SUBMISSION = (
    "assignment, person, place, student, file, sha256, suite, code, notes, for_student, for_instructor, handed_in,"
    " came, superseded, outdone, " + _PERSON
)
_RESULT = "status, score, max_score, seconds, questions, lost, grade, gradescope, feedback"

# A submission of no known assignment has no suite to judge it: it is unreadable as it stands.
_GRADED = f"""
    SELECT {_SUBMISSION}, written, folder, {_RESULT},
        EXISTS (
            SELECT 1 FROM adjustments
            WHERE (adjustments.assignment, adjustments.person) = (submissions.assignment, submissions.person)
        ) AS adjusted,
        EXISTS (
            SELECT 1 FROM people AS other WHERE other.looks = people.looks AND other.person != people.person
        ) AS twin
    FROM submissions LEFT JOIN results USING (assignment, suite, code)
    CROSS JOIN people USING (person)    -- in this order
    WHERE counts AND (status IS NOT NULL OR suite = '')
"""


class GradebookError(BatchError):
    """The gradebook cannot be used as it is. The message is a sentence or two for a person."""


def code_hash(submission: Submission) -> str:
    """The same for two submissions exactly if they run the same code, or cannot be read for the same reason."""
    reason = submission.problem.student if submission.problem is not None else None
    return hashlib.sha256(json.dumps([submission.cells, reason]).encode("ascii")).hexdigest()


_TELLS = {
    "number": "number != ''",
    "login": "login NOT IN ('', student)",
    "email": "email NOT IN ('', student)",
    "sid": "sid != ''",
    "name": "name NOT IN ('', student)",
}
"""What a platform may say of a person, and when that tells anything."""


class Known(NamedTuple):
    """Somebody who has handed in, and what they go by."""

    person: str
    student: str
    folder: str
    login: str
    email: str
    number: str
    sid: str


class _KnownElsewhere:
    """Whom platforms named in other folders, by all that they go by."""

    def __init__(self, people: Iterable[tuple[str, Person]]) -> None:
        self._people: dict[str, set[tuple[str, Person]]] = defaultdict(set)
        for student, person in people:
            own = (person.number, person.login, person.email, person.sid, letters(student), letters(person.name))
            for name in filter(None, map(str.casefold, own)):
                self._people[name].add((student, person))

    def attached(self, submission: Submission) -> Submission:
        """The same; where a person gave the file a name by which one of these alone goes, it is that one's."""
        name = submission.person.name
        if submission.person.platform or not self._people:
            return submission
        words = name.split()
        # Canvas has the last name first.
        orders = (letters("".join(words[place:] + words[:place])) for place in range(len(words)))
        namesakes = set().union(*(self._people.get(key, ()) for key in {name.casefold(), *orders}))
        if len(namesakes) != 1:
            return submission
        ((student, person),) = namesakes
        return replace(submission, student=student, person=person)

    def all_attached(self, submissions: Iterable[Submission], taken: Taken) -> Iterator[Submission]:
        """The same for all of a folder, told in `taken`; not where two files of it would count for one person."""
        counting: set[tuple[str, str]] = set()
        for given in submissions:
            submission = self.attached(given)
            if (submission.assignment, submission.who) in counting:
                submission = given
            if submission is not given:
                taken.attached.append((given.file, submission.student))
            if not submission.superseded:
                counting.add((submission.assignment, submission.who))
            yield submission


class _Folders:
    """The same folder for a person in every run, and nobody else's."""

    def __init__(self, of_person: dict[str, str]) -> None:
        self._of_person = of_person
        self._names = {PEOPLE}
        for folder in of_person.values():
            safe_name(folder, self._names)  # a safe name stays itself, and `names` grows by it

    def of(self, submission: Submission) -> str:
        if submission.who not in self._of_person:
            self._of_person[submission.who] = safe_name(submission.student, self._names)
        return self._of_person[submission.who]


@dataclass
class Taken:
    """What became of what was taken in from the same folder before, and from other folders."""

    assignments: set[str] = field(default_factory=set)
    """those that were handed in for"""
    people: set[str] = field(default_factory=set)
    """who handed in"""
    attached: list[tuple[str, str]] = field(default_factory=list)
    """files that people named after a student whom a platform named in another folder, and that student"""
    withdrawn: list[tuple[str, str]] = field(default_factory=list)
    """assignment and student of what is not handed in any more, and was taken out"""
    kept: list[tuple[str, str]] = field(default_factory=list)
    """the same of what is not there any more and stays, since only other students' file names speak of that
    assignment"""
    outdone: list[tuple[str, str, str, str]] = field(default_factory=list)
    """assignment, student and file of what does not count any more, and the file in another folder that does"""


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
        _existing(out)
        with in_words(out), ExitStack() as opened:
            return cls(out, opened, create=False)

    def take_in(self, submissions: Iterable[Submission], suites: Mapping[str, str], place: str = "") -> Taken:
        """Take in what was handed in, from a folder that goes by the name `place`.

        It replaces what was taken in from the same folder before: for each assignment that a flag or a folder decides,
        all of it; for one that students' own file names say, what the same students had. What another folder gave
        stays. `suites` holds the hash of each assignment's suite.
        """
        taken = Taken()
        with self._transaction():
            self._run("INSERT OR IGNORE INTO places (path) VALUES (?)", place)
            ((number,),) = self._all("SELECT place FROM places WHERE path = ?", place)
            columns = "SELECT submissions.*, student FROM submissions JOIN people USING (person) WHERE place = ?"
            before = {(row["assignment"], row["person"], row["file"]): row for row in self._all(columns, number)}
            now: set[tuple[str, str, str]] = set()
            decided: set[str] = {""}
            known, folders = self._known(number), self._folders()
            for submission in known.all_attached(submissions, taken):
                key = submission.assignment, submission.who, submission.file
                self._keep(submission, suites.get(submission.assignment, ""), number, before.get(key))
                self._keep_person(submission, folders)
                now.add(key)
                if not submission.is_claimed:
                    decided.add(submission.assignment)
            taken.assignments, taken.people = {assignment for assignment, _, _ in now}, {person for _, person, _ in now}
            gone = {key: row for key, row in before.items() if key not in now}
            self._take_out(gone, {key[:2] for key in now}, decided, taken)
            self._settle(taken)
        return taken

    def _folders(self) -> _Folders:
        return _Folders({row["person"]: row["folder"] for row in self._all("SELECT person, folder FROM people")})

    def _keep(self, submission: Submission, suite: str, place: int, old: sqlite3.Row | None) -> None:
        """One submission, with its code. It is still written where it is as it was."""
        values = _values(submission, suite) | {"place": place, "outdone": ""}
        written = old is not None and bool(old["written"]) and all(old[name] == values[name] for name in values)
        self._insert("submissions", values | {"written": written})
        if submission.problem is None:
            cells = json.dumps(submission.cells)
            self._run("INSERT OR IGNORE INTO sources VALUES (?, ?)", values["code"], cells)

    def _keep_person(self, submission: Submission, folders: _Folders) -> None:
        about = {
            "person": submission.who,
            "student": submission.student,
            "folder": folders.of(submission),
            "looks": unicodedata.normalize("NFKC", submission.student),
        }
        self._insert("people", about | vars(submission.person))

    def _take_out(
        self,
        gone: Mapping[tuple[str, str, str], sqlite3.Row],
        again: Collection[tuple[str, str]],
        decided: Collection[str],
        taken: Taken,
    ) -> None:
        """What is not there any more, where the same person handed in `again` or the folder is all of an
        assignment."""
        for (assignment, person, file), row in gone.items():
            is_replaced = (assignment, person) in again
            if is_replaced or assignment in decided:
                where = "(place, assignment, person, file) = (?, ?, ?, ?)"
                self._run(f"DELETE FROM submissions WHERE {where}", row["place"], assignment, person, file)
                if assignment and not is_replaced:
                    taken.withdrawn.append((assignment, row["student"]))
            elif assignment in taken.assignments:
                taken.kept.append((assignment, row["student"]))

    def _known(self, place: int) -> _KnownElsewhere:
        """Whom platforms named in other folders."""
        people = f"SELECT DISTINCT student, {_PERSON} FROM submissions JOIN people USING (person)"
        rows = self._all(f"{people} WHERE platform != '' AND place != ?", place)
        return _KnownElsewhere((row["student"], _person(row)) for row in rows)

    def _settle(self, taken: Taken) -> None:
        """Of several folders' submissions of one person for one assignment one counts: what a platform says came later,
        or else what is in the folder that was first graded later."""
        several = (
            "SELECT assignment, person FROM submissions WHERE NOT superseded AND assignment != '' "
            "GROUP BY assignment, person HAVING count(DISTINCT place) > 1 OR max(outdone) != ''"
        )
        columns = "assignment, person, student, place, path, file, code, came, outdone"
        tables = "submissions JOIN people USING (person) JOIN places USING (place)"
        rivals = self._all(
            f"SELECT {columns} FROM {tables} WHERE NOT superseded AND (assignment, person) IN ({several}) ORDER BY 1, 2"
        )
        for (assignment, person), group in itertools.groupby(rivals, key=itemgetter("assignment", "person")):
            rows = list(group)
            says = all(row["came"] for row in rows)
            best = max(rows, key=lambda row: (row["came"] if says else 0, row["place"], row["file"]))
            wanted = {row["place"]: "" if row is best else str(Path(best["path"]) / best["file"]) for row in rows}
            if any(row["outdone"] != wanted[row["place"]] for row in rows):
                for row in rows:
                    where = "(place, assignment, person, file) = (?, ?, ?, ?)"
                    values = wanted[row["place"]], row["place"], assignment, person, row["file"]
                    self._run(f"UPDATE submissions SET outdone = ?, written = 0 WHERE {where}", *values)
                changed = (row for row in rows if row["code"] != best["code"])  # the same once more is no news
                taken.outdone += [(assignment, row["student"], row["file"], wanted[row["place"]]) for row in changed]

    def forget(self, assignments: Iterable[str]) -> None:
        """Drop the grades on what is now handed in for these assignments, so that it is graded again."""
        current = "(assignment, suite, code) IN (SELECT assignment, suite, code FROM submissions)"
        with self._transaction():
            for name in assignments:
                self._run(f"DELETE FROM results WHERE assignment = ? AND {current}", name)

    def to_grade(self) -> dict[Key, int]:
        """What has no grade yet, and how many submissions share it. What no grader could judge the last time is tried
        again."""
        rows = self._all(
            "SELECT assignment, suite, code, count(*) AS count FROM submissions LEFT JOIN results USING (assignment,"
            " suite, code) JOIN people USING (person) WHERE counts AND suite != '' AND (status IS NULL OR lost != '')"
            " GROUP BY assignment, suite, code ORDER BY assignment, min(student)"
        )
        return {Key(row["assignment"], row["suite"], row["code"]): row["count"] for row in rows}

    def problem(self, key: Key) -> str | None:
        """Why nothing can be run, for the student; None where something can."""
        rows = self._all("SELECT for_student FROM submissions WHERE (assignment, suite, code) = (?, ?, ?)", *key)
        return rows[0]["for_student"] if rows else None

    def cells(self, code: str) -> tuple[str, ...]:
        """The code of a key; none where there is none."""
        rows = self._all("SELECT cells FROM sources WHERE code = ?", code)
        return tuple(json.loads(rows[0]["cells"])) if rows else ()

    def add(self, graded: Iterable[tuple[Key, PackedGrade, str]]) -> None:
        """Keep grades, each with why no grader could judge that code, if so. From here on they survive."""
        with self._transaction():
            for key, grade, lost in graded:
                as_text = {"questions": json.dumps(grade.questions), "lost": utf8_safe(lost)}
                self._insert("results", key._asdict() | vars(grade) | as_text)
                where = "(assignment, suite, code) = (?, ?, ?) AND written"
                self._run(f"UPDATE submissions SET written = 0 WHERE {where}", *key)

    def rows(self, **only: object) -> Iterator[Row]:
        """Submissions that count and have a grade, by assignment and then student: all, or those with these values in
        their columns."""
        where = "".join(f" AND {column} = ?" for column in only)
        with in_words(self.out):
            query = f"{_GRADED}{where} ORDER BY assignment, student, person, file"
            for row in self._database.execute(query, tuple(only.values())):
                yield _graded(row, self.adjustments(row["person"], row["assignment"]) if row["adjusted"] else ())

    def mark_written(self, rows: Iterable[Row], written: bool = True) -> None:
        """Feedback and results of these rows lie in their folders, or do not."""
        marked = [(written, *row.key, row.submission.who, row.submission.file) for row in rows]
        where = "(assignment, suite, code, person, file) = (?, ?, ?, ?, ?) AND counts"
        with self._transaction():
            self._database.executemany(f"UPDATE submissions SET written = ? WHERE {where}", marked)

    def students(self, assignment: str | None = None) -> list[Known]:
        """Who has a submission, for one assignment or any, by name."""
        columns = "person, student, folder, login, email, number, sid"
        where = "(?1 IS NULL OR assignment = ?1) AND counts"
        query = f"SELECT DISTINCT {columns} FROM submissions JOIN people USING (person) WHERE {where} ORDER BY student"
        return [Known(*row) for row in self._all(query, assignment)]

    def identities(self) -> list[str]:
        """What platforms say of the people who have handed in, beyond what they are called: the columns of it that hold
        anything."""
        query = f"SELECT {', '.join(f'max({test})' for test in _TELLS.values())} FROM people WHERE platform != ''"
        return [name for name, holds in zip(_TELLS, self._all(query)[0], strict=True) if holds]

    def adjustments(self, person: str | None = None, assignment: str | None = None) -> list[Adjustment]:
        """What people said of grades, in order: of everybody, or of one person or assignment."""
        return self._said("(?1 IS NULL OR person = ?1) AND (?2 IS NULL OR assignment = ?2)", person, assignment)

    def idle_adjustments(self) -> list[Adjustment]:
        """Those that apply to nothing, because their person has no submission for the assignment any more."""
        return self._said("(assignment, person) NOT IN (SELECT assignment, person FROM submissions WHERE counts)")

    def _said(self, where: str, *values: Any) -> list[Adjustment]:
        rows = self._all(f"SELECT * FROM adjustments WHERE {where} ORDER BY number", *values)
        return [Adjustment(**row) for row in rows]

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
        where = "(assignment, person) = (?, ?)"
        self._run(f"UPDATE submissions SET written = 0 WHERE {where}", adjustment.assignment, adjustment.person)

    def identical(self) -> list[list[Row]]:
        """Groups of different files handed in with the same code."""
        keys = self._all(
            "SELECT assignment, suite, code FROM submissions WHERE counts AND for_student IS NULL "
            "GROUP BY assignment, suite, code HAVING count(DISTINCT place || '/' || file) > 1"
        )
        return [rows for key in keys if (rows := list(self.rows(**dict(key))))]

    def files(self) -> Iterator[tuple[str, str | None, str | None]]:
        """Every student's folder, with the assignment and file of all that counts there; None twice where nothing
        does."""
        current = "(SELECT person, assignment, file FROM submissions WHERE counts)"
        query = f"SELECT folder, assignment, file FROM people LEFT JOIN {current} USING (person) ORDER BY folder"
        with in_words(self.out):
            yield from map(tuple, self._database.execute(query))

    def superseded(self) -> list[Submission]:
        """Submissions that do not count, because their student handed in another one later; the same once more, in
        another folder, aside."""
        same = "(one.person, one.assignment, one.code) = (submissions.person, submissions.assignment, submissions.code)"
        again = f"outdone != '' AND EXISTS (SELECT 1 FROM submissions AS one WHERE one.counts AND {same})"
        tables = "submissions JOIN people USING (person)"
        rows = self._all(
            f"SELECT {_SUBMISSION} FROM {tables} WHERE NOT counts AND NOT ({again}) ORDER BY assignment, student, file"
        )
        return [_submission(row) for row in rows]

    def questions(self) -> dict[str, list[str]]:
        """The questions of each assignment that has a grade, in the order of its suite."""
        rows = self._all(
            "SELECT assignment, questions FROM submissions JOIN results USING (assignment, suite, code) GROUP BY"
            " assignment"
        )
        return {row["assignment"]: list(json.loads(row["questions"])) for row in rows}

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

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()  # the file, and then the lock


def _values(submission: Submission, suite: str) -> dict[str, Any]:
    """A submission as the database keeps it, `written` left out."""
    problem = submission.problem
    return {
        "assignment": submission.assignment,
        "person": submission.who,
        "file": submission.file,
        "sha256": submission.sha256,
        "suite": suite,
        "code": code_hash(submission),
        "notes": json.dumps(submission.notes),
        "for_student": problem and problem.student,
        "for_instructor": problem.instructor if problem else submission.doubt or None,
        "handed_in": submission.handed_in,
        "came": submission.came,
        "superseded": int(submission.superseded),
    }


def _submission(row: sqlite3.Row) -> Submission:
    problem = None if row["for_student"] is None else Problem(row["for_student"], row["for_instructor"])
    return Submission(
        student=row["student"],
        assignment=row["assignment"],
        file=row["file"],
        sha256=row["sha256"],
        person=_person(row),
        notes=tuple(json.loads(row["notes"])),
        problem=superseded_by(row["outdone"], row["assignment"]) if row["outdone"] else problem,
        doubt="" if problem else row["for_instructor"] or "",
        handed_in=row["handed_in"],
        came=row["came"],
        superseded=bool(row["superseded"] or row["outdone"]),
    )


def _person(row: sqlite3.Row) -> Person:
    return Person(*(row[field.name] for field in fields(Person)))


def _graded(row: sqlite3.Row, adjustments: Iterable[Adjustment]) -> Row:
    packed = None
    if row["status"] is not None:
        columns = {field.name: row[field.name] for field in fields(PackedGrade)}
        packed = PackedGrade(**columns | {"status": Status(row["status"]), "questions": json.loads(row["questions"])})
    key = Key(row["assignment"], row["suite"], row["code"])
    flags = bool(row["twin"]), bool(row["written"])
    return Row(_submission(row), key, row["folder"], *flags, row["lost"] or "", tuple(adjustments), packed)


def _locked(path: Path) -> IO[bytes]:
    """A lock that ends with this process, however it ends."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise GradebookError(
            f"another run is grading into {path.parent}: wait until it has ended, or choose another folder with --out"
        ) from error
    return file


def _connected(path: Path, create: bool) -> sqlite3.Connection:
    mode = "rwc" if create else "ro"
    database = sqlite3.connect(f"file:{urllib.parse.quote(str(path))}?mode={mode}", uri=True)
    database.row_factory = sqlite3.Row
    return database


def _check(database: sqlite3.Connection, path: Path, create: bool) -> None:
    """The file is whole, and of this version; a new one gets its tables."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    empty = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if create:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if empty:
            database.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
            return
    if version != VERSION:
        age = "an older" if version < VERSION else "a newer"
        raise GradebookError(
            f"{path} was written by {age} version of the autograder (format {version}; this one has {VERSION}): move it"
            f" away to keep it, and run again; everything is then graded anew. `autograder adjust {path.parent} --save"
            " corrections.csv` writes the corrections made by hand, for `adjust --from` to take in afterwards"
        )
    (whole,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if whole != "ok":
        raise GradebookError(_DAMAGED.format(path))


def saved_adjustments(out: Path) -> list[Adjustment]:
    """What people said of grades, in order, from a gradebook of this version or another. Raises GradebookError."""
    with in_words(out), closing(_connected(_existing(out), create=False)) as database:
        rows = database.execute(
            'SELECT number, student, assignment, points, score, reason, comment, "by", "at" FROM adjustments ORDER BY'
            " number"
        )
        return [Adjustment(**dict(row)) for row in rows]


def _existing(out: Path) -> Path:
    path = out / FILE
    if not path.is_file():
        raise GradebookError(f"there is no gradebook in {out}: `autograder grade` makes one")
    return path


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
