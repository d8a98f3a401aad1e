"""The gradebook: the submissions of the last run and the grades of all runs, in one SQLite file.

A grade's key (see `GradeKey`) identifies the assignment, the tests and the code. Identical files are therefore graded
only once, a run without changes grades nothing, and a change to a test causes only that test's assignment to be
regraded. A new run replaces a gradebook that is damaged or from another version, because its content can be recomputed.
Only one process can write at a time, but any number can read.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from autograder.batch import gradebook_database
from autograder.batch.changes import RecordedScore
from autograder.batch.gradebook_database import DAMAGED_MESSAGE, DAMAGED_ROW_ERRORS, GRADEBOOK_FILE, LOCK_FILE, SCHEMA
from autograder.course import BatchError
from autograder.grading.grade import Grade, from_json
from autograder.grading.row import Adjustment, GradeKey, PeopleIndex, Row
from autograder.submission import Person, Problem, Submission
from autograder.submission.untrusted_names import safe_name, utf8_safe

Record = TypeVar("Record")

_FINISHED, CORRECTIONS, CLASS_SECTIONS, COMPARED_FOLDERS = "finished", "corrections", "sections", "against"
"""Keys of stored facts: whether the last run finished, the path of the corrections that the last completed run read,
each person's section, and the folders of earlier terms that the class is compared with."""


def code_hash(submission: Submission) -> str:
    """Return a hash that is the same for submissions with the same code, or the same reason for having no code."""
    reason = submission.problem.message if submission.problem is not None else None
    return hashlib.sha256(json.dumps([submission.cells, reason]).encode("ascii")).hexdigest()


class Gradebook:
    """An open gradebook: `writing` opens it for a run, and `reading` for any other purpose.

    While the gradebook is open, disk errors are raised as BatchError.
    """

    def __init__(self, out: Path, connection: sqlite3.Connection, was_damaged: bool = False) -> None:
        self.out = out
        self._database = connection
        self.was_damaged = was_damaged  # True if this gradebook replaces a damaged one

    @classmethod
    @contextmanager
    def writing(cls, out: Path) -> Iterator[Gradebook]:
        """Open the gradebook in the OUT folder for grading, creating the folder and the gradebook if necessary."""
        with gradebook_database.errors_in_words(out):
            out.mkdir(parents=True, exist_ok=True)
            with (out / LOCK_FILE).open("ab") as file:
                gradebook_database.lock(file)
                damaged = (out / GRADEBOOK_FILE).exists() and not gradebook_database.is_intact(out)
                for part in out.glob(f"{GRADEBOOK_FILE}*") if damaged else ():
                    part.unlink()
                with closing(gradebook_database.connected(out, "rwc")) as connection:
                    connection.executescript(SCHEMA)
                    yield cls(out, connection, damaged)

    @classmethod
    @contextmanager
    def reading(cls, out: Path) -> Iterator[Gradebook]:
        """Open the gradebook of a batch, finished or still running."""
        if not (out / GRADEBOOK_FILE).is_file():
            raise BatchError(f"there is no gradebook in {out}: create one with `autograder grade`")
        with gradebook_database.errors_in_words(out):
            if not gradebook_database.is_intact(out):
                raise BatchError(DAMAGED_MESSAGE.format(out / GRADEBOOK_FILE))
            with closing(gradebook_database.connected(out, "ro")) as connection:
                yield cls(out, connection)

    def replace_submissions(
        self, folders: Iterable[Iterable[Submission]], grading_keys: Mapping[str, str]
    ) -> list[str]:
        """Replace the last run's submissions with those in `folders`, and mark the run as unfinished.

        If a student has submissions for the same assignment in two folders, the one in the later folder counts, unless
        only the earlier one implements anything. `grading_keys` maps each assignment to the `grading` field of its
        keys. Return labels for submissions of the last run that have disappeared.
        """
        names: set[str] = set()
        folder_of: dict[str, str] = {}  # submissions of all students
        earlier = PeopleIndex[tuple[str, Person]]()  # people whom a platform identifies
        with self._database:
            before = self._labels_by_assignment_and_person()
            self._database.execute("DELETE FROM submissions")
            self._database.execute("DELETE FROM facts WHERE name = ?", (_FINISHED,))
            for submissions in folders:
                ((last,),) = self._database.execute("SELECT coalesce(max(number), 0) FROM submissions")
                here: list[Submission] = []  # without their code, which would take too much memory
                for submission in submissions:
                    if submission.person.platform:
                        here.append(replace(submission, cells=()))
                    elif len(meant := earlier.find(submission.student)) == 1:
                        ((student, person),) = meant
                        submission = replace(submission, student=student, person=person)
                    if submission.student_key not in folder_of:
                        folder_of[submission.student_key] = safe_name(submission.student, names)
                    self._insert_and_supersede(
                        submission, grading_keys.get(submission.assignment, ""), folder_of[submission.student_key], last
                    )
                for submission in here:
                    earlier.add(submission, (submission.student, submission.person))
            gone = before.keys() - self._labels_by_assignment_and_person().keys()
        return [before[key] for key in sorted(gone)]

    def _labels_by_assignment_and_person(self) -> dict[tuple[str, str], str]:
        """Return a label for each submission that counts, keyed by assignment and person."""
        rows = self._database.execute("SELECT assignment, who, student FROM submissions WHERE counts")
        return {(name, who): f"{student}, {name}" if name else student for name, who, student in rows}

    def last_run_scores(self) -> list[RecordedScore]:
        """Return the scores of the last completed run."""
        return list(self._read(lambda row: RecordedScore(*row), "SELECT * FROM scores ORDER BY assignment, student"))

    def record_finished_run(self, scores: Iterable[RecordedScore] = (), adjustments_path: str = "") -> None:
        """Record that all files were written, and store the scores and the path of the corrections for the next run."""
        with self._database:
            self._database.execute("DELETE FROM scores")
            self._database.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", scores)
        self.remember(CORRECTIONS, adjustments_path)
        self.remember(_FINISHED, True)

    def remember(self, name: str, value: Any) -> None:
        """Store a fact about the last run."""
        with self._database:
            self._database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value)))

    def recall(self, name: str) -> Any:
        """Return a fact about the last run; None if the fact is missing or damaged."""
        row = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        with suppress(*DAMAGED_ROW_ERRORS):
            return row and json.loads(row["value"])
        return None

    def incomplete(self) -> str:
        """Return a message if the last run left anything ungraded or unwritten; otherwise, return an empty string."""
        query = (
            "SELECT count(*), count(grade) FROM submissions LEFT JOIN results USING (assignment, grading, code)"
            " WHERE counts AND grading != ''"
        )
        ((count, graded),) = self._database.execute(query)
        if graded == count and self.recall(_FINISHED):
            return ""
        what = f"{count - graded} of {count} are not graded yet" if graded < count else "the last run did not finish"
        is_running = gradebook_database.is_locked(self.out)
        return f"{what}: {'wait for the run in progress' if is_running else 'run `make grade` again'}"

    def require_finished_run(self, assignments: Sequence[str] = ()) -> None:
        """Raise BatchError if the last run is incomplete or has no submissions for one of these assignments."""
        if sentence := self.incomplete():
            raise BatchError(f"{sentence}. Nothing was written")
        graded = {name for name, _ in self._labels_by_assignment_and_person()}
        if absent := [name for name in assignments if name not in graded]:
            raise BatchError(f"the results have no submission for {', '.join(absent)}: grade them first")

    def content_hash(self) -> str:
        """Return a digest of all the data that reports are made from."""
        digest = hashlib.sha256()
        query = "SELECT * FROM submissions LEFT JOIN results USING (assignment, grading, code) ORDER BY number"
        facts = f"SELECT * FROM facts WHERE name NOT IN ('{_FINISHED}', '{CORRECTIONS}') ORDER BY name"
        for row in itertools.chain(self._database.execute(query), self._database.execute(facts)):
            digest.update(repr(tuple(row)).encode("utf-8", "backslashreplace"))
        return digest.hexdigest()

    def _insert_and_supersede(self, submission: Submission, grading: str, folder: str, max_earlier_number: int) -> None:
        """Insert a submission, which replaces the student's earlier ones unless only those implement anything.

        Earlier submissions, from earlier folders, have numbers up to `max_earlier_number`.
        """
        who = utf8_safe(submission.student_key)
        counts = 1
        if submission.assignment:
            earlier = "assignment = ? AND who = ? AND number <= ? AND counts"
            values = (submission.assignment, who, max_earlier_number)
            written = f"SELECT 1 FROM submissions WHERE {earlier} AND json_extract(submission, '$.is_written')"
            if not submission.is_written and self._database.execute(written, values).fetchone():
                counts = 0
            else:
                self._database.execute(f"UPDATE submissions SET counts = 0 WHERE {earlier}", values)
        key = (submission.assignment, utf8_safe(submission.student), who, grading, code_hash(submission))
        facts = (json.dumps(asdict(replace(submission, cells=()))), json.dumps(submission.cells))
        insert = "INSERT INTO submissions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]')"
        self._database.execute(insert, (*key, counts, folder, *facts))

    def adjust(self, adjustments: Mapping[int, Sequence[Adjustment]]) -> None:
        """Store corrections by submission number."""
        with self._database:
            rows = [(json.dumps([asdict(line) for line in lines]), number) for number, lines in adjustments.items()]
            self._database.executemany("UPDATE submissions SET adjustments = ? WHERE number = ?", rows)

    def submissions_that_count(self) -> Iterator[tuple[int, Submission]]:
        """Yield the submissions that count, with their numbers."""
        query = "SELECT number, submission FROM submissions WHERE counts"
        return self._read(lambda row: (row["number"], _submission_without_code(row)), query)

    def superseded(self) -> list[Submission]:
        """Return the submissions superseded by another submission from the same student."""
        query = "SELECT submission FROM submissions WHERE NOT counts ORDER BY assignment, student, number"
        return list(self._read(_submission_without_code, query))

    def questions_by_assignment(self) -> dict[str, list[str]]:
        """Return the questions of each assignment that has a grade, in the order of its test suite."""
        query = (
            "SELECT assignment, grade FROM submissions JOIN results USING (assignment, grading, code) WHERE counts"
            " GROUP BY assignment ORDER BY assignment"
        )
        return dict(self._read(lambda row: (row["assignment"], [*from_json(_grade_json(row)).questions]), query))

    def ungraded_key_counts(self) -> dict[GradeKey, int]:
        """Return the keys that have no complete grade, with the number of submissions that share each key.

        This includes keys of code that no grader could judge in the last run.
        """
        query = (
            "SELECT assignment, grading, code, count(*) AS count, lost, grade FROM submissions"
            " LEFT JOIN results USING (assignment, grading, code)"
            " WHERE counts AND grading != '' GROUP BY assignment, grading, code ORDER BY assignment, min(student)"
        )
        rows = self._read(
            lambda row: (GradeKey(*row[:3]), row["count"], row["lost"] == "" and _has_intact_grade(row)), query
        )
        return {key: count for key, count, done in rows if not done}

    def problem_message(self, code_hash: str) -> str | None:
        """Return a sentence telling the student why the code with this hash cannot run; None if it can."""
        query = "SELECT submission FROM submissions WHERE code = ? LIMIT 1"
        (submission,) = self._read(_submission_without_code, query, code_hash)
        return submission.problem.message if submission.problem is not None else None

    def code_cells(self, code_hash: str) -> tuple[str, ...]:
        """Return the cells of the code with this hash."""
        query = "SELECT cells FROM submissions WHERE code = ? LIMIT 1"
        (cells,) = self._read(lambda row: tuple(json.loads(row["cells"])), query, code_hash)
        return cells

    def add(self, key: GradeKey, packed: bytes, machine_failure: str = "") -> None:
        """Store a packed grade, and the reason if no grader could judge the code."""
        with self._database:
            row = (*key, utf8_safe(machine_failure), packed)
            self._database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", row)

    def grade(self, key: GradeKey) -> Grade | None:
        """Return the grade with this key; None if it is missing or no grader could judge the code."""
        query = "SELECT lost, grade FROM results WHERE assignment = ? AND grading = ? AND code = ?"
        row = self._database.execute(query, key).fetchone()
        return from_json(_grade_json(row)) if row and not row["lost"] and _has_intact_grade(row) else None

    def rows(self) -> Iterator[Row]:
        """Yield every graded submission that counts, sorted by assignment and then by student."""
        query = (
            "SELECT assignment, grading, code, folder, submission, adjustments, lost, grade FROM submissions"
            " LEFT JOIN results USING (assignment, grading, code)"
            " WHERE counts AND (grade IS NOT NULL OR grading = '') ORDER BY assignment, student, who, number"
        )
        return self._read(_row, query)

    def _read(self, make: Callable[[sqlite3.Row], Record], query: str, *values: Any) -> Iterator[Record]:
        """Yield `make(row)` for each row of a query. Raise BatchError for a damaged row."""
        try:
            yield from map(make, self._database.execute(query, values))
        except DAMAGED_ROW_ERRORS as error:
            raise BatchError(DAMAGED_MESSAGE.format(self.out / GRADEBOOK_FILE)) from error


def _submission_without_code(row: sqlite3.Row) -> Submission:
    facts = json.loads(row["submission"])
    problem = facts.pop("problem")
    lists = {name: tuple(value) for name, value in facts.items() if isinstance(value, list)}
    person = Person(**facts.pop("person"))
    return Submission(**facts | lists, person=person, problem=Problem(**problem) if problem else None)


def _row(row: sqlite3.Row) -> Row:
    adjustments = tuple(Adjustment(**line) for line in json.loads(row["adjustments"]))
    submission, key = _submission_without_code(row), GradeKey(*row[:3])
    return Row(submission, key, row["folder"], row["lost"] or "", adjustments, _grade_json(row))


def _grade_json(row: sqlite3.Row) -> bytes:
    """Return a grade as JSON, or empty bytes if there is no grade. Raise zlib.error if the grade is damaged."""
    return zlib.decompress(row["grade"]) if row["grade"] is not None else b""


def _has_intact_grade(row: sqlite3.Row) -> bool:
    try:
        return bool(_grade_json(row))
    except DAMAGED_ROW_ERRORS:
        return False
